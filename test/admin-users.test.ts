// Accounts: permissions, one-time passwords, and the last administrator, who cannot be removed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { desk, fieldsRefused, refusal, statusesOf } from './kit/desk.ts';
import { must, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { makeUser, PASSWORD, signedIn, Visitor } from './kit/visitor.ts';

const service = await startTestService();
const { admin, audits, pages, token } = desk(service);
const { pool } = service.service.services;

const patch = (id: number | string, body: unknown) => admin('PATCH', `/users/${id}`, body);
const session = (visitor: Visitor) => visitor.call('GET', '/session');

test('an account is created with a one-time password that is shown once and not stored in plain text', async () => {
  const email = `${unique('Minji.KIM')}@Example.com`;
  const made = await must(
    admin('POST', '/users', { email: ` ${email} `, name: ' Kim ', role: 'viewer' }),
    201,
  );
  assert.match(made.password, /^([a-hj-km-np-z2-9]{5}-){3}[a-hj-km-np-z2-9]{5}$/);
  assert.deepEqual(
    [made.email, made.name, made.role, made.is_active, made.must_change_password, made.last_sign_in_at],
    [email.toLowerCase(), 'Kim', 'viewer', true, true, null],
  );
  const listed = (await pages('/users', 500)).find(({ id }) => id === made.id);
  const { password, ...rest } = made;
  assert.deepEqual(listed, rest);
  const visitor = new Visitor(service.origin);
  assert.equal((await visitor.signIn(email, password)).status, 200);
  const signedInAt = (await pages('/users', 500)).find(({ id }) => id === made.id).last_sign_in_at;
  assert.match(signedInAt, /^\d{4}-.*\+09:00$/);
  const stored = JSON.stringify(
    (await pool.query('select a::text, (select json_agg(x) from audit x) from account a')).rows,
  );
  assert.ok(!stored.includes(password));
  assert.match(stored, /scrypt\$10\$8\$1\$/, 'hashed with the configured cost');
  const [entry] = await audits(`user:${email.toLowerCase()}`);
  assert.deepEqual(
    [entry?.action, entry?.after],
    ['user.create', { name: 'Kim', role: 'viewer', is_active: true }],
  );
});

test('e-mails are unique ignoring case; concurrent requests for one e-mail create one account', async () => {
  const user = await makeUser(service, 'viewer');
  const twice = await admin('POST', '/users', { email: user.email.toUpperCase(), role: 'admin' });
  assert.deepEqual([twice.status, twice.json.code], [409, 'email_taken']);
  const email = `${unique('race')}@example.com`;
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => admin('POST', '/users', { email, role: 'viewer' })),
  );
  assert.deepEqual(statusesOf(answers), [201, 409, 409, 409]);
});

test('an invalid account is refused with an error for each invalid field', async () => {
  const post = (fields: object) =>
    admin('POST', '/users', { email: 'a@example.com', role: 'viewer', ...fields });
  for (const email of [
    '',
    'x',
    'a@',
    '@b',
    'a b@c',
    'a@b@c',
    'a\u0007@b',
    'a\0@b',
    '\ud800@b',
    5,
    null,
    `${'a'.repeat(251)}@bcd`,
  ])
    assert.deepEqual(await fieldsRefused(post({ email })), ['email'], JSON.stringify(email));
  assert.deepEqual(await fieldsRefused(post({ role: 'root', name: 'x'.repeat(101) })), ['name', 'role']);
  const { id } = await makeUser(service, 'viewer');
  assert.deepEqual(await fieldsRefused(patch(id, { role: 'root', is_active: 1, name: 'a\0' })), [
    'name',
    'role',
    'is_active',
  ]);
  for (const unknown of ['0', '999999', '99999999999', 'x', '-1']) {
    await refusal(patch(unknown, {}), 404);
    await refusal(admin('POST', `/users/${unknown}/reset-password`), 404);
  }
});

test('viewers and operators are refused, with a session or a token', async () => {
  const { id } = await makeUser(service, 'viewer');
  const routes = [
    ['GET', '/users'],
    ['POST', '/users', { email: 'x@example.com', role: 'admin' }],
    ['PATCH', `/users/${id}`, { role: 'admin' }],
    ['POST', `/users/${id}/reset-password`],
    ['GET', '/tokens'],
    ['POST', '/tokens', { name: 'x', role: 'admin' }],
    ['DELETE', '/tokens/1'],
  ] as const;
  for (const role of ['viewer', 'operator'] as const) {
    const { visitor } = await signedIn(service, role);
    const bearer = await token(role);
    for (const [method, path, body] of routes) {
      const refused = {
        error: `This needs the role admin; you have ${role}.`,
        code: 'role_required',
        details: { required_role: 'admin', role },
      };
      assert.deepEqual((await visitor.call(method, path, body)).json, refused, path);
      assert.deepEqual((await admin(method, path, body, bearer)).json, refused, path);
    }
  }
});

test('a new role takes effect immediately and ends the sessions; a new name does not end them', async () => {
  const { user, visitor } = await signedIn(service, 'operator');
  const renamed = await must(patch(user.id, { name: 'Lee', role: null, is_active: null }), 200);
  assert.deepEqual([renamed.name, renamed.role, renamed.is_active], ['Lee', 'operator', true]);
  assert.equal((await session(visitor)).json.data.name, 'Lee');
  assert.equal((await must(patch(user.id, { name: '' }), 200)).name, null);
  assert.equal((await session(visitor)).json.data.name, user.email);
  await must(patch(user.id, { role: 'viewer' }), 200);
  assert.equal((await session(visitor)).status, 401);
  await visitor.signIn(user.email, PASSWORD);
  assert.equal((await visitor.call('PUT', '/common-codes/ROLE/x', { name: 'n' })).status, 403);
  const entry = (await audits(`user:${user.email}`)).findLast(({ action }) => action === 'user.update');
  assert.deepEqual(
    [entry?.before, entry?.after],
    [
      { name: null, role: 'operator', is_active: true },
      { name: null, role: 'viewer', is_active: true },
    ],
  );
});

test('role and activity are read from the database at each request', async () => {
  const { user, visitor } = await signedIn(service, 'operator');
  await pool.query(`update account set role = 'viewer' where id = $1`, [user.id]);
  assert.equal((await visitor.call('PUT', '/common-codes/ROLE/x', { name: 'n' })).status, 403);
  await pool.query(`update account set is_active = false where id = $1`, [user.id]);
  assert.equal((await session(visitor)).status, 401);
});

test('deactivating an account ends its sessions immediately; after activation it can sign in again', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  assert.equal((await must(patch(user.id, { is_active: false }), 200)).is_active, false);
  assert.equal((await session(visitor)).status, 401);
  assert.equal((await new Visitor(service.origin).signIn(user.email, PASSWORD)).status, 401);
  await must(patch(user.id, { is_active: true }), 200);
  assert.equal((await session(visitor)).status, 401, 'activation does not restore the old session');
  assert.equal((await visitor.signIn(user.email, PASSWORD)).status, 200);
});

test('resetting a password creates a one-time password, revokes the old one and ends every session', async () => {
  const { user, visitor } = await signedIn(service, 'viewer');
  const reset = await must(admin('POST', `/users/${user.id}/reset-password`), 200);
  assert.equal(reset.must_change_password, true);
  assert.notEqual(reset.password, user.password);
  assert.equal((await session(visitor)).status, 401);
  assert.equal((await visitor.signIn(user.email, PASSWORD)).status, 401);
  assert.equal((await visitor.signIn(user.email, reset.password)).status, 200);
  assert.equal((await visitor.call('GET', '/channels')).json.code, 'password_change_required');
  const entry = (await audits(`user:${user.email}`)).find(({ action }) => action === 'user.reset_password');
  assert.deepEqual([entry?.actor, entry?.before, entry?.after], ['environment', null, null]);
});

test('changes by a signed-in administrator are audited with the e-mail as actor', async () => {
  const { user, visitor } = await signedIn(service, 'admin');
  const email = `${unique('made')}@example.com`;
  await must(visitor.call('POST', '/users', { email, role: 'viewer' }), 201);
  const [entry] = await audits(`user:${email}`);
  assert.equal(entry?.actor, `user:${user.email}`);
  assert.ok(entry?.request_id);
});

test('the last active administrator cannot be removed, even by two concurrent changes', async () => {
  await pool.query(`update account set is_active = false where role = 'admin'`);
  const [a, b] = [await makeUser(service, 'admin'), await makeUser(service, 'admin')];
  await makeUser(service, 'operator');
  // Both requests have started before either can continue.
  const holder = await openTransaction(
    service.database.adminUrl,
    `select from account where id = ${a.id} for update`,
  );
  const both = Promise.all([patch(a.id, { role: 'viewer' }), patch(b.id, { is_active: false })]);
  await untilWaiting(service.database.adminUrl, 2);
  await holder.end();
  const answers = await both;
  assert.deepEqual(statusesOf(answers), [200, 409]);
  const left = answers[0].status === 409 ? a : b;
  for (const body of [{ role: 'operator' }, { is_active: false }, { role: 'viewer', is_active: false }]) {
    const answer = await patch(left.id, body);
    assert.deepEqual([answer.status, answer.json.code], [409, 'last_admin']);
  }
  await must(patch(left.id, { name: 'still here', role: 'admin' }), 200);
  await makeUser(service, 'admin');
  await must(patch(left.id, { is_active: false }), 200);
});

test('the list is complete in pages and contains no passwords', async () => {
  const all = await pages('/users', 500);
  assert.deepEqual(await pages('/users', 3), all);
  assert.ok(all.every((user) => !('password_hash' in user) && !('password' in user)));
});
