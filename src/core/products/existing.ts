// What a path names, read from the database; if there is nothing with that name, the request is refused with 404.
import { findChannel, type Channel } from '../channels/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { findVariant, type Variant } from './store.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';

export async function existingChannel(tx: Tx, channel_id: number): Promise<Channel> {
  const channel = await findChannel(tx, channel_id);
  if (!channel) throw refusalOf({ kind: 'channel_unknown', channel_id });
  return channel;
}

export async function existingVariant(tx: Tx, variant_code: string): Promise<Variant> {
  const variant = await findVariant(tx, variant_code);
  if (!variant) throw refusalOf({ kind: 'variant_unknown', variant_code });
  return variant;
}
