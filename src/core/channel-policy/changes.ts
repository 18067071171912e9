// The policy of a channel: rate limit, signing mode and signing secrets.
import type { RateLimit } from '../rules/rate-limit.ts';
import { SIGNING_SECRETS_MAX, type SigningMode } from '../rules/signature.ts';
import type { Sealer } from '../../platform/secrets/keys.ts';
import {
  insertSigningSecret,
  deleteSigningSecret,
  updateRateLimit,
  updateSigningMode,
  type NewSecret,
} from './store.ts';
import { findChannel, lockChannel, type Channel } from '../channels/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../journal/change.ts';

/** `limit` null: removes the limit. */
export const setRateLimit = (
  tx: Tx,
  by: Actor,
  { channel_id, limit }: { channel_id: number; limit: RateLimit | null },
) =>
  changing<{ channel: Channel }, 'channel_unknown'>(tx, by, async () => {
    const before = await lockChannel(tx, channel_id);
    if (!before) return { kind: 'channel_unknown', channel_id };
    await updateRateLimit(tx, channel_id, limit);
    return {
      done: { channel: (await findChannel(tx, channel_id)) ?? before },
      audit: {
        action: 'channel.set_rate_limit',
        subject: `channel:${channel_id}`,
        before: before.rate_limit,
        after: limit,
      },
      journal: null,
    };
  });

export const setSigningMode = (
  tx: Tx,
  by: Actor,
  { channel_id, mode }: { channel_id: number; mode: SigningMode },
) =>
  changing<{ channel: Channel }, 'channel_unknown' | 'signing_secret_required'>(tx, by, async () => {
    const before = await lockChannel(tx, channel_id);
    if (!before) return { kind: 'channel_unknown', channel_id };
    if (mode === 'required' && before.signing_secrets.length === 0)
      return { kind: 'signing_secret_required', channel_id };
    await updateSigningMode(tx, channel_id, mode);
    return {
      done: { channel: { ...before, signing_mode: mode } },
      audit: {
        action: 'channel.set_signing',
        subject: `channel:${channel_id}`,
        before: { mode: before.signing_mode },
        after: { mode },
      },
      journal: null,
    };
  });

/** Two secrets can be valid at a time, for rotation. */
export const addSigningSecret = (
  tx: Tx,
  by: Actor,
  { sealer, channel_id }: { sealer: Sealer; channel_id: number },
) =>
  changing<{ made: NewSecret }, 'channel_unknown' | 'channel_archived' | 'signing_secrets_full'>(
    tx,
    by,
    async () => {
      const channel = await lockChannel(tx, channel_id);
      if (!channel) return { kind: 'channel_unknown', channel_id };
      if (channel.archived) return { kind: 'channel_archived', channel_id };
      if (channel.signing_secrets.length >= SIGNING_SECRETS_MAX)
        return { kind: 'signing_secrets_full', channel_id, secrets_max: SIGNING_SECRETS_MAX };
      const made = await insertSigningSecret(tx, sealer, channel_id);
      return {
        done: { made },
        audit: {
          action: 'channel.add_signing_secret',
          subject: `channel:${channel_id}`,
          before: null,
          after: { signing_secret_id: made.id },
        },
        journal: null,
      };
    },
  );

/** After the commit, requests signed with this secret are refused. */
export const removeSigningSecret = (
  tx: Tx,
  by: Actor,
  { channel_id, signing_secret_id }: { channel_id: number; signing_secret_id: number },
) =>
  changing<{ channel: Channel }, 'channel_unknown' | 'signing_secret_unknown' | 'last_signing_secret'>(
    tx,
    by,
    async () => {
      const channel = await lockChannel(tx, channel_id);
      if (!channel) return { kind: 'channel_unknown', channel_id };
      const { signing_mode, signing_secrets } = channel;
      const left = signing_secrets.filter((secret) => secret.id !== signing_secret_id);
      if (left.length === signing_secrets.length)
        return { kind: 'signing_secret_unknown', channel_id, signing_secret_id };
      if (signing_mode === 'required' && left.length === 0)
        return { kind: 'last_signing_secret', channel_id };
      await deleteSigningSecret(tx, channel_id, signing_secret_id);
      return {
        done: { channel: { ...channel, signing_secrets: left } },
        audit: {
          action: 'channel.remove_signing_secret',
          subject: `channel:${channel_id}`,
          before: { signing_secret_id },
          after: null,
        },
        journal: null,
      };
    },
  );
