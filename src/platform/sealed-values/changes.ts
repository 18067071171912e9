// All sealed keys and secrets: whether the configured secrets open them, and resealing.
import type pg from 'pg';
import type { Sealer } from '../secrets/keys.ts';
import type { Tx } from '../database/database.ts';
import {
  contextOf,
  lockForeignSeals,
  readSeals,
  replaceSeals,
  SEAL_KINDS,
  type SealKind,
  type StoredSeal,
} from './store.ts';
import { inTransaction, reading } from '../database/transactions.ts';
import { changing, type Actor } from '../audit/change.ts';

const BATCH_ROWS = 200;

export interface SealState {
  count: number;
  /** Only the previous secret opens them. */
  outdated: number;
  /** Owners of a value that cannot be opened: ids of channels, webhooks or accounts. */
  closed: number[];
}

/** Opens every sealed value once, to find those that cannot be opened. */
export async function inspectSeals(pool: pg.Pool, sealer: Sealer): Promise<Record<SealKind, SealState>> {
  const inspect = (kind: SealKind): Promise<SealState> => inspectKind(pool, sealer, kind);
  const [key, signing_secret, rate_source_key, webhook_secret, second_factor] = await Promise.all([
    inspect('key'),
    inspect('signing_secret'),
    inspect('rate_source_key'),
    inspect('webhook_secret'),
    inspect('second_factor'),
  ]);
  return { key, signing_secret, rate_source_key, webhook_secret, second_factor };
}

/** Whether anything is sealed, with whatever secret. */
export const hasSeals = (pool: pg.Pool): Promise<boolean> =>
  reading(pool, async (tx) => {
    for (const kind of SEAL_KINDS) if ((await readSeals(tx, kind, 0, 1)).length > 0) return true;
    return false;
  });

/** The sums over all kinds. */
export const totalSeals = (states: Record<SealKind, SealState>) => {
  const all = Object.values(states);
  const sum = (figure: (state: SealState) => number): number =>
    all.reduce((total, state) => total + figure(state), 0);
  return {
    count: sum(({ count }) => count),
    outdated: sum(({ outdated }) => outdated),
    closed: sum(({ closed }) => closed.length),
  };
};

async function inspectKind(pool: pg.Pool, sealer: Sealer, kind: SealKind): Promise<SealState> {
  const state: SealState = { count: 0, outdated: 0, closed: [] };
  const current = await sealer.current();
  for (let after = 0; ;) {
    const page = await reading(pool, (tx) => readSeals(tx, kind, after, BATCH_ROWS));
    for (const seal of page) {
      const context = contextOf(kind, seal);
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
  resealed: number;
  /** Owners of values that cannot be opened, as in `SealState`. */
  closed: number[];
}

/** Reseals everything with the current secret, and records it. Values that cannot be opened are left unchanged. */
export async function resealAll(
  pool: pg.Pool,
  by: Actor,
  { sealer, onProgress }: { sealer: Sealer; onProgress: (resealed: number) => void },
): Promise<{ resealed: number; closed: Record<SealKind, number[]> }> {
  const closed: Record<SealKind, number[]> = {
    key: [],
    signing_secret: [],
    rate_source_key: [],
    webhook_secret: [],
    second_factor: [],
  };
  let resealed = 0;
  for (const kind of SEAL_KINDS) {
    const done = await resealKind(pool, sealer, kind, onProgress);
    resealed += done.resealed;
    closed[kind] = done.closed;
  }
  await inTransaction(pool, (tx) => recordRotation(tx, by, resealed));
  return { resealed, closed };
}

const recordRotation = (tx: Tx, by: Actor, resealed: number) =>
  changing(tx, by, async () => {
    if (resealed === 0) return { done: {}, audit: 'nothing_changed' };
    return {
      done: {},
      audit: { action: 'secret.rotate', subject: 'secret', before: null, after: { resealed } },
      journal: null,
    };
  });

/**
 * Reseals values that are sealed with another secret. In batches, each in its own transaction: after an interruption
 * the next call continues. Values that cannot be opened are left unchanged.
 */
async function resealKind(
  pool: pg.Pool,
  sealer: Sealer,
  kind: SealKind,
  onProgress: (resealed: number) => void,
): Promise<Resealed> {
  const done: Resealed = { resealed: 0, closed: [] };
  const current = await sealer.current();
  for (let after = 0; ;) {
    const from = after;
    const { rows, renewed, closed } = await inTransaction(pool, async (tx) => {
      const locked = await lockForeignSeals(tx, kind, from, current, BATCH_ROWS);
      const batch = await reseal(sealer, kind, locked);
      await replaceSeals(tx, kind, batch.renewed);
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
  kind: SealKind,
  seals: readonly StoredSeal[],
): Promise<{ renewed: StoredSeal[]; closed: number[] }> {
  const renewed: StoredSeal[] = [];
  const closed: number[] = [];
  for (const seal of seals) {
    const context = contextOf(kind, seal);
    const key = await sealer.open(seal, context);
    if (key === null) closed.push(seal.owner_id);
    else renewed.push({ ...seal, ...(await sealer.seal(key, context)) });
  }
  return { renewed, closed };
}
