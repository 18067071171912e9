// One table: refusals of the back office in the words of the terminal.
import type { RefusedAs } from '../backoffice/refused.ts';
import { Failure } from './command.ts';

const WORDS = {
  channel_unknown: ({ channel_id }: RefusedAs<'channel_unknown'>) =>
    `there is no channel ${channel_id}; see "sluice channel list".`,
  order_unknown: ({ order }: RefusedAs<'order_unknown'>) => `there is no order ${order}.`,
  order_open: ({ order, status }: RefusedAs<'order_open'>) =>
    `order ${order} has status ${status}: only shipped and cancelled orders can be erased.`,
  real_orders_present: () =>
    'this database has orders of real channels; use --force to add demo data all the same.',
  demo_data_conflict: ({ problem }: RefusedAs<'demo_data_conflict'>) =>
    `the demo data do not fit this database: ${problem}`,
  previous_key_unknown: ({ channel_id }: RefusedAs<'previous_key_unknown'>) =>
    `no old key of channel ${channel_id} works.`,
  signing_secret_required: () =>
    'signing cannot be required while the channel has no signing secret: make one first.',
  signing_secrets_full: ({ secrets_max }: RefusedAs<'signing_secrets_full'>) =>
    `the channel has ${secrets_max} signing secrets already: remove one first.`,
  signing_secret_unknown: ({ channel_id, signing_secret_id }: RefusedAs<'signing_secret_unknown'>) =>
    `channel ${channel_id} has no signing secret ${signing_secret_id}.`,
  last_signing_secret: () => 'the last signing secret cannot be removed while signing is required.',
  email_taken: ({ email }: RefusedAs<'email_taken'>) => `there is an account ${email} already.`,
  last_admin: ({ email }: RefusedAs<'last_admin'>) =>
    `${email} is the last active administrator: make another one first.`,
  user_unknown: ({ user }: RefusedAs<'user_unknown'>) =>
    `there is no account ${user}; see "sluice user list".`,
  token_name_taken: ({ name }: RefusedAs<'token_name_taken'>) =>
    `there is a token "${name}" already; revoke it first or choose another name.`,
  token_unknown: ({ token }: RefusedAs<'token_unknown'>) =>
    `there is no live token "${token}"; see "sluice token list".`,
};

/** What commands can be refused with. */
export type Explained = RefusedAs<keyof typeof WORDS>;

export function failureFor(no: Explained): Failure {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- TypeScript cannot tie the entry of the table to the facts of the same kind.
  const words = WORDS[no.kind] as (no: Explained) => string;
  return new Failure(words(no));
}
