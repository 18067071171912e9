// The channel of a row: by `channel_id`, or by its name in `channel`, because the ids of a new service differ from
// those of the old one.
import { findNamed, pinChannels, type NamedChannel } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { NAME_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import type { RowReader } from '../../platform/csv/fields.ts';
import type { Problems } from '../../platform/csv/problems.ts';

export const CHANNEL_COLUMNS = ['channel_id', 'channel'];

/** At least one is null. */
export interface ChannelOfRow {
  channel_id: number | null;
  channel: string | null;
}

export function readChannelOfRow(reader: RowReader): ChannelOfRow {
  const channel_id = reader.optionalQuantity('channel_id');
  const channel = channel_id === null ? reader.optional('channel', NAME_CHARACTERS_MAX) : null;
  if (channel_id === null && channel === null) reader.fail({ kind: 'value_missing', column: 'channel' });
  return { channel_id, channel };
}

/**
 * Returns a function that finds the channel of a row. A row whose channel is unknown becomes a problem. The channels are
 * pinned: none is archived until the transaction ends.
 */
export async function findChannelsOf(
  tx: Tx,
  list: readonly ChannelOfRow[],
): Promise<(row: ChannelOfRow & { line: number }, problems: Problems) => NamedChannel | null> {
  const ids = new Set(list.flatMap(({ channel_id }) => channel_id ?? []));
  const names = new Set(list.flatMap(({ channel }) => channel ?? []));
  const known = await findNamed(tx, [...ids], [...names]);
  const pinned = await pinChannels(
    tx,
    known.map(({ id }) => id),
  );
  const archived = new Map(pinned.map((channel) => [channel.id, channel.archived]));
  const found = known.map((channel) => ({ ...channel, archived: archived.get(channel.id) ?? true }));
  const byId = new Map(found.map((channel) => [channel.id, channel]));
  const byName = new Map<string, NamedChannel[]>();
  for (const channel of found) byName.set(channel.name, [...(byName.get(channel.name) ?? []), channel]);
  return ({ line, channel_id, channel }, problems) => {
    if (channel_id !== null) {
      const named = byId.get(channel_id);
      if (!named) problems.add(line, { kind: 'channel_unknown', channel_id });
      return named ?? null;
    }
    const [named, another] = byName.get(channel ?? '') ?? [];
    if (named && !another) return named;
    const kind = named ? 'channel_name_ambiguous' : 'channel_name_unknown';
    problems.add(line, { kind, column: 'channel', channel: channel ?? '' });
    return null;
  };
}
