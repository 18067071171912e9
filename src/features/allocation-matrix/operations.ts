// The allocation matrix: what each channel holds of each item, and what it may sell.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import { channelAvailable, reserveRemaining } from '../../core/rules/stock.ts';
import { listMatrix, type MatrixLine } from '../../core/allocations/store.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { ListOf, pageQuery, readPage, textAfter } from '../../platform/admin-api/page.ts';
import { COMMON_ANSWERS, SearchQuery, security } from '../../platform/admin-api/schemas.ts';
import { item, itemOf, stockNumbers, stockNumbersOf } from '../../core/stock/item.ts';

const MatrixRow = Type.Object({
  ...item,
  ...stockNumbers,
  cells: Type.Array(
    Type.Object({
      channel_id: Type.Integer(),
      allocated_qty: Type.Integer(),
      reserve_quota: Type.Integer(),
      backordered_qty: Type.Integer(),
      available: Type.Integer(),
      reserve_remaining: Type.Integer(),
      is_mapped: Type.Boolean({ description: 'False: an allocation without a mapped SKU of the channel.' }),
    }),
    { description: 'The channels that map the item or have an allocation of it.' },
  ),
});
const MatrixQuery = Type.Object({
  ...pageQuery,
  search: SearchQuery,
  channel_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: INT32_MAX,
      description: 'Only items that this channel maps or has an allocation of.',
    }),
  ),
});

export function registerAllocationMatrix(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: Static<typeof MatrixQuery> }>({
    method: 'GET',
    url: '/allocations',
    schema: {
      summary: 'The allocations of all channels, item by item, by variant code',
      description: 'Items without a stock row are not listed: they cannot be allocated.',
      tags: ['allocations'],
      security,
      querystring: MatrixQuery,
      response: { 200: ListOf(MatrixRow), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { search = null, channel_id = null } = query;
      const filter = { after: textAfter(query), search, channel_id };
      return readPage(services.pool, query, {
        read: (tx, limit) => listMatrix(tx, { ...filter, limit }),
        key: (row) => row.variant_code,
        present: rowOf,
      });
    },
  });
}

const rowOf = (line: MatrixLine): Static<typeof MatrixRow> => ({
  ...itemOf(line),
  ...stockNumbersOf(line),
  cells: line.cells.map((cell) => ({
    channel_id: cell.channel_id,
    allocated_qty: cell.allocated_qty,
    reserve_quota: cell.reserve_quota,
    backordered_qty: cell.backordered_qty,
    available: channelAvailable(line, cell),
    reserve_remaining: reserveRemaining(cell),
    is_mapped: cell.is_mapped,
  })),
});
