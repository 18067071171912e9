// Rotation of a channel's key, and revocation of the previous one.
import type { Sealer } from '../../platform/secrets/keys.ts';
import { clearPreviousKey, lockChannel, replaceKey, type Channel } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../journal/change.ts';

/** Longest overlap of a rotation: 30 days. */
export const OVERLAP_SECONDS_MAX = 30 * 24 * 60 * 60;

const audited = ({ previous_key_valid_until }: Channel): object | null =>
  previous_key_valid_until && { previous_key_valid_until };

/** The old key is revoked at the commit, or after the overlap. */
export const rotateKey = (
  tx: Tx,
  by: Actor,
  { sealer, channel_id, overlap_seconds }: { sealer: Sealer; channel_id: number; overlap_seconds: number },
) =>
  changing<{ channel: Channel; api_key: string }, 'channel_unknown' | 'channel_archived'>(
    tx,
    by,
    async () => {
      const before = await lockChannel(tx, channel_id);
      if (!before) return { kind: 'channel_unknown', channel_id };
      if (before.archived) return { kind: 'channel_archived', channel_id };
      const made = await replaceKey(tx, sealer, channel_id, overlap_seconds);
      return {
        done: made,
        audit: {
          action: 'channel.rotate_key',
          subject: `channel:${channel_id}`,
          before: audited(before),
          after: audited(made.channel),
        },
        journal: null,
      };
    },
  );

/** Revokes the previous key before the end of its overlap. */
export const endPreviousKey = (tx: Tx, by: Actor, channel_id: number) =>
  changing<{ channel: Channel }, 'channel_unknown' | 'previous_key_unknown'>(tx, by, async () => {
    const before = await lockChannel(tx, channel_id);
    if (!before) return { kind: 'channel_unknown', channel_id };
    if (before.previous_key_valid_until === null) return { kind: 'previous_key_unknown', channel_id };
    await clearPreviousKey(tx, channel_id);
    return {
      done: { channel: { ...before, previous_key_valid_until: null, previous_key_last_used_at: null } },
      audit: {
        action: 'channel.end_previous_key',
        subject: `channel:${channel_id}`,
        before: audited(before),
        after: null,
      },
      journal: null,
    };
  });
