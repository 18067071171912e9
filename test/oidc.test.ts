// Sign-in at a real OpenID provider on loopback: accounts and roles follow its claims, and other sign-ins are refused.
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { after, test } from 'node:test';
// @ts-expect-error -- the package has no types
import { Provider } from 'oidc-provider';
import { ConfigError, readConfig } from '../src/platform/config/config.ts';
import { parseRoleMapping } from '../src/platform/config/role-mapping-rules.ts';
import { claimValues, personOfClaims, roleOfClaims } from '../src/features/single-sign-on/rules.ts';
import { makeAccount } from './kit/accounts.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { browserAddress, connectBrowser } from './kit/browser.ts';
import { desk, refusal } from './kit/desk.ts';
import { must, unique } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { call, startTestService } from '../verify/kit/service.ts';
import { PASSWORD, Visitor } from './kit/visitor.ts';

// The service has to know its public address before it has a port, so a TCP proxy has that address. Its host differs from
// that of the provider, so that they are different sites.
let servicePort = 0;
const front = createTcpServer((socket) => {
  const upstream = connect(servicePort, '127.0.0.1');
  for (const one of [socket, upstream]) one.on('error', () => one.destroy());
  socket.pipe(upstream).pipe(socket);
  after(() => socket.destroy());
});
await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
after(() => front.close());
const PUBLIC = `http://localhost:${(front.address() as AddressInfo).port}`;
const CLIENT = { client_id: 'sluice', client_secret: 'a secret of the client, long enough' };

interface Person {
  email?: string;
  email_verified?: boolean;
  name?: string;
  roles?: string[];
}
const people = new Map<string, Person>();
type Claims = Record<string, unknown>;

/** What the provider does differently: other claims in one source, another key, a code that is taken twice. */
interface Odd {
  id_token?: (claims: Claims) => Claims;
  user_info?: (claims: Claims) => Claims;
  key?: KeyObject;
  takesCodesTwice?: boolean;
}
let odd: Odd = {};
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** The last response of the token endpoint, for a provider that takes a code twice. */
let lastTokens = '';

function signed(claims: Claims, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT', kid: 'test' })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** Changes the response of the provider to the service. */
function oddly(path: string, body: string): string {
  const parsed = JSON.parse(body) as Claims;
  if (path === '/me') return JSON.stringify((odd.user_info ?? ((claims) => claims))(parsed));
  if (typeof parsed['id_token'] !== 'string') return body;
  const claims = JSON.parse(Buffer.from(parsed['id_token'].split('.')[1] ?? '', 'base64url').toString());
  const id_token = signed((odd.id_token ?? ((same) => same))(claims), odd.key ?? privateKey);
  return (lastTokens = JSON.stringify({ ...parsed, id_token }));
}
/** The subject of the next sign-in; null: the provider asks for it on its page. */
let whoever: string | null = '';

let answer: RequestListener = (_request, response) => response.end();
const server = createServer((request, response) => answer(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => {
  server.closeAllConnections();
  server.close();
});
const provider = new Provider(issuer, {
  clients: [{ ...CLIENT, redirect_uris: [`${PUBLIC}/admin/v1/oidc/callback`], response_types: ['code'] }],
  findAccount: (_context: unknown, id: string) => ({
    accountId: id,
    claims: async () => ({ sub: id, ...people.get(id) }),
  }),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'roles'] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  cookies: { keys: ['a key of the test'] },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }] },
  async loadExistingGrant(context: any) {
    const grant = new context.oidc.provider.Grant({
      clientId: CLIENT.client_id,
      accountId: context.oidc.session.accountId,
    });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});
const pages = provider.callback() as RequestListener;
answer = (request: IncomingMessage, response: ServerResponse) => {
  const { url = '' } = request;
  if (url === '/token' && odd.takesCodesTwice && lastTokens !== '')
    return void response.setHeader('content-type', 'application/json').end(lastTokens);
  if (url === '/token' || url === '/me') {
    const send = response.end.bind(response) as (body: string) => ServerResponse;
    response.end = ((body: unknown) => {
      const sent = response.statusCode === 200 ? oddly(url, String(body)) : String(body);
      response.setHeader('content-length', Buffer.byteLength(sent));
      return send(sent);
    }) as typeof response.end;
  }
  if (!request.url?.startsWith('/interaction/')) return pages(request, response);
  const finish = (accountId: string) =>
    void provider.interactionFinished(request, response, { login: { accountId } });
  if (whoever !== null) return finish(whoever);
  if (request.method === 'POST')
    return void textOf(request).then((body) => finish(new URLSearchParams(body).get('login') ?? ''));
  response.writeHead(200, { 'content-type': 'text/html' });
  return void response.end(
    '<title>Example Ltd</title><form method="post"><input name="login" aria-label="Login"><button>Continue</button></form>',
  );
};

const service = await startTestService({
  env: {
    SLUICE_PUBLIC_URL: PUBLIC,
    SLUICE_OIDC_ISSUER: issuer,
    SLUICE_OIDC_CLIENT_ID: CLIENT.client_id,
    SLUICE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    SLUICE_OIDC_ROLES: 'admin=sluice-admins operator=warehouse,sales viewer=staff',
    SLUICE_OIDC_LABEL: 'Example Ltd',
  },
});
servicePort = Number(new URL(service.origin).port);
const { pool } = service.service.services;
const { audits } = desk(service);
await makeAccount(service, 'admin');

let browserCount = 0;

/** A browser: follows redirects by hand, keeps cookies by host. Failed sign-ins are counted by its address. */
class Browser {
  readonly jars = new Map<string, Map<string, string>>();
  readonly #address = `198.51.100.${++browserCount}`;

  async get(url: string): Promise<Response> {
    const at = new URL(url.replace(PUBLIC, service.origin));
    const jar = this.jars.get(at.host) ?? new Map<string, string>();
    this.jars.set(at.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    // Browsers send this header for a redirect from another site.
    const headers = { cookie, 'sec-fetch-site': 'cross-site', 'x-forwarded-for': this.#address };
    const response = await fetch(at, { redirect: 'manual', headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    await response.body?.cancel();
    return response;
  }

  /** The callback URL with the code. */
  async callback(start = `${PUBLIC}/admin/v1/oidc/start`): Promise<string> {
    for (let url = start, hops = 0; hops < 10; hops++) {
      const location = (await this.get(url)).headers.get('location') ?? '';
      url = new URL(location, url).href;
      if (url.startsWith(`${PUBLIC}/admin/v1/oidc/callback`)) return url;
    }
    throw new Error('no callback');
  }

  get sessionCookie(): string | undefined {
    return this.jars.get(new URL(service.origin).host)?.get('sluice_session');
  }
}

async function signIn(person: Person, id = unique('sub'), oddity: Odd = {}) {
  odd = oddity;
  people.set(id, person);
  whoever = id;
  const browser = new Browser();
  const last = await browser.get(await browser.callback());
  const visitor = new Visitor(service.origin);
  visitor.cookie = browser.sessionCookie === undefined ? null : `sluice_session=${browser.sessionCookie}`;
  if (visitor.cookie !== null) await visitor.call('GET', '/session');
  return { id, visitor, location: last.headers.get('location'), browser };
}
const person = (roles: string[], more: Person = {}): Person => ({
  email: `${unique('person')}@example.com`,
  email_verified: true,
  name: 'Kim Minji',
  roles,
  ...more,
});

test('the first sign-in creates the account with the role of the claims; later sign-ins update the role', async () => {
  assert.deepEqual((await call(`${service.origin}/admin/v1/oidc`, 'GET')).json, {
    data: { label: 'Example Ltd' },
  });
  const who = person(['warehouse', 'other']);
  const first = await signIn(who);
  assert.equal(first.location, '/console/');
  const { user, role, must_change_password } = (await first.visitor.call('GET', '/session')).json.data;
  assert.deepEqual(
    [user.email, user.name, role, must_change_password],
    [who.email, 'Kim Minji', 'operator', false],
  );
  const [entry] = (await audits(`user:${who.email}`)).slice(-1);
  assert.deepEqual([entry?.action, entry?.after], ['session.sign_in', { issuer, role: 'operator' }]);

  const second = await signIn({ ...who, roles: ['staff', 'sluice-admins'] }, first.id);
  assert.equal((await second.visitor.call('GET', '/session')).json.data.role, 'admin');
  assert.equal((await first.visitor.call('GET', '/session')).status, 401, 'a new role ends older sessions');
  const third = await signIn({ ...who, roles: ['staff'] }, first.id);
  assert.equal((await third.visitor.call('GET', '/session')).json.data.role, 'viewer');
  const listed = (await must(service.admin('GET', '/users?limit=500'), 200)) as any[];
  assert.equal(listed.filter(({ email }) => email === who.email).length, 1);

  // The account has no password until an administrator sets one.
  assert.equal((await new Visitor(service.origin).signIn(who.email ?? '', 'x')).status, 401);
  // Signing out ends the session in Sluice.
  assert.equal((await third.visitor.call('DELETE', '/session')).status, 204);
  assert.equal((await third.visitor.call('GET', '/session')).status, 401);
});

test('no mapped role, no e-mail or an inactive account: the sign-in is refused with a reason, and no session begins', async () => {
  const outcome = async (who: Person, id?: string) => {
    const { location, visitor } = await signIn(who, id);
    return [location, visitor.cookie];
  };
  const refusedAs = (code: string) => [`/console/sign-in?refused=${code}`, null];
  assert.deepEqual(await outcome(person(['other'])), refusedAs('oidc_no_role'));
  assert.deepEqual(await outcome(person([])), refusedAs('oidc_no_role'));
  const nameless = person(['staff']);
  delete nameless.email;
  assert.deepEqual(await outcome(nameless), refusedAs('oidc_no_email'));
  const who = person(['staff']);
  const { id, visitor } = await signIn(who);
  const { user } = (await visitor.call('GET', '/session')).json.data;
  assert.deepEqual(
    await outcome({ ...who, roles: [] }, id),
    refusedAs('oidc_no_role'),
    'at a later sign-in too',
  );
  await must(service.admin('PATCH', `/users/${user.id}`, { is_active: false }), 200);
  assert.deepEqual(await outcome(who, id), refusedAs('account_inactive'));
});

test('an account with a password is linked only to a verified e-mail, and keeps its password', async () => {
  const local = await makeAccount(service, 'viewer');
  const claimed = { ...person(['warehouse']), email: local.email };
  const refused_ = await signIn({ ...claimed, email_verified: false });
  assert.equal(refused_.location, '/console/sign-in?refused=identity_email_taken');
  // A full-width letter: another mailbox, whose address is normalized to the same text.
  const lookalike = await signIn({ ...claimed, email: local.email.replace('v', '\u{ff56}') });
  assert.equal(lookalike.location, '/console/sign-in?refused=identity_email_taken');
  const { visitor } = await signIn({ ...claimed, email: local.email.toUpperCase() });
  const { user, role } = (await visitor.call('GET', '/session')).json.data;
  assert.deepEqual([user.id, role], [local.id, 'operator']);
  assert.equal((await new Visitor(service.origin).signIn(local.email, PASSWORD)).status, 200);
});

test('an e-mail that the provider calls unverified creates no account; without a statement it does', async () => {
  const refusedAs = '/console/sign-in?refused=identity_email_unverified';
  const who = person(['staff'], { email_verified: false });
  const { id, location } = await signIn(who);
  assert.equal(location, refusedAs);
  // A look-alike of an e-mail without an account.
  assert.equal((await signIn(person(['staff'], { email: `\u{ff56}${who.email}` }))).location, refusedAs);
  const listed = (await must(service.admin('GET', '/users?limit=500'), 200)) as any[];
  assert.ok(!listed.some(({ email }) => email.includes(who.email)));
  // Users whose account exists keep it.
  assert.equal((await signIn({ ...who, email_verified: true }, id)).location, '/console/');
  assert.equal((await signIn(who, id)).location, '/console/');
});

test('a verified e-mail replaces the identity that got the account before, and ends its sessions', async () => {
  const owner = person(['staff']);
  const unsaid = { ...owner };
  delete unsaid.email_verified;
  const squatter = await signIn(unsaid);
  assert.equal(squatter.location, '/console/');
  const { visitor } = await signIn(owner);
  assert.equal((await visitor.call('GET', '/channels')).status, 200);
  assert.equal((await squatter.visitor.call('GET', '/session')).status, 401);
  const again = await signIn(unsaid, squatter.id);
  assert.equal(again.location, '/console/sign-in?refused=identity_email_taken');
  assert.equal((await visitor.call('GET', '/channels')).status, 200);
});

test('an identity that is replaced while it signs in keeps no session, whichever of the two is first', async () => {
  for (const isOwnerFirst of [true, false]) {
    const owner = person(['staff']);
    const unsaid = { ...owner };
    delete unsaid.email_verified;
    const squatter = await signIn(unsaid);
    const [ownerId, browsers] = [unique('sub'), [new Browser(), new Browser()]];
    people.set(ownerId, owner);
    const callbacks: string[] = [];
    for (const [index, browser] of browsers.entries()) {
      whoever = index === 0 ? ownerId : squatter.id;
      callbacks.push(await browser.callback());
    }
    const { url, ownerUrl } = service.database;
    const held = await openTransaction(
      ownerUrl,
      `select from account where email = '${owner.email}' for update`,
    );
    const answers: Promise<Response>[] = [];
    for (const index of isOwnerFirst ? [0, 1] : [1, 0]) {
      answers[index] = browsers[index]?.get(callbacks[index] ?? '') ?? assert.fail();
      await untilWaiting(url, isOwnerFirst === (index === 0) ? 1 : 2);
    }
    await held.end();
    await Promise.all(answers);
    const isIn = async (browser: Browser | undefined) => {
      const visitor = new Visitor(service.origin);
      visitor.cookie = `sluice_session=${browser?.sessionCookie}`;
      return (await visitor.call('GET', '/session')).status === 200;
    };
    assert.deepEqual([await isIn(browsers[0]), await isIn(browsers[1])], [true, false], String(isOwnerFirst));
  }
});

test('concurrent first sign-ins of one user all succeed', async () => {
  const { email } = await makeAccount(service, 'viewer');
  for (const who of [person(['staff'], { email }), person(['staff'])]) {
    whoever = unique('sub');
    people.set(whoever, who);
    const browsers = [new Browser(), new Browser()];
    const callbacks: string[] = [];
    for (const browser of browsers) callbacks.push(await browser.callback());
    const { url, ownerUrl } = service.database;
    const held = await openTransaction(ownerUrl, 'lock table account_identity in share mode');
    const answers = browsers.map((browser, index) => browser.get(callbacks[index] ?? ''));
    await untilWaiting(url, 2);
    await held.end();
    for (const redirect of answers) assert.equal((await redirect).headers.get('location'), '/console/');
  }
});

test('a one-time password need not be changed by a user who signs in at the provider', async () => {
  const email = `${unique('person')}@example.com`;
  const made = await must(service.admin('POST', '/users', { email, role: 'viewer' }), 201);
  const { visitor } = await signIn({ ...person(['staff']), email });
  assert.equal((await visitor.call('GET', '/session')).json.data.must_change_password, false);
  assert.equal((await visitor.call('GET', '/channels')).status, 200);
  const local = new Visitor(service.origin);
  await local.signIn(email, made.password);
  assert.equal((await local.call('GET', '/channels')).json.code, 'password_change_required');
});

test('neither claims nor other administrators can demote or deactivate the last administrator with a password', async () => {
  await pool.query(`update account set is_active = false where role = 'admin' and has_password`);
  const last = await makeAccount(service, 'admin');
  const { visitor: other } = await signIn(person(['sluice-admins']));
  assert.equal((await other.call('GET', '/session')).json.data.role, 'admin');
  for (const change of [{ role: 'viewer' }, { is_active: false }])
    assert.equal(
      (await refusal(service.admin('PATCH', `/users/${last.id}`, change), 409)).code,
      'last_admin',
    );
  // The account is not lowered, so an identity with a lower role does not get it: neither a new one nor its own.
  const own = await signIn({ ...person(['sluice-admins']), email: last.email });
  assert.equal((await own.visitor.call('GET', '/session')).json.data.user.id, last.id);
  for (const [id, role] of [
    [unique('sub'), 'staff'],
    [own.id, 'staff'],
    [own.id, 'warehouse'],
  ] as const) {
    const { visitor, location } = await signIn({ ...person([role]), email: last.email }, id);
    assert.deepEqual([location, visitor.cookie], ['/console/sign-in?refused=identity_role_lower', null]);
  }
  assert.equal((await own.visitor.call('GET', '/session')).json.data.role, 'admin', 'its identity stays');
  assert.equal((await new Visitor(service.origin).signIn(last.email, PASSWORD)).status, 200);
});

test('a required second factor is not asked for after a sign-in at the provider', async () => {
  await must(service.admin('PUT', '/second-factor-rule', { roles: ['viewer'] }), 200);
  const { visitor } = await signIn(person(['staff']));
  assert.equal((await visitor.call('GET', '/channels')).status, 200);
  await must(service.admin('PUT', '/second-factor-rule', { roles: [] }), 200);
});

test('sign-on takeover: an e-mail that only one source names and only the other calls verified opens no existing account', async () => {
  const admin = await makeAccount(service, 'admin');
  const { email } = admin;
  const taken = '/console/sign-in?refused=identity_email_taken';
  const other = `${unique('mallory')}@example.com`;
  const verified = { email: other, email_verified: true };
  const set = (claims: Claims) => (own: Claims) => ({ ...own, ...claims });
  const cases: [string, Odd, string][] = [
    ['the e-mail in the ID token', { id_token: set({ email }), user_info: set(verified) }, taken],
    [
      'verified only in the user info',
      { id_token: set({ email }), user_info: set({ email, email_verified: true }) },
      taken,
    ],
    [
      'verified only in the ID token',
      { id_token: set({ email_verified: true }), user_info: set({ email, email_verified: undefined }) },
      taken,
    ],
    [
      'a list in the ID token',
      { id_token: set({ email: [email, other], email_verified: true }), user_info: set(verified) },
      '/console/sign-in?refused=oidc_no_email',
    ],
    [
      'another subject in the user info',
      { user_info: set({ email, email_verified: true, sub: 'someone else' }) },
      '/console/sign-in?refused=oidc_failed',
    ],
  ];
  for (const [name, oddity, location] of cases) {
    const who = { ...person(['staff']), email: other };
    const { visitor, location: got } = await signIn(who, unique('mallory'), oddity);
    assert.deepEqual([got, visitor.cookie], [location, null], name);
  }
  const both = { email, email_verified: true };
  const { visitor } = await signIn(person(['sluice-admins']), unique('sub'), { id_token: set(both) });
  assert.equal((await visitor.call('GET', '/session')).json.data.user.id, admin.id);
});

test('a subject or a name that cannot be stored is refused with a reason and without an error in the log', async () => {
  const set = (claims: Claims) => (own: Claims) => ({ ...own, ...claims });
  const outcome = async (claims: Claims) => {
    const oddity = { id_token: set(claims), user_info: set(claims) };
    return (await signIn(person(['staff']), unique('sub'), oddity)).location;
  };
  const before = service.log.length;
  const refusedAs = '/console/sign-in?refused=oidc_claims_invalid';
  for (const claims of [
    { sub: 'a\0b' },
    { sub: 'a\ud800' },
    { sub: 'x'.repeat(256) },
    { name: 'a\0b' },
    { name: '\udc00' },
  ])
    assert.equal(await outcome(claims), refusedAs, JSON.stringify(claims));
  for (const claims of [{ email: 'a\0@example.com' }, { email: '\ud800@example.com' }, { email: 7 }])
    assert.equal(await outcome(claims), '/console/sign-in?refused=oidc_no_email', JSON.stringify(claims));
  for (const roles of ['a\0', ['\ud800'], { a: 1 }])
    assert.equal(await outcome({ roles }), '/console/sign-in?refused=oidc_no_role');
  const email = `${unique('person')}@example.com`;
  assert.equal(await outcome({ email, name: '😀'.repeat(150), picture: '\0' }), '/console/');
  const listed = (await must(service.admin('GET', '/users?limit=500'), 200)) as any[];
  assert.equal(listed.find((user) => user.email === email)?.name, '😀'.repeat(100));
  assert.deepEqual(
    service.log.slice(before).filter(({ level }) => level >= 50),
    [],
  );
});

test('an ID token with a wrong signature is refused', async () => {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  assert.equal((await signIn(person(['staff']))).location, '/console/');
  const { location } = await signIn(person(['staff']), unique('sub'), { key });
  assert.equal(location, '/console/sign-in?refused=oidc_failed');
});

test('a callback that is sent again is refused, although the provider takes the code twice', async () => {
  whoever = unique('sub');
  people.set(whoever, person(['staff']));
  odd = { takesCodesTwice: true };
  lastTokens = '';
  const browser = new Browser();
  const url = await browser.callback();
  const cookies = new Map(browser.jars.get(new URL(service.origin).host));
  const answers: (string | null)[] = [];
  for (let count = 0; count < 2; count++) {
    browser.jars.set(new URL(service.origin).host, new Map(cookies));
    answers.push((await browser.get(url)).headers.get('location'));
  }
  assert.deepEqual(answers, ['/console/', '/console/sign-in?refused=oidc_failed']);
  odd = {};
});

test('a callback is accepted once, only in the browser that began the sign-in and only with its state', async () => {
  const id = unique('sub');
  whoever = id;
  people.set(id, person(['staff']));
  const failed = '/console/sign-in?refused=oidc_failed';
  const location = async (browser: Browser, url: string) => (await browser.get(url)).headers.get('location');
  const browser = new Browser();
  const url = await browser.callback();
  assert.equal(await location(new Browser(), url), failed, 'another browser');
  assert.equal(await location(browser, url.replace(/state=[^&]+/, 'state=other')), failed, 'another state');
  assert.equal(await location(browser, url), failed, 'the cookie was used already');
  const again = new Browser();
  const good = await again.callback();
  const cookies = new Map(again.jars.get(new URL(service.origin).host));
  assert.equal(await location(again, good), '/console/');
  again.jars.set(new URL(service.origin).host, cookies);
  assert.equal(await location(again, good), failed, 'the code was used already');
  const denied = new Browser();
  const start = await denied.callback();
  const { searchParams } = new URL(start);
  const error = `${PUBLIC}/admin/v1/oidc/callback?error=access_denied&state=${searchParams.get('state')}`;
  assert.equal(await location(denied, error), failed);
});

test('an address that sends 20 wrong codes in a minute gets 429, and the provider is not asked any more', async () => {
  const attempt = async (address: string): Promise<number> => {
    const begun = await fetch(`${service.origin}/admin/v1/oidc/start`, { redirect: 'manual' });
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state');
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const url = `${service.origin}/admin/v1/oidc/callback?code=guessed&state=${state}&iss=${encodeURIComponent(issuer)}`;
    const headers = { cookie, 'x-forwarded-for': address };
    const { status, body } = await fetch(url, { redirect: 'manual', headers });
    await body?.cancel();
    return status;
  };
  for (let count = 0; count < 20; count++) assert.equal(await attempt('203.0.113.50'), 302);
  const failures = () => service.log.filter(({ msg }) => /OpenID provider failed/.test(msg)).length;
  const before = failures();
  assert.equal(await attempt('203.0.113.50'), 429);
  assert.equal(failures(), before);
  assert.equal(await attempt('203.0.113.51'), 302);
  assert.equal(failures(), before + 1);
});

test('e-mail and email_verified come from one source, whatever the other contains', () => {
  const mapping = parseRoleMapping('admin=a viewer=d') ?? assert.fail();
  const emails = [undefined, null, 'admin@localhost', 'm@example.com', ['admin@localhost'], [], 7, '', true];
  const flags = [undefined, null, true, false, 'true', 'false', [true], ['true'], 1, 0, {}];
  const claimsOf = (email: unknown, email_verified: unknown): Claims => ({
    ...(email === undefined ? {} : { email }),
    ...(email_verified === undefined ? {} : { email_verified }),
  });
  let count = 0;
  for (const tokenEmail of emails)
    for (const tokenFlag of flags)
      for (const infoEmail of emails)
        for (const infoFlag of flags) {
          const id_token = claimsOf(tokenEmail, tokenFlag);
          const user_info = claimsOf(infoEmail, infoFlag);
          const label = JSON.stringify({ id_token, user_info });
          const found = personOfClaims({ id_token, user_info }, 'roles', mapping);
          const inToken = tokenEmail !== undefined && tokenEmail !== null;
          const [email, flag] = inToken ? [tokenEmail, tokenFlag] : [infoEmail, infoFlag];
          assert.equal(found.email, typeof email === 'string' ? email : '', label);
          assert.equal(found.is_email_verified === true, flag === true, label);
          const saysNothing = flag === undefined || flag === null || flag === 'true';
          assert.equal(found.is_email_verified === null, saysNothing, label);
          count++;
        }
  assert.equal(count, 9_801);
  for (const email of ['\u{ff41}dmin@localhost', ' admin@localhost', 'admin@localhost\n', '\u212aim@x'])
    assert.equal(
      personOfClaims({ id_token: { email, email_verified: true }, user_info: {} }, 'roles', mapping)
        .is_email_verified,
      false,
      JSON.stringify(email),
    );
});

test('roles and name come from the ID token, and from the user info only if it has no such claim', () => {
  const mapping = parseRoleMapping('admin=a viewer=d') ?? assert.fail();
  const role = (token: unknown, info: unknown) =>
    personOfClaims(
      { id_token: { my: { roles: token } }, user_info: { my: { roles: info } } },
      'my.roles',
      mapping,
    ).role;
  assert.deepEqual(
    [
      role(['d'], ['a']),
      role([], ['a']),
      role('d', 'a'),
      role(7, 'a'),
      role(undefined, 'd'),
      role(null, 'd'),
    ],
    ['viewer', null, 'viewer', null, 'viewer', 'viewer'],
  );
  const name = (token: Claims, info: Claims) =>
    personOfClaims({ id_token: token, user_info: info }, 'roles', mapping).name;
  assert.deepEqual(
    [name({ name: 'A' }, { name: 'B' }), name({}, { name: 'B' }), name({ name: ['A'] }, { name: 'B' })],
    ['A', 'B', ''],
  );
});

test('claims: a string or a list, a path, a name with dots; the highest role counts', () => {
  const mapping = parseRoleMapping('admin=a operator=b,c viewer=d');
  assert.deepEqual(mapping, { admin: ['a'], operator: ['b', 'c'], viewer: ['d'] });
  assert.ok(mapping);
  for (const wrong of ['', 'admin', 'admin=', 'admin=,', 'king=a', '=a'])
    assert.equal(parseRoleMapping(wrong), null, wrong);
  assert.deepEqual(parseRoleMapping('admin=a,'), { admin: ['a'], operator: [], viewer: [] }, 'empty values');
  const of = (claims: unknown, path = 'roles') => roleOfClaims(claims, path, mapping);
  assert.equal(of({ roles: ['d', 'a', 'c'] }), 'admin');
  assert.equal(of({ roles: 'c' }), 'operator');
  assert.equal(of({ realm_access: { roles: ['d'] } }, 'realm_access.roles'), 'viewer');
  assert.equal(of({ 'https://x.example/roles': ['b'] }, 'https://x.example/roles'), 'operator');
  for (const claims of [
    {},
    null,
    'a',
    { roles: null },
    { roles: 7 },
    { roles: {} },
    { roles: ['A'] },
    { roles: [['a']] },
  ])
    assert.equal(of(claims), null, JSON.stringify(claims));
  assert.deepEqual(claimValues({}, 'constructor.name'), []);
});

test('an invalid configuration is refused with all its faults at once', () => {
  const faults = (env: Record<string, string>): string => {
    try {
      readConfig(env, '/');
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.join('\n');
    }
    return '';
  };
  const text = faults({ SLUICE_OIDC_ISSUER: 'http://login.example.com', SLUICE_OIDC_ROLES: 'king=a' });
  for (const name of [
    'ISSUER must be an https',
    'CLIENT_ID must be set',
    'CLIENT_SECRET must be set',
    'ROLES must map',
    'PUBLIC_URL must be set',
  ])
    assert.ok(text.includes(name), `${name}: ${text}`);
  assert.equal(faults({}), '');
});

const running = browserAddress();
const missing = running === null ? (process.env['TEST_NO_BROWSER'] ?? 'run it with npm test') : null;
const skip = LONG_ONLY.skip || (missing !== null && process.env['CI'] !== 'true' ? missing : false);

test(
  'in a browser: the sign-in at the provider returns to the console, with the mapped role or with a message why it was refused',
  { skip },
  async (t) => {
    whoever = null;
    people.set('minji', person(['warehouse']));
    people.set('guest', person(['other']));
    const browser = await connectBrowser(running ?? assert.fail(missing ?? ''));
    t.after(() => browser.close());
    const enter = async (login: string, locale = 'en-US') => {
      const page = await (await browser.newContext({ locale })).newPage();
      await page.goto(`${PUBLIC}/console/orders`);
      await page.getByRole('link', { name: 'Example Ltd' }).click();
      await page.getByLabel('Login').fill(login);
      assert.equal(new URL(page.url()).origin, issuer);
      await page.getByRole('button', { name: 'Continue' }).click();
      return page;
    };
    const page = await enter('minji');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByText(`${people.get('minji')?.email} · Operator`).waitFor();
    // The session continues after a new page load.
    await page.goto(`${PUBLIC}/console/couriers`);
    await page.getByRole('heading', { level: 1, name: 'Couriers' }).waitFor();

    const refused = await enter('guest');
    await refused.getByRole('alert').getByText('Your account at the provider has no role here.').waitFor();
    await refused.goto(`${PUBLIC}/console/couriers`);
    await refused.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const inKorean = await enter('guest', 'ko-KR');
    await inKorean.getByText('로그인 제공자의 계정에 이 서비스의 역할이 없습니다.').waitFor();
  },
);
