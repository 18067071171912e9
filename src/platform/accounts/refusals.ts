// What is refused about accounts, sessions and tokens.
import { commandRefusal, refusal, type Id } from '../admin-api/refused.ts';
import { SIGN_IN } from '../admin-api/refusal.ts';

export const ACCOUNT_REFUSALS = {
  /** `user`: id or e-mail. */
  user_unknown: commandRefusal<{ user: Id }>({
    status: 404,
    words: ({ user }) => `User ${user} was not found.`,
    commandWords: ({ user }) => `there is no account ${user}; see "sluice user list".`,
  }),
  email_taken: commandRefusal<{ email: string }>({
    status: 409,
    words: ({ email }) => `There is already an account ${email}.`,
    commandWords: ({ email }) => `there is already an account ${email}.`,
  }),
  /** The last active administrator cannot be demoted or deactivated. */
  last_admin: commandRefusal<{ email: string }>({
    status: 409,
    words: () => 'This is the last active administrator: create another one first.',
    commandWords: ({ email }) => `${email} is the last active administrator: create another one first.`,
  }),
  /** After the password was checked, the account was deactivated or its password replaced. */
  credentials_changed: refusal({
    status: 401,
    words: () => SIGN_IN,
  }),
  /** The second factor must be removed before another one is set up. */
  second_factor_in_use: refusal({
    status: 409,
    words: () => 'Two-step sign-in is on already: turn it off before you set it up again.',
  }),
  /** The account has no second factor. */
  second_factor_unused: commandRefusal({
    status: 409,
    words: () => 'Two-step sign-in is not on for this account.',
    commandWords: () => 'two-step sign-in is not on for this account.',
  }),
  /** The second factor cannot be removed: an administrator requires it. */
  second_factor_is_required: refusal({
    status: 409,
    words: () => 'Two-step sign-in is required for this account and cannot be turned off.',
  }),
  second_factor_wrong: refusal({
    status: 422,
    words: () => 'The code is wrong or was used already.',
  }),
  /** No such session, or it has ended, or it belongs to another account. */
  session_unknown: refusal<{ session_id: Id }>({
    status: 404,
    words: ({ session_id }) => `Session ${session_id} was not found.`,
  }),
  token_name_taken: commandRefusal<{ name: string }>({
    status: 409,
    code: 'name_taken',
    words: ({ name }) => `There is already a valid token "${name}".`,
    commandWords: ({ name }) => `there is already a token "${name}"; revoke it first or choose another name.`,
  }),
  /** No valid token has this id or name. */
  token_unknown: commandRefusal<{ token: Id }>({
    status: 404,
    words: ({ token }) => `A valid token ${token} was not found.`,
    commandWords: ({ token }) => `there is no valid token "${token}"; see "sluice token list".`,
  }),
};

type Own = typeof ACCOUNT_REFUSALS;
declare module '../admin-api/refused.ts' {
  interface Refusals extends Own {}
}
