// Bulk access to everything that is sealed: keys of channels and of the source of exchange rates, signing secrets,
// secrets of webhooks and of second factors.
import type { Sealed } from '../keys.ts';
import { signingContext } from './channel-policy.ts';
import { sealContext } from './channels.ts';
import { rows, run, statement, type Tx } from './database.ts';
import { RATE_SOURCE_CONTEXT } from './rate-source.ts';
import { secondFactorContext } from './second-factor.ts';
import { webhookContext } from './webhooks.ts';

/** The table; the id is that of its row. */
export const SEAL_KINDS = [
  'key',
  'signing_secret',
  'rate_source_key',
  'webhook_secret',
  'second_factor',
] as const;
export type SealKind = (typeof SEAL_KINDS)[number];

export interface StoredSeal extends Sealed {
  id: number;
  /** Whose it is: a channel, a webhook, an account, or the row itself. */
  owner_id: number;
}

/** Authenticated context of the sealed value. */
export const contextOf = (kind: SealKind, { owner_id }: StoredSeal): string => CONTEXTS[kind](owner_id);

const CONTEXTS: Readonly<Record<SealKind, (ownerId: number) => string>> = {
  key: sealContext,
  signing_secret: signingContext,
  rate_source_key: () => RATE_SOURCE_CONTEXT,
  webhook_secret: webhookContext,
  second_factor: secondFactorContext,
};

const statements = (kind: SealKind, table: string, owner: string, sealed: string) => {
  const columns = `id, ${owner} as owner_id, ${sealed} as key_sealed, sealed_with`;
  return {
    read: statement(
      `sealed_read_${kind}`,
      `select ${columns} from ${table} where id > $1 and ${sealed} is not null order by id limit $2`,
    ),
    lockForeign: statement(
      `sealed_lock_foreign_${kind}`,
      `select ${columns} from ${table}
       where id > $1 and ${sealed} is not null and sealed_with is distinct from $2 order by id limit $3 for update`,
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
  rate_source_key: statements('rate_source_key', 'exchange_rate_source', 'id', 'key_sealed'),
  webhook_secret: statements('webhook_secret', 'webhook_secret', 'webhook_id', 'secret_sealed'),
  second_factor: statements('second_factor', 'second_factor', 'account_id', 'secret_sealed'),
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
