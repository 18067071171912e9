// The sealed copies of channel keys as a whole: whether the secrets at hand open them, and sealing them anew.
import type pg from 'pg';
import type { Sealer } from '../keys.ts';
import { inTransaction, reading } from '../store/database.ts';
import { lockForeignSeals, readSeals, replaceSeals, type SealedKey } from '../store/sealed-keys.ts';
import { sealContext } from '../store/channels.ts';

const BATCH_ROWS = 200;

export interface SealState {
  channels: number;
  /** Sealed with another secret than the present one, but open. */
  outdated: number;
  /** Ids of channels whose sealed key does not open. */
  closed: number[];
}

/** Opens every sealed key once. */
export async function inspectSeals(pool: pg.Pool, sealer: Sealer): Promise<SealState> {
  const state: SealState = { channels: 0, outdated: 0, closed: [] };
  const current = await sealer.current();
  for (let after = 0; ;) {
    const page = await reading(pool, (tx) => readSeals(tx, after, BATCH_ROWS));
    for (const seal of page) {
      if ((await sealer.open(seal, sealContext(seal.id))) === null) state.closed.push(seal.id);
      else if (seal.sealed_with !== current) state.outdated += 1;
    }
    state.channels += page.length;
    if (page.length < BATCH_ROWS) return state;
    after = page.at(-1)?.id ?? after;
  }
}

export interface Resealed {
  resealed: number;
  closed: number[];
}

/**
 * Seals with the present secret what is sealed with another one. Batch by batch, each a transaction of its own: killed
 * at any moment, it goes on where it was when it is called again. What does not open is left as it is.
 */
export async function resealAll(
  pool: pg.Pool,
  sealer: Sealer,
  onProgress: (resealed: number) => void,
): Promise<Resealed> {
  const done: Resealed = { resealed: 0, closed: [] };
  const current = await sealer.current();
  for (let after = 0; ;) {
    const from = after;
    const { rows, renewed, closed } = await inTransaction(pool, async (tx) => {
      const locked = await lockForeignSeals(tx, from, current, BATCH_ROWS);
      const batch = await reseal(sealer, locked);
      await replaceSeals(tx, batch.renewed);
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
  seals: readonly SealedKey[],
): Promise<{ renewed: SealedKey[]; closed: number[] }> {
  const renewed: SealedKey[] = [];
  const closed: number[] = [];
  for (const seal of seals) {
    const { id } = seal;
    const key = await sealer.open(seal, sealContext(id));
    if (key === null) closed.push(id);
    else renewed.push({ id, ...(await sealer.seal(key, sealContext(id))) });
  }
  return { renewed, closed };
}
