// What is refused about signing secrets.
import { commandRefusal, type Id } from '../../platform/admin-api/refused.ts';

export const CHANNEL_POLICY_REFUSALS = {
  /** Signing cannot be required of a channel without a signing secret. */
  signing_secret_required: commandRefusal<{ channel_id: number }>({
    status: 422,
    words: () => 'Signing cannot be required while the channel has no signing secret: create one first.',
    commandWords: () =>
      'signing cannot be required while the channel has no signing secret: create one first.',
  }),
  signing_secrets_full: commandRefusal<{ channel_id: number; secrets_max: number }>({
    status: 422,
    words: ({ secrets_max }) => `The channel has ${secrets_max} signing secrets already: remove one first.`,
    commandWords: ({ secrets_max }) =>
      `the channel has ${secrets_max} signing secrets already: remove one first.`,
  }),
  signing_secret_unknown: commandRefusal<{ channel_id: Id; signing_secret_id: Id }>({
    status: 404,
    words: ({ channel_id, signing_secret_id }) =>
      `Signing secret ${signing_secret_id} of channel ${channel_id} was not found.`,
    commandWords: ({ channel_id, signing_secret_id }) =>
      `channel ${channel_id} has no signing secret ${signing_secret_id}.`,
  }),
  /** The last signing secret cannot be removed while signing is required. */
  last_signing_secret: commandRefusal<{ channel_id: number }>({
    status: 422,
    words: () => 'The last signing secret cannot be removed while signing is required.',
    commandWords: () => 'the last signing secret cannot be removed while signing is required.',
  }),
};

type Own = typeof CHANNEL_POLICY_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
