// Two-step sign-in: set up and turned off by the user, required by administrators for roles.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static, type TSchema } from '../schema/json-schema.ts';
import {
  beginFactor,
  confirmFactor,
  removeFactor,
  renewRecoveryCodes,
  requireFactorOf,
} from './second-factor-changes.ts';
import { newTotpSecret, totpUri } from './one-time-codes.ts';
import { verifyPassword } from '../passwords/passwords.ts';
import { findAccountByEmail, type AccountWithHash } from './store.ts';
import { countRecoveryCodes, readRequiredRoles } from './second-factor-store.ts';
import { ownCounter } from './sign-in-failures-store.ts';
import { reading } from '../database/transactions.ts';
import type { BackOffice } from './back-office.ts';
import { ownSessionOf } from './auth.ts';
import { Refusal } from '../admin-api/refusal.ts';
import { COMMON_ANSWERS, DataOf, RefusalBody, RoleName, security } from '../admin-api/schemas.ts';
import { FACTOR_CODE_CHARACTERS_MAX, cookieOnly, wait } from './session-operations.ts';
import { throttled } from './sign-in.ts';
import { change, outcomeOf } from './change.ts';

const State = Type.Object({
  is_active: Type.Boolean(),
  is_required: Type.Boolean({ description: 'It cannot be turned off.' }),
  recovery_codes_left: Type.Integer(),
});
const Confirmation = Type.Object({
  current_password: Type.String({ minLength: 1, maxLength: 1_000, format: 'text' }),
});
const SetUp = Type.Object({
  secret: Type.String({ description: 'For typing into the app; base32.' }),
  uri: Type.String({ description: 'For a QR code: otpauth://totp/…' }),
});
const Codes = Type.Object({
  recovery_codes: Type.Array(Type.String(), { description: 'Shown only once; each works once.' }),
});
const CodeRequest = Type.Object({
  code: Type.String({ minLength: 1, maxLength: FACTOR_CODE_CHARACTERS_MAX, format: 'text' }),
});
const Rule = Type.Object({ roles: Type.Array(RoleName, { uniqueItems: true }) });

const tags = ['session'];
const PATH = '/session/second-factor';

export function registerSecondFactor(app: FastifyInstance, services: BackOffice): void {
  registerState(app, services);
  registerSetUp(app, services);
  registerChanges(app, services);
  registerRule(app, services);
}

function registerState(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'GET',
    url: PATH,
    config: { entrance: 'account' },
    schema: {
      summary: 'Whether two-step sign-in is on for your account',
      tags,
      security: cookieOnly,
      response: { 200: DataOf(State), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { account_id, email, has_second_factor } = ownSessionOf(request);
      const { account, roles, left } = await reading(services.pool, async (tx) => ({
        account: await findAccountByEmail(tx, email),
        roles: await readRequiredRoles(tx),
        left: await countRecoveryCodes(tx, account_id),
      }));
      const is_required =
        account?.second_factor_required === true || roles.some((one) => one === account?.role);
      return { data: { is_active: has_second_factor, is_required, recovery_codes_left: left } };
    },
  });
}

/** Checks the password of the session's user, throttled like a change of the password. null: the reply was sent. */
async function ownerOf(
  services: BackOffice,
  request: FastifyRequest,
  reply: FastifyReply,
  password: string,
): Promise<AccountWithHash | null> {
  const { email } = ownSessionOf(request);
  const outcome = await throttled(services, [ownCounter(email, 'session')], async () => {
    const account = await reading(services.pool, (tx) => findAccountByEmail(tx, email));
    return account && (await verifyPassword(password, account.password_hash)) ? account : null;
  });
  if ('wrong' in outcome) throw Refusal.invalid('current_password', { kind: 'wrong_password' });
  if ('right' in outcome) return outcome.right;
  wait(reply, outcome.wait_seconds);
  return null;
}

interface Confirmed {
  url: string;
  summary: string;
  response: Record<number, TSchema>;
  handle: (checked: AccountWithHash, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

/** Registers a route that requires the user's password again. */
function registerConfirmed(
  app: FastifyInstance,
  services: BackOffice,
  { url, summary, response, handle }: Confirmed,
): void {
  app.route<{ Body: Static<typeof Confirmation> }>({
    method: 'POST',
    url,
    config: { entrance: 'account' },
    schema: {
      summary,
      tags,
      security: cookieOnly,
      body: Confirmation,
      response: { ...response, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const checked = await ownerOf(services, request, reply, request.body.current_password);
      return checked ? handle(checked, request, reply) : reply;
    },
  });
}

function registerSetUp(app: FastifyInstance, services: BackOffice): void {
  registerConfirmed(app, services, {
    url: PATH,
    summary: 'Begin to set up two-step sign-in; it is on when a code was confirmed',
    response: { 201: DataOf(SetUp) },
    handle: async (checked, request, reply) => {
      const secret = newTotpSecret();
      const { sealer } = services;
      await change(services, request, (tx, by) => beginFactor(tx, by, { sealer, checked, secret }));
      return reply.code(201).send({ data: { secret, uri: totpUri(secret, checked.email) } });
    },
  });

  app.route<{ Body: Static<typeof CodeRequest> }>({
    method: 'PUT',
    url: PATH,
    config: { entrance: 'account' },
    schema: {
      summary: 'Confirm a code of the app: two-step sign-in is on; the recovery codes are shown once',
      tags,
      security: cookieOnly,
      body: CodeRequest,
      response: { 200: DataOf(Codes), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { account_id, email } = ownSessionOf(request);
      const { sealer } = services;
      const given = { code: request.body.code, now_ms: Date.now() };
      const outcome = await throttled(services, [ownCounter(email, 'second factor')], async () => {
        const tried = await outcomeOf(services, request, (tx, by) =>
          confirmFactor(tx, by, { sealer, account_id, given }),
        );
        return tried.kind === 'done' ? tried : null;
      });
      if ('wrong' in outcome) throw Refusal.invalid('code', { kind: 'wrong_code' });
      if ('wait_seconds' in outcome) return wait(reply, outcome.wait_seconds);
      return reply.send({ data: { recovery_codes: outcome.right.recovery_codes } });
    },
  });
}

function registerChanges(app: FastifyInstance, services: BackOffice): void {
  registerConfirmed(app, services, {
    url: `${PATH}/recovery-codes`,
    summary: 'Create new recovery codes; the former ones stop working',
    response: { 201: DataOf(Codes) },
    handle: async (checked, request, reply) => {
      const { recovery_codes } = await change(services, request, (tx, by) =>
        renewRecoveryCodes(tx, by, { checked }),
      );
      return reply.code(201).send({ data: { recovery_codes } });
    },
  });

  registerConfirmed(app, services, {
    url: `${PATH}/remove`,
    summary: 'Turn off two-step sign-in, unless it is required',
    response: { 204: Type.Null() },
    handle: async (checked, request, reply) => {
      await change(services, request, (tx, by) => removeFactor(tx, by, { checked }));
      return reply.code(204).send();
    },
  });
}

function registerRule(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'GET',
    url: '/second-factor-rule',
    config: { role: 'admin' },
    schema: {
      summary: 'For which roles two-step sign-in is required',
      tags: ['users'],
      security,
      response: { 200: DataOf(Rule), ...COMMON_ANSWERS },
    },
    handler: async () => ({ data: { roles: await reading(services.pool, readRequiredRoles) } }),
  });

  app.route<{ Body: Static<typeof Rule> }>({
    method: 'PUT',
    url: '/second-factor-rule',
    config: { role: 'admin' },
    schema: {
      summary: 'Require two-step sign-in for these roles, and for no others',
      tags: ['users'],
      security,
      body: Rule,
      response: { 200: DataOf(Rule), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { roles } = request.body;
      const done = await change(services, request, (tx, by) => requireFactorOf(tx, by, { roles }));
      return { data: { roles: done.roles } };
    },
  });
}
