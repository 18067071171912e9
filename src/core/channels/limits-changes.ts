// The limits of a channel on its orders, as administrators set them.
import { isDeepStrictEqual } from 'node:util';
import { NO_LIMITS, type ChannelLimits } from '../rules/channel-limits.ts';
import { readChannelLimits, updateLimits } from './limits-store.ts';
import { lockChannel, type Channel } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../journal/change.ts';

/** Replaces all limits; orders that arrive afterwards are judged by the new ones. */
export const setLimits = (
  tx: Tx,
  by: Actor,
  { channel_id, limits }: { channel_id: number; limits: ChannelLimits },
) =>
  changing<{ channel: Channel; limits: ChannelLimits }, 'channel_unknown'>(tx, by, async () => {
    const channel = await lockChannel(tx, channel_id);
    if (!channel) return { kind: 'channel_unknown', channel_id };
    const before = (await readChannelLimits(tx, [channel_id])).get(channel_id) ?? NO_LIMITS;
    if (isDeepStrictEqual(before, limits)) return { done: { channel, limits }, audit: 'nothing_changed' };
    await updateLimits(tx, channel_id, limits);
    return {
      done: { channel, limits },
      audit: { action: 'channel.set_limits', subject: `channel:${channel_id}`, before, after: limits },
      journal: null,
    };
  });
