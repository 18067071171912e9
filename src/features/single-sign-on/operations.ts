// Sign-in with an OpenID provider: authorization code flow with PKCE, state and nonce. The provider's configuration is
// fetched at the first sign-in, so that the service can start while the provider is unavailable.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from 'openid-client';
import { emailFault, normalEmail } from '../../platform/accounts/changes.ts';
import { NAME_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { addressGroup } from '../../platform/values/client-address.ts';
import type { OidcConfig } from '../../platform/config/oidc.ts';
import { personOfClaims, type ProviderAnswer } from './rules.ts';
import { isStorable } from '../../platform/schema/building-blocks.ts';
import type { WrongCredentials } from '../../platform/accounts/wrong-credentials.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { clientAddressOf } from '../../platform/http/client-address.ts';
import { setDeviceCookie } from '../../platform/accounts/device-cookie.ts';
import { addRedirectCookie, cookieOf, setSessionCookie } from '../../platform/accounts/session-cookie.ts';
import { wait } from '../../platform/accounts/session-operations.ts';
import { enterByProvider, isFirstUse } from './sign-in.ts';

const PATH = '/oidc';
const CALLBACK = '/admin/v1/oidc/callback';
const COOKIE = 'sluice_oidc';
const UNDER_WAY_S = 600;
const TIMEOUT_S = 10;
/** The limit of the OpenID Connect standard. */
const SUBJECT_CHARACTERS_MAX = 255;
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
  | 'oidc_claims_invalid'
  | 'identity_email_taken'
  | 'identity_email_unverified'
  | 'identity_role_lower'
  | 'account_inactive';

export function registerOidc(
  app: FastifyInstance,
  services: BackOffice & { readonly failedSignOns: WrongCredentials },
): void {
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
  const addressOf = (request: FastifyRequest) => addressGroup(clientAddressOf(request, services.config));
  const isThrottled = (request: FastifyRequest) => services.failedSignOns.isThrottled(addressOf(request));
  const failed = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const seconds = services.failedSignOns.count(addressOf(request));
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
      if (!(await isFirstUse(services, underWay.state))) {
        request.log.warn('sign-in at the OpenID provider: a callback was sent twice');
        return failed(request, reply);
      }
      let provided: Provided;
      try {
        provided = await finish(await provider.found(), new URL(request.url, public_url), underWay);
      } catch (error) {
        request.log.warn({ err: error }, 'sign-in at the OpenID provider failed');
        return failed(request, reply);
      }
      return enter(services, request, reply, oidc, provided);
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
      execute: [
        // Checks the signature of the ID token, although it comes from the provider over TLS.
        client.enableNonRepudiationChecks,
        // The service's configuration allows http only for loopback addresses.
        ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
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

async function underWayOf({ sealer, config }: BackOffice, request: FastifyRequest): Promise<UnderWay | null> {
  const key_sealed = Buffer.from(cookieOf(request, config, COOKIE), 'base64url');
  const text = await sealer.open({ key_sealed, sealed_with: null }, SEAL_CONTEXT);
  if (text === null) return null;
  const underWay: UnderWay = JSON.parse(text);
  return underWay.expires_ms > Date.now() ? underWay : null;
}

interface Provided extends ProviderAnswer {
  subject: string;
}

/** Returns the claims of the ID token and those of the user-info endpoint, which must have the same subject. */
async function finish(
  found: Configuration,
  url: URL,
  { state, nonce, verifier }: UnderWay,
): Promise<Provided> {
  const client = await openidClient();
  const tokens = await client.authorizationCodeGrant(found, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const id_token = tokens.claims();
  if (!id_token) throw new TypeError('the provider sent no id token');
  const hasUserInfo = found.serverMetadata().userinfo_endpoint !== undefined;
  const user_info = hasUserInfo ? await client.fetchUserInfo(found, tokens.access_token, id_token.sub) : {};
  return { subject: id_token.sub, id_token, user_info };
}

async function enter(
  services: BackOffice,
  request: FastifyRequest,
  reply: FastifyReply,
  oidc: OidcConfig,
  { subject, ...answer }: Provided,
): Promise<FastifyReply> {
  const person = personOfClaims(answer, oidc.role_claim, oidc.roles);
  const { is_email_verified, role } = person;
  const isSubject = subject !== '' && Array.from(subject).length <= SUBJECT_CHARACTERS_MAX;
  // The database stores lone surrogates as U+FFFD: two such subjects would be one.
  if (!isSubject || !isStorable(subject) || !isStorable(person.name)) {
    request.log.warn('sign-in at the OpenID provider: the subject or the name cannot be stored');
    return refused(reply, 'oidc_claims_invalid');
  }
  const email = normalEmail(person.email);
  if (emailFault(email) !== null) return refused(reply, 'oidc_no_email');
  if (role === null) {
    request.log.warn({ account: email }, 'sign-in at the OpenID provider: the claims give no role');
    return refused(reply, 'oidc_no_role');
  }
  const name = Array.from(person.name.trim()).slice(0, NAME_CHARACTERS_MAX).join('') || null;
  const identity = { issuer: oidc.issuer, subject, email, is_email_verified, name, role };
  const outcome = await enterByProvider(services, request, identity);
  if (outcome.kind !== 'done') return refused(reply, outcome.kind);
  services.metrics.signIn('done');
  setSessionCookie(reply, services.config, outcome.session.session_id);
  setDeviceCookie(reply, services.config, outcome.account);
  return reply.redirect('/console/');
}

const refused = (reply: FastifyReply, code: Refused): FastifyReply =>
  reply.redirect(`/console/sign-in?refused=${code}`);
