// All sealed keys and secrets: whether the configured secrets open them, and resealing.
import type pg from 'pg';
import type { Sealer } from '../secrets/keys.ts';
import type { Tx } from '../database/database.ts';
import type { SealedColumn } from '../secrets/sealed-column.ts';
import { lockForeignSeals, readSeals, replaceSeals, type StoredSeal } from './store.ts';
import { inTransaction, reading } from '../database/transactions.ts';
import { auditing, type Actor } from '../audit/change.ts';

const BATCH_ROWS = 200;

interface SealState {
  column: SealedColumn;
  count: number;
  /** Only the previous secret opens them. */
  outdated: number;
  /** Ids of the owners of values that cannot be opened. */
  closed: number[];
}

/** Opens every sealed value once, to find those that cannot be opened. */
export const inspectSeals = (
  pool: pg.Pool,
  sealer: Sealer,
  columns: readonly SealedColumn[],
): Promise<SealState[]> => Promise.all(columns.map((column) => inspectColumn(pool, sealer, column)));

/** Whether anything is sealed, with whatever secret. */
export const hasSeals = (pool: pg.Pool, columns: readonly SealedColumn[]): Promise<boolean> =>
  reading(pool, async (tx) => {
    for (const column of columns) if ((await readSeals(tx, column, 0, 1)).length > 0) return true;
    return false;
  });

/** The sums over all columns. */
export const totalSeals = (states: readonly SealState[]) => {
  const sum = (figure: (state: SealState) => number): number =>
    states.reduce((total, state) => total + figure(state), 0);
  return {
    count: sum(({ count }) => count),
    outdated: sum(({ outdated }) => outdated),
    closed: sum(({ closed }) => closed.length),
  };
};

async function inspectColumn(pool: pg.Pool, sealer: Sealer, column: SealedColumn): Promise<SealState> {
  const state: SealState = { column, count: 0, outdated: 0, closed: [] };
  const current = await sealer.current();
  for (let after = 0; ;) {
    const page = await reading(pool, (tx) => readSeals(tx, column, after, BATCH_ROWS));
    for (const seal of page) {
      const context = column.context(seal.owner_id);
      if ((await sealer.open(seal, context)) === null) state.closed.push(seal.owner_id);
      // A value sealed before secrets had names may still be sealed with the current secret.
      else if (seal.sealed_with !== current && !(await sealer.opensWithCurrent(seal, context)))
        state.outdated += 1;
    }
    state.count += page.length;
    if (page.length < BATCH_ROWS) return state;
    after = page.at(-1)?.id ?? after;
  }
}

interface Resealed {
  column: SealedColumn;
  resealed: number;
  /** Owners of values that cannot be opened, as in `SealState`. */
  closed: number[];
}

/** Reseals everything with the current secret, and records it. Values that cannot be opened are left unchanged. */
export async function resealAll(
  pool: pg.Pool,
  by: Actor,
  {
    sealer,
    columns,
    onProgress,
  }: { sealer: Sealer; columns: readonly SealedColumn[]; onProgress: (resealed: number) => void },
): Promise<{ resealed: number; results: Resealed[] }> {
  const results: Resealed[] = [];
  for (const column of columns) results.push(await resealColumn(pool, sealer, column, onProgress));
  const resealed = results.reduce((sum, one) => sum + one.resealed, 0);
  await inTransaction(pool, (tx) => recordRotation(tx, by, resealed));
  return { resealed, results };
}

const recordRotation = (tx: Tx, by: Actor, resealed: number) =>
  auditing(tx, by, async () => {
    if (resealed === 0) return { done: {}, audit: 'nothing_changed' };
    return {
      done: {},
      audit: { action: 'secret.rotate', subject: 'secret', before: null, after: { resealed } },
    };
  });

/**
 * Reseals values that are sealed with another secret. In batches, each in its own transaction: after an interruption
 * the next call continues. Values that cannot be opened are left unchanged.
 */
async function resealColumn(
  pool: pg.Pool,
  sealer: Sealer,
  column: SealedColumn,
  onProgress: (resealed: number) => void,
): Promise<Resealed> {
  const done: Resealed = { column, resealed: 0, closed: [] };
  const current = await sealer.current();
  for (let after = 0; ;) {
    const from = after;
    const { rows, renewed, closed } = await inTransaction(pool, async (tx) => {
      const locked = await lockForeignSeals(tx, column, from, current, BATCH_ROWS);
      const batch = await reseal(sealer, column, locked);
      await replaceSeals(tx, column, batch.renewed);
      return { rows: locked, ...batch };
    });
    done.resealed += renewed.length;
    done.closed.push(...closed);
    onProgress(renewed.length);
    if (rows.length < BATCH_ROWS) return done;
    after = rows.at(-1)?.id ?? after;
  }
}

async function reseal(
  sealer: Sealer,
  column: SealedColumn,
  seals: readonly StoredSeal[],
): Promise<{ renewed: StoredSeal[]; closed: number[] }> {
  const renewed: StoredSeal[] = [];
  const closed: number[] = [];
  for (const seal of seals) {
    const context = column.context(seal.owner_id);
    const key = await sealer.open(seal, context);
    if (key === null) closed.push(seal.owner_id);
    else renewed.push({ ...seal, ...(await sealer.seal(key, context)) });
  }
  return { renewed, closed };
}
