// Console sign-in: sessions, expiry, CSRF, throttling; tokens are unaffected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey } from '../src/platform/secrets/keys.ts';
import { hashPassword, HashingBusy, verifyPassword } from '../src/platform/passwords/passwords.ts';
import { sweepSessions } from '../src/platform/accounts/sessions-store.ts';
import { trimSignInFailures } from '../src/platform/accounts/sign-in-failures-store.ts';
import { sluice } from './cli-run.ts';
import { CHEAP_HASH, makeAccount } from './kit/accounts.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { must, unique } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, call, startTestService, TEST_SECRET, type HttpAnswer } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { openTransaction } from './kit/adverse.ts';
import { makeUser, PASSWORD, signedIn, Visitor } from './kit/visitor.ts';

// Behind a proxy, so that each test can use its own client address.
const service = await startTestService({ env: { SLUICE_PUBLIC_URL: 'http://sluice.example.com' } });
const other = await startTestService({ database: service.database });
const { pool } = service.service.services;
const { audits, token } = desk(service);

let address = 0;
const fromElsewhere = (): Record<string, string> => ({ 'x-forwarded-for': `10.9.${++address % 250}.1` });

const session = (visitor: Visitor) => visitor.call('GET', '/session');
const idOf = (visitor: Visitor): string => visitor.cookie?.split('=')[1] ?? '';
/** Moves the times of a session into the past. */
const age = (visitor: Visitor, column: 'created_at' | 'last_seen_at', interval: string) =>
  pool.query(`update account_session set ${column} = ${column} - interval '${interval}' where id_hash = $1`, [
    hashKey(idOf(visitor)),
  ]);
const sessionsOf = async (id: number): Promise<number> =>
  (await pool.query('select 1 from account_session where account_id = $1', [id])).rowCount ?? 0;

test('signing in returns the user, sets an HttpOnly cookie and writes an audit entry; the database stores only a hash', async () => {
  const user = await makeUser(service, 'operator', { name: 'Kim Minji' });
  const visitor = new Visitor(service.origin);
  const answer = await visitor.signIn(`  ${user.email.toUpperCase()} `, user.password);
  assert.equal(answer.status, 200, answer.text);
  const [cookie = '', device = ''] = answer.headers.getSetCookie();
  assert.match(cookie, /^sluice_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.match(
    device,
    /^sluice_device_\d+=[\w-]{22}\.\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
  );
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  const { data } = answer.json;
  assert.deepEqual(data.user, { id: user.id, email: user.email, name: 'Kim Minji', role: 'operator' });
  assert.deepEqual(
    [data.role, data.name, data.must_change_password, data.timezone],
    ['operator', 'Kim Minji', true, 'Asia/Seoul'],
  );
  assert.match(data.version, /^\d+\.\d+\.\d+$/);
  const hours = (Date.parse(data.expires_at) - Date.now()) / 3_600_000;
  assert.ok(hours > 11.9 && hours <= 12, data.expires_at);
  assert.deepEqual((await session(visitor)).json, answer.json);
  const [entry] = (await audits(`user:${user.email}`)).slice(-1);
  assert.deepEqual([entry?.action, entry?.actor], ['session.sign_in', `user:${user.email}`]);
  const stored = JSON.stringify((await pool.query('select s::text from account_session s')).rows);
  assert.ok(!stored.includes(idOf(visitor)) && stored.includes(hashKey(idOf(visitor)).toString('hex')));
});

test('a wrong password, an unknown e-mail and an inactive account get the same response', async () => {
  const { user } = await signedIn(service, 'viewer');
  const ask = (email: string, password: string) =>
    new Visitor(service.origin).signIn(email, password, fromElsewhere());
  const wrong = await ask(user.email, 'not the password');
  const unknown = await ask(`${unique('nobody')}@example.com`, 'not the password');
  await must(service.admin('PATCH', `/users/${user.id}`, { is_active: false }), 200);
  const inactive = await ask(user.email, PASSWORD);
  for (const answer of [wrong, unknown, inactive]) {
    assert.equal(answer.status, 401);
    assert.equal(answer.text, wrong.text);
    assert.equal(answer.headers.get('set-cookie'), null);
    const names = [...answer.headers.keys()].filter((name) => name !== 'x-request-id');
    assert.deepEqual(
      names,
      [...wrong.headers.keys()].filter((name) => name !== 'x-request-id'),
    );
  }
});

test('verifying a password for an unknown e-mail takes as long as for a known one', async () => {
  const stored = await hashPassword(PASSWORD);
  const times = async (hash: string | null): Promise<number> => {
    const started = process.cpuUsage();
    await verifyPassword('not the password', hash);
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  // CPU time of the whole process: other work may disturb one round, but not all five.
  const ratios: number[] = [];
  const isAlike = (ratio: number): boolean => ratio > 1 / 3 && ratio < 3;
  while (ratios.length < 5 && !ratios.some(isAlike)) ratios.push((await times(null)) / (await times(stored)));
  assert.ok(ratios.some(isAlike), `${ratios.join(', ')} (ratios of CPU time)`);
});

test('the response to a failed sign-in does not wait for the audit log, which has entries for some failures only', async () => {
  const user = await makeAccount(service, 'viewer');
  const holder = await openTransaction(service.database.adminUrl, 'lock table audit');
  let answer: HttpAnswer;
  try {
    answer = await new Visitor(service.origin).signIn(user.email, 'wrong wrong wrong', fromElsewhere());
  } finally {
    await holder.end();
  }
  assert.equal(answer.status, 401, answer.text);
  const isAudited = async () =>
    (await audits(`user:${user.email}`)).some(({ action }) => action === 'session.sign_in_failed');
  await until(isAudited, 'the failure is in the audit log');
});

test('invalid sign-in requests get a validation error, invalid cookies 401, never a 500', async () => {
  const post = (body: unknown) => call(`${service.origin}/admin/v1/session`, 'POST', body, fromElsewhere());
  assert.deepEqual(await fieldsRefused(post({})), ['email', 'password']);
  assert.deepEqual(await fieldsRefused(post({ email: 7, password: [] })), ['email', 'password']);
  assert.deepEqual(await fieldsRefused(post({ email: 'a\0', password: '\ud800' })), ['email', 'password']);
  assert.deepEqual(await fieldsRefused(post({ email: 'a@b', password: 'x'.repeat(1001) })), ['password']);
  assert.deepEqual(await fieldsRefused(post('{broken')), ['body']);
  for (const cookie of ['sluice_session=', 'sluice_session=x', `sluice_session=${'a'.repeat(43)}`, '=;;='])
    await refusal(call(`${service.origin}/admin/v1/session`, 'GET', undefined, { cookie }), 401);
});

test('session fixation: sign-in never adopts an existing session id, and ends the session with that id', async () => {
  const user = await makeAccount(service, 'viewer');
  const planted = new Visitor(service.origin);
  planted.cookie = `sluice_session=${'A'.repeat(43)}`;
  await planted.signIn(user.email, user.password);
  assert.notEqual(idOf(planted), 'A'.repeat(43));
  const again = new Visitor(service.origin);
  again.cookie = planted.cookie;
  assert.equal((await again.signIn(user.email, user.password)).status, 200);
  assert.notEqual(again.cookie, planted.cookie);
  assert.equal((await session(planted)).status, 401);
  assert.equal((await session(again)).status, 200);
});

test('CSRF: an unsafe request needs the token of its session and an allowed origin', async () => {
  const { visitor } = await signedIn(service, 'operator');
  const { visitor: stranger } = await signedIn(service, 'operator');
  const put = (headers: Record<string, string>) =>
    visitor.call('PUT', '/common-codes/CSRF/x', { name: 'n' }, headers);
  const refused: Record<string, string>[] = [
    { 'x-csrf-token': '' },
    { 'x-csrf-token': 'x' },
    { 'x-csrf-token': stranger.csrf ?? '' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1' },
    { origin: `${service.origin}.evil.example` },
    { 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of refused) {
    const answer = await put(headers);
    assert.equal(answer.status, 403, JSON.stringify(headers));
    assert.equal(answer.json.code, 'csrf');
  }
  assert.deepEqual((await visitor.call('GET', '/common-codes/CSRF')).json.data, []);
  for (const headers of [
    {},
    { origin: service.origin, 'sec-fetch-site': 'same-origin' },
    { origin: 'http://sluice.example.com' },
  ])
    assert.equal((await put(headers as Record<string, string>)).status, 200);
  assert.equal((await visitor.call('GET', '/channels', undefined, { 'x-csrf-token': '' })).status, 200);

  const { user } = await signedIn(service, 'viewer');
  const foreign = { origin: 'https://evil.example' };
  const answer = await new Visitor(service.origin).signIn(user.email, PASSWORD, foreign);
  assert.deepEqual([answer.status, answer.json.code], [403, 'csrf']);
});

test('a bearer token needs no CSRF token and takes precedence over a cookie', async () => {
  const { visitor } = await signedIn(service, 'viewer');
  const bearer = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-csrf-token': '' };
  const put = await visitor.call('PUT', '/common-codes/BEARER/x', { name: 'n' }, bearer);
  assert.equal(put.status, 200, put.text);
  const who = (await visitor.call('GET', '/session', undefined, bearer)).json.data;
  assert.deepEqual(
    [who.user, who.csrf_token, who.name, who.role, who.expires_at],
    [null, null, 'environment', 'admin', null],
  );
  const wrong = { authorization: 'Bearer wrong' };
  assert.equal((await visitor.call('GET', '/channels', undefined, wrong)).status, 401);
  // Basic credentials for a reverse proxy are ignored.
  const basic = { authorization: 'Basic eDp5' };
  assert.equal((await visitor.call('GET', '/channels', undefined, basic)).status, 200);
});

test('session and password routes refuse admin tokens', async () => {
  const viewer = await token('viewer');
  const change = { current_password: PASSWORD, new_password: PASSWORD };
  for (const [method, path] of [
    ['DELETE', '/session'],
    ['DELETE', '/sessions'],
    ['PUT', '/session/password'],
  ] as const)
    await refusal(service.admin(method, path, method === 'PUT' ? change : undefined, viewer), 403);
});

test('a session ends after 30 minutes without a request; each request restarts the timeout', async () => {
  const { visitor } = await signedIn(service, 'viewer');
  await age(visitor, 'last_seen_at', '29 minutes');
  assert.equal((await session(visitor)).status, 200);
  await age(visitor, 'last_seen_at', '29 minutes');
  assert.equal((await session(visitor)).status, 200, 'the previous request restarted the timeout');
  await age(visitor, 'last_seen_at', '31 minutes');
  assert.equal((await session(visitor)).status, 401);
});

test('last_seen_at is written at most once a minute', async () => {
  const { visitor } = await signedIn(service, 'viewer');
  const seen = async () =>
    (
      await pool.query('select last_seen_at, xmin from account_session where id_hash = $1', [
        hashKey(idOf(visitor)),
      ])
    ).rows[0];
  await age(visitor, 'last_seen_at', '50 seconds');
  const before = await seen();
  await session(visitor);
  assert.deepEqual(await seen(), before);
  await age(visitor, 'last_seen_at', '20 seconds');
  await session(visitor);
  assert.ok(Date.now() - (await seen()).last_seen_at.getTime() < 10_000);
});

test('a session ends 12 hours after sign-in even if it is in use; expired sessions are deleted', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  await age(visitor, 'created_at', '11 hours 59 minutes');
  assert.equal((await session(visitor)).status, 200);
  await sweepSessions(pool);
  assert.equal(await sessionsOf(user.id), 1);
  await age(visitor, 'created_at', '2 minutes');
  assert.equal((await session(visitor)).status, 401);
  await sweepSessions(pool);
  assert.equal(await sessionsOf(user.id), 0);
});

test('signing out ends the current session; signing out everywhere ends all sessions of the account', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const [second, third] = [new Visitor(service.origin), new Visitor(service.origin)];
  for (const one of [second, third]) assert.equal((await one.signIn(user.email, PASSWORD)).status, 200);
  const { cookie } = third;
  const out = await third.call('DELETE', '/session');
  assert.equal(out.status, 204);
  assert.match(out.headers.get('set-cookie') ?? '', /^sluice_session=; .*HttpOnly.*Max-Age=0$/);
  third.cookie = cookie;
  assert.equal((await session(third)).status, 401, 'the old cookie is refused');
  assert.equal((await session(second)).status, 200);

  assert.equal((await second.call('DELETE', '/sessions', undefined, { 'x-csrf-token': '' })).status, 403);
  const { cookie: kept } = second;
  assert.equal((await second.call('DELETE', '/sessions')).status, 204);
  second.cookie = kept;
  assert.equal((await session(second)).status, 401);
  assert.equal((await session(visitor)).status, 401);
  const [entry] = (await audits(`user:${user.email}`)).slice(-1);
  assert.equal(entry?.action, 'session.sign_out_everywhere');
});

test('while the password must be changed, only the session routes are allowed', async () => {
  const user = await makeUser(service, 'admin');
  const visitor = new Visitor(service.origin);
  await visitor.signIn(user.email, user.password);
  for (const [method, path, body] of [
    ['GET', '/channels'],
    ['GET', '/users'],
    ['POST', '/channels', { name: 'n' }],
  ] as const) {
    const answer = await visitor.call(method, path, body);
    assert.deepEqual([answer.status, answer.json.code], [403, 'password_change_required'], path);
  }
  assert.equal((await session(visitor)).json.data.must_change_password, true);
  const change = { current_password: user.password, new_password: PASSWORD };
  const changed = await visitor.call('PUT', '/session/password', change);
  assert.equal(changed.json.data.must_change_password, false);
  assert.equal((await visitor.call('GET', '/channels')).status, 200);
});

test('changing the password starts a new session, ends all others, and the old password is refused', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const second = new Visitor(service.origin);
  await second.signIn(user.email, PASSWORD);
  const { cookie, csrf } = visitor;
  const new_password = '새로운 비밀번호 twelve';
  const changed = await visitor.call('PUT', '/session/password', {
    current_password: PASSWORD,
    new_password,
  });
  assert.equal(changed.status, 200, changed.text);
  assert.notEqual(visitor.cookie, cookie);
  assert.notEqual(visitor.csrf, csrf);
  assert.equal((await session(visitor)).status, 200);
  assert.equal((await session(second)).status, 401);
  const old = new Visitor(service.origin);
  old.cookie = cookie;
  assert.equal((await session(old)).status, 401);
  assert.equal((await old.signIn(user.email, PASSWORD, fromElsewhere())).status, 401);
  // The same characters in another Unicode normalization.
  assert.equal((await old.signIn(user.email, new_password.normalize('NFD'))).status, 200);
  const entries = (await audits(`user:${user.email}`)).map(({ action }) => action);
  assert.ok(entries.includes('password.change'));
});

test('a new password has 12 to 200 characters, is not easy to guess or unchanged, and needs the current password', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const change = (new_password: unknown, current_password: unknown = PASSWORD) =>
    visitor.call('PUT', '/session/password', { current_password, new_password });
  for (const bad of [
    'x'.repeat(11),
    '🙂'.repeat(11),
    'x'.repeat(201),
    ` ${user.email.toUpperCase()}`,
    'passwordpassword',
    'PassWord-1234',
    '123456789012',
    `${user.email.split('@')[0]}2026!`,
    '🙂'.repeat(12),
    PASSWORD,
  ])
    assert.deepEqual(await fieldsRefused(change(bad)), ['new_password'], bad);
  assert.deepEqual(await fieldsRefused(change('\0'.repeat(20), 5)), ['current_password', 'new_password']);
  assert.deepEqual(await fieldsRefused(change('a perfectly good one', 'wrong')), ['current_password']);
  assert.equal((await session(visitor)).status, 200, 'a refused change keeps the session');
  assert.match((await change('passwordpassword')).text, /too easy to guess/);
  const [short, long] = [
    '🙂🙃😉😊😇🥰😍🤩😘😗☺😚',
    Array.from({ length: 200 }, (_, n) => (n * n * 7).toString(36).at(-1)).join(''),
  ];
  assert.equal((await change(short)).status, 200);
  assert.equal((await change(long, short)).status, 200);
});

/** Five wrong passwords lock the account for clients at this address. */
async function lockFor(email: string, from: Record<string, string>): Promise<void> {
  for (let count = 1; count <= 5; count++) {
    const answer = await new Visitor(service.origin).signIn(email, 'wrong wrong wrong', from);
    assert.equal(answer.status, 401, answer.text);
  }
}

test('repeated wrong passwords are throttled: 429 with Retry-After, also for the right password and for unknown e-mails', async () => {
  const user = await makeAccount(service, 'viewer');
  for (const email of [user.email, `${unique('nobody')}@example.com`]) {
    const from = fromElsewhere();
    await lockFor(email, from);
    for (const where of [service, other]) {
      const locked = await new Visitor(where.origin).signIn(email, PASSWORD, from);
      assert.equal(locked.status, 429, `in every process: ${locked.text}`);
      const seconds = Number(locked.headers.get('retry-after'));
      assert.ok(seconds > 0 && seconds <= 15, String(seconds));
      assert.match(locked.json.error, /^Too many attempts/);
    }
  }
});

test('failed sign-ins from one address do not lock out other addresses, known devices and open sessions', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const from = fromElsewhere();
  await lockFor(user.email, from);
  assert.equal((await new Visitor(service.origin).signIn(user.email, PASSWORD, from)).status, 429);
  assert.equal((await new Visitor(service.origin).signIn(user.email, PASSWORD, fromElsewhere())).status, 200);
  assert.equal((await session(visitor)).status, 200);
  assert.equal((await visitor.signIn(user.email, PASSWORD, from)).status, 200, 'a known device');
  const change = { current_password: PASSWORD, new_password: 'a perfectly good one' };
  assert.equal((await visitor.call('PUT', '/session/password', change)).status, 200);
});

test('failures from many addresses lock an account except on its known devices; the command line unlocks it', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  for (let round = 0; round < 10; round++) await lockFor(user.email, fromElsewhere());
  const enter = async () =>
    (await new Visitor(service.origin).signIn(user.email, PASSWORD, fromElsewhere())).status;
  assert.equal(await enter(), 429);
  assert.equal((await visitor.signIn(user.email, PASSWORD)).status, 200);
  assert.equal(await enter(), 429, 'a sign-in on a known device does not unlock the account');
  const env = { DATABASE_URL: service.database.url, SLUICE_SECRET: TEST_SECRET };
  const unlocked = await sluice(['user', 'unlock', user.email.toUpperCase()], { env });
  assert.equal(unlocked.code, 0, unlocked.stderr);
  assert.equal(await enter(), 200);
  assert.equal((await audits(`user:${user.email}`)).at(-2)?.action, 'user.unlock');
  const unknown = await sluice(['user', 'unlock', 'nobody@example.com'], { env });
  assert.deepEqual([unknown.code, /there is no account/.test(unknown.stderr)], [1, true]);
});

test('a known device has its own failure count, is valid for one account, and is unknown after a password change', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const { device } = visitor;
  const guess = async (password: string, from: Record<string, string>, cookie = device) => {
    const guesser = new Visitor(service.origin);
    guesser.device = cookie;
    return (await guesser.signIn(user.email, password, from)).status;
  };
  for (let count = 1; count <= 5; count++) assert.equal(await guess('wrong', fromElsewhere()), 401);
  assert.equal(await guess(PASSWORD, fromElsewhere()), 429);
  assert.equal(
    await guess(PASSWORD, fromElsewhere(), null),
    200,
    'failures on a known device do not lock other devices',
  );

  const from = fromElsewhere();
  await lockFor(user.email, from);
  const { visitor: someone } = await signedIn(service, 'viewer');
  const forged = [
    someone.device,
    (someone.device ?? '').replace(/_\d+=/, `_${user.id}=`),
    (device ?? '').replace(/\.\d+\./, '.99999999999.'),
    `sluice_device_${user.id}=..`,
    `sluice_device_${user.id}=x.1.y`,
  ];
  for (const cookie of forged) assert.equal(await guess(PASSWORD, from, cookie), 429, String(cookie));

  const change = { current_password: PASSWORD, new_password: 'a perfectly good one' };
  assert.equal((await visitor.call('PUT', '/session/password', change)).status, 200);
  assert.notEqual(visitor.device, device);
  assert.equal(await guess('a perfectly good one', from), 429, 'the old device cookie is not known');
  assert.equal(await guess('a perfectly good one', from, visitor.device), 200);
});

test('deactivating an account removes its known devices; after activation the password still works', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const from = fromElsewhere();
  await lockFor(user.email, from);
  const { device } = visitor;
  const change = (changes: object) => must(service.admin('PATCH', `/users/${user.id}`, changes), 200);
  await change({ name: 'Another name' });
  assert.equal(
    (await visitor.signIn(user.email, PASSWORD, from)).status,
    200,
    'renaming keeps the known device',
  );
  for (const is_active of [false, true, false, true]) await change({ is_active });
  for (const cookie of [device, visitor.device]) {
    const back = new Visitor(service.origin);
    back.device = cookie;
    assert.equal(
      (await back.signIn(user.email, PASSWORD, from)).status,
      429,
      'the device is no longer known',
    );
  }
  const again = new Visitor(service.origin);
  assert.equal((await again.signIn(user.email, PASSWORD, fromElsewhere())).status, 200);
  assert.equal((await again.signIn(user.email, PASSWORD, from)).status, 200, 'the new device is known');
});

test('resetting a password unlocks the account; old failures are deleted', async () => {
  const user = await makeAccount(service, 'viewer');
  const from = fromElsewhere();
  await lockFor(user.email, from);
  const { password } = await must(service.admin('POST', `/users/${user.id}/reset-password`), 200);
  assert.equal((await new Visitor(service.origin).signIn(user.email, password, from)).status, 200);
  await pool.query(`update sign_in_failure set at = at - interval '25 hours'`);
  await trimSignInFailures(pool);
  assert.deepEqual((await pool.query('select from sign_in_failure')).rowCount, 0);
});

test('the 1st, 5th, … failed sign-in is audited with account and address, but without the e-mail that was entered', async () => {
  const user = await makeAccount(service, 'viewer');
  const from = { 'x-forwarded-for': '203.0.113.77' };
  await lockFor(user.email, from);
  await new Visitor(service.origin).signIn(user.email, 'wrong', from);
  // Written after the response.
  const failures = async () =>
    (await audits(`user:${user.email}`)).filter(({ action }) => action === 'session.sign_in_failed');
  await until(async () => (await failures()).length === 2, 'two failures are audited');
  const found = await failures();
  assert.deepEqual(
    found.map(({ actor, after }) => [actor, after]),
    [
      ['address:203.0.113.77', { failures: 1 }],
      ['address:203.0.113.77', { failures: 5 }],
    ],
  );
  // A password entered in the e-mail field.
  const typed = unique('Hunter2-in-the-wrong-field');
  const elsewhere = { 'x-forwarded-for': '203.0.113.78' };
  for (let count = 0; count < 2; count++) await new Visitor(service.origin).signIn(typed, 'x', elsewhere);
  const unknowns = async () =>
    (await audits('unknown account')).filter(({ actor }) => actor === 'address:203.0.113.78');
  await until(async () => (await unknowns()).length > 0, 'a failure without an account is audited');
  const unknown = await unknowns();
  assert.deepEqual(
    unknown.map(({ after }) => after),
    [{ failures: 1 }],
  );
  const stored = await pool.query(
    'select to_json(a)::text as t from audit a union all select to_json(f)::text from sign_in_failure f',
  );
  assert.ok(!JSON.stringify(stored.rows).toLowerCase().includes('wrong-field'));
  const logged = service.log.filter(({ msg }) => msg === 'sign-in failed');
  assert.ok(logged.length > 0 && !JSON.stringify(logged).toLowerCase().includes('wrong-field'));
});

test('a successful sign-in resets the count of wrong passwords', async () => {
  const user = await makeAccount(service, 'viewer');
  const from = fromElsewhere();
  const enter = async (password: string) =>
    (await new Visitor(service.origin).signIn(user.email, password, from)).status;
  for (let round = 1; round <= 2; round++) {
    for (let slip = 1; slip <= 4; slip++) assert.equal(await enter('a slip of the finger'), 401);
    assert.equal(await enter(PASSWORD), 200);
  }
});

test('concurrent wrong passwords are counted too', async () => {
  const user = await makeUser(service, 'viewer');
  const from = fromElsewhere();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => new Visitor(service.origin).signIn(user.email, 'wrong wrong', from)),
  );
  assert.equal(answers.filter(({ status }) => status === 401).length, 5);
  assert.equal(answers.filter(({ status }) => status === 429).length, 7);
});

test('an address has at most 8 sign-ins in progress, so it cannot fill the queue of password hashing', async () => {
  const from = fromElsewhere();
  // Keeps accepted requests from finishing.
  const holder = await openTransaction(service.database.adminUrl, 'lock table sign_in_failure');
  const refused: HttpAnswer[] = [];
  const attempts = Array.from({ length: 12 }, async () => {
    const visitor = new Visitor(service.origin);
    const answer = await visitor.signIn(`${unique('n')}@example.com`, 'wrong wrong', from);
    if (answer.status === 429) refused.push(answer);
    return answer.status;
  });
  await until(() => refused.length === 4, 'four are refused while eight are in progress');
  await holder.end();
  assert.equal((await Promise.all(attempts)).filter((status) => status === 401).length, 8);
  assert.ok(refused.every(({ headers }) => headers.get('retry-after') === '1'));
});

test('an address that tries many e-mails is locked; other addresses are not', async () => {
  const from = { 'x-forwarded-for': '1.2.3.4, 203.0.113.9' };
  const { user } = await signedIn(service, 'viewer');
  for (let count = 0; count < 20; count++) {
    const isUnknown = count % 2 === 0;
    const email = isUnknown ? `${unique('n')}@example.com` : (await makeAccount(service, 'viewer')).email;
    assert.equal((await new Visitor(service.origin).signIn(email, 'wrong', from)).status, 401);
  }
  assert.equal((await new Visitor(service.origin).signIn(user.email, PASSWORD, from)).status, 429);
  // Entries that the client added to X-Forwarded-For are ignored.
  const spoofed = { 'x-forwarded-for': '5.6.7.8, 203.0.113.9' };
  assert.equal((await new Visitor(service.origin).signIn(user.email, PASSWORD, spoofed)).status, 429);
  assert.equal((await new Visitor(service.origin).signIn(user.email, PASSWORD, fromElsewhere())).status, 200);
});

test('password hashes over the queue limit are refused immediately', async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 40 }, () => verifyPassword('x', CHEAP_HASH)),
  );
  const refused = attempts.filter((one) => one.status === 'rejected');
  assert.equal(refused.length, 40 - 2 - 32);
  assert.ok(refused.every(({ reason }) => reason instanceof HashingBusy));
  assert.equal(await verifyPassword('x', null), false, 'the queue accepts hashes again');
});

test('two processes: a session of one is valid in the other, and ends in both', async () => {
  const { user, visitor } = await signedIn(service, 'operator');
  const there = new Visitor(other.origin);
  there.cookie = visitor.cookie;
  assert.deepEqual((await session(there)).json.data.user.email, user.email);
  assert.equal((await there.call('PUT', '/common-codes/TWO/x', { name: 'n' })).status, 200);
  assert.equal((await there.call('DELETE', '/session')).status, 204);
  assert.equal((await session(visitor)).status, 401);
});

test('sign-ins are counted, and neither audit log nor metrics contain secrets', async () => {
  const metrics = (await call(`${service.origin}/metrics`, 'GET')).text;
  for (const outcome of ['done', 'failed', 'throttled'])
    assert.match(metrics, new RegExp(`sluice_sign_ins_total\\{outcome="${outcome}"\\} [1-9]`));
  const user = await makeUser(service, 'viewer');
  const { visitor } = await signedIn(service, 'viewer');
  const audit = JSON.stringify((await pool.query('select a::text from audit a')).rows);
  for (const secret of [user.password, PASSWORD, idOf(visitor), visitor.csrf ?? ''])
    assert.ok(secret.length > 10 && !audit.includes(secret) && !metrics.includes(secret));
});

test('the list of sessions: users see their own, administrators all, with device, address and last use', async () => {
  const user = await makeAccount(service, 'operator');
  const laptop = new Visitor(service.origin);
  const phone = new Visitor(service.origin);
  const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh)', 'x-forwarded-for': '203.0.113.7' };
  assert.equal((await laptop.signIn(user.email, PASSWORD, browser)).status, 200);
  const mobile = { 'user-agent': 'x'.repeat(1_000), 'x-forwarded-for': '2001:db8::7' };
  assert.equal((await phone.signIn(user.email, PASSWORD, mobile)).status, 200);
  const list = async (visitor: Visitor) => must(visitor.call('GET', '/sessions'), 200) as Promise<any[]>;

  const [first, second, ...rest] = await list(laptop);
  assert.deepEqual(rest, []);
  assert.deepEqual(Object.keys(first), [
    'id',
    'user',
    'address',
    'user_agent',
    'created_at',
    'last_seen_at',
    'expires_at',
    'is_current',
  ]);
  assert.deepEqual(first.user, { id: user.id, email: user.email, name: null });
  assert.deepEqual(
    [first.address, first.user_agent, first.is_current],
    ['203.0.113.7', 'Mozilla/5.0 (Macintosh)', true],
  );
  assert.deepEqual(
    [second.address, second.user_agent.length, second.is_current],
    ['2001:db8::7', 300, false],
  );
  assert.deepEqual(
    (await list(phone)).map(({ is_current }) => is_current),
    [false, true],
  );
  assert.equal(
    JSON.stringify([first, second]).includes(idOf(laptop)),
    false,
    'the id is not the secret of the cookie',
  );

  // The address of the last use is updated at most once a minute.
  await age(laptop, 'last_seen_at', '2 minutes');
  await laptop.call('GET', '/session', undefined, { 'x-forwarded-for': '198.51.100.9' });
  assert.equal((await list(laptop))[0]?.address, '198.51.100.9');

  const stranger = await signedIn(service, 'viewer');
  assert.deepEqual(
    (await list(stranger.visitor)).map((one) => one.user.id),
    [stranger.user.id],
  );
  for (const method of ['GET', 'DELETE'])
    assert.equal(
      (await refusal(stranger.visitor.call(method, `/sessions/${first.id}`), 404)).code,
      'session_unknown',
    );
  assert.equal((await must(laptop.call('GET', `/sessions/${second.id}`), 200)).id, second.id);
  const asAdmin = await desk(service).pages('/sessions', 2);
  assert.ok([first.id, second.id].every((id) => asAdmin.some((one) => one.id === id)));
  const viewer = await token('viewer');
  assert.deepEqual((await service.admin('GET', '/sessions', undefined, viewer)).json.data, []);
});

test('revoking a session ends only that one, immediately; expired and unknown sessions are 404', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const phone = new Visitor(service.origin);
  await phone.signIn(user.email, PASSWORD);
  const ids = async () => ((await must(visitor.call('GET', '/sessions'), 200)) as any[]).map(({ id }) => id);
  const [own, elsewhere] = await ids();
  assert.equal((await visitor.call('DELETE', `/sessions/${elsewhere}`)).status, 204);
  assert.equal((await session(phone)).status, 401);
  assert.deepEqual(await ids(), [own]);
  await refusal(visitor.call('DELETE', `/sessions/${elsewhere}`), 404);
  for (const id of ['0', 'x', '-1', '99999999999999999999'])
    await refusal(visitor.call('DELETE', `/sessions/${id}`), 404);
  const [entry] = (await audits(`user:${user.email}`)).slice(-1);
  assert.partialDeepStrictEqual(entry, {
    action: 'session.revoke',
    actor: `user:${user.email}`,
    before: { session_id: elsewhere },
  });

  // An administrator can end any session; ending the current session clears the cookie.
  await phone.signIn(user.email, PASSWORD);
  const listed = (await must(phone.call('GET', '/sessions'), 200)) as any[];
  const current = listed.find((one) => one.is_current);
  assert.equal((await service.admin('DELETE', `/sessions/${current.id}`)).status, 204);
  assert.equal((await session(phone)).status, 401);
  await phone.signIn(user.email, PASSWORD);
  const last = ((await must(phone.call('GET', '/sessions'), 200)) as any[]).find((one) => one.is_current);
  const ended = await phone.call('DELETE', `/sessions/${last.id}`);
  assert.match(ended.headers.get('set-cookie') ?? '', /^sluice_session=; .*Max-Age=0/);

  await age(visitor, 'last_seen_at', '31 minutes');
  await refusal(service.admin('GET', `/sessions/${own}`), 404);
  await refusal(service.admin('DELETE', `/sessions/${own}`), 404);
});
