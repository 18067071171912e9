// Allocations of channels, as administrators set them.
import type { Allocation, Stock } from '../rules/stock.ts';
import { rows, run, statement, type Statement, type Tx } from '../../platform/database/database.ts';
import { isFound, productsFound } from '../products/store.ts';
import { allocationKeyColumns } from '../gate/deltas-store.ts';
import { FACTS, IS_SHOWN, type StockLine } from '../stock/store.ts';

const READ = statement(
  'allocation_read',
  `select allocated_qty, reserve_quota, backordered_qty from allocation where variant_id = $1 and channel_id = $2`,
);

/** Needs no lock: every change of an allocation holds the lock of its stock row. */
export const readAllocation = async (
  tx: Tx,
  channelId: number,
  variantId: number,
): Promise<Allocation | undefined> => (await rows<Allocation>(tx, READ, [variantId, channelId]))[0];

interface ShareOf {
  channel_id: number;
  variant_id: number;
}

const READ_MANY = statement(
  'allocation_read_many',
  `select a.channel_id, a.variant_id, a.allocated_qty, a.reserve_quota, a.backordered_qty
   from unnest($1::int[], $2::int[]) as d (channel_id, variant_id)
   join allocation a on a.channel_id = d.channel_id and a.variant_id = d.variant_id`,
);

export const readAllocations = (tx: Tx, shares: readonly ShareOf[]): Promise<(Allocation & ShareOf)[]> =>
  rows(tx, READ_MANY, allocationKeyColumns(shares));

const SET_QUOTAS = statement(
  'allocation_set_quotas',
  `update allocation a set reserve_quota = d.reserve_quota
   from unnest($1::int[], $2::int[], $3::int[]) as d (channel_id, variant_id, reserve_quota)
   where a.channel_id = d.channel_id and a.variant_id = d.variant_id and a.reserve_quota <> d.reserve_quota`,
);

export const setReserveQuotas = (
  tx: Tx,
  shares: readonly (ShareOf & Pick<Allocation, 'reserve_quota'>)[],
): Promise<number> =>
  run(tx, SET_QUOTAS, [...allocationKeyColumns(shares), shares.map(({ reserve_quota }) => reserve_quota)]);

const INSERT_MOVEMENTS = statement(
  'allocation_insert_movements',
  `insert into allocation_movement (channel_id, variant_id, delta, allocated_after, actor)
   select d.channel_id, d.variant_id, d.delta, d.allocated_after, $5
   from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[]) as d (channel_id, variant_id, delta, allocated_after)`,
);

export const insertAllocationMovements = (
  tx: Tx,
  movements: readonly (ShareOf & { delta: number; allocated_after: number })[],
  actor: string,
): Promise<number> =>
  run(tx, INSERT_MOVEMENTS, [
    ...allocationKeyColumns(movements),
    movements.map(({ delta }) => delta),
    movements.map(({ allocated_after }) => allocated_after),
    actor,
  ]);

export interface AllocationLine extends Allocation, Stock {
  variant_code: string;
}

const LIST = statement(
  'allocation_list',
  `select v.code as variant_code, a.allocated_qty, a.reserve_quota, a.backordered_qty,
          s.quantity, s.unshipped, s.allocated, s.backordered
   from allocation a
   join variant v on v.id = a.variant_id
   join stock s on s.variant_id = a.variant_id
   where a.channel_id = $1 and ($2::text is null or v.code > $2)
   order by v.code limit $3`,
);

export const listAllocations = (
  tx: Tx,
  channelId: number,
  after: string | null,
  limit: number,
): Promise<AllocationLine[]> => rows(tx, LIST, [channelId, after, limit]);

export interface ExportedAllocation extends Pick<Allocation, 'allocated_qty' | 'reserve_quota'> {
  channel_id: number;
  variant_code: string;
}

// Each chunk starts at the variant of the last row, and reads the channels of as many variants as it needs.
const EXPORT = statement(
  'allocation_export',
  `select k.channel_id, v.code as variant_code, coalesce(a.allocated_qty, 0) as allocated_qty,
          coalesce(a.reserve_quota, 0) as reserve_quota
   from variant v
   cross join lateral (
     select channel_id from allocation where variant_id = v.id
     union
     select m.channel_id from mapping m join stock s on s.variant_id = m.variant_id where m.variant_id = v.id
   ) k
   left join allocation a on a.variant_id = v.id and a.channel_id = k.channel_id
   where v.code >= $1 and (v.code > $1 or k.channel_id > $2)
   order by v.code, k.channel_id limit $3`,
);

/**
 * By variant code and channel, after the last row of the previous chunk. Includes mapped items without an allocation.
 */
export const exportAllocations = (
  tx: Tx,
  after: ExportedAllocation | null,
  limit: number,
): Promise<ExportedAllocation[]> =>
  rows(tx, EXPORT, [after?.variant_code ?? '', after?.channel_id ?? 0, limit]);

interface MatrixCell extends Allocation {
  channel_id: number;
  is_mapped: boolean;
}

export interface MatrixLine extends StockLine {
  cells: MatrixCell[];
}

// One statement, so that cells and sums come from one snapshot. LIMIT comes first; only the items of the page get
// cells.
const matrix = (name: string, ctes: readonly string[], conditions: readonly string[]): Statement =>
  statement(
    name,
    `with ${[
      ...ctes,
      `page as materialized (
         select v.id, v.code as variant_code, p.code as product_code, p.name as product_name, ${FACTS},
                s.quantity, s.unshipped, s.allocated, s.backordered
         from stock s
         join variant v on v.id = s.variant_id
         join product p on p.id = v.product_id
         where ${['v.code > $1', IS_SHOWN, ...conditions].join(' and ')}
         order by v.code limit $2
       )`,
    ].join(', ')}
     select page.*, x.cells
     from page
     cross join lateral (
       select coalesce(json_agg(json_build_object(
         'channel_id', k.channel_id, 'is_mapped', k.is_mapped,
         'allocated_qty', coalesce(a.allocated_qty, 0), 'reserve_quota', coalesce(a.reserve_quota, 0),
         'backordered_qty', coalesce(a.backordered_qty, 0)) order by k.channel_id), '[]') as cells
       from (
         select u.channel_id, bool_or(u.is_mapped) as is_mapped
         from (
           select channel_id, true as is_mapped from mapping where variant_id = page.id
           union all
           select channel_id, false from allocation where variant_id = page.id
         ) u
         group by u.channel_id
       ) k
       left join allocation a on a.variant_id = page.id and a.channel_id = k.channel_id
     ) x
     order by page.variant_code`,
  );

const IS_FEW = 'v.id = any($3::int[])';
// A scalar subquery, evaluated per row; an EXISTS would be evaluated for the whole channel first.
const IS_OF_CHANNEL = `coalesce(
     (select true from mapping m where m.variant_id = v.id and m.channel_id = $3::int limit 1),
     (select true from allocation x where x.variant_id = v.id and x.channel_id = $3::int))`;
const MATRIX = matrix('allocation_matrix', [], []);
const MATRIX_FOUND = matrix('allocation_matrix_found', [productsFound('$3')], [isFound('$3')]);
const MATRIX_OF_FEW = matrix('allocation_matrix_of_few', [], [IS_FEW]);
const MATRIX_OF_FEW_FOUND = matrix(
  'allocation_matrix_of_few_found',
  [productsFound('$4')],
  [IS_FEW, isFound('$4')],
);
const MATRIX_OF_CHANNEL = matrix('allocation_matrix_of_channel', [], [IS_OF_CHANNEL]);
const MATRIX_OF_CHANNEL_FOUND = matrix(
  'allocation_matrix_of_channel_found',
  [productsFound('$4')],
  [isFound('$4'), IS_OF_CHANNEL],
);

const FEW_ITEMS = 2_000;
const FIND_ITEMS = statement(
  'allocation_find_items',
  `select variant_id from mapping where channel_id = $1
   union all
   select variant_id from allocation where channel_id = $1
   limit ${FEW_ITEMS + 1}`,
);

interface MatrixFilter {
  after: string | null;
  search: string | null;
  channel_id: number | null;
  limit: number;
}

/** Stock rows by variant code, with the channels that map the variant or have an allocation of it. */
export function listMatrix(tx: Tx, filter: MatrixFilter): Promise<MatrixLine[]> {
  const { search, channel_id } = filter;
  const page = [filter.after ?? '', filter.limit];
  if (channel_id !== null) return listOfChannel(tx, page, channel_id, search);
  return search === null ? rows(tx, MATRIX, page) : rows(tx, MATRIX_FOUND, [...page, search]);
}

/** With few items the list starts from the channel's items; with many, from the order of codes. */
async function listOfChannel(
  tx: Tx,
  page: readonly unknown[],
  channelId: number,
  search: string | null,
): Promise<MatrixLine[]> {
  const items = (await rows<{ variant_id: number }>(tx, FIND_ITEMS, [channelId])).map(
    (row) => row.variant_id,
  );
  const isFew = items.length <= FEW_ITEMS;
  const values = [...page, isFew ? items : channelId];
  if (search === null) return rows(tx, isFew ? MATRIX_OF_FEW : MATRIX_OF_CHANNEL, values);
  return rows(tx, isFew ? MATRIX_OF_FEW_FOUND : MATRIX_OF_CHANNEL_FOUND, [...values, search]);
}
