// Sign-in with an OpenID provider: authorization code flow with PKCE, state and nonce. The provider's configuration is
// fetched at the first sign-in, so that the service can start while the provider is unavailable.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from 'openid-client';
import { emailFault, normalEmail } from '../../backoffice/users.ts';
import { NAME_CHARACTERS_MAX } from '../../domain/text-limits.ts';
import { addressGroup } from '../../domain/client-address.ts';
import type { OidcConfig } from '../../config/oidc.ts';
import { claimValues, roleOfClaims } from '../../domain/provider-claims.ts';
import type { Services } from '../services.ts';
import { clientAddressOf } from '../transport/client-address.ts';
import { WrongCredentials } from '../wrong-credentials.ts';
import { setDeviceCookie } from './device-cookie.ts';
import { addRedirectCookie, cookieOf, setSessionCookie } from './session-cookie.ts';
import { wait } from './session.ts';
import { enterByProvider } from './sign-in.ts';

const PATH = '/oidc';
const CALLBACK = '/admin/v1/oidc/callback';
const COOKIE = 'sluice_oidc';
const UNDER_WAY_S = 600;
const TIMEOUT_S = 10;
/** Anyone can begin a sign-in, and each failure is a request to the provider and a line in the log. */
const FAILURES_PER_MINUTE_MAX = 20;
const SEAL_CONTEXT = 'oidc sign-in';

/** Loaded at the first sign-in: most services have no provider. */
const openidClient = () => import('openid-client');

/** A sign-in that this browser has begun. Its cookie holds it, sealed. */
interface UnderWay {
  state: string;
  nonce: string;
  verifier: string;
  expires_ms: number;
}

/** Why the sign-in failed; the console has the texts. */
type Refused =
  | 'oidc_failed'
  | 'oidc_no_role'
  | 'oidc_no_email'
  | 'identity_email_taken'
  | 'identity_email_unverified'
  | 'account_inactive';

export function registerOidc(app: FastifyInstance, services: Services): void {
  const { oidc, public_url } = services.config;
  app.route({
    method: 'GET',
    url: PATH,
    config: { entrance: 'open' },
    schema: { hide: true },
    handler: async () => ({ data: oidc && { label: oidc.label } }),
  });
  if (!oidc || public_url === null) return;
  const provider = new Provider(oidc);
  const failures = new WrongCredentials({ per_minute_max: FAILURES_PER_MINUTE_MAX, report: () => {} });
  const addressOf = (request: FastifyRequest) => addressGroup(clientAddressOf(request, services.config));
  const isThrottled = (request: FastifyRequest) => failures.isThrottled(addressOf(request));
  const failed = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const seconds = failures.count(addressOf(request));
    return seconds > 0 ? wait(reply, seconds) : refused(reply, 'oidc_failed');
  };

  app.route({
    method: 'GET',
    url: `${PATH}/start`,
    config: { entrance: 'redirect' },
    schema: { hide: true },
    handler: async (request, reply) => {
      if (isThrottled(request)) return failed(request, reply);
      try {
        const { url, underWay } = await begin(oidc, await provider.found(), public_url);
        const { key_sealed } = await services.sealer.seal(JSON.stringify(underWay), SEAL_CONTEXT);
        addRedirectCookie(reply, services.config, COOKIE, key_sealed.toString('base64url'), UNDER_WAY_S);
        return reply.redirect(url.href);
      } catch (error) {
        request.log.warn({ err: error }, 'the OpenID provider cannot be asked');
        return failed(request, reply);
      }
    },
  });

  app.route({
    method: 'GET',
    url: `${PATH}/callback`,
    config: { entrance: 'redirect' },
    schema: { hide: true },
    handler: async (request, reply) => {
      const underWay = await underWayOf(services, request);
      addRedirectCookie(reply, services.config, COOKIE, '', 0);
      if (!underWay) return refused(reply, 'oidc_failed');
      if (isThrottled(request)) return failed(request, reply);
      let claims: Record<string, unknown>;
      try {
        claims = await finish(await provider.found(), new URL(request.url, public_url), underWay);
      } catch (error) {
        request.log.warn({ err: error }, 'sign-in at the OpenID provider failed');
        return failed(request, reply);
      }
      return enter(services, request, reply, oidc, claims);
    },
  });
}

/** Caches the provider's configuration. A failure is not cached: the next sign-in fetches it again. */
class Provider {
  readonly #oidc: OidcConfig;
  #asked: Promise<Configuration> | null = null;

  constructor(oidc: OidcConfig) {
    this.#oidc = oidc;
  }

  found(): Promise<Configuration> {
    this.#asked ??= this.#ask().catch((error: unknown) => {
      this.#asked = null;
      throw error;
    });
    return this.#asked;
  }

  async #ask(): Promise<Configuration> {
    const client = await openidClient();
    const { issuer, client_id, client_secret } = this.#oidc;
    const url = new URL(issuer);
    return client.discovery(url, client_id, client_secret, undefined, {
      timeout: TIMEOUT_S,
      // The service's configuration allows http only for loopback addresses.
      execute: url.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    });
  }
}

async function begin(
  { scopes }: OidcConfig,
  found: Configuration,
  publicUrl: string,
): Promise<{ url: URL; underWay: UnderWay }> {
  const client = await openidClient();
  const underWay = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    expires_ms: Date.now() + UNDER_WAY_S * 1000,
  };
  const url = client.buildAuthorizationUrl(found, {
    redirect_uri: `${publicUrl}${CALLBACK}`,
    scope: scopes,
    state: underWay.state,
    nonce: underWay.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(underWay.verifier),
    code_challenge_method: 'S256',
  });
  return { url, underWay };
}

async function underWayOf({ sealer, config }: Services, request: FastifyRequest): Promise<UnderWay | null> {
  const key_sealed = Buffer.from(cookieOf(request, config, COOKIE), 'base64url');
  const text = await sealer.open({ key_sealed, sealed_with: null }, SEAL_CONTEXT);
  if (text === null) return null;
  const underWay: UnderWay = JSON.parse(text);
  return underWay.expires_ms > Date.now() ? underWay : null;
}

/** Returns the claims of the ID token, supplemented by those of the user-info endpoint. */
async function finish(
  found: Configuration,
  url: URL,
  { state, nonce, verifier }: UnderWay,
): Promise<Record<string, unknown>> {
  const client = await openidClient();
  const tokens = await client.authorizationCodeGrant(found, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new TypeError('the provider sent no id token');
  const hasUserInfo = found.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasUserInfo ? await client.fetchUserInfo(found, tokens.access_token, claims.sub) : {};
  return { ...more, ...claims };
}

async function enter(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  oidc: OidcConfig,
  claims: Record<string, unknown>,
): Promise<FastifyReply> {
  const [subject = ''] = claimValues(claims, 'sub');
  const [given = ''] = claimValues(claims, 'email');
  const email = normalEmail(given);
  if (emailFault(email) !== null) return refused(reply, 'oidc_no_email');
  const role = roleOfClaims(claims, oidc.role_claim, oidc.roles);
  if (role === null) {
    request.log.warn({ account: email }, 'sign-in at the OpenID provider: the claims give no role');
    return refused(reply, 'oidc_no_role');
  }
  const name = (claimValues(claims, 'name')[0] ?? '').trim().slice(0, NAME_CHARACTERS_MAX) || null;
  const outcome = await enterByProvider(services, request, {
    issuer: oidc.issuer,
    subject,
    email,
    is_email_verified: isVerified(given, claims['email_verified']),
    name,
    role,
  });
  if (outcome.kind !== 'done') return refused(reply, outcome.kind);
  services.metrics.signIn('done');
  setSessionCookie(reply, services.config, outcome.session.session_id);
  setDeviceCookie(reply, services.config, outcome.account);
  return reply.redirect('/console/');
}

/** The provider has verified the e-mail as it sent it: `ａdmin@…` is normalized to `admin@…`, another mailbox. */
function isVerified(given: string, claim: unknown): boolean | null {
  if (given.normalize('NFKC') !== given) return false;
  return typeof claim === 'boolean' ? claim : null;
}

const refused = (reply: FastifyReply, code: Refused): FastifyReply =>
  reply.redirect(`/console/sign-in?refused=${code}`);
