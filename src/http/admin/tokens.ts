// Admin tokens, for programs. A token is answered once, when it is made, and never written to the audit.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { insertAudit } from '../../store/audit.ts';
import { isUniqueViolation } from '../../store/failures.ts';
import { reading } from '../../store/transactions.ts';
import { insertToken, listTokenPage, revokeTokenById, type AdminToken } from '../../store/tokens.ts';
import { ErrorBody, nullable, Text } from '../schema.ts';
import type { Services } from '../services.ts';
import { actorOf } from './auth.ts';
import { limitOf, ListOf, numberAfter, page, pageQuery, type PageQuery } from './page.ts';
import { Refusal } from './refusal.ts';
import {
  CODE_CHARACTERS_MAX,
  CodedError,
  COMMON_ANSWERS,
  DataOf,
  PathId,
  readNoBodies,
  RoleName,
  security,
  Timestamp,
  tokenIdOf,
} from './schemas.ts';
import { writing } from './writing.ts';

const shown = {
  id: Type.Integer(),
  name: Type.String(),
  role: RoleName,
  created_at: Timestamp,
  revoked_at: nullable<string>({ type: 'string' }),
  last_used_at: nullable<string>({ type: 'string' }),
};
const TokenItem = Type.Object(shown);
const TokenWithSecret = Type.Object({
  ...shown,
  token: Type.String({ description: 'Shown only here: keep it.' }),
});
const NewToken = Type.Object({
  name: Text(CODE_CHARACTERS_MAX, { description: 'Who or what it is for; the audit names it.' }),
  role: RoleName,
});
const TokenParams = Type.Object({ id: PathId('The token id.') });

const tags = ['tokens'];
const role = 'admin';

export function registerTokens(app: FastifyInstance, services: Services): void {
  const moment = (at: Date | null): string | null => at && services.formatTimestamp(at);
  const present = (token: AdminToken): Static<typeof TokenItem> => ({
    ...token,
    created_at: services.formatTimestamp(token.created_at),
    revoked_at: moment(token.revoked_at),
    last_used_at: moment(token.last_used_at),
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
      const limit = limitOf(query);
      const after = numberAfter(query) ?? 0;
      const found = await reading(services.pool, (tx) => listTokenPage(tx, after, limit + 1));
      return page(found, limit, (token) => token.id, present);
    },
  });

  app.route<{ Body: Static<typeof NewToken> }>({
    method: 'POST',
    url: '/tokens',
    config: { role },
    schema: {
      summary: 'Make an admin token; the answer shows it, once',
      tags,
      security,
      body: NewToken,
      response: { 201: DataOf(TokenWithSecret), 409: CodedError, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { name, role: given } = request.body;
      const { row, token } = await writing(services, request, async (tx) => {
        const made = await insertToken(tx, name, given);
        const entry = {
          action: 'token.create',
          subject: `token:${name}`,
          before: null,
          after: { role: given },
        };
        await insertAudit(tx, actorOf(request), entry);
        return made;
      }).catch((error: unknown) => {
        if (!isUniqueViolation(error, 'admin_token_live_name')) throw error;
        throw Refusal.conflict(`There is a live token "${name}" already.`, { code: 'name_taken' });
      });
      return reply.code(201).send({ data: { ...present(row), token } });
    },
  });

  app.register(async (scope) => {
    readNoBodies(scope);
    registerRevoke(scope, services);
  });
}

function registerRevoke(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof TokenParams> }>({
    method: 'DELETE',
    url: '/tokens/:id',
    config: { role },
    schema: {
      summary: 'Revoke a token; it stops working at once',
      tags,
      security,
      params: TokenParams,
      response: { 204: Type.Null(), 404: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = tokenIdOf(request.params);
      await writing(services, request, async (tx) => {
        const revoked = await revokeTokenById(tx, id);
        if (!revoked) throw Refusal.notFound(`A live token ${id}`);
        const subject = `token:${revoked.name}`;
        const before = { role: revoked.role };
        await insertAudit(tx, actorOf(request), { action: 'token.revoke', subject, before, after: null });
      });
      return reply.code(204).send();
    },
  });
}
