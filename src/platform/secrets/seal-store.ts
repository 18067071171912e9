// Sealing of keys and secrets: none is sealed while the secret that seals them is replaced.
import type { Sealed, Sealer } from './keys.ts';
import { run, statement, type Tx } from '../database/database.ts';

/**
 * An arbitrary constant: held shared while a key is sealed and stored, exclusively while the sealing secret is
 * replaced.
 */
const SECRET_LOCK = 7_358_264_002;
const PIN_SECRET = statement('sealing_hold_secret', `select pg_advisory_xact_lock_shared(${SECRET_LOCK})`);
const REPLACE_SECRET = statement('sealing_replace_secret', `select pg_advisory_xact_lock(${SECRET_LOCK})`);

/** Prevents a replacement of the sealing secret until the transaction ends. */
export async function sealWhile(tx: Tx, sealer: Sealer, key: string, context: string): Promise<Sealed> {
  await run(tx, PIN_SECRET);
  return sealer.seal(key, context);
}

/** Waits for transactions that are sealing, and blocks new ones until this transaction ends. */
export const lockSealing = (tx: Tx): Promise<number> => run(tx, REPLACE_SECRET);
