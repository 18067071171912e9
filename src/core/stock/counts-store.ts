// Counts of physical stock: when each variant was last counted, and later movements.
import type { MovementKind } from '../rules/stock-count.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

const RECORD = statement(
  'stock_count_record',
  `insert into stock_count (variant_id, counted_at)
   select d.id, coalesce($2::timestamptz, clock_timestamp()) from unnest($1::int[]) as d (id) order by d.id
   on conflict (variant_id) do update
     set counted_at = greatest(stock_count.counted_at, excluded.counted_at), entries = stock_count.entries + 1`,
);

/** `countedAt` null: now. Stock rows are locked before rows of counts, everywhere. */
export const recordCounts = (
  tx: Tx,
  variantIds: readonly number[],
  countedAt: Date | null = null,
): Promise<number> => run(tx, RECORD, [variantIds, countedAt]);

const READ_BOOKS = statement(
  'stock_count_read_books',
  `select s.variant_id, s.quantity, s.unshipped, s.allocated, c.counted_at, coalesce(c.entries, 0) as entries
   from stock s left join stock_count c on c.variant_id = s.variant_id
   where s.variant_id = any($1::int[])`,
);
const READ_MOVED = statement(
  'stock_count_read_moved',
  `select variant_id, kind, sum(delta) as delta
   from stock_movement
   where variant_id = any($1::int[]) and at > $2::timestamptz
   group by variant_id, kind`,
);

interface BooksRow {
  quantity: number;
  unshipped: number;
  allocated: number;
  counted_at: Date | null;
  /** Number of counts entered for the variant. */
  entries: number;
  /** Movements since the given moment, summed by kind. */
  moved: { kind: MovementKind; delta: number }[];
}

/** Returns the books by variant id. Variants without a stock row are left out. */
export async function readBooks(
  tx: Tx,
  variantIds: readonly number[],
  since: Date | null,
): Promise<Map<number, BooksRow>> {
  const found = await rows<Omit<BooksRow, 'moved'> & { variant_id: number }>(tx, READ_BOOKS, [variantIds]);
  const moved =
    since === null
      ? []
      : await rows<{ variant_id: number; kind: MovementKind; delta: number }>(tx, READ_MOVED, [
          variantIds,
          since,
        ]);
  const byVariant = Map.groupBy(moved, ({ variant_id }) => variant_id);
  return new Map(
    found.map(({ variant_id, ...row }) => [variant_id, { ...row, moved: byVariant.get(variant_id) ?? [] }]),
  );
}

// Locks in the same order as `recordCounts`, which a command-line import calls without locking the stock rows.
const LOCK = statement(
  'stock_count_lock',
  `select count(*) from (
     select from stock_count where variant_id = any($1::int[]) order by variant_id for update
   ) as locked`,
);
export const lockCounts = (tx: Tx, variantIds: readonly number[]): Promise<number> =>
  run(tx, LOCK, [variantIds]);

const REVERT = statement(
  'stock_count_revert',
  `update stock_count c set counted_at = d.counted_at, entries = c.entries - 1
   from unnest($1::int[], $2::timestamptz[]) as d (id, counted_at)
   where c.variant_id = d.id and d.counted_at is not null`,
);
const FORGET = statement(
  'stock_count_forget',
  `delete from stock_count c using unnest($1::int[], $2::timestamptz[]) as d (id, counted_at)
   where c.variant_id = d.id and d.counted_at is null`,
);

/** Undoes the last count of each variant. `countedBefore` null: there was no earlier count. The rows must be locked. */
export async function revertCounts(
  tx: Tx,
  variantIds: readonly number[],
  countedBefore: readonly (Date | null)[],
): Promise<void> {
  await run(tx, REVERT, [variantIds, countedBefore]);
  await run(tx, FORGET, [variantIds, countedBefore]);
}
