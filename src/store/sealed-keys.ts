// Bulk access to the sealed channel keys and signing secrets.
import type { Sealed } from '../keys.ts';
import { signingContext } from './channel-policy.ts';
import { sealContext } from './channels.ts';
import { rows, run, statement, type Tx } from './database.ts';

/** The table; the id is that of its row. */
export type SealKind = 'key' | 'signing_secret';

export interface StoredSeal extends Sealed {
  id: number;
  channel_id: number;
}

/** Authenticated context of the sealed value. */
export const contextOf = (kind: SealKind, { channel_id }: StoredSeal): string =>
  kind === 'key' ? sealContext(channel_id) : signingContext(channel_id);

const statements = (kind: SealKind, table: string, channel: string, sealed: string) => {
  const columns = `id, ${channel} as channel_id, ${sealed} as key_sealed, sealed_with`;
  return {
    read: statement(
      `sealed_read_${kind}`,
      `select ${columns} from ${table} where id > $1 order by id limit $2`,
    ),
    lockForeign: statement(
      `sealed_lock_foreign_${kind}`,
      `select ${columns} from ${table}
       where id > $1 and sealed_with is distinct from $2 order by id limit $3 for update`,
    ),
    replace: statement(
      `sealed_replace_${kind}`,
      `update ${table} t set ${sealed} = d.key_sealed, sealed_with = d.sealed_with
       from unnest($1::int[], $2::bytea[], $3::text[]) as d (id, key_sealed, sealed_with)
       where t.id = d.id`,
    ),
  };
};

const STATEMENTS = {
  key: statements('key', 'channel', 'id', 'key_sealed'),
  signing_secret: statements('signing_secret', 'signing_secret', 'channel_id', 'secret_sealed'),
};

export const readSeals = (tx: Tx, kind: SealKind, afterId: number, limit: number): Promise<StoredSeal[]> =>
  rows(tx, STATEMENTS[kind].read, [afterId, limit]);

/** Values that are sealed with another secret than the given one. */
export const lockForeignSeals = (
  tx: Tx,
  kind: SealKind,
  afterId: number,
  secretName: string,
  limit: number,
): Promise<StoredSeal[]> => rows(tx, STATEMENTS[kind].lockForeign, [afterId, secretName, limit]);

export const replaceSeals = (tx: Tx, kind: SealKind, seals: readonly StoredSeal[]): Promise<number> =>
  run(tx, STATEMENTS[kind].replace, [
    seals.map(({ id }) => id),
    seals.map(({ key_sealed }) => key_sealed),
    seals.map(({ sealed_with }) => sealed_with),
  ]);
