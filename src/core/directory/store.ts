// Active channels by API key, with their policies, and when keys and signing secrets were last used.
import type { KeyObject } from 'node:crypto';
import { channelLabels, OTHER_CHANNELS } from './labels-rules.ts';
import { parseAddressRanges, type AddressRanges } from '../../platform/values/client-address.ts';
import { reservedPrefixes, type ReservedPrefixes } from '../rules/order-number-prefix.ts';
import type { ChannelLimits } from '../rules/channel-limits.ts';
import type { RateLimit } from '../rules/rate-limit.ts';
import type { SigningMode } from '../rules/signature.ts';
import { signingKey, type Sealed, type Sealer } from '../../platform/secrets/keys.ts';
import { readChannelLimits } from '../channels/limits-store.ts';
import { signingContext } from '../channel-policy/seals.ts';
import { listPrefixes } from '../channels/store.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

/** The data that every request needs about its channel. One entry per valid key. */
export interface ActiveChannel {
  readonly id: number;
  readonly name: string;
  /** Label in metrics. */
  readonly label: string;
  readonly key_hash: string;
  /** Number of the key; see core/rules/credentials.ts. */
  readonly key_version: number;
  /** Required prefix of order numbers; null: none. */
  readonly order_number_prefix: string | null;
  /** Prefixes of other channels; empty for a channel with its own, because prefixes do not overlap. */
  readonly reserved_prefixes: ReservedPrefixes;
  /** null for most channels: none. */
  readonly limits: ChannelLimits | null;
  /** Every request of the channel is logged at present. */
  readonly is_traced: boolean;
  /** null for most channels: neither addresses, rate limit nor signatures */
  readonly policy: ChannelPolicy | null;
  /** Set by each request; reset when the use is written. */
  used: boolean;
}

/** Shared by all keys of a channel. */
interface ChannelPolicy {
  /** Addresses from which the key may be used; null: any */
  readonly addresses: AddressRanges | null;
  readonly rate_limit: RateLimit | null;
  readonly signing: Signing | null;
}

export interface Signing {
  readonly isRequired: boolean;
  readonly secrets: readonly SigningKey[];
  /**
   * A signing secret cannot be opened, because the secret that sealed it is not configured here. A signature that
   * matches none of the other signing secrets cannot be verified.
   */
  readonly isClosed: boolean;
}

interface SigningKey {
  readonly id: number;
  readonly key: KeyObject;
}

/** Remaining time of the channel's trace; null: not traced. */
const TRACE_MS = `case when trace_until > now() then ceil(extract(epoch from trace_until - now()) * 1000)::float8 end as trace_ms`;

const ACTIVE = statement(
  'channel_active',
  `select encode(key_hash, 'base64') as key_hash, key_version, id, name, order_number_prefix, null as valid_ms,
     rate_per_minute, rate_burst, signing_mode, allowed_addresses, ${TRACE_MS}
   from channel where is_active
   union all
   select encode(previous_key_hash, 'base64'), key_version - 1, id, name, order_number_prefix,
     ceil(extract(epoch from previous_key_valid_until - now()) * 1000)::float8, rate_per_minute, rate_burst, signing_mode,
     allowed_addresses, ${TRACE_MS}
   from channel where is_active and previous_key_valid_until > now()`,
);

const NONE_RESERVED = reservedPrefixes([]);

interface ActiveRow {
  key_hash: string;
  key_version: number;
  id: number;
  name: string;
  order_number_prefix: string | null;
  valid_ms: number | null;
  rate_per_minute: number | null;
  rate_burst: number | null;
  signing_mode: SigningMode;
  allowed_addresses: string[];
  trace_ms: number | null;
}

export interface ActiveChannels {
  /** By hash of the key. */
  readonly byKey: Map<string, ActiveChannel>;
  /** Milliseconds until the first previous key expires or the first trace ends; null: neither exists. */
  readonly valid_ms: number | null;
}

export async function readActiveChannels(tx: Tx, sealer: Sealer): Promise<ActiveChannels> {
  const found = await rows<ActiveRow>(tx, ACTIVE);
  const ends = found.flatMap(({ valid_ms, trace_ms }) => [valid_ms ?? [], trace_ms ?? []].flat());
  const labels = channelLabels(found.map(({ id }) => id));
  const policies = await policiesOf(tx, sealer, found);
  const limits = await readChannelLimits(
    tx,
    found.map(({ id }) => id),
  );
  const owned = await listPrefixes(tx);
  const reserved = reservedPrefixes(owned.map((owner) => owner.order_number_prefix));
  const active = found.map(({ key_hash, key_version, id, name, order_number_prefix, trace_ms }) => ({
    id,
    name,
    label: labels.get(id) ?? OTHER_CHANNELS,
    key_hash,
    key_version,
    order_number_prefix,
    reserved_prefixes: order_number_prefix === null ? reserved : NONE_RESERVED,
    limits: limits.get(id) ?? null,
    is_traced: trace_ms !== null,
    policy: policies.get(id) ?? null,
    used: false,
  }));
  return {
    byKey: new Map(active.map((channel) => [channel.key_hash, channel])),
    valid_ms: ends.length === 0 ? null : Math.min(...ends),
  };
}

const KNOWN_KEYS = statement(
  'channel_known_keys',
  `with asked as (select decode(unnest($1::text[]), 'base64') as key_hash)
   select encode(a.key_hash, 'base64') as key_hash, c.is_active
   from channel c join asked a on a.key_hash in (c.key_hash, c.previous_key_hash)
   where a.key_hash = c.key_hash or c.previous_key_valid_until > now()`,
);

/** Which of the hashes belong to a key, and whether its channel is active. */
export async function readKnownKeys(tx: Tx, keyHashes: readonly string[]): Promise<Map<string, boolean>> {
  const found = await rows<{ key_hash: string; is_active: boolean }>(tx, KNOWN_KEYS, [keyHashes]);
  return new Map(found.map(({ key_hash, is_active }) => [key_hash, is_active]));
}

async function policiesOf(
  tx: Tx,
  sealer: Sealer,
  found: readonly ActiveRow[],
): Promise<Map<number, ChannelPolicy>> {
  const signing = await readSigning(tx, sealer, found);
  const policies = new Map<number, ChannelPolicy>();
  for (const { id, rate_per_minute, rate_burst, allowed_addresses } of found) {
    const addresses = addressesOf(allowed_addresses);
    const rate_limit =
      rate_per_minute === null || rate_burst === null
        ? null
        : { requests_per_minute: rate_per_minute, burst: rate_burst };
    const own = signing.get(id) ?? null;
    if (addresses || rate_limit || own) policies.set(id, { addresses, rate_limit, signing: own });
  }
  return policies;
}

/** The back office stores only valid entries. If one is invalid anyway, no address is allowed. */
const addressesOf = (entries: readonly string[]): AddressRanges | null =>
  entries.length === 0 ? null : (parseAddressRanges(entries) ?? []);

const SECRETS = statement(
  'channel_signing_secrets',
  `select s.id, s.channel_id, s.secret_sealed as key_sealed, s.sealed_with
   from signing_secret s join channel c on c.id = s.channel_id
   where c.is_active and c.signing_mode <> 'off' order by s.id`,
);

async function readSigning(
  tx: Tx,
  sealer: Sealer,
  found: readonly ActiveRow[],
): Promise<Map<number, Signing>> {
  const signing = found.filter(({ signing_mode }) => signing_mode !== 'off');
  if (signing.length === 0) return new Map();
  // A second attempt: a rotation of the sealing secret may end between reading the rows and opening them.
  for (let look = 1; ; look++) {
    const opened = await openSecrets(tx, sealer);
    const isClosed = opened.some(({ key }) => key === null);
    if (!isClosed || look === 2)
      return new Map(signing.map(({ id, signing_mode }) => [id, signingOf(id, signing_mode, opened)]));
  }
}

interface OpenedSecret {
  id: number;
  channel_id: number;
  key: KeyObject | null;
}

async function openSecrets(tx: Tx, sealer: Sealer): Promise<OpenedSecret[]> {
  const opened: OpenedSecret[] = [];
  for (const { id, channel_id, ...sealed } of await rows<Sealed & { id: number; channel_id: number }>(
    tx,
    SECRETS,
  )) {
    const secret = await sealer.open(sealed, signingContext(channel_id));
    opened.push({ id, channel_id, key: secret === null ? null : signingKey(secret) });
  }
  return opened;
}

function signingOf(channelId: number, mode: SigningMode, opened: readonly OpenedSecret[]): Signing {
  const own = opened.filter(({ channel_id }) => channel_id === channelId);
  return {
    isRequired: mode === 'required',
    secrets: own.flatMap(({ id, key }) => (key === null ? [] : { id, key })),
    isClosed: own.some(({ key }) => key === null),
  };
}

// Locked rows are skipped and written in the next round.
const USED = statement(
  'channel_keys_used',
  `with used as (
     select decode(unnest($1::text[]), 'base64') as key_hash
   ), free as (
     select c.id from channel c
     where c.key_hash in (select key_hash from used) or c.previous_key_hash in (select key_hash from used)
     for no key update skip locked
   )
   update channel c
   set key_last_used_at = case when c.key_hash in (select key_hash from used) then now() else c.key_last_used_at end,
       previous_key_last_used_at = case when c.previous_key_hash in (select key_hash from used) then now()
         else c.previous_key_last_used_at end
   from free where c.id = free.id`,
);

export const recordKeyUses = (tx: Tx, keyHashes: readonly string[]): Promise<number> =>
  run(tx, USED, [keyHashes]);

const SECRETS_USED = statement(
  'channel_secrets_used',
  `update signing_secret set last_used_at = now()
   where id in (select id from signing_secret where id = any($1::int[]) for no key update skip locked)`,
);

export const recordSecretUses = (tx: Tx, ids: readonly number[]): Promise<number> =>
  run(tx, SECRETS_USED, [ids]);
