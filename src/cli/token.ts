// sluice token …: admin tokens, stored hashed, shown once.
import { insertAudit } from '../store/audit.ts';
import { isUniqueViolation } from '../store/failures.ts';
import { inTransaction, reading } from '../store/transactions.ts';
import {
  auditedToken,
  inDays,
  insertToken,
  listTokens,
  revokeToken,
  ROLES,
  TOKEN_DAYS_MAX,
  type AdminToken,
  type Role,
} from '../store/tokens.ts';
import { cliActor } from './actor.ts';
import { Failure, UsageError, type Args, type Command } from './command.ts';
import { withDatabase } from './database.ts';
import { CODE_CHARACTERS_MAX, textFault } from '../engine/import/fields.ts';
import { minute, print, printJson, table } from './output.ts';

export const tokenCommands: readonly Command[] = [
  {
    name: 'token create',
    summary: 'create an admin token and print it, once',
    options: {
      name: { value: 'NAME', required: true, help: 'who or what it is for; the audit names it' },
      role: { value: 'ROLE', required: true, help: 'admin, operator or viewer' },
      'expires-in-days': { value: 'DAYS', help: 'it stops working by itself after so many days' },
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
    summary: 'list the admin tokens, revoked ones too',
    examples: ['sluice token list'],
    run: showTokens,
  },
  {
    name: 'token revoke',
    summary: 'revoke an admin token; it stops working at once',
    operands: [{ name: 'NAME', help: 'the token; see "sluice token list"' }],
    examples: ['sluice token revoke warehouse'],
    run: revoke,
  },
];

async function createToken(args: Args): Promise<number> {
  const name = readTokenName(args.required('name'));
  const role = readRole(args.required('role'));
  const expires_at = readExpiry(args.text('expires-in-days'));
  const { row, token } = await withDatabase((pool) =>
    inTransaction(pool, async (tx) => {
      const by = cliActor();
      const made = await insertToken(tx, name, role, { expires_at, created_by: by.actor });
      const entry = {
        action: 'token.create',
        subject: `token:${name}`,
        before: null,
        after: auditedToken(made.row),
      };
      await insertAudit(tx, by, entry);
      return made;
    }),
  ).catch((error: unknown) => {
    if (!isUniqueViolation(error, 'admin_token_live_name')) throw error;
    throw new Failure(`there is a token "${name}" already; revoke it first or choose another name.`);
  });
  if (args.json) printJson({ ...row, token });
  else print(`Token "${name}" (${role}) was created.\nToken (shown only now): ${token}`);
  return 0;
}

const HEADER = ['NAME', 'ROLE', 'CREATED', 'CREATED BY', 'LAST USED', 'EXPIRES', 'REVOKED'];

async function showTokens(args: Args): Promise<number> {
  const tokens = await withDatabase((pool) => reading(pool, listTokens));
  if (args.json) printJson(tokens);
  else if (tokens.length === 0) print('There are no tokens yet; "sluice token create" makes one.');
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
  const row = await withDatabase((pool) =>
    inTransaction(pool, async (tx) => {
      const revoked = await revokeToken(tx, name);
      if (!revoked) throw new Failure(`there is no live token "${name}"; see "sluice token list".`);
      const { role } = revoked;
      const entry = { action: 'token.revoke', subject: `token:${name}`, before: { role }, after: null };
      await insertAudit(tx, cliActor(), entry);
      return revoked;
    }),
  );
  if (args.json) printJson(row);
  else print(`Token "${name}" was revoked.`);
  return 0;
}

const wrongOption = (text: string): UsageError => new UsageError(text, 'See "sluice token create --help".');

function readTokenName(name: string): string {
  const fault = textFault(name, CODE_CHARACTERS_MAX);
  if (fault !== null) throw wrongOption(`--name ${fault}.`);
  return name;
}

function readRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (!role) throw wrongOption(`--role must be admin, operator or viewer, not "${text}".`);
  return role;
}

function readExpiry(text: string | null): Date | null {
  if (text === null) return null;
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 1 || days > TOKEN_DAYS_MAX)
    throw wrongOption(`--expires-in-days must be a whole number from 1 to ${TOKEN_DAYS_MAX}, not "${text}".`);
  return inDays(days);
}
