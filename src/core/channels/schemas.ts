// Channels as the admin API shows them.
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { RATE_LIMIT_MAX } from '../rules/rate-limit.ts';
import { SIGNING_MODES, type SigningMode } from '../rules/signature.ts';
import type { Channel } from './store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { Timestamp } from '../../platform/admin-api/schemas.ts';
import { maskedApiUrl } from './api-url.ts';
import type { Role } from '../../platform/values/roles.ts';

const shown = {
  id: Type.Integer(),
  name: Type.String(),
  country_code: nullable<string>({ type: 'string' }),
  currency_code: Type.String(),
  api_url: nullable<string>({
    type: 'string',
    description: 'Viewers see it without user name, password and query, which may contain secrets.',
  }),
  is_active: Type.Boolean(),
};
export const SigningModeName = Type.Unsafe<SigningMode>({
  type: 'string',
  enum: [...SIGNING_MODES],
  description:
    'off: signatures are ignored; accepted: a signature must be valid if sent; required: every request must be signed.',
});
export const Burst = { minimum: 1, maximum: RATE_LIMIT_MAX, description: 'Burst size.' };
export const PerMinute = { minimum: 1, maximum: RATE_LIMIT_MAX, examples: [600] };

const later = {
  created_at: Timestamp,
  key_last_used_at: nullable<string>({
    type: 'string',
    description: 'When the key was last used, to the minute; null: never.',
  }),
  previous_key_valid_until: nullable<string>({
    type: 'string',
    description: 'Until when the previous key is valid; null: it is not.',
  }),
  previous_key_last_used_at: nullable<string>({
    type: 'string',
    description: 'When the previous key was last used, while it is valid.',
  }),
  rate_limit: Type.Union(
    [
      Type.Object(
        { requests_per_minute: Type.Integer(PerMinute), burst: Type.Integer(Burst) },
        { title: 'RateLimit' },
      ),
      Type.Null(),
    ],
    { description: 'null: none.' },
  ),
  signing: Type.Object({
    mode: SigningModeName,
    secrets: Type.Array(
      Type.Object(
        {
          id: Type.Integer(),
          created_at: Timestamp,
          last_used_at: nullable<string>({
            type: 'string',
            description: 'When it last signed a request, to the minute; null: never.',
          }),
        },
        { title: 'SigningSecret' },
      ),
      { description: 'The valid signing secrets, without their values.' },
    ),
  }),
  order_number_prefix: nullable<string>({
    type: 'string',
    description: 'Required prefix of the order numbers of the channel; null: none.',
  }),
  allowed_addresses: Type.Array(Type.String(), {
    description: 'Addresses and ranges from which the key may be used; empty: from anywhere.',
  }),
  prepayment_expiry_minutes: nullable<number>({
    type: 'integer',
    description: 'Orders that stay unpaid for so long are cancelled by the service; null: never.',
  }),
  trace_until: nullable<string>({
    type: 'string',
    description: 'Every request of the channel is logged and listed until then; null: refused and slow ones.',
  }),
  archived: Type.Boolean({ description: 'Out of lists and pickers; inactive too.' }),
};
export const ChannelItem = Type.Object({ ...shown, ...later }, { title: 'Channel' });
/** A separate schema: the serializer would write an optional key last. */
export const ChannelWithKey = Type.Object(
  {
    ...shown,
    api_key: Type.String({ description: 'Shown only once: store it.' }),
    ...later,
  },
  { title: 'ChannelWithKey' },
);

/** `role`: of the reader. */
export const presenter = ({ formatTimestamp }: BackOffice, role: Role) => {
  const moment = (at: Date | null): string | null => at && formatTimestamp(at);
  const written = (at: string): string => formatTimestamp(new Date(at));
  return ({ signing_mode, signing_secrets, ...channel }: Channel): Static<typeof ChannelItem> => ({
    ...channel,
    api_url: channel.api_url !== null && role === 'viewer' ? maskedApiUrl(channel.api_url) : channel.api_url,
    created_at: formatTimestamp(channel.created_at),
    key_last_used_at: moment(channel.key_last_used_at),
    previous_key_valid_until: moment(channel.previous_key_valid_until),
    previous_key_last_used_at: moment(channel.previous_key_last_used_at),
    trace_until: moment(channel.trace_until),
    signing: {
      mode: signing_mode,
      secrets: signing_secrets.map(({ id, created_at, last_used_at }) => ({
        id,
        created_at: written(created_at),
        last_used_at: last_used_at && written(last_used_at),
      })),
    },
  });
};

export const withKey = (
  services: BackOffice,
  channel: Channel,
  api_key: string,
): Static<typeof ChannelWithKey> => ({ ...presenter(services, 'admin')(channel), api_key });
