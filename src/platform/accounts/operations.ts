// Accounts. A one-time password is returned once, when it is created, and never written to the audit log.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../schema/json-schema.ts';
import { NAME_CHARACTERS_MAX } from '../values/text-limits.ts';
import {
  changeUser,
  createUser,
  emailFault,
  normalEmail,
  oneTimePassword,
  resetPassword,
} from './changes.ts';
import { resetFactor } from './second-factor-changes.ts';
import { listAccounts, type Account } from './store.ts';
import { nullable, OptionalBoolean, OptionalText } from '../schema/building-blocks.ts';
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

const userIdOf = ({ id }: { id: string }): number => int32Id(id, { kind: 'user_unknown', user: id });

const shown = {
  id: Type.Integer(),
  email: Type.String(),
  name: nullable<string>({ type: 'string' }),
  role: RoleName,
  is_active: Type.Boolean(),
  must_change_password: Type.Boolean(),
  second_factor_required: Type.Boolean({ description: 'For this account; its role may require it too.' }),
  has_second_factor: Type.Boolean({ description: 'Two-step sign-in is on.' }),
  has_password: Type.Boolean({ description: 'false: it signs in at the OpenID provider alone.' }),
  created_at: Timestamp,
  last_sign_in_at: nullable<string>({ type: 'string' }),
};
const UserItem = Type.Object(shown, { title: 'User' });
const UserWithPassword = Type.Object(
  {
    ...shown,
    password: Type.String({ description: 'For the first sign-in; shown only once.' }),
  },
  { title: 'UserWithPassword' },
);

const NewUser = Type.Object({
  email: Type.String({ format: 'text', description: 'Case-insensitive; stored in lower case.' }),
  name: OptionalText(NAME_CHARACTERS_MAX),
  role: RoleName,
});
const UserPatch = Type.Object({
  name: OptionalText(NAME_CHARACTERS_MAX, { description: 'An empty text clears it.' }),
  role: Type.Optional(nullable<Static<typeof RoleName>>({ ...RoleName, type: 'string' })),
  is_active: OptionalBoolean({ description: 'An inactive account cannot sign in; its sessions end.' }),
  second_factor_required: OptionalBoolean({
    description: 'true: it must set up two-step sign-in before it does anything else.',
  }),
});
const UserParams = Type.Object({ id: PathId('The user id.') });

const tags = ['users'];
const role = 'admin';

type Present = (account: Account) => Static<typeof UserItem>;

export function registerUsers(app: FastifyInstance, services: BackOffice): void {
  const present: Present = ({ created_at, last_sign_in_at, ...account }) => ({
    ...account,
    created_at: services.formatTimestamp(created_at),
    last_sign_in_at: last_sign_in_at && services.formatTimestamp(last_sign_in_at),
  });
  registerList(app, services, present);
  registerCreate(app, services, present);
  registerPatch(app, services, present);
  app.register(async (scope) => {
    readNoBodies(scope);
    registerReset(scope, services, present);
  });
}

function registerList(app: FastifyInstance, services: BackOffice, present: Present): void {
  app.route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/users',
    config: { role },
    schema: {
      summary: 'All accounts, by id',
      tags,
      security,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(UserItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const after = numberAfter(query) ?? 0;
      return readPage(services.pool, query, {
        read: (tx, limit) => listAccounts(tx, after, limit),
        key: (account) => account.id,
        present,
      });
    },
  });
}

function registerCreate(app: FastifyInstance, services: BackOffice, present: Present): void {
  app.route<{ Body: Static<typeof NewUser> }>({
    method: 'POST',
    url: '/users',
    config: { role },
    schema: {
      summary: 'Create an account; its one-time password is shown once',
      tags,
      security,
      body: NewUser,
      response: { 201: DataOf(UserWithPassword), 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const email = normalEmail(request.body.email);
      const fault = emailFault(email);
      if (fault !== null) throw Refusal.invalid('email', fault);
      const { password, password_hash } = await oneTimePassword(services.config.password_cost_log2);
      const name = nameOf(request.body.name ?? '');
      const wanted = { email, name, role: request.body.role, password_hash };
      const { account } = await change(services, request, (tx, by) => createUser(tx, by, wanted));
      return reply.code(201).send({ data: { ...present(account), password } });
    },
  });
}

const nameOf = (text: string): string | null => text.trim() || null;

function registerPatch(app: FastifyInstance, services: BackOffice, present: Present): void {
  app.route<{ Params: Static<typeof UserParams>; Body: Static<typeof UserPatch> }>({
    method: 'PATCH',
    url: '/users/:id',
    config: { role },
    schema: {
      summary: 'Change the given fields; a new role or deactivation ends its sessions',
      tags,
      security,
      params: UserParams,
      body: UserPatch,
      response: { 200: DataOf(UserItem), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { user: userIdOf(request.params), ...changesOf(request.body) };
      const { account } = await change(services, request, (tx, by) => changeUser(tx, by, wanted));
      return { data: present(account) };
    },
  });
}

/** null counts as absent. */
const changesOf = ({ name, role: wanted, is_active, second_factor_required }: Static<typeof UserPatch>) => ({
  ...(name === undefined || name === null ? {} : { name: nameOf(name) }),
  ...(wanted === undefined || wanted === null ? {} : { role: wanted }),
  ...(is_active === undefined || is_active === null ? {} : { is_active }),
  ...(typeof second_factor_required === 'boolean' ? { second_factor_required } : {}),
});

function registerReset(app: FastifyInstance, services: BackOffice, present: Present): void {
  app.route<{ Params: Static<typeof UserParams> }>({
    method: 'POST',
    url: '/users/:id/reset-password',
    config: { role },
    schema: {
      summary: 'Create a new one-time password; the old one and all sessions of the account end',
      tags,
      security,
      params: UserParams,
      response: { 200: DataOf(UserWithPassword), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const user = userIdOf(request.params);
      const { password, password_hash } = await oneTimePassword(services.config.password_cost_log2);
      const { account } = await change(services, request, (tx, by) =>
        resetPassword(tx, by, { user, password_hash }),
      );
      return { data: { ...present(account), password } };
    },
  });

  app.route<{ Params: Static<typeof UserParams> }>({
    method: 'POST',
    url: '/users/:id/reset-second-factor',
    config: { role },
    schema: {
      summary: 'Turn off two-step sign-in of an account whose device is lost; its sessions end',
      tags,
      security,
      params: UserParams,
      response: { 200: DataOf(UserItem), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const user = userIdOf(request.params);
      const { account } = await change(services, request, (tx, by) => resetFactor(tx, by, { user }));
      return { data: present({ ...account, has_second_factor: false }) };
    },
  });
}
