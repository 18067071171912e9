// Variants: the list with or without stock, and the fields of one variant.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  isBlank,
  ATTRIBUTE_CHARACTERS_MAX,
  ATTRIBUTE_NAME_CHARACTERS_MAX,
  ATTRIBUTES_MAX,
  BARCODE_CHARACTERS_MAX,
  POWER_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { textFault } from '../../platform/csv/fields.ts';
import { changeVariant } from './changes.ts';
import type { FieldError } from '../../platform/values/field-fault.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import { findVariantLine, listVariantLines, type VariantLine } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import {
  nullable,
  OptionalBoolean,
  OptionalInteger,
  OptionalText,
} from '../../platform/schema/building-blocks.ts';
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

const VariantPatch = Type.Object({
  power: OptionalText(POWER_CHARACTERS_MAX, { description: 'Dioptre value; null: none.' }),
  barcode: OptionalText(BARCODE_CHARACTERS_MAX, {
    description: 'Unique among all variants; 409 otherwise. null: none.',
  }),
  attributes: Type.Optional(
    nullable<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: `Replaces all of them: texts by name, such as size and colour; at most ${ATTRIBUTES_MAX}.`,
    }),
  ),
  low_stock_at: OptionalInteger({ minimum: 0, maximum: INT32_MAX, description: 'null: no warning.' }),
  archived: OptionalBoolean({
    description:
      'true: out of the lists; 409 while it is mapped or has stock, open orders or allocations. Orders keep it, and false brings it back.',
  }),
});
type VariantPatch = Static<typeof VariantPatch>;

const VariantItem = Type.Object(
  {
    id: Type.Integer(),
    code: Type.String(),
    product_code: Type.String(),
    product_name: Type.String(),
    power: nullable<string>({ type: 'string' }),
    barcode: nullable<string>({ type: 'string' }),
    attributes: Attributes,
    low_stock_at: LowStockAt,
    has_stock: Type.Boolean({ description: 'Whether it has a stock record.' }),
    archived: Type.Boolean({ description: 'The variant itself, or its product.' }),
    created_at: Timestamp,
  },
  { title: 'Variant' },
);
const VariantQuery = Type.Object({
  ...pageQuery,
  search: SearchQuery,
  without_stock: Type.Optional(
    Type.Boolean({ description: 'true: only variants without a stock record; false: only those with one.' }),
  ),
  archived: ArchivedQuery,
});
const VariantParams = Type.Object({ code: PathText('The variant code.') });
type VariantParams = Static<typeof VariantParams>;
const tags = ['products'];

const presenter =
  ({ formatTimestamp }: BackOffice) =>
  (line: VariantLine): Static<typeof VariantItem> => ({
    id: line.id,
    code: line.code,
    product_code: line.product_code,
    product_name: line.product_name,
    power: line.power,
    barcode: line.barcode,
    attributes: line.attributes,
    low_stock_at: line.low_stock_at,
    has_stock: line.has_stock,
    archived: line.is_archived,
    created_at: formatTimestamp(line.created_at),
  });

export function registerVariants(app: FastifyInstance, services: BackOffice): void {
  registerReads(app, services);
  registerPatch(app, services);
}

function registerReads(app: FastifyInstance, services: BackOffice): void {
  const present = presenter(services);

  app.route<{ Querystring: Static<typeof VariantQuery> }>({
    method: 'GET',
    url: '/variants',
    schema: {
      summary: 'Variants of all products, by code, with and without stock',
      tags,
      security,
      querystring: VariantQuery,
      response: { 200: ListOf(VariantItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { search = null, archived = false, without_stock = null } = query;
      const filter = { after: textAfter(query), search, archived, without_stock };
      return readPage(services.pool, query, {
        read: (tx, limit) => listVariantLines(tx, { ...filter, limit }),
        key: (variant) => variant.code,
        present,
      });
    },
  });

  app.route<{ Params: VariantParams }>({
    method: 'GET',
    url: '/variants/:code',
    schema: {
      summary: 'One variant',
      tags,
      security,
      params: VariantParams,
      response: { 200: DataOf(VariantItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params: { code } }) => {
      const found = await reading(services.pool, (tx) => findVariantLine(tx, code));
      if (!found) throw refusalOf({ kind: 'variant_unknown', variant_code: code });
      return { data: present(found) };
    },
  });
}

function registerPatch(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: VariantParams; Body: VariantPatch }>({
    method: 'PATCH',
    url: '/variants/:code',
    config: { role: 'operator' },
    schema: {
      summary: 'Change the given fields of a variant, archive it, or bring it back',
      description: 'Channels see none of these fields. Mapping an archived variant brings it back.',
      tags,
      security,
      params: VariantParams,
      body: VariantPatch,
      response: { 200: DataOf(VariantItem), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { code: request.params.code, ...readChanges(request.body) };
      const { variant } = await change(services, request, (tx, by) => changeVariant(tx, by, wanted));
      return { data: presenter(services)(variant) };
    },
  });
}

/** Reads the given fields; null clears a field. All errors are reported together. */
function readChanges(body: VariantPatch) {
  const { power, barcode, attributes, low_stock_at, archived } = body;
  const found: FieldError[] = [];
  if (typeof barcode === 'string' && isBlank(barcode))
    found.push({ field: 'barcode', fault: { kind: 'blank' } });
  if (typeof power === 'string' && isBlank(power)) found.push({ field: 'power', fault: { kind: 'blank' } });
  found.push(...attributeErrors(attributes ?? {}));
  if (found.length > 0) throw Refusal.invalidFields(found);
  return {
    ...(power === undefined ? {} : { power }),
    ...(barcode === undefined ? {} : { barcode }),
    ...(attributes === undefined ? {} : { attributes: attributes ?? {} }),
    ...(low_stock_at === undefined ? {} : { low_stock_at }),
    ...(typeof archived === 'boolean' ? { archived } : {}),
  };
}

function attributeErrors(attributes: Record<string, string>): FieldError[] {
  const entries = Object.entries(attributes);
  if (entries.length > ATTRIBUTES_MAX)
    return [{ field: 'attributes', fault: { kind: 'too_many', elements_max: ATTRIBUTES_MAX } }];
  return entries.flatMap(([name, text]): FieldError[] => {
    const field = `attributes.${name}`;
    if (isBlank(name) || isBlank(text)) return [{ field, fault: { kind: 'blank' } }];
    const isOdd = !name.isWellFormed() || !text.isWellFormed();
    const fault = isOdd
      ? ({ kind: 'not_storable' } as const)
      : (textFault(name, ATTRIBUTE_NAME_CHARACTERS_MAX) ?? textFault(text, ATTRIBUTE_CHARACTERS_MAX));
    return fault === null ? [] : [{ field, fault }];
  });
}
