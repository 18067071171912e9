// Two-step sign-in: set-up, one-time codes, recovery codes, throttling, requiring and resetting the second factor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { newRecoveryCodes, totpStep } from '../src/platform/accounts/one-time-codes.ts';
import { sluice } from './cli-run.ts';
import { makeAccount } from './kit/accounts.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { must } from '../verify/kit/fixtures.ts';
import { call, startTestService, TEST_SECRET } from '../verify/kit/service.ts';
import { PASSWORD, signedIn } from './kit/visitor.ts';

const service = await startTestService({ env: { SLUICE_PUBLIC_URL: 'http://sluice.example.com' } });
const { pool } = service.service.services;
const { audits, token } = desk(service);
await makeAccount(service, 'admin');

let address = 0;
const elsewhere = (): Record<string, string> => ({ 'x-forwarded-for': `10.8.${++address % 250}.1` });

/** Generates the codes of an authenticator app: a new one every 30 seconds. `steps` is relative to now. */
function app(secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 });
  return (steps = 0): string => totp.generate({ timestamp: Date.now() + steps * 30_000 });
}
const enter = (email: string, code?: string, headers = elsewhere()) =>
  call(
    `${service.origin}/admin/v1/session`,
    'POST',
    { email, password: PASSWORD, ...(code === undefined ? {} : { code }) },
    headers,
  );
/** Allows the code of the current step again, so that tests do not wait for 30 seconds. */
const forget = (id: number) =>
  pool.query('update second_factor set last_step = 0 where account_id = $1', [id]);

async function withFactor(role: 'viewer' | 'operator' | 'admin' = 'viewer') {
  const { user, visitor } = await signedIn(service, role);
  const begun = await must(
    visitor.call('POST', '/session/second-factor', { current_password: PASSWORD }),
    201,
  );
  const code = app(begun.secret);
  const confirmed = code();
  const { recovery_codes } = await must(
    visitor.call('PUT', '/session/second-factor', { code: confirmed }),
    200,
  );
  return {
    confirmed,
    user,
    visitor,
    code,
    secret: begun.secret as string,
    recovery: recovery_codes as string[],
    uri: begun.uri,
  };
}

test('set-up: the password gives a secret and its otpauth URI, a code confirms it; then sign-in requires a code', async () => {
  const { user, visitor } = await signedIn(service, 'operator');
  const path = '/session/second-factor';
  const state = { is_active: false, is_required: false, recovery_codes_left: 0 };
  assert.deepEqual(await must(visitor.call('GET', path), 200), state);
  assert.deepEqual(await fieldsRefused(visitor.call('POST', path, { current_password: 'wrong' })), [
    'current_password',
  ]);
  const { secret, uri } = await must(visitor.call('POST', path, { current_password: PASSWORD }), 201);
  assert.match(secret, /^[A-Z2-7]{32}$/);
  const address_ = new URL(uri);
  assert.deepEqual(
    [address_.protocol, address_.searchParams.get('secret'), address_.searchParams.get('issuer')],
    ['otpauth:', secret, 'Sluice'],
  );
  assert.ok(decodeURIComponent(address_.pathname).includes(user.email));
  assert.equal((await enter(user.email)).status, 200, 'before confirmation the password is sufficient');
  assert.deepEqual(await fieldsRefused(visitor.call('PUT', path, { code: '000000' })), ['code']);
  const { recovery_codes } = await must(visitor.call('PUT', path, { code: app(secret)() }), 200);
  assert.equal(new Set(recovery_codes).size, 10);
  for (const code of recovery_codes) assert.match(code, /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  assert.deepEqual(await must(visitor.call('GET', path), 200), {
    is_active: true,
    is_required: false,
    recovery_codes_left: 10,
  });
  assert.equal((await visitor.call('GET', '/session')).json.data.has_second_factor, true);
  assert.equal(
    (await refusal(visitor.call('POST', path, { current_password: PASSWORD }), 409)).code,
    'second_factor_in_use',
  );

  assert.equal((await refusal(enter(user.email), 401)).code, 'second_factor_required');
  assert.equal((await refusal(enter(user.email, ''), 401)).code, 'second_factor_required');
  const actions = (await audits(`user:${user.email}`)).map(({ action }) => action);
  assert.ok(actions.includes('second_factor.begin') && actions.includes('second_factor.confirm'));

  // Database and audit log contain neither the secret nor the recovery codes in plain text.
  const stored = JSON.stringify([
    (await pool.query('select f::text from second_factor f')).rows,
    (await pool.query('select c::text from recovery_code c')).rows,
    await audits(`user:${user.email}`),
  ]);
  for (const hidden of [
    secret,
    ...recovery_codes,
    ...recovery_codes.map((code: string) => code.replaceAll('-', '')),
  ])
    assert.ok(!stored.includes(hidden) && !stored.includes(Buffer.from(hidden).toString('hex')));
});

test('a code is accepted once, at most one step off the current time, and only with the right password', async () => {
  const { user, code, confirmed } = await withFactor();
  await refusal(enter(user.email, confirmed), 401);
  await forget(user.id);
  const used = code();
  assert.equal((await enter(user.email, used)).status, 200);
  assert.equal((await refusal(enter(user.email, used), 401)).code, 'sign_in_failed');
  // The previous step is older than the used one.
  await refusal(enter(user.email, code(-1)), 401);
  assert.equal(
    (await enter(user.email, code(1))).status,
    200,
    'the code of the next step, from a phone whose clock is ahead',
  );
  await forget(user.id);
  for (const wrong of [code(-4), code(4), '12345', '1234567', 'abcdef', '٠١٢٣٤٥'])
    await refusal(enter(user.email, wrong), 401);
  const unknown = { email: user.email, password: 'not the password', code: code() };
  assert.equal(
    (await refusal(call(`${service.origin}/admin/v1/session`, 'POST', unknown, elsewhere()), 401)).code,
    'sign_in_failed',
  );
  const last = code();
  assert.equal((await enter(user.email, ` ${last.slice(0, 3)} ${last.slice(3)}`)).status, 200);
});

test('concurrent sign-ins with one code: only one succeeds', async () => {
  const { user, code } = await withFactor();
  await forget(user.id);
  const used = code();
  const answers = await Promise.all(Array.from({ length: 8 }, () => enter(user.email, used)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

/** Runs `second` while it waits for the account behind the confirmation of the second factor. */
async function behindConfirmation<T>(
  second: (user: { id: number; email: string }) => Promise<T>,
): Promise<T> {
  const { user, visitor } = await signedIn(service, 'viewer');
  const { secret } = await must(
    visitor.call('POST', '/session/second-factor', { current_password: PASSWORD }),
    201,
  );
  const { url, ownerUrl } = service.database;
  const held = await openTransaction(ownerUrl, `select from account where id = ${user.id} for update`);
  const confirmed = visitor.call('PUT', '/session/second-factor', { code: app(secret)() });
  await untilWaiting(url, 1);
  const answer = second(user);
  await untilWaiting(url, 2);
  await held.end();
  assert.equal((await confirmed).status, 200);
  return answer;
}

test('a sign-in without a code that waits for the confirmation of the second factor is refused', async () => {
  const answer = await behindConfirmation(({ email }) => enter(email));
  assert.equal(answer.status, 401, answer.text);
});

test('a password reset that waits for the confirmation of the second factor shows that it is in use', async () => {
  const account = await must(
    behindConfirmation(({ id }) => service.admin('POST', `/users/${id}/reset-password`)),
    200,
  );
  assert.equal(account.has_second_factor, true);
});

test('a removed second factor takes its recovery codes with it', async () => {
  for (const remove of ['owner', 'administrator']) {
    const { user, visitor, recovery } = await withFactor();
    const left = async () =>
      (await pool.query('select from recovery_code where account_id = $1', [user.id])).rowCount;
    assert.equal(await left(), recovery.length);
    if (remove === 'owner')
      await must(visitor.call('POST', '/session/second-factor/remove', { current_password: PASSWORD }), 204);
    else await must(service.admin('POST', `/users/${user.id}/reset-second-factor`), 200);
    assert.equal(await left(), 0, remove);
  }
});

test('recovery codes: each is accepted once, in lower case and without hyphens too; new codes replace the old ones', async () => {
  const { user, visitor, recovery } = await withFactor();
  const [first = '', second = '', third = ''] = recovery;
  assert.equal((await enter(user.email, first)).status, 200);
  await refusal(enter(user.email, first), 401);
  assert.equal((await enter(user.email, second.toLowerCase().replaceAll('-', ' '))).status, 200);
  const path = '/session/second-factor';
  assert.equal((await must(visitor.call('GET', path), 200)).recovery_codes_left, 8);
  const [entry] = (await audits(`user:${user.email}`)).slice(-1);
  assert.deepEqual([entry?.action, entry?.after], ['session.sign_in', { second_factor: 'recovery' }]);
  const renewed = await must(
    visitor.call('POST', `${path}/recovery-codes`, { current_password: PASSWORD }),
    201,
  );
  await refusal(enter(user.email, third), 401);
  assert.equal((await enter(user.email, renewed.recovery_codes[0])).status, 200);
  // A recovery code of another account is refused.
  const other = await withFactor();
  await refusal(enter(other.user.email, renewed.recovery_codes[1]), 401);
});

test('wrong codes are throttled like wrong passwords, and a sign-in without a code does not reset the count', async () => {
  const { user, code } = await withFactor();
  await forget(user.id);
  const from = elsewhere();
  for (let guess = 0; guess < 5; guess++) {
    assert.equal((await enter(user.email, '000000', from)).status, 401);
    if (guess < 4)
      assert.equal((await enter(user.email, undefined, from)).json.code, 'second_factor_required');
  }
  const locked = await enter(user.email, code(), from);
  assert.deepEqual([locked.status, locked.json.code], [429, 'too_many_attempts']);
  assert.equal((await enter(user.email, code())).status, 200, 'other addresses are not locked');
});

test('the owner can turn the second factor off with the password unless it is required; an administrator can reset it', async () => {
  const { user, visitor } = await withFactor();
  const path = '/session/second-factor/remove';
  await must(service.admin('PATCH', `/users/${user.id}`, { second_factor_required: true }), 200);
  const ask = () => visitor.call('POST', path, { current_password: PASSWORD });
  assert.equal((await refusal(ask(), 409)).code, 'second_factor_is_required');
  await must(service.admin('PATCH', `/users/${user.id}`, { second_factor_required: false }), 200);
  assert.deepEqual(await fieldsRefused(visitor.call('POST', path, { current_password: 'x' })), [
    'current_password',
  ]);
  assert.equal((await ask()).status, 204);
  assert.equal((await refusal(ask(), 409)).code, 'second_factor_unused');
  assert.equal((await enter(user.email)).status, 200);

  const lost = await withFactor();
  const reset = `/users/${lost.user.id}/reset-second-factor`;
  await refusal(service.admin('POST', reset, undefined, await token('operator')), 403);
  assert.equal((await must(service.admin('POST', reset), 200)).has_second_factor, false);
  assert.equal(
    (await lost.visitor.call('GET', '/session')).status,
    401,
    'a reset ends the sessions of the account',
  );
  assert.equal((await enter(lost.user.email)).status, 200);
  assert.equal((await refusal(service.admin('POST', reset), 409)).code, 'second_factor_unused');
  assert.equal(
    (await refusal(service.admin('POST', '/users/999999/reset-second-factor'), 404)).code,
    'user_unknown',
  );
  assert.ok((await audits(`user:${lost.user.email}`)).some(({ action }) => action === 'second_factor.reset'));
});

test('the command line can reset the second factor', async () => {
  const { user } = await withFactor();
  const env = { DATABASE_URL: service.database.url, SLUICE_SECRET: TEST_SECRET };
  const done = await sluice(['user', 'reset-second-factor', user.email], { env });
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /password alone/);
  assert.equal((await enter(user.email)).status, 200);
  assert.notEqual((await sluice(['user', 'reset-second-factor', user.email], { env })).code, 0);
});

test('second factor required for a role or an account: only the set-up is allowed until it is done, also in open sessions', async () => {
  const { user, visitor } = await signedIn(service, 'operator');
  const viewer = await signedIn(service, 'viewer');
  const rule = (roles: string[]) => must(service.admin('PUT', '/second-factor-rule', { roles }), 200);
  assert.deepEqual(await must(service.admin('GET', '/second-factor-rule'), 200), { roles: [] });
  await rule(['operator']);
  assert.equal((await refusal(visitor.call('GET', '/channels'), 403)).code, 'second_factor_setup_required');
  assert.equal((await viewer.visitor.call('GET', '/channels')).status, 200);
  assert.equal((await visitor.call('GET', '/session')).json.data.must_set_up_second_factor, true);
  const begun = await must(
    visitor.call('POST', '/session/second-factor', { current_password: PASSWORD }),
    201,
  );
  await refusal(visitor.call('GET', '/channels'), 403);
  await must(visitor.call('PUT', '/session/second-factor', { code: app(begun.secret)() }), 200);
  assert.equal((await visitor.call('GET', '/channels')).status, 200);
  await rule([]);
  await must(service.admin('PATCH', `/users/${viewer.user.id}`, { second_factor_required: true }), 200);
  assert.equal(
    (await refusal(viewer.visitor.call('GET', '/channels'), 403)).code,
    'second_factor_setup_required',
  );
  // Admin tokens have no second factor, because programs use them.
  assert.equal((await service.admin('GET', '/channels', undefined, await token('operator'))).status, 200);
  const listed = (await must(service.admin('GET', '/users?limit=500'), 200)) as any[];
  assert.equal(listed.find(({ id }) => id === user.id).has_second_factor, true);
  await refusal(service.admin('PUT', '/second-factor-rule', { roles: ['king'] }), 422);
  // Concurrent changes of the rule succeed one after the other.
  await Promise.all(Array.from({ length: 16 }, () => rule(['viewer', 'operator'])));
  await rule([]);
});

test('a code of another time and an empty code are refused, and recovery codes are random', () => {
  const secret = new Secret({ size: 20 }).base32;
  const at = 1_800_000_015_000;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
  assert.equal(totpStep(secret, code, at), Math.floor(at / 30_000));
  assert.equal(totpStep(secret, code, at + 30_000), Math.floor(at / 30_000));
  assert.equal(totpStep(secret, code, at + 90_000), null);
  assert.equal(totpStep(secret, '', at), null);
  assert.equal(new Set(Array.from({ length: 20 }, newRecoveryCodes).flat()).size, 200);
});
