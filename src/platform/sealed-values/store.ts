// Bulk access to all sealed values: keys of channels and of the source of exchange rates, signing secrets, secrets of
// webhooks and of second factors.
import type { Sealed } from '../secrets/keys.ts';
import { signingContext } from '../../core/channel-policy/store.ts';
import { sealContext } from '../../core/channels/store.ts';
import { rows, run, statement, type Tx } from '../database/database.ts';
import { RATE_SOURCE_CONTEXT } from '../../features/rate-collection/store.ts';
import { secondFactorContext } from '../accounts/second-factor-store.ts';
import { webhookContext } from '../../features/webhooks/store.ts';

export const SEAL_KINDS = [
  'key',
  'signing_secret',
  'rate_source_key',
  'webhook_secret',
  'second_factor',
] as const;
export type SealKind = (typeof SEAL_KINDS)[number];

interface SealedColumn {
  table: string;
  /** The column with the owner's id, and the column with the sealed value. */
  owner: string;
  sealed: string;
  /** Authenticated context of the sealed value. */
  context: (ownerId: number) => string;
}

/** Every sealed column of the schema. */
export const SEALED_IN: Readonly<Record<SealKind, SealedColumn>> = {
  key: { table: 'channel', owner: 'id', sealed: 'key_sealed', context: sealContext },
  signing_secret: {
    table: 'signing_secret',
    owner: 'channel_id',
    sealed: 'secret_sealed',
    context: signingContext,
  },
  rate_source_key: {
    table: 'exchange_rate_source',
    owner: 'id',
    sealed: 'key_sealed',
    context: () => RATE_SOURCE_CONTEXT,
  },
  webhook_secret: {
    table: 'webhook_secret',
    owner: 'webhook_id',
    sealed: 'secret_sealed',
    context: webhookContext,
  },
  second_factor: {
    table: 'second_factor',
    owner: 'account_id',
    sealed: 'secret_sealed',
    context: secondFactorContext,
  },
};

export interface StoredSeal extends Sealed {
  id: number;
  /** Id of the owner: a channel, a webhook, an account, or the row itself. */
  owner_id: number;
}

export const contextOf = (kind: SealKind, { owner_id }: StoredSeal): string =>
  SEALED_IN[kind].context(owner_id);

const statements = (kind: SealKind) => {
  const { table, owner, sealed } = SEALED_IN[kind];
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

const STATEMENTS: Readonly<Record<SealKind, ReturnType<typeof statements>>> = {
  key: statements('key'),
  signing_secret: statements('signing_secret'),
  rate_source_key: statements('rate_source_key'),
  webhook_secret: statements('webhook_secret'),
  second_factor: statements('second_factor'),
};

export const readSeals = (tx: Tx, kind: SealKind, afterId: number, limit: number): Promise<StoredSeal[]> =>
  rows(tx, STATEMENTS[kind].read, [afterId, limit]);

/** Locks values that are sealed with another secret than the given one. */
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
