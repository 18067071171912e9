// The sealed copies of channel keys, many at a time.
import type { Sealed } from '../keys.ts';
import { rows, run, statement, type Tx } from './database.ts';

export interface SealedKey extends Sealed {
  id: number;
}

const READ = statement(
  'sealed_read',
  'select id, key_sealed, sealed_with from channel where id > $1 order by id limit $2',
);

export const readSeals = (tx: Tx, afterId: number, limit: number): Promise<SealedKey[]> =>
  rows(tx, READ, [afterId, limit]);

const LOCK_FOREIGN = statement(
  'sealed_lock_foreign',
  `select id, key_sealed, sealed_with from channel
   where id > $1 and sealed_with is distinct from $2 order by id limit $3 for update`,
);

/** Those sealed with another secret than the one named. */
export const lockForeignSeals = (
  tx: Tx,
  afterId: number,
  secretName: string,
  limit: number,
): Promise<SealedKey[]> => rows(tx, LOCK_FOREIGN, [afterId, secretName, limit]);

const REPLACE = statement(
  'sealed_replace',
  `update channel c set key_sealed = d.key_sealed, sealed_with = d.sealed_with
   from unnest($1::int[], $2::bytea[], $3::text[]) as d (id, key_sealed, sealed_with)
   where c.id = d.id`,
);

export const replaceSeals = (tx: Tx, seals: readonly SealedKey[]): Promise<number> =>
  run(tx, REPLACE, [
    seals.map(({ id }) => id),
    seals.map(({ key_sealed }) => key_sealed),
    seals.map(({ sealed_with }) => sealed_with),
  ]);
