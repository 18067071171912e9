// A new key for a channel, and the end of the one before it: for the admin API and the command line alike.
import type { Sealer } from '../keys.ts';
import { insertAudit, type Actor } from '../store/audit.ts';
import { endPreviousKey, lockChannel, rotateKey, type Channel } from '../store/channels.ts';
import type { Tx } from '../store/database.ts';

/** How long the old key may go on working after a rotation: 30 days. */
export const OVERLAP_SECONDS_MAX = 30 * 24 * 60 * 60;

const trace = (channel: Channel): object | null =>
  channel.previous_key_valid_until && { previous_key_valid_until: channel.previous_key_valid_until };

/** null: there is no such channel. */
export async function giveNewKey(
  tx: Tx,
  sealer: Sealer,
  by: Actor,
  id: number,
  overlapSeconds: number,
): Promise<{ channel: Channel; api_key: string } | null> {
  const before = await lockChannel(tx, id);
  if (!before) return null;
  const made = await rotateKey(tx, sealer, id, overlapSeconds);
  await insertAudit(tx, by, {
    action: 'channel.rotate_key',
    subject: `channel:${id}`,
    before: trace(before),
    after: trace(made.channel),
  });
  return made;
}

/** The channel; 'none': no key before the present one works. null: there is no such channel. */
export async function stopPreviousKey(tx: Tx, by: Actor, id: number): Promise<Channel | 'none' | null> {
  const channel = await lockChannel(tx, id);
  if (!channel) return null;
  if (channel.previous_key_valid_until === null) return 'none';
  await endPreviousKey(tx, id);
  await insertAudit(tx, by, {
    action: 'channel.end_previous_key',
    subject: `channel:${id}`,
    before: trace(channel),
    after: null,
  });
  return { ...channel, previous_key_valid_until: null, previous_key_last_used_at: null };
}
