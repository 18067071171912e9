// Bulk import: lookups and writes of one chunk of rows each, all in the caller's transaction.
import type { MovementKind } from '../domain/stock-count.ts';
import { columnsOf, rows, run, statement, type Columns, type Tx } from './database.ts';

/** Rows per statement: few round trips, bounded memory on the server. */
const IMPORT_CHUNK_ROWS = 5_000;

export function* chunks<T>(list: readonly T[], size = IMPORT_CHUNK_ROWS): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

// The import plan is made from these reads, so nothing may be created or renamed until the plan is written. Reads,
// orders and stock changes continue.
const LOCK_CATALOGUE = statement(
  'import_lock_catalogue',
  'lock table product, variant in share row exclusive mode',
);

export const lockCatalogue = (tx: Tx): Promise<number> => run(tx, LOCK_CATALOGUE);

export interface FoundProduct {
  id: number;
  code: string;
  name: string;
}

const FIND_PRODUCTS = statement(
  'import_find_products',
  'select id, code, name from product where code = any($1::text[])',
);

export const lookUpProducts = (tx: Tx, codes: readonly string[]): Promise<FoundProduct[]> =>
  rows(tx, FIND_PRODUCTS, [codes]);

export interface FoundVariant {
  id: number;
  code: string;
  product_code: string;
  power: string | null;
  /** null: no stock row */
  quantity: number | null;
  /** A shipment may change its stock at any time. */
  has_open_orders: boolean;
}

const FIND_VARIANTS = statement(
  'import_find_variants',
  `select v.id, v.code, p.code as product_code, v.power, s.quantity,
     coalesce(s.unshipped + s.backordered > 0, false) as has_open_orders
   from variant v join product p on p.id = v.product_id left join stock s on s.variant_id = v.id
   where v.code = any($1::text[])`,
);

export const lookUpVariants = (tx: Tx, codes: readonly string[]): Promise<FoundVariant[]> =>
  rows(tx, FIND_VARIANTS, [codes]);

const INSERT_PRODUCTS = statement(
  'import_insert_products',
  'insert into product (code, name) select * from unnest($1::text[], $2::text[])',
);

export const addProducts = (tx: Tx, products: readonly { code: string; name: string }[]): Promise<number> =>
  run(tx, INSERT_PRODUCTS, [products.map(({ code }) => code), products.map(({ name }) => name)]);

const RENAME_PRODUCTS = statement(
  'import_rename_products',
  `update product p set name = d.name from unnest($1::int[], $2::text[]) as d (id, name) where p.id = d.id`,
);

export const renameProducts = (tx: Tx, products: readonly { id: number; name: string }[]): Promise<number> =>
  run(tx, RENAME_PRODUCTS, [products.map(({ id }) => id), products.map(({ name }) => name)]);

const VARIANTS_OF = statement(
  'import_variants_of',
  'select id from variant where product_id = any($1::int[])',
);

export const variantIdsOf = async (tx: Tx, productIds: readonly number[]): Promise<number[]> =>
  (await rows<{ id: number }>(tx, VARIANTS_OF, [productIds])).map(({ id }) => id);

const INSERT_VARIANTS = statement(
  'import_insert_variants',
  `insert into variant (product_id, code, power)
   select p.id, d.code, d.power
   from unnest($1::text[], $2::text[], $3::text[]) with ordinality as d (product_code, code, power, position)
     join product p on p.code = d.product_code
   order by d.position`,
);

export const addVariants = (
  tx: Tx,
  variants: readonly { product_code: string; code: string; power: string | null }[],
): Promise<number> =>
  run(tx, INSERT_VARIANTS, [
    variants.map(({ product_code }) => product_code),
    variants.map(({ code }) => code),
    variants.map(({ power }) => power),
  ]);

export interface FoundMapping {
  sku: string;
  variant_id: number;
}

const FIND_MAPPINGS = statement(
  'import_find_mappings',
  'select sku, variant_id from mapping where channel_id = $1 and sku = any($2::text[])',
);

export const lookUpMappings = (tx: Tx, channelId: number, skus: readonly string[]): Promise<FoundMapping[]> =>
  rows(tx, FIND_MAPPINGS, [channelId, skus]);

export interface QuantityChange {
  variant_id: number;
  /** Read without a lock; 0 for a new row. */
  before: number;
  quantity: number;
  reason: string | null;
}

/** Another transaction changed stock after the ledger rows were written without a lock. */
export class StockMoved extends Error {
  readonly variant_ids: readonly number[];

  constructor(variant_ids: readonly number[]) {
    super('stock changed during the import');
    this.name = 'StockMoved';
    this.variant_ids = variant_ids;
  }
}

const LAST_MOVEMENT = statement(
  'import_last_movement',
  'select coalesce(max(id), 0) as id from stock_movement',
);
const INSERT_MOVEMENTS = statement(
  'import_insert_movements',
  `insert into stock_movement (variant_id, delta, quantity_after, kind, actor, reason)
   select d.variant_id, d.quantity - d.before, d.quantity, $6, $5, d.reason
   from unnest($1::int[], $2::int[], $3::int[], $4::text[]) as d (variant_id, before, quantity, reason)`,
);
const READ_QUANTITIES = statement(
  'import_read_quantities',
  'select variant_id, quantity from stock where variant_id = any($1::int[])',
);
// The difference first: the sum of two quantities can exceed the integer range.
const SET_QUANTITIES = statement(
  'import_set_quantities',
  `update stock s set quantity = s.quantity + (d.quantity - d.before)
   from unnest($1::int[], $2::int[], $3::int[]) as d (variant_id, before, quantity)
   where s.variant_id = d.variant_id and s.quantity = d.before`,
);
// Movements of other transactions only; the import itself may have written 100,000.
const MOVED_SINCE = statement(
  'import_moved_since',
  `select distinct variant_id from stock_movement where id > $1 and xmin <> pg_current_xact_id()::xid`,
);

const QUANTITY_COLUMNS: Columns<QuantityChange> = [
  (change) => change.variant_id,
  (change) => change.before,
  (change) => change.quantity,
];

export const idsOf = (changes: readonly QuantityChange[]): number[] =>
  changes.map(({ variant_id }) => variant_id);

export async function writeLedger(
  tx: Tx,
  changes: readonly QuantityChange[],
  actor: string,
  kind: MovementKind,
): Promise<void> {
  if (changes.length === 0) return;
  const reasons = changes.map(({ reason }) => reason);
  await run(tx, INSERT_MOVEMENTS, [...columnsOf(QUANTITY_COLUMNS, changes), reasons, actor, kind]);
}

export const lastMovementId = async (tx: Tx): Promise<number> =>
  (await rows<{ id: number }>(tx, LAST_MOVEMENT))[0]?.id ?? 0;

/** Throws `StockMoved` if another transaction has changed the stock of one of these variants since. */
export async function requireUnchangedStock(
  tx: Tx,
  changes: readonly QuantityChange[],
  sinceId: number,
): Promise<void> {
  const found = await rows<{ variant_id: number }>(tx, MOVED_SINCE, [sinceId]);
  if (found.length === 0) return;
  const ours = new Set(idsOf(changes));
  const moved = found.map(({ variant_id }) => variant_id).filter((id) => ours.has(id));
  if (moved.length > 0) throw new StockMoved(moved);
}

/** For locked rows: reads the current quantities again and drops changes that change nothing. */
export async function readAgain(tx: Tx, changes: readonly QuantityChange[]): Promise<QuantityChange[]> {
  if (changes.length === 0) return [];
  const found = await rows<{ variant_id: number; quantity: number }>(tx, READ_QUANTITIES, [idsOf(changes)]);
  const stored = new Map(found.map(({ variant_id, quantity }) => [variant_id, quantity]));
  return changes
    .map((row) => ({ ...row, before: stored.get(row.variant_id) ?? 0 }))
    .filter(({ before, quantity }) => before !== quantity);
}

/** For locked rows. Throws if a quantity differs from `before`. */
export async function setQuantities(tx: Tx, changes: readonly QuantityChange[]): Promise<void> {
  const written = await run(tx, SET_QUANTITIES, columnsOf(QUANTITY_COLUMNS, changes));
  if (written !== changes.length) throw new StockMoved(idsOf(await readAgain(tx, changes)));
}
