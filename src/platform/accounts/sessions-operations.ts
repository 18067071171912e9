// Lists and ends sessions of the console. Users see and end their own, administrators those of every account.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type Static } from '../schema/json-schema.ts';
import { endOneSession } from './sessions-changes.ts';
import { hashKey } from '../secrets/keys.ts';
import { findSession, listSessions, type ListedSession } from './sessions-store.ts';
import { reading } from '../database/transactions.ts';
import { nullable } from '../schema/building-blocks.ts';
import type { BackOffice } from './back-office.ts';
import { operatorOf } from './auth.ts';
import { ListOf, numberAfter, pageQuery, readPage, type PageQuery } from '../admin-api/page.ts';
import { refusalOf } from '../admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  int64Id,
  PathId,
  readNoBodies,
  RefusalBody,
  security,
  Timestamp,
} from '../admin-api/schemas.ts';
import { clearSessionCookie } from './session-cookie.ts';
import { change } from './change.ts';

const listedSessionIdOf = ({ id }: { id: string }): number =>
  int64Id(id, { kind: 'session_unknown', session_id: id });

const SessionListItem = Type.Object(
  {
    id: Type.Integer(),
    user: Type.Object({
      id: Type.Integer(),
      email: Type.String(),
      name: nullable<string>({ type: 'string' }),
    }),
    address: nullable<string>({ type: 'string', description: 'Of the last request, to the minute.' }),
    user_agent: nullable<string>({ type: 'string', description: 'Of the browser that signed in.' }),
    created_at: Timestamp,
    last_seen_at: Type.String({ description: 'Of the last request, to the minute.' }),
    expires_at: Type.String({
      description: 'The latest end; it ends earlier after 30 minutes without a request.',
    }),
    is_current: Type.Boolean({ description: 'The session of this request.' }),
  },
  { title: 'Session' },
);
const SessionParams = Type.Object({ id: PathId('The session id.') });

const tags = ['session'];

export function registerSessions(app: FastifyInstance, services: BackOffice): void {
  registerReads(app, services);
  app.register(async (scope) => {
    readNoBodies(scope);
    registerEnd(scope, services);
  });
}

/** No account has this id. For a token without the role admin: a token owns no sessions. */
const NO_ACCOUNT = 0;

/** null: the sessions of every account. */
function visibleAccount(request: FastifyRequest): number | null {
  const { role, session } = operatorOf(request);
  return role === 'admin' ? null : (session?.account_id ?? NO_ACCOUNT);
}

const presenter = ({ formatTimestamp }: BackOffice, request: FastifyRequest) => {
  const { session } = operatorOf(request);
  const current = session && hashKey(session.session_id);
  return (one: ListedSession): Static<typeof SessionListItem> => ({
    id: one.id,
    user: { id: one.user_id, email: one.email, name: one.name },
    address: one.address,
    user_agent: one.user_agent,
    created_at: formatTimestamp(one.created_at),
    last_seen_at: formatTimestamp(one.last_seen_at),
    expires_at: formatTimestamp(one.expires_at),
    is_current: current?.equals(one.id_hash) === true,
  });
};

function registerReads(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/sessions',
    schema: {
      summary: 'Your own live sessions, by id; for administrators those of every account',
      tags,
      security,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(SessionListItem), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const after = numberAfter(request.query) ?? 0;
      return readPage(services.pool, request.query, {
        read: (tx, limit) => listSessions(tx, after, visibleAccount(request), limit),
        key: ({ id }) => id,
        present: presenter(services, request),
      });
    },
  });

  app.route<{ Params: Static<typeof SessionParams> }>({
    method: 'GET',
    url: '/sessions/:id',
    schema: {
      summary: 'One session',
      tags,
      security,
      params: SessionParams,
      response: { 200: DataOf(SessionListItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = listedSessionIdOf(request.params);
      const found = await reading(services.pool, (tx) => findSession(tx, id, visibleAccount(request)));
      if (!found) throw refusalOf({ kind: 'session_unknown', session_id: id });
      return { data: presenter(services, request)(found) };
    },
  });
}

function registerEnd(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof SessionParams> }>({
    method: 'DELETE',
    url: '/sessions/:id',
    schema: {
      summary: 'End a session immediately: your own; administrators may end any',
      tags,
      security,
      params: SessionParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = listedSessionIdOf(request.params);
      const own = visibleAccount(request);
      const { session } = await change(services, request, (tx, by) => endOneSession(tx, by, { id, own }));
      if (presenter(services, request)(session).is_current) clearSessionCookie(reply, services.config);
      return reply.code(204).send();
    },
  });
}
