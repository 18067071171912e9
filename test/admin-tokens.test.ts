// Admin tokens through the API: created, shown once, revoked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pinToken } from '../src/platform/accounts/tokens-store.ts';
import { desk, fieldsRefused, refusal, statusesOf } from './kit/desk.ts';
import { must, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { signedIn } from './kit/visitor.ts';

const service = await startTestService();
const other = await startTestService({ database: service.database });
const { admin, audits, pages } = desk(service);
const { pool } = service.service.services;

test('a created token works with its role, is shown once and stored as a hash', async () => {
  const name = unique('ci');
  const made = await must(admin('POST', '/tokens', { name, role: 'operator' }), 201);
  assert.match(made.token, /^sluice_admin_[\w-]{43}$/);
  assert.deepEqual(
    [made.name, made.role, made.revoked_at, made.last_used_at],
    [name, 'operator', null, null],
  );
  await must(admin('PUT', '/common-codes/T/x', { name: 'n' }, made.token), 200);
  await refusal(admin('GET', '/users', undefined, made.token), 403);
  const listed = (await pages('/tokens', 500)).find(({ id }) => id === made.id);
  const { token, ...rest } = made;
  assert.match(listed.last_used_at, /\+09:00$/);
  assert.deepEqual({ ...listed, last_used_at: null }, rest);
  const stored = JSON.stringify(
    (await pool.query('select t::text, (select json_agg(x) from audit x) from admin_token t')).rows,
  );
  assert.ok(!stored.includes(token));
  const [entry] = await audits(`token:${name}`);
  assert.deepEqual(
    [entry?.action, entry?.after, entry?.actor],
    ['token.create', { role: 'operator' }, 'environment'],
  );
});

test('a revoked token is refused immediately in every process; its name can be used again', async () => {
  const name = unique('ci');
  const { id, token } = await must(admin('POST', '/tokens', { name, role: 'viewer' }), 201);
  await must(other.admin('GET', '/channels', undefined, token), 200);
  const twice = await admin('POST', '/tokens', { name, role: 'viewer' });
  assert.deepEqual([twice.status, twice.json.code], [409, 'name_taken']);
  assert.equal((await admin('DELETE', `/tokens/${id}`)).status, 204);
  for (const where of [service, other]) await refusal(where.admin('GET', '/channels', undefined, token), 401);
  await refusal(admin('DELETE', `/tokens/${id}`), 404);
  assert.match((await pages('/tokens', 500)).find((one) => one.id === id).revoked_at, /^\d{4}-/);
  await must(admin('POST', '/tokens', { name, role: 'viewer' }), 201);
  const actions = (await audits(`token:${name}`)).map(({ action }) => action);
  assert.deepEqual(actions, ['token.create', 'token.revoke', 'token.create']);
});

test('a token can have an expiry time, and shows who created it', async () => {
  const { user, visitor } = await signedIn(service, 'admin');
  const make = (body: object) =>
    visitor.call('POST', '/tokens', { name: unique('t'), role: 'viewer', ...body });
  const made = await must(make({ expires_in_days: 30 }), 201);
  assert.equal(made.created_by, `user:${user.email}`);
  const days = (Date.parse(made.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, made.expires_at);
  const [entry] = await audits(`token:${made.name}`);
  assert.match(JSON.stringify(entry?.after), /^\{"role":"viewer","expires_at":"20/);
  await must(admin('GET', '/channels', undefined, made.token), 200);
  assert.equal(await pinToken(pool, made.id), 'viewer');
  await pool.query(`update admin_token set expires_at = now() - interval '1 second' where id = $1`, [
    made.id,
  ]);
  assert.equal(await pinToken(pool, made.id), undefined, 'an expired token commits no transaction');
  for (const where of [service, other])
    await refusal(where.admin('GET', '/channels', undefined, made.token), 401);

  const at = new Date(Date.now() + 3_600_000).toISOString();
  const timed = await must(make({ expires_at: at }), 201);
  assert.equal(Date.parse(timed.expires_at) / 1000, Math.floor(Date.parse(at) / 1000));
  const lasting = await must(make({ expires_at: null, expires_in_days: null }), 201);
  assert.deepEqual([lasting.expires_at, lasting.created_by], [null, `user:${user.email}`]);
  for (const [body, field] of [
    [{ expires_in_days: 0 }, 'expires_in_days'],
    [{ expires_in_days: 3_651 }, 'expires_in_days'],
    [{ expires_in_days: 1.5 }, 'expires_in_days'],
    [{ expires_in_days: 5, expires_at: at }, 'expires_in_days'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '2990-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
  ] as const)
    assert.deepEqual(await fieldsRefused(make(body)), [field], JSON.stringify(body));
});

test('concurrent requests for tokens with the same name: one is created', async () => {
  const body = { name: unique('race'), role: 'viewer' };
  const answers = await Promise.all(Array.from({ length: 4 }, () => admin('POST', '/tokens', body)));
  assert.deepEqual(statusesOf(answers), [201, 409, 409, 409]);
});

test('an invalid name or role is a validation error; an invalid or unknown id is not found', async () => {
  assert.deepEqual(await fieldsRefused(admin('POST', '/tokens', {})), ['name', 'role']);
  assert.deepEqual(await fieldsRefused(admin('POST', '/tokens', { name: 'a\0', role: 'Admin' })), [
    'name',
    'role',
  ]);
  assert.deepEqual(await fieldsRefused(admin('POST', '/tokens', { name: ' ', role: 'viewer' })), ['name']);
  for (const id of ['0', '999999', '99999999999', 'x']) await refusal(admin('DELETE', `/tokens/${id}`), 404);
});

test('the list is complete in pages', async () => {
  assert.deepEqual(await pages('/tokens', 2), await pages('/tokens', 500));
});

test('a cursor beyond all ids returns an empty page, not a database error', async () => {
  for (const key of [2 ** 31, Number.MAX_SAFE_INTEGER]) {
    const cursor = Buffer.from(String(key)).toString('base64url');
    for (const list of ['tokens', 'users', 'channels'])
      assert.deepEqual(await must(admin('GET', `/${list}?cursor=${cursor}`), 200), [], list);
  }
});
