// Admin tokens for programs. A token is returned once, when it is created, and never written to the audit log.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../schema/json-schema.ts';
import { CODE_CHARACTERS_MAX } from '../values/text-limits.ts';
import { createToken, inDays, revokeToken, TOKEN_DAYS_MAX } from './tokens-changes.ts';
import { readTimestamp } from '../values/timestamps.ts';
import { listTokenPage, type AdminToken } from './tokens-store.ts';
import { nullable, Text } from '../schema/building-blocks.ts';
import type { BackOffice } from './back-office.ts';
import { ListOf, numberAfter, pageQuery, readPage, type PageQuery } from '../admin-api/page.ts';
import { Refusal } from '../admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  int32Id,
  PathId,
  readNoBodies,
  RefusalBody,
  RoleName,
  security,
  Timestamp,
} from '../admin-api/schemas.ts';
import { change } from './change.ts';
import { readNow } from '../database/clock.ts';
import { reading } from '../database/transactions.ts';

const tokenIdOf = ({ id }: { id: string }): number => int32Id(id, { kind: 'token_unknown', token: id });

const shown = {
  id: Type.Integer(),
  name: Type.String(),
  role: RoleName,
  created_at: Timestamp,
  revoked_at: nullable<string>({ type: 'string' }),
  last_used_at: nullable<string>({ type: 'string' }),
  expires_at: nullable<string>({ type: 'string', description: 'null: valid until revoked.' }),
  created_by: nullable<string>({
    type: 'string',
    description: 'Who created it, as in the audit log; null: not recorded.',
    examples: ['user:minji@example.com'],
  }),
};
const TokenItem = Type.Object(shown, { title: 'Token' });
const TokenWithSecret = Type.Object(
  {
    ...shown,
    token: Type.String({ description: 'Shown only once: store it.' }),
  },
  { title: 'TokenWithSecret' },
);
const NewToken = Type.Object({
  name: Text(CODE_CHARACTERS_MAX, { description: 'Who or what it is for; shown in the audit log.' }),
  role: RoleName,
  expires_at: Type.Optional(
    nullable<string>({
      type: 'string',
      description: 'When it expires: ISO 8601 with offset. Unset: never.',
      examples: ['2027-01-31T00:00:00+09:00'],
    }),
  ),
  expires_in_days: Type.Optional(
    nullable<number>({
      type: 'integer',
      minimum: 1,
      maximum: TOKEN_DAYS_MAX,
      description: 'The same, counted from now; not both.',
    }),
  ),
});
const TokenParams = Type.Object({ id: PathId('The token id.') });

const tags = ['tokens'];
const role = 'admin';

export function registerTokens(app: FastifyInstance, services: BackOffice): void {
  const moment = (at: Date | null): string | null => at && services.formatTimestamp(at);
  const present = (token: AdminToken): Static<typeof TokenItem> => ({
    ...token,
    created_at: services.formatTimestamp(token.created_at),
    revoked_at: moment(token.revoked_at),
    last_used_at: moment(token.last_used_at),
    expires_at: moment(token.expires_at),
  });

  app.route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/tokens',
    config: { role },
    schema: {
      summary: 'All admin tokens, revoked ones too, by id',
      tags,
      security,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(TokenItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const after = numberAfter(query) ?? 0;
      return readPage(services.pool, query, {
        read: (tx, limit) => listTokenPage(tx, after, limit),
        key: (token) => token.id,
        present,
      });
    },
  });

  app.route<{ Body: Static<typeof NewToken> }>({
    method: 'POST',
    url: '/tokens',
    config: { role },
    schema: {
      summary: 'Create an admin token, which is shown once',
      tags,
      security,
      body: NewToken,
      response: { 201: DataOf(TokenWithSecret), 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { name, role: given } = request.body;
      const wanted = {
        name,
        role: given,
        expires_at: expiryOf(request.body, await reading(services.pool, readNow)),
      };
      const { row, token } = await change(services, request, (tx, by) => createToken(tx, by, wanted));
      return reply.code(201).send({ data: { ...present(row), token } });
    },
  });

  app.register(async (scope) => {
    readNoBodies(scope);
    registerRevoke(scope, services);
  });
}

/** `now`: by the clock of the database, which ends the token. */
function expiryOf({ expires_at, expires_in_days }: Static<typeof NewToken>, now: Date): Date | null {
  const [at, days] = [expires_at ?? null, expires_in_days ?? null];
  if (days !== null && at !== null)
    throw Refusal.invalid('expires_in_days', { kind: 'excluded_by', field: 'expires_at' });
  if (days !== null) return inDays(days, now);
  if (at === null) return null;
  const date = readTimestamp(at);
  if (!date) throw Refusal.invalid('expires_at', { kind: 'not_a_timestamp' });
  if (date <= now || date > inDays(TOKEN_DAYS_MAX, now))
    throw Refusal.invalid('expires_at', { kind: 'expiry_out_of_range', days_max: TOKEN_DAYS_MAX });
  return date;
}

function registerRevoke(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof TokenParams> }>({
    method: 'DELETE',
    url: '/tokens/:id',
    config: { role },
    schema: {
      summary: 'Revoke a token immediately',
      tags,
      security,
      params: TokenParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = tokenIdOf(request.params);
      await change(services, request, (tx, by) => revokeToken(tx, by, id));
      return reply.code(204).send();
    },
  });
}
