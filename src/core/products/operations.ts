// Products and variants: the internal catalogue that channel SKUs are mapped to.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  CODE_CHARACTERS_MAX,
  POWER_CHARACTERS_MAX,
  PRODUCT_NAME_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { addVariant, createProduct, changeProduct, type ProductWithVariants } from './changes.ts';
import { type Tx } from '../../platform/database/database.ts';
import { findProduct, listProducts, listVariants, type Product, type Variant } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { nullable, OptionalBoolean, OptionalText, Text } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { ListOf, pageQuery, readPage, textAfter } from '../../platform/admin-api/page.ts';
import { Refusal, refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  ArchivedQuery,
  COMMON_ANSWERS,
  DataOf,
  PathText,
  RefusalBody,
  SearchQuery,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { Attributes, LowStockAt } from './fields.ts';
import { change } from '../../platform/accounts/change.ts';

const VARIANTS_A_REQUEST_MAX = 1_000;

const NewVariant = Type.Object({
  code: Text(CODE_CHARACTERS_MAX, { description: 'Unique among all variants.' }),
  power: OptionalText(POWER_CHARACTERS_MAX, { description: 'Dioptre value, if the product has one.' }),
});
type NewVariant = Static<typeof NewVariant>;
const NewProduct = Type.Object({
  code: Text(CODE_CHARACTERS_MAX, { description: 'Unique among all products.' }),
  name: Text(PRODUCT_NAME_CHARACTERS_MAX),
  variants: Type.Optional(
    Type.Unsafe<NewVariant[] | null>({
      type: ['array', 'null'],
      items: NewVariant,
      maxItems: VARIANTS_A_REQUEST_MAX,
    }),
  ),
});
type NewProduct = Static<typeof NewProduct>;
const ProductPatch = Type.Object({
  name: Type.Optional(Text(PRODUCT_NAME_CHARACTERS_MAX)),
  archived: OptionalBoolean({
    description:
      'true: out of the lists, with its variants; 409 while one of them is mapped or has stock, open orders or allocations. Orders keep it, and false brings it back.',
  }),
});

const VariantItem = Type.Object(
  {
    id: Type.Integer(),
    code: Type.String(),
    power: nullable<string>({ type: 'string' }),
    barcode: nullable<string>({ type: 'string' }),
    attributes: Attributes,
    low_stock_at: LowStockAt,
    archived: Type.Boolean(),
    created_at: Timestamp,
  },
  { title: 'ProductVariant' },
);
const ProductItem = Type.Object(
  {
    id: Type.Integer(),
    code: Type.String(),
    name: Type.String(),
    variants: Type.Array(VariantItem, { description: 'By code.' }),
    archived: Type.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Product' },
);

const ProductParams = Type.Object({ code: PathText('The product code.') });
type ProductParams = Static<typeof ProductParams>;
const ProductQuery = Type.Object({ ...pageQuery, search: SearchQuery, archived: ArchivedQuery });
const tags = ['products'];
const role = 'operator';

export function registerProducts(app: FastifyInstance, services: BackOffice): void {
  registerReads(app, services);
  registerCreate(app, services);
  registerPatch(app, services);
  registerNewVariant(app, services);
}

function presenter({ formatTimestamp }: BackOffice) {
  const variant = (found: Variant): Static<typeof VariantItem> => ({
    id: found.id,
    code: found.code,
    power: found.power,
    barcode: found.barcode,
    attributes: found.attributes,
    low_stock_at: found.low_stock_at,
    archived: found.archived_at !== null,
    created_at: formatTimestamp(found.created_at),
  });
  const product = (found: ProductWithVariants): Static<typeof ProductItem> => ({
    id: found.id,
    code: found.code,
    name: found.name,
    variants: found.variants.map(variant),
    archived: found.archived_at !== null,
    created_at: formatTimestamp(found.created_at),
  });
  return { variant, product };
}

function registerReads(app: FastifyInstance, services: BackOffice): void {
  const present = presenter(services);

  app.route<{ Querystring: Static<typeof ProductQuery> }>({
    method: 'GET',
    url: '/products',
    schema: {
      summary: 'Products with their variants, by code',
      description:
        'Archived products and variants are left out; with `archived=true`: products that are archived or have an archived variant, with all their variants.',
      tags,
      security,
      querystring: ProductQuery,
      response: { 200: ListOf(ProductItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { search = null, archived = false } = query;
      const filter = { after: textAfter(query), search, archived };
      const inUse = (variant: Variant): boolean => archived || variant.archived_at === null;
      return readPage(services.pool, query, {
        read: async (tx, limit) => withVariants(tx, await listProducts(tx, { ...filter, limit })),
        key: (product) => product.code,
        present: (product) => present.product({ ...product, variants: product.variants.filter(inUse) }),
      });
    },
  });

  app.route<{ Params: ProductParams }>({
    method: 'GET',
    url: '/products/:code',
    schema: {
      summary: 'One product with its variants',
      tags,
      security,
      params: ProductParams,
      response: { 200: DataOf(ProductItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params: { code } }) => {
      const [found] = await reading(services.pool, async (tx) => {
        const product = await findProduct(tx, code);
        return product ? withVariants(tx, [product]) : [];
      });
      if (!found) throw refusalOf({ kind: 'product_unknown', product_code: code });
      return { data: present.product(found) };
    },
  });
}

function registerCreate(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: NewProduct }>({
    method: 'POST',
    url: '/products',
    config: { role },
    schema: {
      summary: 'Create a product with its first variants',
      tags,
      security,
      body: NewProduct,
      response: { 201: DataOf(ProductItem), 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { code, name } = request.body;
      const variants = (request.body.variants ?? []).map(fieldsOf);
      const wanted = { code, name, variants };
      const { product } = await change(services, request, (tx, by) => createProduct(tx, by, wanted));
      return reply.code(201).send({ data: presenter(services).product(product) });
    },
  });
}

function registerPatch(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: ProductParams; Body: Static<typeof ProductPatch> }>({
    method: 'PATCH',
    url: '/products/:code',
    config: { role },
    schema: {
      summary: 'Rename a product, archive it, or bring it back',
      tags,
      security,
      params: ProductParams,
      body: ProductPatch,
      response: { 200: DataOf(ProductItem), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { name, archived } = request.body;
      if (name === undefined && typeof archived !== 'boolean')
        throw Refusal.invalid('name', { kind: 'required' });
      const wanted = {
        code: request.params.code,
        ...(name === undefined ? {} : { name }),
        ...(typeof archived === 'boolean' ? { archived } : {}),
      };
      const { product } = await change(services, request, (tx, by) => changeProduct(tx, by, wanted));
      return { data: presenter(services).product(product) };
    },
  });
}

function registerNewVariant(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: ProductParams; Body: NewVariant }>({
    method: 'POST',
    url: '/products/:code/variants',
    config: { role },
    schema: {
      summary: 'Add a variant to a product',
      tags,
      security,
      params: ProductParams,
      body: NewVariant,
      response: { 201: DataOf(VariantItem), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { product_code: request.params.code, ...fieldsOf(request.body) };
      const { variant } = await change(services, request, (tx, by) => addVariant(tx, by, wanted));
      return reply.code(201).send({ data: presenter(services).variant(variant) });
    },
  });
}

const fieldsOf = ({ code, power }: NewVariant): { code: string; power: string | null } => ({
  code,
  power: power ?? null,
});

async function withVariants(tx: Tx, products: readonly Product[]): Promise<ProductWithVariants[]> {
  const ids = products.map((product) => product.id);
  const byProduct = Map.groupBy(await listVariants(tx, ids), (variant) => variant.product_id);
  return products.map((product) => ({ ...product, variants: byProduct.get(product.id) ?? [] }));
}
