// One table: refusals of the back office in the words of the terminal.
import type { RefusedAs } from '../backoffice/refused.ts';
import { Failure } from './command.ts';

const WORDS = {
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
  // TypeScript cannot tie the entry of the table to the facts of the same kind.
  const words = WORDS[no.kind] as (no: Explained) => string;
  return new Failure(words(no));
}
