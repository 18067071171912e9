// Products and variants: the internal catalogue that channel SKUs are mapped to.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { insertAudit, type Actor } from '../../store/audit.ts';
import { type Tx } from '../../store/database.ts';
import { reading } from '../../store/transactions.ts';
import { appendJournal } from '../../store/journal.ts';
import {
  findProduct,
  insertProduct,
  insertVariants,
  listProducts,
  listVariants,
  lockProduct,
  renameProduct,
  type Product,
  type Variant,
} from '../../store/products.ts';
import { ErrorBody, nullable, OptionalText, Text } from '../schema.ts';
import type { Services } from '../services.ts';
import { actorOf } from './auth.ts';
import { limitOf, ListOf, page, pageQuery, textAfter } from './page.ts';
import { Refusal } from './refusal.ts';
import {
  CODE_CHARACTERS_MAX,
  COMMON_ANSWERS,
  DataOf,
  PathText,
  SearchQuery,
  security,
  Timestamp,
} from './schemas.ts';
import { writing } from './writing.ts';

export const PRODUCT_NAME_CHARACTERS_MAX = 255;
const POWER_CHARACTERS_MAX = 100;
const VARIANTS_A_REQUEST_MAX = 1_000;

const NewVariant = Type.Object({
  code: Text(CODE_CHARACTERS_MAX, { description: 'Unique among all variants.' }),
  power: OptionalText(POWER_CHARACTERS_MAX, { description: 'Dioptre value, where the product has one.' }),
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
const ProductPatch = Type.Object({ name: Text(PRODUCT_NAME_CHARACTERS_MAX) });

const VariantItem = Type.Object({
  id: Type.Integer(),
  code: Type.String(),
  power: nullable<string>({ type: 'string' }),
  created_at: Timestamp,
});
const ProductItem = Type.Object({
  id: Type.Integer(),
  code: Type.String(),
  name: Type.String(),
  variants: Type.Array(VariantItem, { description: 'By code.' }),
  created_at: Timestamp,
});

const ProductParams = Type.Object({ code: PathText('The product code.') });
type ProductParams = Static<typeof ProductParams>;
const ProductQuery = Type.Object({ ...pageQuery, search: SearchQuery });
const tags = ['products'];
const role = 'operator';

export function registerProducts(app: FastifyInstance, services: Services): void {
  registerReads(app, services);
  registerCreate(app, services);
  registerRename(app, services);
  registerNewVariant(app, services);
}

interface ProductWithVariants extends Product {
  variants: readonly Variant[];
}

function presenter({ formatTimestamp }: Services) {
  const variant = ({ id, code, power, created_at }: Variant): Static<typeof VariantItem> => ({
    id,
    code,
    power,
    created_at: formatTimestamp(created_at),
  });
  const product = (found: ProductWithVariants): Static<typeof ProductItem> => ({
    id: found.id,
    code: found.code,
    name: found.name,
    variants: found.variants.map(variant),
    created_at: formatTimestamp(found.created_at),
  });
  return { variant, product };
}

function registerReads(app: FastifyInstance, services: Services): void {
  const present = presenter(services);

  app.route<{ Querystring: Static<typeof ProductQuery> }>({
    method: 'GET',
    url: '/products',
    schema: {
      summary: 'Products with their variants, by code',
      tags,
      security,
      querystring: ProductQuery,
      response: { 200: ListOf(ProductItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const limit = limitOf(query);
      const filter = { after: textAfter(query), search: query.search ?? null, limit: limit + 1 };
      const found = await reading(services.pool, async (tx) =>
        withVariants(tx, await listProducts(tx, filter)),
      );
      return page(found, limit, (product) => product.code, present.product);
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
      response: { 200: DataOf(ProductItem), 404: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params: { code } }) => {
      const found = await reading(services.pool, async (tx) =>
        complete(tx, known(await findProduct(tx, code), code)),
      );
      return { data: present.product(found) };
    },
  });
}

function registerCreate(app: FastifyInstance, services: Services): void {
  app.route<{ Body: NewProduct }>({
    method: 'POST',
    url: '/products',
    config: { role },
    schema: {
      summary: 'Make a product, with its first variants',
      tags,
      security,
      body: NewProduct,
      response: { 201: DataOf(ProductItem), 409: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      refuseRepeatedCodes(request.body.variants ?? []);
      const made = await writing(services, request, (tx) =>
        createProduct(tx, actorOf(request), request.body),
      );
      return reply.code(201).send({ data: presenter(services).product(made) });
    },
  });
}

function registerRename(app: FastifyInstance, services: Services): void {
  app.route<{ Params: ProductParams; Body: Static<typeof ProductPatch> }>({
    method: 'PATCH',
    url: '/products/:code',
    config: { role },
    schema: {
      summary: 'Rename a product',
      tags,
      security,
      params: ProductParams,
      body: ProductPatch,
      response: { 200: DataOf(ProductItem), 404: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { code } = request.params;
      const renamed = await writing(services, request, (tx) =>
        rename(tx, actorOf(request), code, request.body.name),
      );
      return { data: presenter(services).product(renamed) };
    },
  });
}

function registerNewVariant(app: FastifyInstance, services: Services): void {
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
      response: { 201: DataOf(VariantItem), 404: ErrorBody, 409: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { code } = request.params;
      const made = await writing(services, request, async (tx) => {
        const product = known(await findProduct(tx, code), code);
        const [variant] = await addVariants(tx, product, [request.body]);
        await insertAudit(tx, actorOf(request), {
          action: 'variant.create',
          subject: `variant:${request.body.code}`,
          before: null,
          after: { product_code: code, ...fieldsOf(request.body) },
        });
        return variant as Variant;
      });
      return reply.code(201).send({ data: presenter(services).variant(made) });
    },
  });
}

function known(product: Product | undefined, code: string): Product {
  if (!product) throw Refusal.notFound(`Product ${code}`);
  return product;
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

async function complete(tx: Tx, product: Product): Promise<ProductWithVariants> {
  return { ...product, variants: await listVariants(tx, [product.id]) };
}

function refuseRepeatedCodes(variants: readonly NewVariant[]): void {
  const seen = new Set<string>();
  const errors: Record<string, string[]> = {};
  for (const [index, { code }] of variants.entries()) {
    const field = `variants.${index}.code`;
    if (seen.has(code)) errors[field] = [`${field} is the code of another variant of this request.`];
    seen.add(code);
  }
  if (Object.keys(errors).length > 0) throw Refusal.invalidFields(errors);
}

/** All of them or, where a code is taken, none. */
async function addVariants(tx: Tx, product: Product, variants: readonly NewVariant[]): Promise<Variant[]> {
  const made = await insertVariants(tx, product.id, variants.map(fieldsOf));
  const codes = new Set(made.map((variant) => variant.code));
  const taken = variants.find((variant) => !codes.has(variant.code));
  if (taken) throw Refusal.conflict(`The variant code ${taken.code} is taken.`);
  return made;
}

async function createProduct(tx: Tx, by: Actor, body: NewProduct): Promise<ProductWithVariants> {
  const { code, name } = body;
  const variants = body.variants ?? [];
  const product = await insertProduct(tx, code, name);
  if (!product) throw Refusal.conflict(`The product code ${code} is taken.`);
  await addVariants(tx, product, variants);
  await insertAudit(tx, by, {
    action: 'product.create',
    subject: `product:${code}`,
    before: null,
    after: { name, variants: variants.map(fieldsOf) },
  });
  return complete(tx, product);
}

/** The name is shown in the stock lists of every channel that maps one of the variants. */
async function rename(tx: Tx, by: Actor, code: string, name: string): Promise<ProductWithVariants> {
  const before = known(await lockProduct(tx, code), code);
  const product = await complete(tx, await renameProduct(tx, before.id, name));
  await insertAudit(tx, by, {
    action: 'product.update',
    subject: `product:${code}`,
    before: { name: before.name },
    after: { name },
  });
  await appendJournal(tx, { variant_ids: product.variants.map((variant) => variant.id) });
  return product;
}
