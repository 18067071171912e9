// sluice user …: accounts for the console. A one-time password is printed once and not stored.
import { NAME_CHARACTERS_MAX } from '../values/text-limits.ts';
import {
  changeUser,
  createUser as create,
  emailFault,
  normalEmail,
  oneTimePassword,
  resetPassword,
  unlockUser,
} from './changes.ts';
import { FIRST_EMAIL } from '../passwords/passwords.ts';
import { textFault } from '../csv/fields.ts';
import { resetFactor } from './second-factor-changes.ts';
import { forgetFirstSignIn } from './first-sign-in.ts';
import { listAccounts, type Account } from './store.ts';
import { reading } from '../database/transactions.ts';
import { faultSentence } from '../values/field-fault-words.ts';
import { runChange } from '../command-database/change.ts';
import { UsageError, type Args, type CliCommand } from '../cli/command.ts';
import { configWithoutSecret, withDatabase } from '../command-database/database.ts';
import { minute, print, printJson, table } from '../cli/output.ts';
import { readRole } from './cli-roles.ts';

const operands = [{ name: 'EMAIL', help: 'the account; see "sluice user list"' }];

export const userCommands: readonly CliCommand[] = [
  {
    name: 'user create',
    summary: 'create an account for the console and print its one-time password once',
    options: {
      email: { value: 'EMAIL', required: true, help: 'the e-mail for signing in' },
      role: { value: 'ROLE', required: true, help: 'admin, operator or viewer' },
      name: { value: 'NAME', help: 'the name shown in the console' },
    },
    about: ['The password must be changed at the first sign-in.'],
    examples: ['sluice user create --email minji@example.com --role operator --name "Kim Minji"'],
    run: createUser,
  },
  {
    name: 'user list',
    summary: 'list the accounts, including inactive ones',
    examples: ['sluice user list'],
    run: showUsers,
  },
  {
    name: 'user reset-password',
    summary: 'print a new one-time password; ends all sessions and clears failed sign-ins',
    operands,
    examples: ['sluice user reset-password minji@example.com'],
    run: reset,
  },
  {
    name: 'user reset-second-factor',
    summary: 'turn off two-step sign-in of an account whose device is lost; ends all sessions',
    operands,
    about: [
      'The password stays as it is. If the second factor is required, it is set up at the next sign-in.',
    ],
    examples: ['sluice user reset-second-factor minji@example.com'],
    run: resetSecondFactor,
  },
  {
    name: 'user unlock',
    summary: 'clear failed sign-ins of an account, so that it can sign in now',
    operands,
    about: [
      'Failed sign-ins of the addresses that they came from are cleared too. The password stays as it is.',
    ],
    examples: ['sluice user unlock minji@example.com'],
    run: unlock,
  },
  {
    name: 'user deactivate',
    summary: 'stop an account from signing in; its sessions end immediately',
    operands,
    examples: ['sluice user deactivate minji@example.com'],
    run: deactivate,
  },
];

async function createUser(args: Args): Promise<number> {
  const email = readEmail(args.required('email'));
  const role = readRole(args.required('role'), CREATE_HELP);
  const name = readName(args.text('name'));
  const { password, password_hash } = await oneTimePassword();
  const { account } = await runChange((tx, by) => create(tx, by, { email, role, name, password_hash }));
  if (args.json) printJson({ ...account, password });
  else print(`Account ${email} (${role}) was created.\n${onceText(password)}`);
  return 0;
}

const onceText = (password: string): string => `One-time password (shown only now): ${password}`;

const LISTED_MAX = 100_000;

async function showUsers(args: Args): Promise<number> {
  const accounts = await withDatabase((pool) => reading(pool, (tx) => listAccounts(tx, 0, LISTED_MAX)));
  const header = ['E-MAIL', 'NAME', 'ROLE', 'ACTIVE', 'LAST SIGN-IN'];
  if (args.json) printJson(accounts);
  else if (accounts.length === 0) print('There are no accounts yet; "sluice user create" creates one.');
  else print(table(header, accounts.map(lineOf)));
  return 0;
}

const lineOf = (account: Account): string[] => [
  account.email,
  account.name ?? '-',
  account.role,
  account.is_active ? 'yes' : 'no',
  account.last_sign_in_at ? minute(account.last_sign_in_at) : 'never',
];

async function reset(args: Args): Promise<number> {
  const email = normalEmail(args.operand(0));
  const { password, password_hash } = await oneTimePassword();
  const { account } = await runChange((tx, by) => resetPassword(tx, by, { user: email, password_hash }));
  if (args.json) printJson({ ...account, password });
  else print(`Account ${email} has a new password, and its sessions have ended.\n${onceText(password)}`);
  // Last: a file that cannot be deleted must not prevent showing the new password.
  if (email === FIRST_EMAIL) await forgetFirstSignIn(configWithoutSecret());
  return 0;
}

async function resetSecondFactor(args: Args): Promise<number> {
  const email = normalEmail(args.operand(0));
  await runChange((tx, by) => resetFactor(tx, by, { user: email }));
  if (args.json) printJson({ email, second_factor: false });
  else print(`Account ${email} signs in with its password alone, and its sessions have ended.`);
  return 0;
}

async function unlock(args: Args): Promise<number> {
  const email = normalEmail(args.operand(0));
  await runChange((tx, by) => unlockUser(tx, by, email));
  if (args.json) printJson({ email, unlocked: true });
  else print(`Account ${email} can sign in again.`);
  return 0;
}

async function deactivate(args: Args): Promise<number> {
  const email = normalEmail(args.operand(0));
  const { account } = await runChange((tx, by) => changeUser(tx, by, { user: email, is_active: false }));
  if (args.json) printJson(account);
  else print(`Account ${email} was deactivated.`);
  return 0;
}

const CREATE_HELP = 'See "sluice user create --help".';
const wrongOption = (text: string): UsageError => new UsageError(text, CREATE_HELP);

function readEmail(text: string): string {
  const email = normalEmail(text);
  const fault = emailFault(email);
  if (fault !== null) throw wrongOption(faultSentence('--email', fault));
  return email;
}

function readName(text: string | null): string | null {
  const fault = textFault(text ?? '', NAME_CHARACTERS_MAX);
  if (fault !== null) throw wrongOption(faultSentence('--name', fault));
  return text?.trim() || null;
}
