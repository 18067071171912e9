// Channel keys with two processes on one database: rotation with an overlap, its early end, and the last use.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { setImmediate } from 'node:timers/promises';
import { ChannelDirectory } from '../src/core/directory/channel-directory.ts';
import { KeyUses } from '../src/core/directory/key-uses.ts';
import { createSealer, hashKey } from '../src/platform/secrets/keys.ts';
import { createPool } from '../src/platform/database/connections.ts';
import { assertRefused } from './kit/answers.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { TEST_SECRET } from '../verify/kit/canaries.ts';
import { startProxy } from '../verify/kit/proxy.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService, type TestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { openTransaction } from './kit/adverse.ts';

const one = await startTestService();
const two = await startTestService({ database: one.database });
// The tests call `record` themselves, so stop the periodic recording.
for (const { service } of [one, two]) await service.services.keyUses.close();
const make = fixtures(one);
const { admin, audits } = desk(one);

const db = new pg.Pool({ connectionString: one.database.url, max: 2 });
db.on('error', () => {});
after(() => db.end());

const rotate = (channel: TestChannel, body?: object) =>
  must(admin('POST', `/channels/${channel.id}/rotate-key`, body), 200);
const shown = (channel: TestChannel) => must(admin('GET', `/channels/${channel.id}`), 200);
const statusWith = async (service: TestService, key: string): Promise<number> =>
  (await service.channel(key)('GET', '/inventory')).status;

test('rotation with an overlap: both keys work for the channel in every process; without an overlap only the new key', async () => {
  const { channel, sku } = await make.setting(10);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const { api_key, previous_key_valid_until } = await rotate(channel, { overlap_seconds: 3600 });
  const end = Date.parse(previous_key_valid_until);
  assert.ok(Math.abs(end - Date.now() - 3_600_000) < 60_000, previous_key_valid_until);
  assert.equal((await shown(channel)).previous_key_valid_until, previous_key_valid_until);
  for (const service of [one, two])
    for (const key of [channel.api_key, api_key]) {
      await until(async () => (await statusWith(service, key)) === 200, 'the key is accepted');
      assert.equal((await service.channel(key)('POST', '/orders', order)).status, 200);
    }
  const next = await rotate(channel);
  assert.equal(next.previous_key_valid_until, null);
  for (const key of [channel.api_key, api_key]) {
    assert.equal(await statusWith(one, key), 401);
    await until(async () => (await statusWith(two, key)) === 401, 'the old key is refused');
  }
  assert.equal(await statusWith(one, next.api_key), 200);
});

test('the old key stops when its overlap ends, and not before, in every process', async () => {
  const channel = await make.channel();
  await rotate(channel, { overlap_seconds: 3 });
  const ended = async (): Promise<boolean> => {
    const sql = 'select previous_key_valid_until <= clock_timestamp() as over from channel where id = $1';
    return (await db.query<{ over: boolean }>(sql, [channel.id])).rows[0]?.over ?? false;
  };
  for (const service of [one, two])
    await until(
      async () => (await statusWith(service, channel.api_key)) === 200 || (await ended()),
      'the old key is accepted or its overlap has ended',
    );
  for (const service of [one, two]) {
    await until(async () => (await statusWith(service, channel.api_key)) === 401, 'the old key is refused');
    assert.equal(await ended(), true, 'the old key stopped too early');
  }
  const { previous_key_valid_until, previous_key_last_used_at } = await shown(channel);
  assert.deepEqual([previous_key_valid_until, previous_key_last_used_at], [null, null]);
});

test('a call ends an overlap early, in every process; without an overlap the call is 404', async () => {
  const channel = await make.channel();
  const { api_key } = await rotate(channel, { overlap_seconds: 600 });
  await until(async () => (await statusWith(two, channel.api_key)) === 200, 'the old key is accepted');
  assert.equal((await admin('DELETE', `/channels/${channel.id}/previous-key`)).status, 204);
  assert.equal(await statusWith(one, channel.api_key), 401);
  await until(async () => (await statusWith(two, channel.api_key)) === 401, 'the old key is refused');
  assert.equal(await statusWith(one, api_key), 200);
  const none = await refusal(admin('DELETE', `/channels/${channel.id}/previous-key`), 404);
  assert.match(none.error ?? '', /Channel \d+ has no valid previous key/);
  await refusal(admin('DELETE', '/channels/999999/previous-key'), 404);
});

test('only one previous key is kept: a second rotation stops the first key, whatever its overlap was', async () => {
  const channel = await make.channel();
  const second = await rotate(channel, { overlap_seconds: 600 });
  const third = await rotate(channel, { overlap_seconds: 600 });
  const statuses = await Promise.all(
    [channel.api_key, second.api_key, third.api_key].map((key) => statusWith(one, key)),
  );
  assert.deepEqual(statuses, [401, 200, 200]);
});

test('both keys of an inactive channel are refused', async () => {
  const channel = await make.channel();
  const { api_key } = await rotate(channel, { overlap_seconds: 600 });
  await must(admin('PATCH', `/channels/${channel.id}`, { is_active: false }), 200);
  for (const key of [channel.api_key, api_key])
    assertRefused(await one.channel(key)('GET', '/inventory'), 401, 'not valid');
});

test('a rotation and an early end are audited, with the end of the overlap and without a key', async () => {
  const channel = await make.channel();
  await rotate(channel);
  const { api_key } = await rotate(channel, { overlap_seconds: 600 });
  await admin('DELETE', `/channels/${channel.id}/previous-key`);
  const trail = (await audits(`channel:${channel.id}`)).slice(1);
  assert.deepEqual(
    trail.map(({ action }) => action),
    ['channel.rotate_key', 'channel.rotate_key', 'channel.end_previous_key'],
  );
  const [plain, overlapping, end] = trail;
  assert.equal(plain?.after, null);
  assert.deepEqual(overlapping?.after, end?.before);
  assert.match(JSON.stringify(end?.before), /previous_key_valid_until/);
  const text = JSON.stringify(trail);
  for (const key of [channel.api_key, api_key]) {
    assert.ok(!text.includes(key));
    assert.ok(!text.includes(hashKey(key).toString('base64')));
  }
});

test('an invalid overlap is refused by field, and nothing changes', async () => {
  const channel = await make.channel();
  const path = `/channels/${channel.id}/rotate-key`;
  for (const overlap_seconds of [-1, 1.5, '60', true, 2_592_001])
    assert.deepEqual(await fieldsRefused(admin('POST', path, { overlap_seconds })), ['overlap_seconds']);
  for (const body of ['[]', 'rubbish', '7'])
    assert.deepEqual(await fieldsRefused(admin('POST', path, body)), ['body']);
  assert.equal(await statusWith(one, channel.api_key), 200);
  assert.equal((await rotate(channel, { overlap_seconds: null })).previous_key_valid_until, null);
});

const record = ({ service }: TestService): Promise<void> => service.services.keyUses.record();

test('no use of a key is lost by reads of the directory at the same time, nor by an outage when it is recorded', async () => {
  const [channel, other] = [await make.channel(), await make.channel()];
  const proxy = await startProxy(one.database.url);
  after(() => proxy.close());
  const pool = createPool(proxy.url, 1);
  after(() => pool.end());
  const directory = new ChannelDirectory(proxy.url, pool, createSealer(TEST_SECRET));
  await directory.open();
  after(() => directory.close());
  const uses = new KeyUses(pool, directory, (error) => assert.ifError(error));
  after(() => uses.close());
  const used = async () => Date.parse((await shown(channel)).key_last_used_at);

  const first = directory.find(channel.api_key);
  await setImmediate();
  // The first read is in flight, so this is a second one. The key stays among the recent ones of the first.
  const second = directory.find(other.api_key);
  await Promise.all([first, second]);
  await uses.record();
  const recorded = await used();
  await db.query('update channel set key_last_used_at = null where id = $1', [channel.id]);
  assert.ok(recorded > 0);
  await directory.find(channel.api_key);
  proxy.cut();
  await uses.record();
  proxy.restore();
  await uses.record();
  assert.ok((await used()) > 0, 'recorded after the outage');
});

test('the last use of a key is recorded asynchronously, and reset by a rotation', async () => {
  const channel = await make.channel();
  assert.equal((await shown(channel)).key_last_used_at, null);
  assert.equal(await statusWith(one, channel.api_key), 200);
  assert.equal((await shown(channel)).key_last_used_at, null, 'the request itself wrote it');
  await record(one);
  const first = Date.parse((await shown(channel)).key_last_used_at);
  assert.ok(Math.abs(first - Date.now()) < 60_000);

  const { api_key, key_last_used_at, previous_key_last_used_at } = await rotate(channel, {
    overlap_seconds: 600,
  });
  assert.equal(key_last_used_at, null);
  assert.equal(Date.parse(previous_key_last_used_at), first);
  await db.query(`update channel set previous_key_last_used_at = now() - interval '1 day' where id = $1`, [
    channel.id,
  ]);
  assert.equal(await statusWith(one, api_key), 200);
  await record(one);
  const newOnly = await shown(channel);
  assert.ok(newOnly.key_last_used_at !== null);
  assert.ok(
    Date.parse(newOnly.previous_key_last_used_at) < Date.now() - 3_600_000,
    'the old key was not used',
  );
  await until(async () => (await statusWith(two, channel.api_key)) === 200, 'the old key is accepted');
  await record(two);
  assert.ok(Date.parse((await shown(channel)).previous_key_last_used_at) > Date.now() - 60_000);
});

test('an unused key is not written, and a key in constant use is written once a round', async () => {
  const quiet = await make.channel();
  const busy = await make.channel();
  await Promise.all(Array.from({ length: 50 }, () => statusWith(one, busy.api_key)));
  assert.deepEqual(
    one.service.services.directory
      .takeUsed()
      .filter((hash) => hash === hashKey(busy.api_key).toString('base64')),
    [hashKey(busy.api_key).toString('base64')],
  );
  await record(one);
  assert.equal((await shown(quiet)).key_last_used_at, null);
  // The test itself took the recorded uses above, so nothing was left to write.
  assert.equal((await shown(busy)).key_last_used_at, null);
});

test('a use survives a reload of the directory, and refused keys record no use', async () => {
  const channel = await make.channel();
  assert.equal(await statusWith(one, channel.api_key), 200);
  await make.channel();
  assertRefused(await one.channel(`${channel.api_key}x`)('GET', '/inventory'), 401);
  await record(one);
  assert.ok((await shown(channel)).key_last_used_at !== null);
});

test('recording the last use does not wait for locks: a locked channel is skipped, and the others are written', async () => {
  const [held, free] = [await make.channel(), await make.channel()];
  for (const { api_key } of [held, free]) assert.equal(await statusWith(one, api_key), 200);
  const other = await openTransaction(
    one.database.url,
    `select from channel where id = ${held.id} for update`,
  );
  await record(one);
  assert.ok((await shown(free)).key_last_used_at !== null);
  assert.equal((await shown(held)).key_last_used_at, null);
  await other.end();
});
