// An import reads rows, makes a plan from them and the database, and applies it unless it is a dry run.
import type { Tx } from '../../platform/database/database.ts';
import { chunks } from '../../platform/values/chunks.ts';
import type { JournalEntry } from '../journal/store.ts';
import type { Actor } from '../../platform/audit/change.ts';
import type { RefusedAs } from '../../platform/admin-api/refused.ts';
import type { CsvRow, CsvShape } from '../../platform/csv/csv.ts';
import type { Problems } from '../../platform/csv/problems.ts';

/** Progress of the steps `read`, `check`, `write`. */
export interface Progress {
  /** Restarts the count: a transaction may run again. */
  begin(): void;
  advance(step: string, rows: number): void;
}

export const NO_PROGRESS: Progress = { begin: () => {}, advance: () => {} };

/** Figures for the operator and the audit log, by name: `variants_created` … */
export type Counts = Readonly<Record<string, number>>;

/** Counts of the written rows, with the entry for the change journal. */
export interface Applied extends JournalEntry {
  readonly counts: Counts;
}

/** null: no stock list shows the change. */
export function journalOf(applied: Applied): JournalEntry | null {
  const { variant_ids = [], channel_ids = [], orders_since } = applied;
  return variant_ids.length + channel_ids.length > 0 || orders_since ? applied : null;
}

export interface Plan {
  readonly counts: Counts;
  /** False: the database already matches the file. */
  readonly changes: boolean;
  /** Refused: a channel or variant was archived after the plan was made. */
  apply(tx: Tx): Promise<Applied | PartRefusal>;
  /**
   * The same work in parts, where it locks rows that orders need: with more than one, each runs in its own transaction,
   * so that orders wait for one part only. A part reads what it changes again under its locks and can be repeated.
   */
  readonly parts?: readonly Part[];
  /** The counts of what no part writes. */
  readonly unwritten?: Counts;
}

export type PartRefusal = RefusedAs<'channel_archived' | 'variant_archived'>;
export type Part = (tx: Tx) => Promise<Applied | PartRefusal>;

/** Rows whose stock rows are locked at a time: about 20 ms. */
export const PART_ROWS_MAX = 500;

/** Sorted by variant, because stock rows are locked in this order. */
export const partsOf = <Row extends { variant_id: number }>(
  list: readonly Row[],
  write: (tx: Tx, rows: readonly Row[]) => ReturnType<Part>,
  rowsMax = PART_ROWS_MAX,
): Part[] =>
  [
    ...chunks(
      list.toSorted((a, b) => a.variant_id - b.variant_id),
      rowsMax,
    ),
  ].map((rows) => (tx) => write(tx, rows));

export const addCounts = (sum: Counts, more: Counts): Counts => ({
  ...sum,
  ...Object.fromEntries(Object.entries(more).map(([name, n]) => [name, (sum[name] ?? 0) + n])),
});

/** Applies all parts in one transaction. */
export async function applyAll(tx: Tx, parts: readonly Part[], none: Counts): Promise<Applied | PartRefusal> {
  let counts = none;
  const touched: number[] = [];
  const times: number[] = [];
  for (const part of parts) {
    const applied = await part(tx);
    if ('kind' in applied) return applied;
    counts = addCounts(counts, applied.counts);
    touched.push(...(applied.variant_ids ?? []));
    if (applied.orders_since) times.push(applied.orders_since.getTime());
  }
  const since = times.length > 0 ? { orders_since: new Date(Math.min(...times)) } : {};
  return { counts, variant_ids: [...new Set(touched)], only_quantities: true, ...since };
}

export type TargetRefusal = RefusedAs<'channel_unknown' | 'channel_archived'>;
export type ImportRefusal = TargetRefusal | PartRefusal;

export interface ImportTarget {
  /** In the audit log. */
  readonly subject: string;
  /** Looked up behind `lock`. */
  refusal(tx: Tx): Promise<TargetRefusal | null>;
}

export interface Import {
  /** `products`, `orders` … */
  readonly what: string;
  /** What all rows are for; absent: each row says it. */
  readonly target?: ImportTarget;
  readonly shape: CsvShape;
  /** Adds one row, or reports its problems. */
  read(row: CsvRow, problems: Problems): void;
  /** Locks the tables or rows that the plan depends on. Not called in a dry run. */
  lock(tx: Tx): Promise<unknown>;
  plan(tx: Tx, problems: Problems, progress: Progress, by: Actor): Promise<Plan>;
  /** `again`: the import runs again, in a way that avoids this failure. null: the failure is thrown as it is. */
  explain?(error: unknown): Error | 'again' | null;
}

/** Looks rows up by key, a chunk at a time. */
export async function lookUp<Row>(
  keys: readonly string[],
  find: (chunk: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const chunk of chunks(keys)) for (const row of await find(chunk)) found.set(keyOf(row), row);
  return found;
}

export async function inChunks<Row>(
  progress: Progress,
  list: readonly Row[],
  write: (chunk: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (const chunk of chunks(list)) {
    await write(chunk);
    progress.advance('write', chunk.length);
  }
}
