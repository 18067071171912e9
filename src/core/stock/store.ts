// Stock rows and their ledger for the back office. The gate has its own statements.
import type { MovementKind } from '../rules/stock-count.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import type { Allocation, Stock } from '../rules/stock.ts';
import { isUnshipped, STATUSES, type Status } from '../rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { IS_ARCHIVED, isFound, productsFound, type VariantFacts } from '../products/store.ts';

// Of two concurrent inserts, the second waits and finds the row of the first.
const ENSURE = statement(
  'stock_ensure',
  `insert into stock (variant_id) select d.id from unnest($1::int[]) as d (id) order by d.id
   on conflict do nothing`,
);
const LOCK = statement(
  'stock_lock',
  'select quantity, unshipped, allocated, backordered from stock where variant_id = $1 for update',
);

// Without a result set: it could have 100,000 rows.
const LOCK_ROWS = statement(
  'stock_lock_rows',
  `select count(*) from (
     select from stock where variant_id = any($1::int[]) order by variant_id for update
   ) as locked`,
);

/** Inserts missing stock rows with all counters 0; returns their number. */
export const ensureStock = (tx: Tx, variantIds: readonly number[]): Promise<number> =>
  run(tx, ENSURE, [variantIds]);

/** Must come before changes of the variant's allocations. Undefined: no stock row. */
export const lockStockOf = async (tx: Tx, variantId: number): Promise<Stock | undefined> =>
  (await rows<Stock>(tx, LOCK, [variantId]))[0];

/** Locks all rows in one statement, ordered by id. */
export const lockStockRows = (tx: Tx, variantIds: readonly number[]): Promise<number> =>
  run(tx, LOCK_ROWS, [variantIds]);

const READ = statement(
  'stock_read',
  'select variant_id, quantity, unshipped, allocated, backordered from stock where variant_id = any($1::int[])',
);

/** Reads stock rows without locking them. */
export const readStock = (
  tx: Tx,
  variantIds: readonly number[],
): Promise<(Stock & { variant_id: number })[]> => rows(tx, READ, [variantIds]);

export interface Movement {
  delta: number;
  quantity_after: number;
  kind: MovementKind;
  actor: string;
  reason: string | null;
}

const INSERT_MOVEMENT = statement(
  'stock_insert_movement',
  `insert into stock_movement (variant_id, delta, quantity_after, kind, actor, reason, order_id)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

export const insertMovement = (
  tx: Tx,
  variantId: number,
  movement: Movement & { order_id: number | null },
): Promise<number> =>
  run(tx, INSERT_MOVEMENT, [
    variantId,
    movement.delta,
    movement.quantity_after,
    movement.kind,
    movement.actor,
    movement.reason,
    movement.order_id,
  ]);

/** Columns of a variant `v` and its product `p`. */
export const FACTS = `v.power, v.barcode, v.attributes, v.low_stock_at, ${IS_ARCHIVED} as is_archived`;

export interface StockLevel extends StockLine {
  channels: (Allocation & { channel_id: number; name: string })[];
  skus: { channel_id: number; sku: string }[];
}

// One statement, so that the sums fit the channels, and one row per variant, so that 2,000 of them take no longer than
// needed: their stock rows may be locked.
const LEVEL = statement(
  'stock_level',
  `select v.code as variant_code, p.code as product_code, p.name as product_name, ${FACTS},
          s.quantity, s.unshipped, s.allocated, s.backordered,
          (select coalesce(json_agg(json_build_object(
             'channel_id', c.id, 'name', c.name, 'allocated_qty', coalesce(a.allocated_qty, 0),
             'reserve_quota', coalesce(a.reserve_quota, 0), 'backordered_qty', coalesce(a.backordered_qty, 0))
             order by c.id), '[]')
           from (
             select x.channel_id from allocation x where x.variant_id = v.id
             union
             select m.channel_id from mapping m where m.variant_id = v.id
           ) k
           join channel c on c.id = k.channel_id
           left join allocation a on a.variant_id = v.id and a.channel_id = k.channel_id) as channels,
          (select coalesce(json_agg(json_build_object('channel_id', m.channel_id, 'sku', m.sku)
             order by m.channel_id, m.sku), '[]')
           from mapping m where m.variant_id = v.id) as skus
   from variant v
   join product p on p.id = v.product_id
   join stock s on s.variant_id = v.id
   where v.code = any($1::text[])`,
);

/**
 * By variant code; variants without a stock row are left out. Includes every channel that maps the variant or has an
 * allocation of it.
 */
export const readStockLevels = async (
  tx: Tx,
  variantCodes: readonly string[],
): Promise<Map<string, StockLevel>> =>
  new Map((await rows<StockLevel>(tx, LEVEL, [variantCodes])).map((level) => [level.variant_code, level]));

/** Undefined: no such variant or stock row. */
export const readStockLevel = async (tx: Tx, variantCode: string): Promise<StockLevel | undefined> =>
  (await readStockLevels(tx, [variantCode])).get(variantCode);

export interface StockLine extends Stock, VariantFacts {
  variant_code: string;
  product_code: string;
  product_name: string;
  is_archived: boolean;
}

const LINE = `select v.code as variant_code, p.code as product_code, p.name as product_name, ${FACTS},
          s.quantity, s.unshipped, s.allocated, s.backordered
   from stock s
   join variant v on v.id = s.variant_id
   join product p on p.id = v.product_id`;
/** An archived item is listed again while it has stock, for example after a return: no goods are hidden. */
export const IS_SHOWN = `(not ${IS_ARCHIVED} or s.quantity > 0)`;
/** $3: true for archived items, false for items that are shown. */
const PAGE = `v.code > $1 and case when $3::boolean then ${IS_ARCHIVED} else ${IS_SHOWN} end`;
const LAST = 'order by v.code limit $2';
const IS_ONE_OF = 's.variant_id = any($4::int[])';
/** Parameters of the condition: $4 is its number, $5 the search. */
const listWhere = (name: string, condition: string) => ({
  all: statement(`stock_list_${name}`, `${LINE} where ${PAGE} and ${condition} ${LAST}`),
  found: statement(
    `stock_list_found_${name}`,
    `with ${productsFound('$5')} ${LINE} where ${PAGE} and ${condition} and ${isFound('$5')} ${LAST}`,
  ),
});

const LIST = statement('stock_list', `${LINE} where ${PAGE} ${LAST}`);
const LIST_FOUND = statement(
  'stock_list_found',
  `with ${productsFound('$4')} ${LINE} where ${PAGE} and ${isFound('$4')} ${LAST}`,
);
const LIST_FEW = listWhere('few', IS_ONE_OF);

const FEW_MAX = 2_000;
const narrowing = (name: string, condition: (number: string) => string, from = 'stock s') => ({
  find: statement(
    `stock_find_${name}`,
    `select s.variant_id from ${from} where ${condition('$1')} limit ${FEW_MAX + 1}`,
  ),
  list: listWhere(name, condition('$4')),
});

// Contract 2.3.1, hence the 0.
const COMMON = 'greatest(0, s.quantity - s.unshipped - s.allocated - s.backordered)';
const BELOW = narrowing('below', (number) => `${COMMON} < ${number}`);
const WITH_VARIANT = 'stock s join variant v on v.id = s.variant_id';
/** The number is the highest common stock. */
const LOW = narrowing(
  'low',
  (number) => `v.low_stock_at is not null and ${COMMON} <= least(v.low_stock_at, ${number})`,
  WITH_VARIANT,
);
// As `overcommittedBy`, without the lower limit of 0.
const overcommitted = (number: string): string => `s.unshipped + s.allocated - s.quantity > ${number}`;
const OVERCOMMITTED = narrowing('overcommitted', overcommitted);
// The common stock of an overcommitted item is 0, which is at or below every threshold.
const LOW_OVERCOMMITTED = narrowing(
  'low_overcommitted',
  (number) => `v.low_stock_at is not null and ${overcommitted(number)}`,
  WITH_VARIANT,
);

interface StockFilter {
  after: string | null;
  search: string | null;
  /** Only items whose common stock is lower. */
  below: number | null;
  /** Only items whose common stock is at their `low_stock_at`, or lower. */
  low: boolean;
  overcommitted: boolean;
  archived: boolean;
  limit: number;
}

/** By variant code. One statement per combination of filters, so that each has its own plan. */
export async function listStock(tx: Tx, filter: StockFilter): Promise<StockLine[]> {
  const { search, below, low } = filter;
  const page = [filter.after ?? '', filter.limit, filter.archived];
  if (filter.overcommitted) {
    // The common stock of an overcommitted item is 0, which is below every limit except 0.
    return below === 0 ? [] : listNarrowed(tx, page, low ? LOW_OVERCOMMITTED : OVERCOMMITTED, 0, search);
  }
  if (low) return listNarrowed(tx, page, LOW, below === null ? INT32_MAX : below - 1, search);
  if (below !== null) return listNarrowed(tx, page, BELOW, below, search);
  return search === null ? rows(tx, LIST, page) : rows(tx, LIST_FOUND, [...page, search]);
}

/**
 * A few matches are found first and then sorted: finding them in the order of codes took 230 ms for 100,000 items. Many
 * matches are read in the order of codes: sorting all of them took 400 ms.
 */
async function listNarrowed(
  tx: Tx,
  page: readonly unknown[],
  { find, list }: typeof BELOW,
  number: number,
  search: string | null,
): Promise<StockLine[]> {
  const few = (await rows<{ variant_id: number }>(tx, find, [number])).map((row) => row.variant_id);
  const isFew = few.length <= FEW_MAX;
  const texts = isFew ? LIST_FEW : list;
  const values = [...page, isFew ? few : number];
  return search === null ? rows(tx, texts.all, values) : rows(tx, texts.found, [...values, search]);
}

const EXPORT = statement(
  'stock_export',
  `select v.code as variant_code, s.quantity from stock s join variant v on v.id = s.variant_id
   where v.code > $1 order by v.code limit $2`,
);

type ExportedStock = Pick<StockLine, 'variant_code' | 'quantity'>;

/** By variant code, after the last row of the previous chunk. */
export const exportStock = (tx: Tx, after: ExportedStock | null, limit: number): Promise<ExportedStock[]> =>
  rows(tx, EXPORT, [after?.variant_code ?? '', limit]);

const COUNT_OVERCOMMITTED = statement(
  'stock_count_overcommitted',
  `select count(*) as count from stock s where ${overcommitted('0')}`,
);

export const countOvercommitted = async (tx: Tx): Promise<number> =>
  (await rows<{ count: number }>(tx, COUNT_OVERCOMMITTED))[0]?.count ?? 0;

export interface MovementRow extends Movement {
  id: number;
  order_id: number | null;
  order_number: string | null;
  at: Date;
}

const LIST_MOVEMENTS = statement(
  'stock_list_movements',
  `select m.id, m.delta, m.quantity_after, m.kind, m.order_id, o.order_number, m.actor, m.reason, m.at
   from stock_movement m
   left join orders o on o.id = m.order_id
   where m.variant_id = $1 and ($2::bigint is null or m.id < $2)
   order by m.id desc limit $3`,
);

/** Newest first; `beforeId` is the last row of the previous page. */
export const listMovements = (
  tx: Tx,
  variantId: number,
  beforeId: number | null,
  limit: number,
): Promise<MovementRow[]> => rows(tx, LIST_MOVEMENTS, [variantId, beforeId, limit]);

export interface UnshippedOrder {
  id: number;
  order_number: string;
  channel_id: number;
  channel_name: string;
  status: Status;
  is_backorder: boolean;
  quantity: number;
  from_allocation: number;
  created_at: Date;
}

// Each unshipped status separately, newest first, merged as far as the page needs. There is no index from items to
// orders, because it would slow down every intake. The statuses are literals, so that the partial index on unshipped
// orders is used.
const openOrders = STATUSES.filter(isUnshipped)
  .map((status) => `(select o.id from orders o where o.status = ${status} and o.id < $2 order by o.id desc)`)
  .join(' union all ');
const LIST_UNSHIPPED = statement(
  'stock_list_holding',
  `select o.id, o.order_number, o.channel_id, c.name as channel_name, o.status, o.is_backorder,
          h.quantity, h.from_allocation, o.created_at
   from (
     select k.id, i.quantity, i.from_allocation
     from (${openOrders}) k
     cross join lateral (
       select sum(quantity - cancelled_quantity) as quantity, sum(from_allocation) as from_allocation
       from order_item where order_id = k.id and variant_id = $1 having count(*) > 0
     ) i
     order by k.id desc limit $3
   ) h
   join orders o on o.id = h.id
   join channel c on c.id = o.channel_id
   order by o.id desc`,
);

/** Unshipped orders with this item, newest first; the lines of an order are summed. */
export const listUnshippedOrders = (
  tx: Tx,
  variantId: number,
  beforeId: number | null,
  limit: number,
): Promise<UnshippedOrder[]> =>
  rows(tx, LIST_UNSHIPPED, [variantId, beforeId ?? Number.MAX_SAFE_INTEGER, limit]);

const HAS_UNSHIPPED = statement(
  'stock_read_held',
  'select unshipped + backordered > 0 as has_unshipped from stock where variant_id = $1',
);

/** Whether any unshipped order has this item, by the counters. */
export const hasUnshippedOrders = async (tx: Tx, variantId: number): Promise<boolean> =>
  (await rows<{ has_unshipped: boolean }>(tx, HAS_UNSHIPPED, [variantId]))[0]?.has_unshipped ?? false;
