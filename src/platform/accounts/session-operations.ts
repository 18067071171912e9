// Sign-in, sign-out, and the user's own password.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static } from '../schema/json-schema.ts';
import { changeOwnPassword, signOutEverywhere, type Entered } from './sessions-changes.ts';
import { forgetFirstSignIn } from './first-sign-in.ts';
import {
  FIRST_EMAIL,
  hashPassword,
  passwordFault,
  samePassword,
  verifyPassword,
} from '../passwords/passwords.ts';
import { findAccountByEmail } from './store.ts';
import { ownCounter } from './sign-in-failures-store.ts';
import { reading } from '../database/transactions.ts';
import { endSession } from './sessions-store.ts';
import { VERSION } from '../config/version.ts';
import { nullable, OptionalText } from '../schema/building-blocks.ts';
import type { BackOffice } from './back-office.ts';
import { operatorOf, ownSessionOf, type Operator } from './auth.ts';
import { setDeviceCookie } from './device-cookie.ts';
import { Refusal } from '../admin-api/refusal.ts';
import { COMMON_ANSWERS, DataOf, readNoBodies, RoleName, security } from '../admin-api/schemas.ts';
import { clearSessionCookie, csrfTokenOf, setSessionCookie } from './session-cookie.ts';
import { attemptSignIn, CodeRequired, deviceOf, throttled, type UnderWay } from './sign-in.ts';
import { change, outcomeOf } from './change.ts';

/** Longer than any stored password: normalization may shorten the input. */
const PASSWORD_INPUT_CHARACTERS_MAX = 1_000;
const EMAIL_INPUT_CHARACTERS_MAX = 1_000;
export const FACTOR_CODE_CHARACTERS_MAX = 100;

const Password = Type.String({ minLength: 1, maxLength: PASSWORD_INPUT_CHARACTERS_MAX, format: 'text' });
const SignInRequest = Type.Object({
  email: Type.String({ minLength: 1, maxLength: EMAIL_INPUT_CHARACTERS_MAX, format: 'text' }),
  password: Password,
  code: OptionalText(FACTOR_CODE_CHARACTERS_MAX, {
    description: 'With two-step sign-in: a code of the app, or a recovery code.',
  }),
});
const PasswordRequest = Type.Object({
  current_password: Password,
  new_password: Type.String({
    minLength: 1,
    maxLength: PASSWORD_INPUT_CHARACTERS_MAX,
    format: 'text',
    description:
      '12 to 200 characters; not easy to guess, different from the e-mail and the current password.',
  }),
});

const SessionItem = Type.Object(
  {
    user: Type.Unsafe<{ id: number; email: string; name: string | null; role: string } | null>({
      ...Type.Object({
        id: Type.Integer(),
        email: Type.String(),
        name: nullable<string>({ type: 'string' }),
        role: RoleName,
      }),
      type: ['object', 'null'],
      description: 'null: a token.',
    }),
    role: RoleName,
    name: Type.String({ description: "The account's name, its e-mail, or the token's name." }),
    must_change_password: Type.Boolean({
      description: 'Until it is changed, all routes except /session return 403.',
    }),
    has_password: Type.Boolean({
      description: 'false: a token, or an account that signs in at the OpenID provider alone.',
    }),
    has_second_factor: Type.Boolean({ description: 'Two-step sign-in is on for the account.' }),
    must_set_up_second_factor: Type.Boolean({
      description: 'It is required and not on: until it is, all routes except /session return 403.',
    }),
    csrf_token: nullable<string>({
      type: 'string',
      description: 'For X-CSRF-Token; null: a token needs none.',
    }),
    timezone: Type.String(),
    version: Type.String(),
    expires_at: nullable<string>({
      type: 'string',
      description: 'The latest end of the session; it ends earlier after 30 minutes without a request.',
    }),
  },
  { title: 'SignedIn' },
);

const tags = ['session'];
/** Only the cookie: a token has no session. */
export const cookieOnly = [{ session: [] }];

export function registerSession(app: FastifyInstance, services: BackOffice): void {
  registerSignIn(app, services);
  registerPassword(app, services);
  app.route({
    method: 'GET',
    url: '/session',
    config: { entrance: 'session' },
    schema: {
      summary: 'Who is signed in',
      tags,
      security,
      response: { 200: DataOf(SessionItem), ...COMMON_ANSWERS },
    },
    handler: async (request) => ({ data: present(services, operatorOf(request)) }),
  });
  app.register(async (scope) => {
    readNoBodies(scope);
    registerSignOut(scope, services);
  });
}

function present(services: BackOffice, { name, role, session }: Operator): Static<typeof SessionItem> {
  return {
    user: session && { id: session.account_id, email: session.email, name: session.name, role },
    role,
    name: session ? (session.name ?? session.email) : name,
    must_change_password: session?.must_change_password ?? false,
    has_password: session?.has_password ?? false,
    has_second_factor: session?.has_second_factor ?? false,
    must_set_up_second_factor: session?.must_set_up_second_factor ?? false,
    csrf_token: session && csrfTokenOf(session.session_id),
    timezone: services.config.timezone,
    version: VERSION,
    expires_at: session && services.formatTimestamp(session.expires_at),
  };
}

function answer(services: BackOffice, reply: FastifyReply, { session, account }: Entered): FastifyReply {
  const { config } = services;
  setSessionCookie(reply, config, session.session_id);
  setDeviceCookie(reply, config, account);
  const operator = { name: session.email, role: session.role, session, token_id: null };
  return reply.send({ data: present(services, operator) });
}

export const wait = (reply: FastifyReply, seconds: number): FastifyReply =>
  reply
    .code(429)
    .header('retry-after', seconds)
    .send({
      error: `Too many attempts. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
      code: 'too_many_attempts',
      details: { retry_after_seconds: seconds },
    });

const CODE_REQUIRED = {
  error: 'Enter the code of your authenticator app, or a recovery code.',
  code: 'second_factor_required',
};

function asCodeRequired(error: unknown): typeof CODE_REQUIRED {
  if (error instanceof CodeRequired) return CODE_REQUIRED;
  throw error;
}

function registerSignIn(app: FastifyInstance, services: BackOffice): void {
  const underWay: UnderWay = new Map();
  app.route<{ Body: Static<typeof SignInRequest> }>({
    method: 'POST',
    url: '/session',
    config: { entrance: 'open' },
    schema: {
      summary: 'Sign in with e-mail and password; sets the session cookie',
      tags,
      security: [],
      body: SignInRequest,
      response: { 200: DataOf(SessionItem), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { email, password, code } = request.body;
      // An empty code counts as absent: the form was sent before the code was requested.
      const given = { email, password, code: code || null };
      const outcome = await attemptSignIn(services, underWay, request, given).catch(asCodeRequired);
      if ('error' in outcome) return reply.code(401).send(outcome);
      if ('wrong' in outcome) {
        services.metrics.signIn('failed');
        return reply.code(401).send({
          error:
            given.code === null
              ? 'The e-mail or the password is wrong.'
              : 'The e-mail, the password or the code is wrong.',
          code: 'sign_in_failed',
        });
      }
      if ('wait_seconds' in outcome) {
        services.metrics.signIn('throttled');
        return wait(reply, outcome.wait_seconds);
      }
      services.metrics.signIn('done');
      return answer(services, reply, outcome.right);
    },
  });
}

function registerSignOut(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'DELETE',
    url: '/session',
    config: { entrance: 'account' },
    schema: {
      summary: 'Sign out',
      tags,
      security: cookieOnly,
      response: { 204: Type.Null(), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { session_id } = ownSessionOf(request);
      await reading(services.pool, (tx) => endSession(tx, session_id));
      return clearSessionCookie(reply, services.config).code(204).send();
    },
  });

  app.route({
    method: 'DELETE',
    url: '/sessions',
    config: { entrance: 'account' },
    schema: {
      summary: 'Sign out everywhere: every session of the account ends',
      tags,
      security: cookieOnly,
      response: { 204: Type.Null(), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { account_id, email } = ownSessionOf(request);
      await change(services, request, (tx, by) => signOutEverywhere(tx, by, { account_id, email }));
      return clearSessionCookie(reply, services.config).code(204).send();
    },
  });
}

/** Attempts at the current password within a session have a counter of their own. */
const AT_A_SESSION = 'session';

function registerPassword(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: Static<typeof PasswordRequest> }>({
    method: 'PUT',
    url: '/session/password',
    config: { entrance: 'account' },
    schema: {
      summary: 'Change your own password; all other sessions of the account end',
      tags,
      security: cookieOnly,
      body: PasswordRequest,
      response: { 200: DataOf(SessionItem), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { email } = ownSessionOf(request);
      const { current_password, new_password } = request.body;
      const fault = samePassword(current_password, new_password)
        ? ({ kind: 'is_current_password' } as const)
        : passwordFault(new_password, email);
      if (fault !== null) throw Refusal.invalid('new_password', fault);
      const outcome = await throttled(services, [ownCounter(email, AT_A_SESSION)], () =>
        replacePassword(services, request, current_password, new_password),
      );
      if ('wrong' in outcome) throw Refusal.invalid('current_password', { kind: 'wrong_password' });
      if ('wait_seconds' in outcome) return wait(reply, outcome.wait_seconds);
      if (email === FIRST_EMAIL) await forgetFirstSignIn(services.config);
      return answer(services, reply, outcome.right);
    },
  });
}

/** null: the current password is wrong. Hashing takes long, so it runs outside the transaction. */
async function replacePassword(
  services: BackOffice,
  request: FastifyRequest,
  current: string,
  wanted: string,
): Promise<Entered | null> {
  const { email } = ownSessionOf(request);
  const checked = await reading(services.pool, (tx) => findAccountByEmail(tx, email));
  if (!checked || !(await verifyPassword(current, checked.password_hash))) return null;
  const password_hash = await hashPassword(wanted, services.config.password_cost_log2);
  const outcome = await outcomeOf(services, request, (tx, by) =>
    changeOwnPassword(tx, by, { checked, password_hash, device: deviceOf(request, services) }),
  );
  return outcome.kind === 'done' ? outcome : null;
}
