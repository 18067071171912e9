// The channel that a path or a query names; if there is none with the id of a path, the request is refused with 404.
import type { Tx } from '../../platform/database/database.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';
import { int32Id, PathId } from '../../platform/admin-api/schemas.ts';
import { Type } from '../../platform/schema/json-schema.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import { findChannel, type Channel } from './store.ts';

export const ChannelParams = Type.Object({ id: PathId('The channel id.') });
export const ChannelIdQuery = Type.Optional(Type.Integer({ minimum: 1, maximum: INT32_MAX }));

export const channelIdOf = ({ id }: { id: string }): number =>
  int32Id(id, { kind: 'channel_unknown', channel_id: id });

export async function existingChannel(tx: Tx, channel_id: number): Promise<Channel> {
  const channel = await findChannel(tx, channel_id);
  if (!channel) throw refusalOf({ kind: 'channel_unknown', channel_id });
  return channel;
}
