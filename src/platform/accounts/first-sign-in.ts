// The account and token of the first start, shown once. In a terminal they are printed. Other outputs are usually
// stored (a journal, a log collector), so there they go into a file that only this user can read.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/** null: existed already. `password` null: set by SLUICE_FIRST_PASSWORD, which is not shown. */
export interface FirstSignIn {
  readonly token: string | null;
  readonly account: { readonly email: string; readonly password: string | null } | null;
}

type SignInConfig = Pick<Config, 'data_dir' | 'database_url'>;

const fileIn = ({ data_dir }: SignInConfig): string => join(data_dir, 'first-sign-in.txt');

/** The lines to print; empty on later starts. */
export async function tellFirstSignIn(
  config: SignInConfig,
  made: FirstSignIn,
  origin: string,
  isTerminal: boolean,
): Promise<string[]> {
  const lines = linesOf(made, origin);
  const isSecret = made.token !== null || (made.account?.password ?? null) !== null;
  if (isTerminal || !isSecret) return lines;
  // With an external database there is no data directory to write into.
  if (config.database_url !== null) return [...lines, ...CHANGE_AT_ONCE];
  const file = fileIn(config);
  try {
    await writeFile(file, `${[...lines.slice(1), '', aboutTheFile(made)].join('\n')}\n`, { mode: 0o600 });
  } catch {
    return [...lines, ...CHANGE_AT_ONCE];
  }
  return ['', `First start: how to sign in is in ${file}`];
}

const CHANGE_AT_ONCE = [
  '',
  'Everyone who can read this output can sign in: change the password and replace the token now.',
];
const aboutTheFile = ({ token }: FirstSignIn): string =>
  token === null
    ? 'This file is deleted when the password is changed.'
    : 'This file is deleted when the password is changed: store the token elsewhere.';

function linesOf({ account, token }: FirstSignIn, origin: string): string[] {
  const lines: string[] = [];
  if (account !== null && account.password === null) {
    lines.push('', `First start: sign in to the console as ${account.email} with SLUICE_FIRST_PASSWORD.`);
  } else if (account !== null) {
    lines.push('', 'First start: sign in to the console with this one-time password. It is shown once.');
    lines.push(`  e-mail       ${account.email}`, `  password     ${account.password}`);
  }
  if (token !== null) {
    lines.push('', 'First start: this administrator token is shown once. Keep it.', `  ${token}`);
    lines.push(`  curl -H 'Authorization: Bearer ${token}' ${origin}/admin/v1/channels`);
  }
  return lines;
}

/** Deletes the file after the one-time password was replaced. */
export async function forgetFirstSignIn(config: SignInConfig): Promise<void> {
  if (config.database_url === null) await rm(fileIn(config), { force: true });
}
