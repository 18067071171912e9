// An import reads rows, makes a plan from them and from what the database has, and carries it out or not.
import type { Tx } from '../../store/database.ts';
import { chunks } from '../../store/import.ts';
import type { JournalEntry } from '../../store/journal.ts';
import type { Actor } from '../changing.ts';
import type { CsvRow, CsvShape } from './csv.ts';
import type { Problems } from './problems.ts';

/** Told how far the work has come: `read`, `check`, `write`. */
export interface Progress {
  /** Counts from the beginning: a transaction may run again. */
  begin(): void;
  advance(step: string, rows: number): void;
}

export const NO_PROGRESS: Progress = { begin: () => {}, advance: () => {} };

/** What the operator and the audit are told, by name: `variants_created` … */
export type Counts = Readonly<Record<string, number>>;

/** What was written, with what the change journal is told. */
export interface Applied extends JournalEntry {
  readonly counts: Counts;
}

/** null: no stock list shows it. */
export function journalOf(applied: Applied): JournalEntry | null {
  const { variant_ids = [], channel_ids = [] } = applied;
  return variant_ids.length + channel_ids.length > 0 ? applied : null;
}

export interface Plan {
  readonly counts: Counts;
  /** False: everything is as the file has it. */
  readonly changes: boolean;
  apply(tx: Tx): Promise<Applied>;
}

export interface Import {
  readonly what: 'products' | 'mappings' | 'stock';
  /** null: it is not about one channel. */
  readonly channel_id: number | null;
  readonly shape: CsvShape;
  /** Takes one row in, or reports what is wrong with it. */
  read(row: CsvRow, problems: Problems): void;
  /** What keeps others from making the plan wrong while it is carried out; not taken on a dry run. */
  lock(tx: Tx): Promise<unknown>;
  plan(tx: Tx, problems: Problems, progress: Progress, by: Actor): Promise<Plan>;
  /** True: carried out in another way, it will not fail like this again. */
  runsAgainAfter?(error: unknown): boolean;
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
