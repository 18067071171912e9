// The first round trip of a batch: locks, then reads. Every read is a separate statement after the locks, because in
// READ COMMITTED a join inside the locking statement shows the other tables as they were before the wait.
import type { MappedVariant, Order, OrderItem } from '../rules/commands.ts';
import type { RowRef } from '../rules/missing-locks.ts';
import type { PrepaymentExpiry } from '../rules/prepayment-expiry.ts';
import type { SigningMode } from '../rules/signature.ts';
import type { Allocation, Stock } from '../rules/stock.ts';
import {
  rows,
  run,
  statement,
  together,
  unnested,
  type Statement,
  type Tx,
} from '../../platform/database/database.ts';
import { JOIN_NAMES } from '../products/store.ts';

export interface SkuPairs {
  channel_ids: number[];
  skus: string[];
}

/** Orders named by reports: by number, or by id. */
export interface OrderTargets {
  /** The channels of the orders that are named by number, each once. */
  channel_ids: number[];
  order_numbers: string[];
  order_ids: number[];
}

/** Rows of both tables that a batch locks. */
export interface RowIds {
  order_ids: readonly number[];
  variant_ids: readonly number[];
}

/**
 * How a batch locks. `wait`: waits for every row. Otherwise it skips rows locked by other transactions, and the rows
 * listed here, for which other commands of this process already wait.
 */
export type Locking = 'wait' | RowIds;

// Rows to lock are given as an array, never by IN or a join. If a row changes while the statement waits for it,
// PostgreSQL re-evaluates the join for the new version, and with a nested loop the row was silently missing.

// Order numbers are unique across channels, so each number finds at most one order, which may belong to another
// channel of the batch. `+ 0` keeps the planner from using the index on channels, which has all their orders.
const byNumber = (first: number): string =>
  `o.order_number = any($${first + 1}::text[]) and o.channel_id + 0 = any($${first}::int[])`;

interface Locks {
  skip: Statement;
  wait: Statement;
}

/** `select` uses `parameters` parameters. The next parameter lists the rows to skip, by `key`. */
function locksOf(name: string, select: string, key: string, parameters: number): Locks {
  const sorted = `order by ${key} for update`;
  const skipped = `${key} <> all($${parameters + 1}::bigint[])`;
  return {
    skip: statement(`gate_lock_${name}`, `${select} and ${skipped} ${sorted} skip locked`),
    wait: statement(`gate_wait_for_${name}`, `${select} ${sorted}`),
  };
}

const orderLocks = (of: string, named: string, parameters: number): Locks =>
  locksOf(`orders${of}`, `select o.id from orders o where ${named}`, 'o.id', parameters);
const ORDERS_BY_NUMBER = orderLocks('_by_number', byNumber(1), 2);
const ORDERS_BY_ID = orderLocks(
  '',
  `o.id = any(array(select o.id from orders o where ${byNumber(1)} union all select unnest($3::bigint[])))`,
  3,
);

/** Returns the ids that are locked now. */
export async function lockOrders(tx: Tx, targets: OrderTargets, locking: Locking): Promise<number[]> {
  const numbers = [targets.channel_ids, targets.order_numbers];
  const [{ skip, wait }, named] =
    targets.order_ids.length === 0
      ? [ORDERS_BY_NUMBER, numbers]
      : [ORDERS_BY_ID, [...numbers, targets.order_ids]];
  const locked =
    locking === 'wait'
      ? await rows<{ id: number }>(tx, wait, named)
      : await rows<{ id: number }>(tx, skip, [...named, locking.order_ids]);
  return locked.map((row) => row.id);
}

const VARIANTS_OF_SKUS = `select m.variant_id
     from (${unnested(1, 'int text')}) as c (channel_id, sku)
     join mapping m on m.channel_id = c.channel_id and m.sku = c.sku`;
/** The targets are the three parameters from `first` on. */
const variantsOfOrders = (first: number): string => `select i.variant_id
     from orders o join order_item i on i.order_id = o.id
     where ${byNumber(first)}
     union all
     select i.variant_id from order_item i where i.order_id = any($${first + 2}::bigint[])`;

function stockLocks(of: string, variants: string, parameters: number): Locks {
  const select = `select s.variant_id, s.quantity, s.unshipped, s.allocated, s.backordered
   from stock s
   where s.variant_id = any(array(
     ${variants}
   ))`;
  return locksOf(`stock${of}`, select, 's.variant_id', parameters);
}
// Separate statements, because most batches contain only new orders or only reports. In one statement, PostgreSQL
// sets up the unused part too, which took a quarter of the statement's CPU time.
const OF_SKUS = stockLocks('_of_skus', VARIANTS_OF_SKUS, 2);
const OF_ORDERS = stockLocks('_of_orders', variantsOfOrders(1), 3);
const OF_BATCH = stockLocks('', `${VARIANTS_OF_SKUS} union all ${variantsOfOrders(3)}`, 5);

export function lockStock(
  tx: Tx,
  pairs: SkuPairs,
  targets: OrderTargets,
  locking: Locking,
): Promise<(Stock & { variant_id: number })[]> {
  const ofSkus = [pairs.channel_ids, pairs.skus];
  const ofOrders = [targets.channel_ids, targets.order_numbers, targets.order_ids];
  const hasOrders = targets.order_numbers.length + targets.order_ids.length > 0;
  let named: readonly unknown[] = [...ofSkus, ...ofOrders];
  let { skip, wait } = OF_BATCH;
  if (!hasOrders) {
    named = ofSkus;
    ({ skip, wait } = OF_SKUS);
  } else if (pairs.skus.length === 0) {
    named = ofOrders;
    ({ skip, wait } = OF_ORDERS);
  }
  return locking === 'wait' ? rows(tx, wait, named) : rows(tx, skip, [...named, locking.variant_ids]);
}

const WAIT_FOR_ROW = {
  orders: statement('gate_wait_for_order', 'select from orders where id = $1 for update'),
  stock: statement('gate_wait_for_stock_row', 'select from stock where variant_id = $1 for update'),
} satisfies Record<RowRef['table'], Statement>;

const TRY_STOCK_ROW = statement(
  'gate_try_stock_row',
  'select from stock where variant_id = $1 for update skip locked',
);

/** Locks the row if it is free. Returns 1 if it is locked now. */
export const tryStockRow = (tx: Tx, variantId: number): Promise<number> =>
  run(tx, TRY_STOCK_ROW, [variantId]);

/** Waits until the row is locked. */
export const waitForRow = (tx: Tx, { table, id }: RowRef): Promise<number> =>
  run(tx, WAIT_FOR_ROW[table], [id]);

const CLOCK_AND_IDS = statement(
  'gate_clock_and_ids',
  `select now() as now, array(select nextval('order_id_seq') from generate_series(1, $1::int)) as order_ids`,
);

export const readClockAndIds = async (tx: Tx, count: number): Promise<{ now: Date; order_ids: number[] }> => {
  const [row] = await rows<{ now: Date; order_ids: number[] }>(tx, CLOCK_AND_IDS, [count]);
  if (!row) throw new RangeError('no clock');
  return row;
};

// Credentials accepted at this moment. Not by now(), which is the start of the transaction, before the wait for locks.
const ACCEPTS = `case when h.previous_key_valid_until > statement_timestamp() then h.key_version - 1
            else h.key_version end as oldest_key_version,
          h.signing_mode`;

// Channels are read together with the pairs, mapped or not, and with the orders: in a small batch a separate statement
// would cost more than reading these columns.
const READ_MAPPINGS = statement(
  'gate_read_mappings',
  `select c.channel_id, c.sku, h.currency_code, r.rate, m.variant_id, p.code as product_code, p.name as product_name,
          p.version_id as product_version_id, a.allocated_qty, a.reserve_quota, a.backordered_qty,
          ${ACCEPTS}
   from (${unnested(1, 'int text')}) as c (channel_id, sku)
   join channel h on h.id = c.channel_id and h.is_active
   left join lateral (
     select r.rate from exchange_rate r
     where h.currency_code <> 'KRW' and r.currency_code = h.currency_code and r.effective_at <= now()
     order by r.effective_at desc, r.id desc limit 1
   ) r on true
   left join mapping m on m.channel_id = c.channel_id and m.sku = c.sku
   left join variant v on v.id = m.variant_id
   left join product p on p.id = v.product_id
   left join allocation a on a.variant_id = m.variant_id and a.channel_id = m.channel_id`,
);

export interface ChannelRow {
  channel_id: number;
  /** Keys with a lower number are refused. */
  oldest_key_version: number;
  signing_mode: SigningMode;
}

export type InactiveChannelRow = Pick<ChannelRow, 'channel_id'> & {
  [K in Exclude<keyof ChannelRow, 'channel_id'>]: null;
};

/** Without an allocation, all its columns are null. */
export type MaybeAllocation = Allocation | { [K in keyof Allocation]: null };

/** One row for each pair whose channel is active. */
export type ResolvedPair = MaybeAllocation &
  ChannelRow & {
    sku: string;
    currency_code: string;
    rate: string | null;
  } & (MappedVariant | { [K in keyof MappedVariant]: null });

export const readMappings = (tx: Tx, pairs: SkuPairs): Promise<ResolvedPair[]> =>
  rows(tx, READ_MAPPINGS, [pairs.channel_ids, pairs.skus]);

// Summed at each read instead of counted: only channels with a limit need it, and a counter would cost every unpaid order
// and every payment a write. The cost grows with the unpaid orders of all channels.
const READ_UNPAID = statement(
  'gate_read_unpaid',
  `select o.channel_id, i.variant_id, sum(i.quantity - i.cancelled_quantity)::bigint as quantity
   from orders o join order_item i on i.order_id = o.id
   where o.status = 0 and not o.is_backorder and o.channel_id = any($1::int[])
     and i.variant_id = any(array(${VARIANTS_OF_SKUS}))
   group by o.channel_id, i.variant_id`,
);

export interface UnpaidQuantity {
  channel_id: number;
  variant_id: number;
  quantity: number;
}

/** Quantities that unpaid normal orders of these channels hold, of the items of these SKUs. */
export const readUnpaid = (tx: Tx, pairs: SkuPairs): Promise<UnpaidQuantity[]> =>
  rows(tx, READ_UNPAID, [pairs.channel_ids, pairs.skus]);

const FIND_STOCK = statement(
  'gate_find_stock',
  'select variant_id from stock where variant_id = any($1::int[])',
);

/** Returns the variants that have a stock row. */
export async function findStock(tx: Tx, variantIds: readonly number[]): Promise<number[]> {
  const found = await rows<{ variant_id: number }>(tx, FIND_STOCK, [variantIds]);
  return found.map((row) => row.variant_id);
}

const READ_SIGNING_SECRETS = statement(
  'gate_read_signing_secrets',
  'select id, channel_id from signing_secret where channel_id = any($1::int[])',
);

export const readSigningSecrets = (
  tx: Tx,
  channelIds: readonly number[],
): Promise<{ id: number; channel_id: number }[]> => rows(tx, READ_SIGNING_SECRETS, [channelIds]);

// An allocation is read only if the order drew from it or is a backorder. Otherwise the key is null and finds
// nothing, at no cost.
const ORDER_LINES = `select o.id, o.channel_id, o.order_number, o.status, o.is_backorder, o.recipient_name, o.total_amount, o.created_at,
          i.line, i.variant_id, i.sku, i.quantity, i.cancelled_quantity, i.from_allocation, i.local_unit_price,
          i.unit_price, n.code as product_code, n.name as product_name,
          a.allocated_qty, a.reserve_quota, a.backordered_qty, ${ACCEPTS}
   from orders o
   left join channel h on h.id = o.channel_id and h.is_active
   join order_item i on i.order_id = o.id
   left join product_version n on n.id = i.product_version_id
   left join allocation a
     on a.variant_id = case when i.from_allocation > 0 or o.is_backorder then i.variant_id end and a.channel_id = o.channel_id`;
const READ_ORDERS = statement('gate_read_orders', `${ORDER_LINES} where o.order_number = any($1::text[])`);
// Orders named by the back office. Orders that the batch also names by number are left out, to be read once.
const READ_ORDERS_BY_ID = statement(
  'gate_read_orders_by_id',
  `${ORDER_LINES} where o.id = any($1::bigint[]) and o.order_number <> all($2::text[])`,
);
// For order lines from before names had versions. As part of the statements above it would cost every batch time.
const READ_FIRST_NAMES = statement(
  'gate_read_first_names',
  `select v.id as variant_id, n.code as product_code, n.name as product_name
   from unnest($1::int[]) as c (variant_id)
   join variant v on v.id = c.variant_id
   cross join (select null::int as product_version_id) i
   ${JOIN_NAMES}`,
);

type Names = Pick<OrderItem, 'product_code' | 'product_name'>;
type LineRow = Omit<Order, 'items'> &
  Omit<OrderItem, keyof Names> &
  MaybeAllocation &
  (ChannelRow | InactiveChannelRow);
type MaybeNamed = LineRow & (Names | { [K in keyof Names]: null });
/** One row per line, in any order; the order's own columns repeat. */
export type OrderLineRow = LineRow & Names;

const hasNames = (line: MaybeNamed): line is OrderLineRow => line.product_code !== null;

export async function readOrders(
  tx: Tx,
  orderNumbers: string[],
  orderIds: number[],
): Promise<OrderLineRow[]> {
  const numbered = rows<MaybeNamed>(tx, READ_ORDERS, [orderNumbers]);
  const lines =
    orderIds.length === 0
      ? await numbered
      : (
          await together([numbered, rows<MaybeNamed>(tx, READ_ORDERS_BY_ID, [orderIds, orderNumbers])])
        ).flat();
  return lines.every(hasNames) ? lines : addFirstNames(tx, lines);
}

async function addFirstNames(tx: Tx, lines: readonly MaybeNamed[]): Promise<OrderLineRow[]> {
  const variantIds = new Set(lines.filter((line) => !hasNames(line)).map((line) => line.variant_id));
  const found = await rows<Names & { variant_id: number }>(tx, READ_FIRST_NAMES, [[...variantIds]]);
  const names = new Map(found.map((row) => [row.variant_id, row]));
  return lines.map((line) => {
    if (hasNames(line)) return line;
    const first = names.get(line.variant_id);
    if (!first) throw new RangeError(`the product of variant ${line.variant_id} has no version`);
    return Object.assign(line, first);
  });
}

// The channels are locked until the batch commits, so that no order expires after the response to switching expiry
// off. A channel that is being changed is skipped, like credentials (platform/accounts/pinned-credentials-store.ts): its orders expire at the
// next run.
const PIN_EXPIRIES = statement(
  'gate_hold_expiries',
  `select o.id as order_id, c.minutes, clock_timestamp() as now
   from orders o
   join (
     select id, prepayment_expiry_minutes as minutes from channel
     where id = any(array(select channel_id from orders where id = any($1::bigint[])))
       and prepayment_expiry_minutes is not null
     order by id for key share skip locked
   ) c on c.id = o.channel_id
   where o.id = any($1::bigint[])`,
);

export const pinExpiries = (
  tx: Tx,
  orderIds: readonly number[],
): Promise<(PrepaymentExpiry & { order_id: number })[]> => rows(tx, PIN_EXPIRIES, [orderIds]);

const READ_COURIERS = statement(
  'gate_read_couriers',
  `select code, name from common_code where code_group = 'DELIVERY_COMPANY' and code = any($1::text[])`,
);

export const readCouriers = (tx: Tx, codes: string[]): Promise<{ code: string; name: string }[]> =>
  rows(tx, READ_COURIERS, [codes]);
