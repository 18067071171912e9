// The sealed keys of channels.
import { sealedOf, type SealedColumn } from '../../platform/secrets/sealed-column.ts';

/** Authenticated context of a sealed key. */
export const sealContext = (channelId: number): string => `channel:${channelId}`;

export const channelKeys: SealedColumn = {
  name: 'key',
  table: 'channel',
  owner: 'id',
  sealed: 'key_sealed',
  context: sealContext,
  counted_as: 'channels',
  closed: {
    log: (closed, all) =>
      `the secret does not open the sealed keys of ${closed} of ${all} channels: their product information cannot be fetched. Start with the right secret, or rotate their keys`,
    owners: 'channels',
    values: (owners) => sealedOf(owners, 'key', 'channel'),
    otherwise: 'rotate their keys',
  },
};
