// Deltas of the counters in stock rows and allocations, added under the lock of the stock row; CHECK constraints guard the
// sums. Used by the gate and by the back office.
import type { Stock } from '../rules/stock.ts';
import {
  columnsOf,
  run,
  statement,
  unnested,
  type Columns,
  type Tx,
} from '../../platform/database/database.ts';

/** Deltas by variant id. */
type StockDeltas = ReadonlyMap<number, Readonly<Stock>>;

/** The text of a statement that adds `stockColumns`, with parameters from `first` on. */
export const addDeltas = (first: number): string =>
  `update stock s
     set quantity = s.quantity + d.quantity, unshipped = s.unshipped + d.unshipped,
         allocated = s.allocated + d.allocated, backordered = s.backordered + d.backordered
     from (${unnested(first, 'int int bigint bigint bigint')})
       as d (variant_id, quantity, unshipped, allocated, backordered)
     where s.variant_id = d.variant_id`;

const STOCK_COLUMNS: Columns<Readonly<Stock>> = [
  (delta) => delta.quantity,
  (delta) => delta.unshipped,
  (delta) => delta.allocated,
  (delta) => delta.backordered,
];

export const stockColumns = (stock: StockDeltas): unknown[][] => [
  [...stock.keys()],
  ...columnsOf(STOCK_COLUMNS, [...stock.values()]),
];

const UPDATE_STOCK = statement('gate_update_stock', addDeltas(1));

export const addToStock = (tx: Tx, stock: StockDeltas): Promise<number> =>
  run(tx, UPDATE_STOCK, stockColumns(stock));

interface AllocationKey {
  channel_id: number;
  variant_id: number;
}

const KEY_COLUMNS: Columns<AllocationKey> = [(key) => key.channel_id, (key) => key.variant_id];

export const allocationKeyColumns = (keys: readonly AllocationKey[]): unknown[][] =>
  columnsOf(KEY_COLUMNS, keys);

interface AllocationDelta extends AllocationKey {
  allocated_qty: number;
  backordered_qty: number;
}

const ALLOCATION_COLUMNS: Columns<AllocationDelta> = [
  (delta) => delta.allocated_qty,
  (delta) => delta.backordered_qty,
];

// ON CONFLICT would check a negative delta against `>= 0` before finding the existing row, so the rows are inserted
// first.
const ENSURE_ALLOCATIONS = statement(
  'gate_ensure_allocations',
  `insert into allocation (channel_id, variant_id) ${unnested(1, 'int int')}
   on conflict do nothing`,
);
const UPDATE_ALLOCATIONS = statement(
  'gate_update_allocations',
  `update allocation a
   set allocated_qty = a.allocated_qty + d.allocated_qty, backordered_qty = a.backordered_qty + d.backordered_qty
   from (${unnested(1, 'int int bigint bigint')})
     as d (channel_id, variant_id, allocated_qty, backordered_qty)
   where a.channel_id = d.channel_id and a.variant_id = d.variant_id`,
);

/** At most one delta for each allocation. Inserts missing rows. */
export async function addToAllocations(tx: Tx, deltas: readonly AllocationDelta[]): Promise<void> {
  const keys = allocationKeyColumns(deltas);
  await Promise.all([
    run(tx, ENSURE_ALLOCATIONS, keys),
    run(tx, UPDATE_ALLOCATIONS, [...keys, ...columnsOf(ALLOCATION_COLUMNS, deltas)]),
  ]);
}
