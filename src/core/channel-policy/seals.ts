// The sealed signing secrets of channels.
import { sealedOf, type SealedColumn } from '../../platform/secrets/sealed-column.ts';
import { sealContext } from '../channels/seals.ts';

/** Authenticated context of a sealed signing secret; differs from that of a sealed key. */
export const signingContext = (channelId: number): string => `${sealContext(channelId)}:signing`;

export const signingSecrets: SealedColumn = {
  name: 'signing_secret',
  table: 'signing_secret',
  owner: 'channel_id',
  sealed: 'secret_sealed',
  context: signingContext,
  counted_as: 'signing_secrets',
  closed: {
    log: (closed, all) =>
      `the secret does not open ${closed} of ${all} signing secrets: requests signed with them are answered 503. Start with the right secret, or replace them`,
    owners: 'channels',
    values: (owners) => sealedOf(owners, 'signing secret', 'channel'),
    otherwise: 'replace their signing secrets',
  },
};
