// Channels as the admin API shows them.
import { Type, type Static } from 'typebox';
import type { Channel } from '../../store/channels.ts';
import { nullable } from '../schema.ts';
import type { Services } from '../services.ts';
import { Refusal } from './refusal.ts';
import { Timestamp } from './schemas.ts';

const shown = {
  id: Type.Integer(),
  name: Type.String(),
  country_code: nullable<string>({ type: 'string' }),
  currency_code: Type.String(),
  api_url: nullable<string>({ type: 'string' }),
  is_active: Type.Boolean(),
};
const later = {
  created_at: Timestamp,
  key_last_used_at: nullable<string>({
    type: 'string',
    description: 'When the channel last came with its key, to the minute; null: never yet.',
  }),
  previous_key_valid_until: nullable<string>({
    type: 'string',
    description: 'Until then the key before this one works too; null: it does not.',
  }),
  previous_key_last_used_at: nullable<string>({
    type: 'string',
    description: 'The same for that key, as long as it works.',
  }),
};
export const ChannelItem = Type.Object({ ...shown, ...later });
/** A schema of its own: the serializer would write an optional key last. */
export const ChannelWithKey = Type.Object({
  ...shown,
  api_key: Type.String({ description: 'Shown only here: keep it.' }),
  ...later,
});

export const presenter = ({ formatTimestamp }: Services) => {
  const moment = (at: Date | null): string | null => at && formatTimestamp(at);
  return (channel: Channel): Static<typeof ChannelItem> => ({
    ...channel,
    created_at: formatTimestamp(channel.created_at),
    key_last_used_at: moment(channel.key_last_used_at),
    previous_key_valid_until: moment(channel.previous_key_valid_until),
    previous_key_last_used_at: moment(channel.previous_key_last_used_at),
  });
};

export const withKey = (
  services: Services,
  channel: Channel,
  api_key: string,
): Static<typeof ChannelWithKey> => ({ ...presenter(services)(channel), api_key });

export function known(channel: Channel | undefined | null, id: number): Channel {
  if (!channel) throw Refusal.notFound(`Channel ${id}`);
  return channel;
}
