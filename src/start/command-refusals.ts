// One table: refusals of the back office → messages on the terminal.
import type { RefusedAs } from '../platform/admin-api/refused.ts';
import { csvText } from '../platform/csv/words.ts';
import { say } from '../platform/values/say.ts';
import { Failure } from '../platform/cli/command.ts';

const WORDS = {
  channel_unknown: ({ channel_id }: RefusedAs<'channel_unknown'>) =>
    `there is no channel ${channel_id}; see "sluice channel list".`,
  channel_archived: ({ channel_id }: RefusedAs<'channel_archived'>) =>
    `channel ${channel_id} is archived: bring it back first.`,
  variant_archived: ({ variant_code }: RefusedAs<'variant_archived'>) =>
    `variant ${variant_code} or its product is archived: bring it back first.`,
  order_number_prefix_taken: (no: RefusedAs<'order_number_prefix_taken'>) =>
    `the prefix ${no.order_number_prefix} overlaps with ${no.taken_prefix} of channel ${no.channel_id} "${no.name}".`,
  channel_holds_stock: ({ channel_id, allocated_qty }: RefusedAs<'channel_holds_stock'>) =>
    `channel ${channel_id} holds ${allocated_qty} as pre-allocation: release it first.`,
  order_unknown: ({ order }: RefusedAs<'order_unknown'>) => `there is no order ${order}.`,
  order_open: ({ order, status }: RefusedAs<'order_open'>) =>
    `order ${order} has status ${status}: only shipped and cancelled orders can be erased.`,
  real_orders_present: () =>
    'this database has orders of real channels; use --force to add demo data anyway.',
  demo_data_conflict: ({ problem }: RefusedAs<'demo_data_conflict'>) =>
    `the demo data do not fit this database: ${csvText(problem)}`,
  previous_key_unknown: ({ channel_id }: RefusedAs<'previous_key_unknown'>) =>
    `channel ${channel_id} has no valid old key.`,
  signing_secret_required: () =>
    'signing cannot be required while the channel has no signing secret: create one first.',
  signing_secrets_full: ({ secrets_max }: RefusedAs<'signing_secrets_full'>) =>
    `the channel has ${secrets_max} signing secrets already: remove one first.`,
  signing_secret_unknown: ({ channel_id, signing_secret_id }: RefusedAs<'signing_secret_unknown'>) =>
    `channel ${channel_id} has no signing secret ${signing_secret_id}.`,
  last_signing_secret: () => 'the last signing secret cannot be removed while signing is required.',
  email_taken: ({ email }: RefusedAs<'email_taken'>) => `there is already an account ${email}.`,
  last_admin: ({ email }: RefusedAs<'last_admin'>) =>
    `${email} is the last active administrator: create another one first.`,
  user_unknown: ({ user }: RefusedAs<'user_unknown'>) =>
    `there is no account ${user}; see "sluice user list".`,
  second_factor_unused: () => 'two-step sign-in is not on for this account.',
  token_name_taken: ({ name }: RefusedAs<'token_name_taken'>) =>
    `there is already a token "${name}"; revoke it first or choose another name.`,
  token_unknown: ({ token }: RefusedAs<'token_unknown'>) =>
    `there is no valid token "${token}"; see "sluice token list".`,
};

/** The refusals that commands can get. */
export type Explained = RefusedAs<keyof typeof WORDS>;

export const failureFor = (no: Explained): Failure => new Failure(say<Explained>(WORDS, no));
