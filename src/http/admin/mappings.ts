// Which internal variant a channel SKU stands for. Orders keep pointing at what they were accepted for.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { insertAudit, type Actor } from '../../store/audit.ts';
import { findChannel } from '../../store/channels.ts';
import { type Tx } from '../../store/database.ts';
import { reading } from '../../store/transactions.ts';
import { appendJournal } from '../../store/journal.ts';
import {
  deleteMapping,
  findMappings,
  listMappings,
  lockMappings,
  upsertMappings,
  type Mapping,
} from '../../store/mappings.ts';
import { findVariants } from '../../store/products.ts';
import { ErrorBody, nullable, SKU_CHARACTERS_MAX, Text } from '../schema.ts';
import type { Services } from '../services.ts';
import { actorOf } from './auth.ts';
import { limitOf, ListOf, page, pageQuery, textAfter } from './page.ts';
import { Refusal } from './refusal.ts';
import {
  channelIdOf,
  ChannelParams,
  CODE_CHARACTERS_MAX,
  COMMON_ANSWERS,
  DataOf,
  PathId,
  PathText,
  SearchQuery,
  security,
} from './schemas.ts';
import { writing } from './writing.ts';

const MAPPINGS_A_REQUEST_MAX = 10_000;

const MappingsRequest = Type.Object({
  mappings: Type.Array(
    Type.Object({ sku: Text(SKU_CHARACTERS_MAX), variant_code: Text(CODE_CHARACTERS_MAX) }),
    { maxItems: MAPPINGS_A_REQUEST_MAX, description: 'Added or replaced; what is not named stays.' },
  ),
});
const MappingItem = Type.Object({
  sku: Type.String(),
  variant_code: Type.String(),
  product_code: Type.String(),
  product_name: Type.String(),
  power: nullable<string>({ type: 'string' }),
});
const MappingCount = Type.Object({ count: Type.Integer() });

const MappingParams = Type.Object({ id: PathId('The channel id.'), sku: PathText('The channel SKU.') });
const MappingQuery = Type.Object({ ...pageQuery, search: SearchQuery });
const tags = ['mappings'];
const role = 'operator';

export function registerMappings(app: FastifyInstance, services: Services): void {
  registerList(app, services);
  registerPut(app, services);
  registerDelete(app, services);
}

function registerList(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof ChannelParams>; Querystring: Static<typeof MappingQuery> }>({
    method: 'GET',
    url: '/channels/:id/mappings',
    schema: {
      summary: 'The SKUs of a channel, by SKU',
      tags,
      security,
      params: ChannelParams,
      querystring: MappingQuery,
      response: { 200: ListOf(MappingItem), 404: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params, query }) => {
      const id = channelIdOf(params);
      const limit = limitOf(query);
      const filter = { after: textAfter(query), search: query.search ?? null, limit: limit + 1 };
      const found = await reading(services.pool, async (tx) => {
        if (!(await findChannel(tx, id))) throw Refusal.notFound(`Channel ${id}`);
        return listMappings(tx, id, filter);
      });
      return page(
        found,
        limit,
        (row) => row.sku,
        (row) => row,
      );
    },
  });
}

function registerPut(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof ChannelParams>; Body: Static<typeof MappingsRequest> }>({
    method: 'PUT',
    url: '/channels/:id/mappings',
    config: { role },
    schema: {
      summary: 'Add or replace mappings, all or none',
      tags,
      security,
      params: ChannelParams,
      body: MappingsRequest,
      response: { 200: DataOf(MappingCount), 404: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = channelIdOf(request.params);
      const { mappings } = request.body;
      refuseRepeatedSkus(mappings);
      await writing(services, request, (tx) => putMappings(tx, actorOf(request), id, mappings));
      return { data: { count: mappings.length } };
    },
  });
}

function registerDelete(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof MappingParams> }>({
    method: 'DELETE',
    url: '/channels/:id/mappings/:sku',
    config: { role },
    schema: {
      summary: 'Unmap a SKU',
      tags,
      security,
      params: MappingParams,
      response: { 204: Type.Null(), 404: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = channelIdOf(request.params);
      const { sku } = request.params;
      await writing(services, request, (tx) => removeMapping(tx, actorOf(request), id, sku));
      return reply.code(204).send();
    },
  });
}

/** Throws with one text per entry that `fault` finds fault with. */
function refuseEntries(
  mappings: readonly Mapping[],
  field: keyof Mapping,
  fault: (mapping: Mapping) => string | null,
): void {
  const errors: Record<string, string[]> = {};
  for (const [index, mapping] of mappings.entries()) {
    const path = `mappings.${index}.${field}`;
    const text = fault(mapping);
    if (text !== null) errors[path] = [`${path} ${text}`];
  }
  if (Object.keys(errors).length > 0) throw Refusal.invalidFields(errors);
}

function refuseRepeatedSkus(mappings: readonly Mapping[]): void {
  const seen = new Set<string>();
  refuseEntries(mappings, 'sku', ({ sku }) => {
    if (seen.has(sku)) return 'is named twice in this request.';
    seen.add(sku);
    return null;
  });
}

/** Audited are the differences alone: an upload that is repeated every hour would fill the audit with itself. */
async function putMappings(
  tx: Tx,
  by: Actor,
  channelId: number,
  mappings: readonly Mapping[],
): Promise<void> {
  if (!(await lockMappings(tx, channelId))) throw Refusal.notFound(`Channel ${channelId}`);
  const codes = [...new Set(mappings.map((mapping) => mapping.variant_code))];
  const variantIds = new Map((await findVariants(tx, codes)).map(({ code, id }) => [code, id]));
  refuseEntries(mappings, 'variant_code', ({ variant_code }) =>
    variantIds.has(variant_code) ? null : 'is not the code of a variant.',
  );
  const existing = await findMappings(
    tx,
    channelId,
    mappings.map((mapping) => mapping.sku),
  );
  const codeBySku = new Map(existing.map(({ sku, variant_code }) => [sku, variant_code]));
  const changed = mappings.filter(({ sku, variant_code }) => codeBySku.get(sku) !== variant_code);
  if (changed.length === 0) return;
  const changedSkus = new Set(changed.map((mapping) => mapping.sku));

  await upsertMappings(
    tx,
    channelId,
    changed.map(({ sku, variant_code }) => ({ sku, variant_id: variantIds.get(variant_code) as number })),
  );
  await insertAudit(tx, by, {
    action: 'mapping.put',
    subject: `channel:${channelId}`,
    before: { mappings: existing.filter((mapping) => changedSkus.has(mapping.sku)) },
    after: { mappings: changed.map(({ sku, variant_code }) => ({ sku, variant_code })) },
  });
  await appendJournal(tx, { channel_ids: [channelId], skus: [...changedSkus] });
}

async function removeMapping(tx: Tx, by: Actor, channelId: number, sku: string): Promise<void> {
  if (!(await lockMappings(tx, channelId))) throw Refusal.notFound(`Channel ${channelId}`);
  const [before] = await findMappings(tx, channelId, [sku]);
  if (!before) throw Refusal.notFound(`The mapping of SKU ${sku}`);
  await deleteMapping(tx, channelId, sku);
  await insertAudit(tx, by, {
    action: 'mapping.delete',
    subject: `channel:${channelId}`,
    before: { mappings: [before] },
    after: { mappings: [] },
  });
  await appendJournal(tx, { channel_ids: [channelId], skus: [sku] });
}
