// The policy of a channel, as administrators set it: rate limit, signing mode and signing secrets.
import type { RateLimit } from '../rules/rate-limit.ts';
import type { SigningMode } from '../rules/signature.ts';
import { newSigningSecret, type Sealer } from '../../platform/secrets/keys.ts';
import { announceChannels } from '../channels/store.ts';
import { signingContext } from './seals.ts';
import { sealWhile } from '../../platform/secrets/seal-store.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

const SET_LIMIT = statement(
  'channel_set_rate_limit',
  'update channel set rate_per_minute = $2, rate_burst = $3 where id = $1',
);

export async function updateRateLimit(tx: Tx, id: number, limit: RateLimit | null): Promise<void> {
  await run(tx, SET_LIMIT, [id, limit?.requests_per_minute ?? null, limit?.burst ?? null]);
  await announceChannels(tx);
}

const SET_MODE = statement('channel_set_signing_mode', 'update channel set signing_mode = $2 where id = $1');

export async function updateSigningMode(tx: Tx, id: number, mode: SigningMode): Promise<void> {
  await run(tx, SET_MODE, [id, mode]);
  await announceChannels(tx);
}

const ADD_SECRET = statement(
  'channel_add_signing_secret',
  `insert into signing_secret (channel_id, secret_sealed, sealed_with) values ($1, $2, $3) returning id, created_at`,
);

export interface NewSecret {
  id: number;
  secret: string;
  created_at: Date;
}

/** `secret` is given only by the sandbox. */
export async function insertSigningSecret(
  tx: Tx,
  sealer: Sealer,
  channelId: number,
  secret = newSigningSecret(),
): Promise<NewSecret> {
  const { key_sealed, sealed_with } = await sealWhile(tx, sealer, secret, signingContext(channelId));
  const values = [channelId, key_sealed, sealed_with];
  const [made] = await rows<Omit<NewSecret, 'secret'>>(tx, ADD_SECRET, values);
  if (!made) throw new RangeError('the signing secret was not inserted');
  await announceChannels(tx);
  return { ...made, secret };
}

const REMOVE_SECRET = statement(
  'channel_remove_signing_secret',
  'delete from signing_secret where id = $1 and channel_id = $2',
);

export async function deleteSigningSecret(tx: Tx, channelId: number, secretId: number): Promise<void> {
  await run(tx, REMOVE_SECRET, [secretId, channelId]);
  await announceChannels(tx);
}
