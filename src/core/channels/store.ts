// Channels: API keys, currency, and the URL of the outbound call.
import { currencyOf } from '../rules/currency.ts';
import type { RateLimit } from '../rules/rate-limit.ts';
import type { SigningMode } from '../rules/signature.ts';
import { isUnshipped, STATUSES } from '../rules/transitions.ts';
import { hashKey, newApiKey, type Sealed, type Sealer } from '../../platform/secrets/keys.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { sealContext } from './seals.ts';
import { sealWhile } from '../../platform/secrets/seal-store.ts';

export interface Channel {
  id: number;
  name: string;
  country_code: string | null;
  currency_code: string;
  api_url: string | null;
  is_active: boolean;
  /** Hidden from lists and pickers. An archived channel is also inactive. */
  archived: boolean;
  /** Required prefix of order numbers; null: none. */
  order_number_prefix: string | null;
  /** Addresses and ranges from which the key may be used; empty: any. */
  allowed_addresses: string[];
  /** Unpaid orders are cancelled after this time; null: never. */
  prepayment_expiry_minutes: number | null;
  /** Every request of the channel is logged until then; null: only refused and slow requests are. */
  trace_until: Date | null;
  created_at: Date;
  /** Last use of each key, to the minute; null: never used. */
  key_last_used_at: Date | null;
  /** The previous key is valid until then; null: no valid previous key. */
  previous_key_valid_until: Date | null;
  previous_key_last_used_at: Date | null;
  /** null: none */
  rate_limit: RateLimit | null;
  signing_mode: SigningMode;
  /** Valid secrets, oldest first. */
  signing_secrets: SigningSecret[];
}

/** Times as PostgreSQL writes them: ISO 8601 with offset. */
interface SigningSecret {
  id: number;
  created_at: string;
  /** To the minute; null: never. */
  last_used_at: string | null;
}

export type ChannelFields = Pick<Channel, 'name' | 'country_code' | 'api_url' | 'is_active'> &
  Partial<
    Pick<
      Channel,
      'order_number_prefix' | 'allowed_addresses' | 'prepayment_expiry_minutes' | 'archived' | 'trace_until'
    >
  >;

const COLUMNS = `id, name, country_code, currency_code, api_url, is_active, archived_at is not null as archived, order_number_prefix, allowed_addresses,
  prepayment_expiry_minutes, created_at, key_last_used_at, case when trace_until > now() then trace_until end as trace_until,
  case when previous_key_valid_until > now() then previous_key_valid_until end as previous_key_valid_until,
  case when previous_key_valid_until > now() then previous_key_last_used_at end as previous_key_last_used_at,
  case when rate_per_minute is not null
    then json_build_object('requests_per_minute', rate_per_minute, 'burst', rate_burst) end as rate_limit,
  signing_mode,
  (select coalesce(json_agg(json_build_object('id', s.id, 'created_at', s.created_at, 'last_used_at', s.last_used_at)
     order by s.id), '[]') from signing_secret s where s.channel_id = channel.id) as signing_secrets`;

const NEXT_ID = statement('channel_next_id', `select nextval(pg_get_serial_sequence('channel', 'id')) as id`);
const INSERT = statement(
  'channel_insert',
  `insert into channel (id, name, country_code, currency_code, api_url, is_active, key_hash, key_sealed, sealed_with,
     order_number_prefix, allowed_addresses, prepayment_expiry_minutes)
   overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${COLUMNS}`,
);

/** The id is assigned first, because the sealed key is bound to it. `api_key` is given by imports and the sandbox. */
export async function insertChannel(
  tx: Tx,
  sealer: Sealer,
  fields: ChannelFields,
  api_key = newApiKey(),
): Promise<{ channel: Channel; api_key: string }> {
  const [next] = await rows<{ id: number }>(tx, NEXT_ID);
  const id = next?.id ?? 0;
  const { key_sealed, sealed_with } = await sealWhile(tx, sealer, api_key, sealContext(id));
  const [channel] = await rows<Channel>(tx, INSERT, [
    id,
    fields.name,
    fields.country_code,
    currencyOf(fields.country_code),
    fields.api_url,
    fields.is_active,
    hashKey(api_key),
    key_sealed,
    sealed_with,
    fields.order_number_prefix ?? null,
    fields.allowed_addresses ?? [],
    fields.prepayment_expiry_minutes ?? null,
  ]);
  if (!channel) throw new RangeError('the channel was not inserted');
  await announceChannels(tx);
  return { channel, api_key };
}

const UPDATE = statement(
  'channel_update',
  `update channel set name = $2, country_code = $3, currency_code = $4, api_url = $5, is_active = $6,
     order_number_prefix = $7, archived_at = case when $8 then coalesce(archived_at, now()) end,
     allowed_addresses = $9, prepayment_expiry_minutes = $10, trace_until = $11
   where id = $1 returning ${COLUMNS}`,
);

export async function updateChannel(tx: Tx, id: number, fields: Required<ChannelFields>): Promise<Channel> {
  const [channel] = await rows<Channel>(tx, UPDATE, [
    id,
    fields.name,
    fields.country_code,
    currencyOf(fields.country_code),
    fields.api_url,
    fields.is_active,
    fields.order_number_prefix,
    fields.archived,
    fields.allowed_addresses,
    fields.prepayment_expiry_minutes,
    fields.trace_until,
  ]);
  if (!channel) throw new RangeError(`no channel ${id}`);
  await announceChannels(tx);
  return channel;
}

// At most one previous key is kept.
const SET_KEY = statement(
  'channel_set_key',
  `update channel
   set previous_key_hash = case when $5::int > 0 then key_hash end,
       previous_key_valid_until = case when $5::int > 0 then now() + make_interval(secs => $5::int) end,
       previous_key_last_used_at = case when $5::int > 0 then key_last_used_at end,
       key_hash = $2, key_sealed = $3, sealed_with = $4, key_last_used_at = null, key_version = key_version + 1
   where id = $1 returning ${COLUMNS}`,
);

/** The old key expires at the commit or `overlapSeconds` later; an older previous key expires in any case. */
export async function replaceKey(
  tx: Tx,
  sealer: Sealer,
  id: number,
  overlapSeconds: number,
): Promise<{ channel: Channel; api_key: string }> {
  const api_key = newApiKey();
  const { key_sealed, sealed_with } = await sealWhile(tx, sealer, api_key, sealContext(id));
  const values = [id, hashKey(api_key), key_sealed, sealed_with, overlapSeconds];
  const [channel] = await rows<Channel>(tx, SET_KEY, values);
  if (!channel) throw new RangeError(`no channel ${id}`);
  await announceChannels(tx);
  return { channel, api_key };
}

const END_PREVIOUS = statement(
  'channel_end_previous_key',
  `update channel
   set previous_key_hash = null, previous_key_valid_until = null, previous_key_last_used_at = null
   where id = $1`,
);

/** The previous key expires at the commit. */
export async function clearPreviousKey(tx: Tx, id: number): Promise<void> {
  await run(tx, END_PREVIOUS, [id]);
  await announceChannels(tx);
}

// The table first, as `lockChannels` does: an import that had the table would wait for the row, and its holder for the
// table.
const ENTER = statement('channel_enter', 'lock table channel in row exclusive mode');
const LOCK = statement('channel_lock', 'select from channel where id = $1 for update');
const FIND = statement('channel_find', `select ${COLUMNS} from channel where id = $1`);

/** A second statement: the one that waited for the lock would return the signing secrets from before the wait. */
export async function lockChannel(tx: Tx, id: number): Promise<Channel | undefined> {
  await run(tx, ENTER);
  await run(tx, LOCK, [id]);
  return findChannel(tx, id);
}
export const findChannel = async (tx: Tx, id: number): Promise<Channel | undefined> =>
  (await rows<Channel>(tx, FIND, [id]))[0];

const FIND_BY_KEYS = statement(
  'channel_find_by_keys',
  `select ${COLUMNS}, case when key_hash = any($1::bytea[]) then encode(key_hash, 'hex') end as key_hash,
     case when previous_key_hash = any($1::bytea[]) then encode(previous_key_hash, 'hex') end as previous_key_hash
   from channel where key_hash = any($1::bytea[]) or previous_key_hash = any($1::bytea[]) or name = any($2::text[])
   order by id`,
);

/** A channel with its key hashes in hexadecimal; null: not one of the requested hashes. */
export interface KeyOwner extends Channel {
  key_hash: string | null;
  previous_key_hash: string | null;
}

/** Channels with one of the keys, current or previous, or with one of the names. */
export const findByKeysOrNames = (
  tx: Tx,
  keys: readonly string[],
  names: readonly string[],
): Promise<KeyOwner[]> =>
  rows(tx, FIND_BY_KEYS, [keys.map((key) => `\\x${hashKey(key).toString('hex')}`), names]);

const FIND_NAMED = statement(
  'channel_find_named',
  `select id, name, currency_code, order_number_prefix, archived_at is not null as archived from channel
   where id = any($1::int[]) or (name = any($2::text[]) and archived_at is null) order by id`,
);

export type NamedChannel = Pick<
  Channel,
  'id' | 'name' | 'currency_code' | 'order_number_prefix' | 'archived'
>;

/** Finds channels by id, and by name if they are not archived. */
export const findNamed = (
  tx: Tx,
  ids: readonly number[],
  names: readonly string[],
): Promise<NamedChannel[]> => rows(tx, FIND_NAMED, [ids, names]);

// FOR KEY SHARE conflicts with the lock of `lockChannel` only: orders and changes of mappings continue. The row is read
// again after a wait, so `archived` is what the lock protects.
const PIN = statement(
  'channel_hold',
  `select id, archived_at is not null as archived from channel where id = any($1::int[]) order by id for key share`,
);

/** Until the transaction ends, none of these channels can be archived or changed. */
export const pinChannels = (tx: Tx, ids: readonly number[]): Promise<Pick<Channel, 'id' | 'archived'>[]> =>
  rows(tx, PIN, [ids]);

const LOCK_ALL = statement('channel_lock_all', 'lock table channel in share row exclusive mode');

/** Prevents creating and changing channels until the transaction ends. Reads continue. */
export const lockChannels = (tx: Tx): Promise<number> => run(tx, LOCK_ALL);

// Of inactive channels too: their prefix stays theirs until they return or are archived.
const PREFIXES = statement(
  'channel_prefixes',
  `select id, name, order_number_prefix from channel
   where order_number_prefix is not null and archived_at is null order by id`,
);

export interface PrefixOwner {
  id: number;
  name: string;
  order_number_prefix: string;
}

/** The prefixes of order numbers that belong to a channel (contract 10.13). */
export const listPrefixes = (tx: Tx): Promise<PrefixOwner[]> => rows(tx, PREFIXES);

/** Limit on the channels that are listed. */
const SHARING_NAMED_MAX = 5;
const SHARING_PREFIX = statement(
  'channel_sharing_prefix',
  `select name from channel
   where id <> $1 and is_active
     and case when $2::text is null then order_number_prefix is null
         else starts_with($2, order_number_prefix) or starts_with(order_number_prefix, $2) end
   order by id limit ${SHARING_NAMED_MAX}`,
);

/** Names of the active channels whose prefix does not keep their order numbers apart from this channel's. */
export const sharingPrefix = async (tx: Tx, { id, order_number_prefix }: Channel): Promise<string[]> =>
  (await rows<{ name: string }>(tx, SHARING_PREFIX, [id, order_number_prefix])).map(({ name }) => name);

const SEALED_KEY = statement(
  'channel_sealed_key',
  'select key_sealed, sealed_with from channel where id = $1',
);

/** null: sealed with a secret that is not configured here. */
export async function openApiKey(tx: Tx, sealer: Sealer, id: number): Promise<string | null> {
  // A second attempt: a rotation of the sealing secret may end between reading the row and opening it.
  for (let look = 1; ; look++) {
    const [row] = await rows<Sealed>(tx, SEALED_KEY, [id]);
    if (!row) throw new RangeError(`no channel ${id}`);
    const key = await sealer.open(row, sealContext(id));
    if (key !== null || look === 2) return key;
  }
}

const LIST = statement(
  'channel_list',
  `select ${COLUMNS} from channel
   where id > $1::bigint and ($2::boolean is null or (archived_at is not null) = $2) order by id limit $3`,
);

/** `archived` null: both archived and other channels. */
export const listChannels = (
  tx: Tx,
  afterId: number,
  archived: boolean | null,
  limit: number,
): Promise<Channel[]> => rows(tx, LIST, [afterId, archived, limit]);

const UNSHIPPED = STATUSES.filter(isUnshipped).join(', ');

const SUM = statement(
  'allocation_sum',
  `with held as (
     select variant_id, allocated_qty as n from allocation where channel_id = $1 and allocated_qty > 0
     union all
     select i.variant_id, i.from_allocation from orders o join order_item i on i.order_id = o.id
     where o.channel_id = $1 and o.status = any(array[${UNSHIPPED}]::smallint[]) and i.from_allocation > 0
   )
   select count(distinct variant_id)::int as variant_count, coalesce(sum(n), 0)::bigint as allocated_qty from held`,
);

/** All pre-allocations of a channel, with what its open orders drew and a cancellation gives back. */
export async function sumAllocations(
  tx: Tx,
  channelId: number,
): Promise<{ variant_count: number; allocated_qty: number }> {
  const [sum] = await rows<{ variant_count: number; allocated_qty: number }>(tx, SUM, [channelId]);
  return sum ?? { variant_count: 0, allocated_qty: 0 };
}

const NAMES = statement(
  'channel_names',
  `select id, name, is_active from channel where archived_at is null or id = any($1::int[]) order by id`,
);

/** Archived channels only if their ids are given. */
export const listChannelNames = (
  tx: Tx,
  named: readonly number[],
): Promise<Pick<Channel, 'id' | 'name' | 'is_active'>[]> => rows(tx, NAMES, [named]);

export const CHANNELS_CHANGED = 'sluice_channels';
const ANNOUNCE = statement('channel_announce', `select pg_notify('${CHANNELS_CHANGED}', '')`);

/** Makes every process reload its channel directory. Changes of channels are rare. */
export const announceChannels = (tx: Tx): Promise<number> => run(tx, ANNOUNCE);
