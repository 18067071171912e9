// Channels: who may call, in which currency, and where the outbound call goes.
import { currencyOf } from '../domain/currency.ts';
import { hashKey, newApiKey, type Sealer } from '../keys.ts';
import { rows, run, statement, type Tx } from './database.ts';

export interface Channel {
  id: number;
  name: string;
  country_code: string | null;
  currency_code: string;
  api_url: string | null;
  is_active: boolean;
  created_at: Date;
}

export type ChannelFields = Pick<Channel, 'name' | 'country_code' | 'api_url' | 'is_active'>;

const COLUMNS = 'id, name, country_code, currency_code, api_url, is_active, created_at';

const NEXT_ID = statement('channel_next_id', `select nextval(pg_get_serial_sequence('channel', 'id')) as id`);
const INSERT = statement(
  'channel_insert',
  `insert into channel (id, name, country_code, currency_code, api_url, is_active, key_hash, key_sealed)
   overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
);

/** The id comes first, because the sealed key is bound to it. */
export async function insertChannel(
  tx: Tx,
  sealer: Sealer,
  fields: ChannelFields,
): Promise<{ channel: Channel; api_key: string }> {
  const [next] = await rows<{ id: number }>(tx, NEXT_ID);
  const id = next?.id ?? 0;
  const api_key = newApiKey();
  const [channel] = await rows<Channel>(tx, INSERT, [
    id,
    fields.name,
    fields.country_code,
    currencyOf(fields.country_code),
    fields.api_url,
    fields.is_active,
    hashKey(api_key),
    sealer.seal(api_key, sealContext(id)),
  ]);
  if (!channel) throw new RangeError('the channel was not inserted');
  await announceChannels(tx);
  return { channel, api_key };
}

const sealContext = (channelId: number): string => `channel:${channelId}`;

const UPDATE = statement(
  'channel_update',
  `update channel set name = $2, country_code = $3, currency_code = $4, api_url = $5, is_active = $6
   where id = $1 returning ${COLUMNS}`,
);

export async function updateChannel(tx: Tx, id: number, fields: ChannelFields): Promise<Channel | undefined> {
  const { name, country_code, api_url, is_active } = fields;
  const values = [id, name, country_code, currencyOf(country_code), api_url, is_active];
  const [channel] = await rows<Channel>(tx, UPDATE, values);
  await announceChannels(tx);
  return channel;
}

const SET_KEY = statement(
  'channel_set_key',
  'update channel set key_hash = $2, key_sealed = $3 where id = $1',
);

/** The old key stops with the commit. */
export async function rotateKey(tx: Tx, sealer: Sealer, id: number): Promise<string> {
  const api_key = newApiKey();
  await run(tx, SET_KEY, [id, hashKey(api_key), sealer.seal(api_key, sealContext(id))]);
  await announceChannels(tx);
  return api_key;
}

const LOCK = statement('channel_lock', `select ${COLUMNS} from channel where id = $1 for update`);
const FIND = statement('channel_find', `select ${COLUMNS} from channel where id = $1`);

export const lockChannel = async (tx: Tx, id: number): Promise<Channel | undefined> =>
  (await rows<Channel>(tx, LOCK, [id]))[0];
export const findChannel = async (tx: Tx, id: number): Promise<Channel | undefined> =>
  (await rows<Channel>(tx, FIND, [id]))[0];

const SEALED_KEY = statement('channel_sealed_key', 'select key_sealed from channel where id = $1');

export async function openApiKey(tx: Tx, sealer: Sealer, id: number): Promise<string> {
  const [row] = await rows<{ key_sealed: Buffer }>(tx, SEALED_KEY, [id]);
  if (!row) throw new RangeError(`no channel ${id}`);
  return sealer.open(row.key_sealed, sealContext(id));
}

const LIST = statement(
  'channel_list',
  `select ${COLUMNS} from channel where id > $1::bigint order by id limit $2`,
);

export const listChannels = (tx: Tx, afterId: number, limit: number): Promise<Channel[]> =>
  rows(tx, LIST, [afterId, limit]);

/** What a request needs to know of the channel behind its key. */
export interface ActiveChannel {
  id: number;
  name: string;
}

const ACTIVE = statement(
  'channel_active',
  `select encode(key_hash, 'base64') as key_hash, id, name from channel where is_active`,
);

export const readActiveChannels = async (tx: Tx): Promise<Map<string, ActiveChannel>> => {
  const channels = await rows<ActiveChannel & { key_hash: string }>(tx, ACTIVE);
  return new Map(channels.map(({ key_hash, id, name }) => [key_hash, { id, name }]));
};

export const CHANNELS_CHANGED = 'sluice_channels';
const ANNOUNCE = statement('channel_announce', `select pg_notify('${CHANNELS_CHANGED}', '')`);

/** Rare, never on the hot path: every process reads its directory anew. */
const announceChannels = (tx: Tx): Promise<number> => run(tx, ANNOUNCE);
