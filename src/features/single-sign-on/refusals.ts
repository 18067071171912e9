// What is refused about sign-ins by the provider.
import { refusal } from '../../platform/admin-api/refused.ts';
import type { Role } from '../../platform/values/roles.ts';

export const SIGN_ON_REFUSALS = {
  /** The e-mail of a new identity belongs to an account, and the provider has not verified it. */
  identity_email_taken: refusal<{ email: string }>({
    status: 409,
    words: ({ email }) => `There is an account ${email}, and the provider has not verified the e-mail.`,
  }),
  /** The provider says that it has not verified the e-mail of a new identity. */
  identity_email_unverified: refusal<{ email: string }>({
    status: 409,
    words: ({ email }) => `The provider has not verified the e-mail ${email}.`,
  }),
  /** The claims give a lower role than the account must keep, because it is the last administrator's. */
  identity_role_lower: refusal<{ email: string; role: Role }>({
    status: 409,
    words: ({ email, role }) =>
      `The account ${email} is the last administrator, and the provider gives the role ${role}.`,
  }),
  account_inactive: refusal<{ email: string }>({
    status: 409,
    words: ({ email }) => `The account ${email} is not active.`,
  }),
};

type Own = typeof SIGN_ON_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
