// channels.csv: sales channels with their existing API keys. Keys are secrets: only a hash and a sealed copy are
// stored, and no problem, count or audit entry contains a key.
import { isDeepStrictEqual } from 'node:util';
import { checkApiUrl } from './api-url.ts';
import { API_KEY_CHARACTERS_MAX, API_KEY_GUESSABLE_CHARACTERS_MAX, isHeaderText } from '../rules/api-key.ts';
import { parseAddressRanges } from '../../platform/values/client-address.ts';
import { LIMIT_NAMES, LIMIT_RANGES, NO_LIMITS, type ChannelLimits } from '../rules/channel-limits.ts';
import { readCountryCode } from '../rules/currency.ts';
import { PREPAYMENT_EXPIRY_MINUTES_MAX } from '../rules/prepayment-expiry.ts';
import { hashKey, type Sealer } from '../../platform/secrets/keys.ts';
import {
  findByKeysOrNames,
  listPrefixes,
  lockChannels,
  type ChannelFields,
  type KeyOwner,
  type PrefixOwner,
  listChannelNames,
} from './store.ts';
import { readChannelLimits } from './limits-store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { ALLOWED_ADDRESSES_MAX, changeChannel, createChannel } from './changes.ts';
import type { Actor } from '../../platform/audit/change.ts';
import { setLimits } from './limits-changes.ts';
import { mustBeDone } from '../../platform/admin-api/outcome.ts';
import {
  NAME_CHARACTERS_MAX,
  ORDER_NUMBER_PREFIX_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { plainOf, RowReader, SeenKeys, SimilarCodes } from '../../platform/csv/fields.ts';
import type { CsvRow } from '../../platform/csv/csv.ts';
import type { Import, Plan } from '../imports/plan.ts';
import type { Problems } from '../../platform/csv/problems.ts';
import type { OfferedImport } from '../imports/offered.ts';
import { channelsChanged, type CachesChannels } from './channels-changed.ts';

const API_URL_CHARACTERS_MAX = 2_000;
const ADDRESSES_CHARACTERS_MAX = 5_000;

type Optional =
  | 'country_code'
  | 'api_url'
  | 'is_active'
  | 'order_number_prefix'
  | 'allowed_addresses'
  | 'prepayment_expiry_minutes';
/** Settings in `Optional` are undefined if the file has no such column; stored values then do not change. */
type Settings = Pick<ChannelFields, 'name'> & Partial<Pick<ChannelFields, Optional>>;
const DEFAULTS = { country_code: null, api_url: null, is_active: true };

interface ChannelRow extends Settings {
  line: number;
  api_key: string;
  /** The limits that the file has a column for. */
  limits: Partial<ChannelLimits>;
}

function importChannels(sealer: Sealer): Import {
  const list: ChannelRow[] = [];
  const names = new SeenKeys();
  const keys = new SeenKeys();
  const alike = new SimilarCodes();
  return {
    what: 'channels',
    shape: {
      required: ['name', 'api_key'],
      optional: [
        'country_code',
        'api_url',
        'is_active',
        'order_number_prefix',
        'allowed_addresses',
        'prepayment_expiry_minutes',
        ...LIMIT_NAMES,
      ],
      containsSecrets: true,
    },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const channel = readChannel(reader, row);
      if (!reader.ok) return;
      const { line, name, api_key } = channel;
      const sameName = names.earlier(name, line);
      if (sameName !== null)
        reader.fail({ kind: 'channel_name_repeated', column: 'name', name, first_line: sameName });
      const sameKey = keys.earlier(api_key, line);
      if (sameKey !== null) reader.fail({ kind: 'api_key_repeated', column: 'api_key', first_line: sameKey });
      if (Array.from(api_key).length <= API_KEY_GUESSABLE_CHARACTERS_MAX)
        problems.warn(line, {
          kind: 'api_key_short',
          column: 'api_key',
          characters_min: API_KEY_GUESSABLE_CHARACTERS_MAX + 1,
        });
      alike.check(problems, line, { column: 'name', value: name });
      list.push(channel);
    },
    lock: lockChannels,
    plan: (tx, problems, _progress, by) => planChannels(tx, list, { problems, by, sealer }),
  };
}

export const channelsImport: OfferedImport<CachesChannels> = {
  name: 'channels',
  command: {
    summary: 'create sales channels with their existing API keys',
    about: [
      'Columns: name,api_key[,country_code,api_url,is_active,order_number_prefix,allowed_addresses,',
      'prepayment_expiry_minutes]. A key is any text of at most',
      `${API_KEY_CHARACTERS_MAX} characters; each channel has its own. Only a hash and a sealed copy are stored. A channel with the`,
      'same name and key that already exists is updated; settings whose column is missing in the file stay as they',
      'are. Addresses are separated by spaces.',
      'THE FILE CONTAINS SECRETS: anyone who can read it can send orders as these channels. Keep it where only you can',
      'read it, or use - and standard input, and delete it afterwards. Messages and the audit log never repeat a key.',
    ],
    examples: [
      'sluice import channels channels.csv --dry-run',
      'decrypt channels.csv.age | sluice import channels -',
    ],
  },
  operation: {
    url: '/channels/import',
    tag: 'channels',
    role: 'admin',
    summary: 'Create channels with the API keys that they have today, all or none',
    columns:
      'name,api_key[,country_code,api_url,is_active,order_number_prefix,allowed_addresses,prepayment_expiry_minutes]. Settings whose column is missing stay as they are. The text holds secrets; no answer repeats one.',
    written: channelsChanged,
  },
  makeWith: importChannels,
};

function readChannel(reader: RowReader, row: CsvRow): ChannelRow {
  const country = reader.word('country_code');
  const country_code = country === '' ? null : readCountryCode(country);
  if (country !== '' && country_code === null) reader.fault('country_code', { kind: 'not_a_country' });
  const api_url = reader.optional('api_url', API_URL_CHARACTERS_MAX);
  const address = api_url === null ? null : checkApiUrl(api_url);
  if (address?.ok === false) reader.fault('api_url', address.fault);
  const api_key = reader.text('api_key', API_KEY_CHARACTERS_MAX);
  if (!isHeaderText(api_key)) reader.fail({ kind: 'api_key_not_sendable', column: 'api_key' });
  const has = (column: string): boolean => column in row.values;
  return {
    line: row.line,
    name: reader.text('name', NAME_CHARACTERS_MAX),
    ...(has('country_code') ? { country_code } : {}),
    ...(has('api_url') ? { api_url } : {}),
    ...(has('is_active') ? { is_active: reader.flag('is_active', true) } : {}),
    ...(has('order_number_prefix')
      ? {
          order_number_prefix: reader.optional('order_number_prefix', ORDER_NUMBER_PREFIX_CHARACTERS_MAX),
        }
      : {}),
    ...(has('allowed_addresses') ? { allowed_addresses: readAddresses(reader) } : {}),
    ...(has('prepayment_expiry_minutes') ? { prepayment_expiry_minutes: readExpiry(reader) } : {}),
    api_key,
    limits: readLimits(reader, row),
  };
}

function readLimits(reader: RowReader, row: CsvRow): Partial<ChannelLimits> {
  const limits: Partial<ChannelLimits> = {};
  for (const name of LIMIT_NAMES) {
    if (!(name in row.values)) continue;
    const { minimum, maximum } = LIMIT_RANGES[name];
    const limit = reader.optionalQuantity(name);
    if (limit !== null && limit < minimum) reader.fault(name, { kind: 'too_small', minimum });
    if (limit !== null && limit > maximum) reader.fault(name, { kind: 'too_large', maximum });
    limits[name] = limit;
  }
  return limits;
}

/** Addresses are separated by spaces or commas. Empty: the key may be used from anywhere. */
function readAddresses(reader: RowReader): string[] {
  const text = reader.optional('allowed_addresses', ADDRESSES_CHARACTERS_MAX) ?? '';
  const addresses = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (parseAddressRanges(addresses) === null)
    reader.fault('allowed_addresses', { kind: 'not_an_address_range' });
  if (addresses.length > ALLOWED_ADDRESSES_MAX)
    reader.fault('allowed_addresses', { kind: 'too_many', elements_max: ALLOWED_ADDRESSES_MAX });
  return addresses;
}

/** null: orders of the channel never expire. */
function readExpiry(reader: RowReader): number | null {
  const column = 'prepayment_expiry_minutes';
  const minutes = reader.optionalQuantity(column);
  if (minutes === 0) reader.fault(column, { kind: 'too_small', minimum: 1 });
  if (minutes !== null && minutes > PREPAYMENT_EXPIRY_MINUTES_MAX)
    reader.fault(column, { kind: 'too_large', maximum: PREPAYMENT_EXPIRY_MINUTES_MAX });
  return minutes;
}

const settingsOf = ({ line: _line, api_key: _key, limits: _limits, ...settings }: ChannelRow): Settings =>
  settings;

const isSame = <Stored extends object>(stored: Stored, wanted: Partial<Stored>): boolean =>
  isDeepStrictEqual({ ...stored, ...wanted }, stored);

async function planChannels(
  tx: Tx,
  list: readonly ChannelRow[],
  { problems, by, sealer }: { problems: Problems; by: Actor; sealer: Sealer },
): Promise<Plan> {
  const stored = await findByKeysOrNames(
    tx,
    list.map(({ api_key }) => api_key),
    list.map(({ name }) => name),
  );
  const limits = await readChannelLimits(
    tx,
    stored.map(({ id }) => id),
  );
  const created: ChannelRow[] = [];
  const updated: { own: KeyOwner; row: ChannelRow }[] = [];
  for (const row of list) {
    const own = ownerOf(row, stored, problems);
    if (own === 'problem') continue;
    if (own === null) created.push(row);
    else if (
      own.archived ||
      !isSame(own, settingsOf(row)) ||
      !isSame(limits.get(own.id) ?? NO_LIMITS, row.limits)
    )
      updated.push({ own, row });
  }
  checkPrefixes(await listPrefixes(tx), { created, updated }, problems);
  const names = new Map((await listChannelNames(tx, [])).map(({ name }) => [plainOf(name), name]));
  for (const { line, name } of created) {
    const similar = names.get(plainOf(name));
    if (similar !== undefined)
      problems.warn(line, { kind: 'channel_name_similar', column: 'name', name, stored: similar });
  }
  const counts = {
    rows: list.length,
    channels_created: created.length,
    channels_updated: updated.length,
  };
  const applyLimits = async (channel_id: number, row: ChannelRow): Promise<void> => {
    if (Object.keys(row.limits).length === 0) return;
    const wanted = { ...(limits.get(channel_id) ?? NO_LIMITS), ...row.limits };
    mustBeDone(await setLimits(tx, by, { channel_id, limits: wanted }));
  };
  return {
    counts,
    changes: created.length + updated.length > 0,
    async apply() {
      for (const row of created) {
        const { api_key } = row;
        const fields = { ...DEFAULTS, ...settingsOf(row) };
        const { channel } = mustBeDone(await createChannel(tx, by, { sealer, api_key, fields }, CHECKED));
        await applyLimits(channel.id, row);
      }
      for (const { own, row } of updated) {
        const wanted = { channel_id: own.id, archived: false, ...settingsOf(row) };
        mustBeDone(await changeChannel(tx, by, wanted, CHECKED));
        await applyLimits(own.id, row);
      }
      return { counts };
    },
  };
}

const CHECKED = { arePrefixesChecked: true };

interface Changed {
  created: readonly ChannelRow[];
  updated: readonly { own: KeyOwner; row: ChannelRow }[];
}

/** Compares the prefixes as they are after the import, so that channels can exchange theirs (contract 10.13). */
function checkPrefixes(
  stored: readonly PrefixOwner[],
  { created, updated }: Changed,
  problems: Problems,
): void {
  const isUpdated = new Set(updated.map(({ own }) => own.id));
  const kept = stored
    .filter(({ id }) => !isUpdated.has(id))
    .map((owner) => ({ ...owner, prefix: owner.order_number_prefix, line: null }));
  const claimed = [
    ...created,
    ...updated.map(({ own, row }) => {
      const { order_number_prefix = own.order_number_prefix } = row;
      const isKept = own.order_number_prefix === order_number_prefix && !own.archived;
      return { ...row, order_number_prefix, line: isKept ? null : row.line };
    }),
  ].flatMap(({ name, order_number_prefix: prefix = null, line }) =>
    prefix === null ? [] : { name, prefix, line },
  );
  // Sorted, all prefixes that begin with another one follow it directly.
  const sorted = [...kept, ...claimed].toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1));
  let [first] = sorted;
  for (const one of sorted.slice(1)) {
    if (!first || !one.prefix.startsWith(first.prefix)) first = one;
    else if (one.line !== null) report(one.line, first);
    else if (first.line !== null) report(first.line, one);
  }

  function report(line: number, { name, prefix }: { name: string; prefix: string }): void {
    problems.add(line, { kind: 'order_number_prefix_taken', column: 'order_number_prefix', name, prefix });
  }
}

/** The existing channel with this key and name; null: none. */
function ownerOf(
  row: ChannelRow,
  stored: readonly KeyOwner[],
  problems: Problems,
): KeyOwner | null | 'problem' {
  const hash = hashKey(row.api_key).toString('hex');
  const named = stored.filter(({ name }) => name === row.name);
  const owner = stored.find((one) => one.key_hash === hash || one.previous_key_hash === hash);
  if (owner && (owner.name !== row.name || owner.key_hash !== hash)) {
    problems.add(row.line, { kind: 'api_key_taken', column: 'api_key', name: owner.name });
    return 'problem';
  }
  if (!owner && named.length > 0) {
    problems.add(row.line, { kind: 'channel_name_taken', column: 'name', name: row.name });
    return 'problem';
  }
  return owner ?? null;
}
