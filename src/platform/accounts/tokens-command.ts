// sluice token …: admin tokens, stored as hashes and shown once.
import { CODE_CHARACTERS_MAX } from '../values/text-limits.ts';
import { createToken as create, inDays, revokeToken, TOKEN_DAYS_MAX } from './tokens-changes.ts';
import { textFault } from '../csv/fields.ts';
import { readNow } from '../database/clock.ts';
import { listTokens, type AdminToken } from './tokens-store.ts';
import { reading } from '../database/transactions.ts';
import { faultSentence } from '../values/field-fault-words.ts';
import { runChange } from '../command-database/change.ts';
import { UsageError, type Args, type CliCommand } from '../cli/command.ts';
import { withDatabase } from '../command-database/database.ts';
import { minute, print, printJson, table } from '../cli/output.ts';
import { readRole } from './cli-roles.ts';

export const tokenCommands: readonly CliCommand[] = [
  {
    name: 'token create',
    summary: 'create an admin token and print it once',
    options: {
      name: { value: 'NAME', required: true, help: 'who or what it is for; shown in the audit log' },
      role: { value: 'ROLE', required: true, help: 'admin, operator or viewer' },
      'expires-in-days': { value: 'DAYS', help: 'it expires after this many days' },
    },
    about: [
      'viewer reads; operator also changes stock, mappings, allocations and orders; admin also channels,',
      'keys and tokens. Use it as "Authorization: Bearer TOKEN".',
    ],
    examples: [
      'sluice token create --name warehouse --role operator',
      'sluice token create --name audit-2026 --role viewer --expires-in-days 30',
    ],
    run: createToken,
  },
  {
    name: 'token list',
    summary: 'list the admin tokens, including revoked ones',
    examples: ['sluice token list'],
    run: showTokens,
  },
  {
    name: 'token revoke',
    summary: 'revoke an admin token immediately',
    operands: [{ name: 'NAME', help: 'the token; see "sluice token list"' }],
    examples: ['sluice token revoke warehouse'],
    run: revoke,
  },
];

async function createToken(args: Args): Promise<number> {
  const name = readTokenName(args.required('name'));
  const role = readRole(args.required('role'), CREATE_HELP);
  const days = readDays(args.text('expires-in-days'));
  const { row, token } = await runChange(async (tx, by) => {
    // By the clock of the database, which ends the token.
    const expires_at = days === null ? null : inDays(days, await readNow(tx));
    return create(tx, by, { name, role, expires_at });
  });
  if (args.json) printJson({ ...row, token });
  else print(`Token "${name}" (${role}) was created.\nToken (shown only now): ${token}`);
  return 0;
}

const HEADER = ['NAME', 'ROLE', 'CREATED', 'CREATED BY', 'LAST USED', 'EXPIRES', 'REVOKED'];

async function showTokens(args: Args): Promise<number> {
  const tokens = await withDatabase((pool) => reading(pool, listTokens));
  if (args.json) printJson(tokens);
  else if (tokens.length === 0) print('There are no tokens yet; "sluice token create" creates one.');
  else print(table(HEADER, tokens.map(lineOf)));
  return 0;
}

const lineOf = (token: AdminToken): string[] => [
  token.name,
  token.role,
  minute(token.created_at),
  token.created_by ?? '-',
  token.last_used_at ? minute(token.last_used_at) : 'never',
  token.expires_at ? minute(token.expires_at) : 'never',
  token.revoked_at ? minute(token.revoked_at) : '-',
];

async function revoke(args: Args): Promise<number> {
  const name = args.operand(0);
  const { row } = await runChange((tx, by) => revokeToken(tx, by, name));
  if (args.json) printJson(row);
  else print(`Token "${name}" was revoked.`);
  return 0;
}

const CREATE_HELP = 'See "sluice token create --help".';
const wrongOption = (text: string): UsageError => new UsageError(text, CREATE_HELP);

function readTokenName(name: string): string {
  const fault = textFault(name, CODE_CHARACTERS_MAX);
  if (fault !== null) throw wrongOption(faultSentence('--name', fault));
  return name;
}

function readDays(text: string | null): number | null {
  if (text === null) return null;
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 1 || days > TOKEN_DAYS_MAX)
    throw wrongOption(`--expires-in-days must be a whole number from 1 to ${TOKEN_DAYS_MAX}, not "${text}".`);
  return days;
}
