// The log and other output of the service contain no secrets and no personal data. tools/scripts/test.mjs searches the
// output of the whole test run; these tests provoke the worst cases, and test the search itself.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashPassword, newOneTimePassword } from '../src/platform/passwords/passwords.ts';
import {
  newAdminToken,
  newApiKey,
  newSigningSecret,
  newWebhookSecret,
} from '../src/platform/secrets/keys.ts';
import {
  newRecoveryCodes,
  newTotpSecret,
  normalRecoveryCode,
} from '../src/platform/accounts/one-time-codes.ts';
import { ADMIN_TOKEN, findLeaks, OLD_KEY, PASSWORD, PERSON, TEST_SECRET } from '../verify/kit/canaries.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { signedIn } from './kit/visitor.ts';

const service = await startTestService();
const make = fixtures(service);

const kept = (kind: string): string =>
  readFileSync(join(process.env['TEST_WRITTEN_DIR'] ?? '', `${kind}-${process.pid}.txt`), 'utf8');

test('every kind of secret is found in any file, with its line', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-leaks-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const secrets = [
    ...Object.values(PERSON),
    ADMIN_TOKEN,
    TEST_SECRET,
    OLD_KEY,
    PASSWORD,
    newOneTimePassword(),
    newApiKey(),
    newAdminToken(),
    newSigningSecret(),
    newWebhookSecret(),
    newTotpSecret(),
    ...newRecoveryCodes(),
    normalRecoveryCode('abcd-efgh-2345-wxyz'),
    `__Host-sluice_session=${'a'.repeat(43)}`,
    await hashPassword('x'),
    'postgres://sluice:hunter2@127.0.0.1/sluice',
  ];
  for (const secret of secrets) {
    writeFileSync(join(directory, 'log.txt'), `{"msg":"fine"}\n{"msg":"x ${secret} y"}\n`);
    const leaks = await findLeaks(directory);
    assert.deepEqual(
      leaks.map(({ file, line }) => [file, line]),
      [[join(directory, 'log.txt'), 2]],
      secret,
    );
  }
  writeFileSync(join(directory, 'log.txt'), '{"msg":"request failed","url":"postgres://127.0.0.1/sluice"}\n');
  assert.deepEqual(await findLeaks(directory), []);
});

test('a key in any table, also as bytes, is found; the personal data of orders is expected', async (t) => {
  const [directory, ofTheRun] = [
    mkdtempSync(join(tmpdir(), 'sluice-leaks-')),
    process.env['TEST_WRITTEN_DIR'],
  ];
  t.after(() => {
    process.env['TEST_WRITTEN_DIR'] = ofTheRun;
    rmSync(directory, { recursive: true, force: true });
  });
  const database = await createDatabase();
  await database.tamper('create table added_later (stored bytea)');
  await database.tamper('insert into added_later values ($1)', [Buffer.from(newApiKey())]);
  await database.tamper(`insert into order_note (order_id, text, actor) values (1, $1, 'test')`, [
    PERSON.recipient_name,
  ]);
  process.env['TEST_WRITTEN_DIR'] = directory;
  await database.drop();
  const leaks = await findLeaks(directory);
  assert.deepEqual(
    leaks.map(({ what }) => what),
    ['an API key'],
  );
  assert.match(leaks[0]?.text ?? '', /^public\.added_later /);
});

test('when the database refuses a row, the log names the constraint and no value of the row', async () => {
  const { channel, sku } = await make.setting(10);
  await service.database.tamper(
    `alter table orders add constraint nobody check (recipient_name <> $$${PERSON.recipient_name}$$)`,
  );
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const answer = await channel.call('POST', '/orders', order);
  await service.database.tamper('alter table orders drop constraint nobody');
  assert.equal(answer.status, 500);
  // Contract 7.6a: nothing of the cause.
  assert.deepEqual(answer.json, { error: 'Something went wrong on our side.' });
  assert.equal(answer.headers.get('sluice-error'), 'internal');
  // Other test files may have run in this process.
  const requestId = answer.headers.get('x-request-id') ?? 'none';
  const line = kept('log')
    .split('\n')
    .find((text) => text.includes('"request failed"') && text.includes(requestId));
  assert.match(line ?? '', /violates check constraint \\"nobody\\"/);
  assert.match(line ?? '', /"code":"23514"/);
  assert.doesNotMatch(line ?? '', /canary|detail|Failing row/i);
  await must(channel.call('POST', '/orders', order), 201);
});

test('an order number of another channel: the error does not contain the number', async () => {
  const { channel, sku } = await make.setting(10);
  const other = await make.channel();
  const otherSku = await make.map(other, await make.variant(5));
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const taken = await other.call('POST', '/orders', {
    ...order,
    items: [{ ...order.items[0], sku: otherSku }],
  });
  assert.equal(taken.status, 500);
  assert.ok(!taken.text.includes(order.order_number));
});

test('valid and invalid sign-ins and invalid keys are written, for the search of the whole run', async () => {
  const { user, visitor } = await signedIn(service, 'operator');
  await visitor.signIn(user.email, `${PASSWORD}!`);
  await visitor.call('PUT', '/session/password', { current_password: PASSWORD, new_password: PASSWORD });
  await service.channel(newApiKey())('GET', '/inventory');
  await service.admin('GET', '/channels', undefined, newAdminToken());
  await service.admin('POST', '/channels', { name: PASSWORD.repeat(20), api_url: `http://u:${PASSWORD}@x/` });
});

test('the searched files contain requests at the finest log level, and error answers', () => {
  assert.match(kept('log'), /"route":"\/api\/v1\/orders"/);
  assert.match(kept('answers'), /^401 /m);
});
