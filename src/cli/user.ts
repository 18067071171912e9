// sluice user …: accounts for the console. A one-time password is printed once and stored nowhere.
import { CHANNEL_NAME_CHARACTERS_MAX, textFault } from '../engine/import/fields.ts';
import { forgetFirstSignIn } from '../first-sign-in.ts';
import { hashPassword, newOneTimePassword } from '../passwords.ts';
import {
  changeAccount,
  emailFault,
  findAccountByEmail,
  FIRST_EMAIL,
  insertAccount,
  listAccounts,
  lockAccount,
  normalEmail,
  resetPassword,
  unlockAccount,
  type Account,
} from '../store/accounts.ts';
import { type Tx } from '../store/database.ts';
import { inTransaction, reading } from '../store/transactions.ts';
import { ROLES, type Role } from '../store/tokens.ts';
import { cliActor } from './actor.ts';
import { Failure, UsageError, type Args, type Command } from './command.ts';
import { configWithoutSecret, withDatabase } from './database.ts';
import { print, printJson, table } from './output.ts';

const operands = [{ name: 'EMAIL', help: 'the account; see "sluice user list"' }];

export const userCommands: readonly Command[] = [
  {
    name: 'user create',
    summary: 'create an account for the console and print its one-time password, once',
    options: {
      email: { value: 'EMAIL', required: true, help: 'what the person signs in with' },
      role: { value: 'ROLE', required: true, help: 'admin, operator or viewer' },
      name: { value: 'NAME', help: 'what the console calls the person' },
    },
    about: ['The password must be changed at the first sign-in.'],
    examples: ['sluice user create --email minji@example.com --role operator --name "Kim Minji"'],
    run: createUser,
  },
  {
    name: 'user list',
    summary: 'list the accounts, inactive ones too',
    examples: ['sluice user list'],
    run: showUsers,
  },
  {
    name: 'user reset-password',
    summary: 'print a new one-time password; the old one and all sessions end, failed sign-ins are forgotten',
    operands,
    examples: ['sluice user reset-password minji@example.com'],
    run: reset,
  },
  {
    name: 'user unlock',
    summary: 'forget failed sign-ins of an account, so that it can sign in at once',
    operands,
    about: ['Also of the addresses that they came from. The password stays as it is.'],
    examples: ['sluice user unlock minji@example.com'],
    run: unlock,
  },
  {
    name: 'user deactivate',
    summary: 'keep an account from signing in; its sessions end at once',
    operands,
    examples: ['sluice user deactivate minji@example.com'],
    run: deactivate,
  },
];

async function createUser(args: Args): Promise<number> {
  const email = readEmail(args.required('email'));
  const role = readRole(args.required('role'));
  const name = readName(args.text('name'));
  const password = newOneTimePassword();
  const fields = { email, role, name, password_hash: await hashPassword(password) };
  const made = await withDatabase((pool) =>
    inTransaction(pool, (tx) => insertAccount(tx, cliActor(), fields)),
  );
  if (made === 'email_taken') throw new Failure(`there is an account ${email} already.`);
  if (args.json) printJson({ ...made, password });
  else print(`Account ${email} (${role}) was created.\n${onceText(password)}`);
  return 0;
}

const onceText = (password: string): string => `One-time password (shown only now): ${password}`;

const LISTED_MAX = 100_000;

async function showUsers(args: Args): Promise<number> {
  const accounts = await withDatabase((pool) => reading(pool, (tx) => listAccounts(tx, 0, LISTED_MAX)));
  const header = ['E-MAIL', 'NAME', 'ROLE', 'ACTIVE', 'LAST SIGN-IN'];
  if (args.json) printJson(accounts);
  else if (accounts.length === 0) print('There are no accounts yet; "sluice user create" makes one.');
  else print(table(header, accounts.map(lineOf)));
  return 0;
}

const lineOf = (account: Account): string[] => [
  account.email,
  account.name ?? '-',
  account.role,
  account.is_active ? 'yes' : 'no',
  account.last_sign_in_at
    ? `${account.last_sign_in_at.toISOString().slice(0, 16).replace('T', ' ')}Z`
    : 'never',
];

/** Runs `work` on the account of the first operand, in one transaction. */
async function onAccount<T>(
  args: Args,
  work: (tx: Tx, id: number) => Promise<T | 'unknown'>,
): Promise<{ email: string; result: T }> {
  const email = normalEmail(args.operand(0));
  const result = await withDatabase((pool) =>
    inTransaction(pool, async (tx) => {
      const found = await findAccountByEmail(tx, email);
      return found ? work(tx, found.id) : 'unknown';
    }),
  );
  if (result === 'unknown') throw new Failure(`there is no account ${email}; see "sluice user list".`);
  return { email, result };
}

async function reset(args: Args): Promise<number> {
  const password = newOneTimePassword();
  const hash = await hashPassword(password);
  const { email, result } = await onAccount(args, (tx, id) => resetPassword(tx, cliActor(), id, hash));
  if (args.json) printJson({ ...result, password });
  else print(`Account ${email} has a new password, and its sessions have ended.\n${onceText(password)}`);
  // Last: a file that cannot be deleted must not keep the new password from being shown.
  if (email === FIRST_EMAIL) await forgetFirstSignIn(configWithoutSecret());
  return 0;
}

async function unlock(args: Args): Promise<number> {
  const { email } = await onAccount(args, async (tx, id) => {
    const account = await lockAccount(tx, id);
    if (!account) return 'unknown';
    await unlockAccount(tx, cliActor(), account);
    return account.id;
  });
  if (args.json) printJson({ email, unlocked: true });
  else print(`Account ${email} can sign in again.`);
  return 0;
}

async function deactivate(args: Args): Promise<number> {
  const { email, result } = await onAccount(args, (tx, id) =>
    changeAccount(tx, cliActor(), id, { is_active: false }),
  );
  if (result === 'last_admin')
    throw new Failure(`${email} is the last active administrator: make another one first.`);
  if (args.json) printJson(result);
  else print(`Account ${email} was deactivated.`);
  return 0;
}

const wrongOption = (text: string): UsageError => new UsageError(text, 'See "sluice user create --help".');

function readEmail(text: string): string {
  const email = normalEmail(text);
  const fault = emailFault(email);
  if (fault !== null) throw wrongOption(`--email ${fault}.`);
  return email;
}

function readRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (!role) throw wrongOption(`--role must be admin, operator or viewer, not "${text}".`);
  return role;
}

function readName(text: string | null): string | null {
  const fault = textFault(text ?? '', CHANNEL_NAME_CHARACTERS_MAX);
  if (fault !== null) throw wrongOption(`--name ${fault}.`);
  return text?.trim() || null;
}
