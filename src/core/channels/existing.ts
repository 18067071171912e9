// The channel that a path names, read from the database; if there is none, the request is refused with 404.
import type { Tx } from '../../platform/database/database.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';
import { findChannel, type Channel } from './store.ts';

export async function existingChannel(tx: Tx, channel_id: number): Promise<Channel> {
  const channel = await findChannel(tx, channel_id);
  if (!channel) throw refusalOf({ kind: 'channel_unknown', channel_id });
  return channel;
}
