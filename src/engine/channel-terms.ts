// What a channel is held to beyond its key, changed by the admin API and the command line alike. null: there is no such
// channel; a text: why not.
import type { RateLimit } from '../domain/rate-limit.ts';
import { SIGNING_SECRETS_MAX, type SigningMode } from '../domain/signature.ts';
import type { Sealer } from '../keys.ts';
import { insertAudit, type Actor } from '../store/audit.ts';
import {
  addSigningSecret,
  removeSigningSecret,
  setRateLimit,
  setSigningMode,
  type NewSecret,
} from '../store/channel-terms.ts';
import { findChannel, lockChannel, type Channel } from '../store/channels.ts';
import type { Tx } from '../store/database.ts';

export async function limitChannel(
  tx: Tx,
  by: Actor,
  id: number,
  limit: RateLimit | null,
): Promise<Channel | null> {
  const before = await lockChannel(tx, id);
  if (!before) return null;
  await setRateLimit(tx, id, limit);
  await insertAudit(tx, by, {
    action: 'channel.set_rate_limit',
    subject: `channel:${id}`,
    before: before.rate_limit,
    after: limit,
  });
  return (await findChannel(tx, id)) ?? null;
}

export async function chooseSigning(
  tx: Tx,
  by: Actor,
  id: number,
  mode: SigningMode,
): Promise<Channel | string | null> {
  const before = await lockChannel(tx, id);
  if (!before) return null;
  if (mode === 'required' && before.signing_secrets.length === 0)
    return 'Signing cannot be required while the channel has no signing secret: make one first.';
  await setSigningMode(tx, id, mode);
  await insertAudit(tx, by, {
    action: 'channel.set_signing',
    subject: `channel:${id}`,
    before: { mode: before.signing_mode },
    after: { mode },
  });
  return { ...before, signing_mode: mode };
}

export async function giveSigningSecret(
  tx: Tx,
  sealer: Sealer,
  by: Actor,
  id: number,
): Promise<NewSecret | string | null> {
  const channel = await lockChannel(tx, id);
  if (!channel) return null;
  if (channel.signing_secrets.length >= SIGNING_SECRETS_MAX)
    return `The channel has ${SIGNING_SECRETS_MAX} signing secrets already: remove one first.`;
  const made = await addSigningSecret(tx, sealer, id);
  const after = { signing_secret_id: made.id };
  await insertAudit(tx, by, {
    action: 'channel.add_signing_secret',
    subject: `channel:${id}`,
    before: null,
    after,
  });
  return made;
}

/** The channel as it is then; 'none': it has no such secret. */
export async function stopSigningSecret(
  tx: Tx,
  by: Actor,
  id: number,
  secretId: number,
): Promise<Channel | { refused: string } | 'none' | null> {
  const channel = await lockChannel(tx, id);
  if (!channel) return null;
  const { signing_mode, signing_secrets } = channel;
  const left = signing_secrets.filter((secret) => secret.id !== secretId);
  if (left.length === signing_secrets.length) return 'none';
  if (signing_mode === 'required' && left.length === 0)
    return { refused: 'The last signing secret cannot be removed while signing is required.' };
  await removeSigningSecret(tx, id, secretId);
  const before = { signing_secret_id: secretId };
  await insertAudit(tx, by, {
    action: 'channel.remove_signing_secret',
    subject: `channel:${id}`,
    before,
    after: null,
  });
  return { ...channel, signing_secrets: left };
}
