// The service's clock jumps by an hour, forward and back, while it works.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertNotNow, openTransaction, untilReady } from './kit/adverse.ts';
import { until } from '../verify/kit/until.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { orderOf } from '../verify/kit/fixtures.ts';
import { onDatabase, spawnService, temporaryDirectory } from '../verify/kit/process.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { call } from '../verify/kit/service.ts';

const HOUR_MS = 3_600_000;
const PRELOAD = fileURLToPath(new URL('kit/shifted-clock.mjs', import.meta.url));

const database = await createDatabase();
const directory = await temporaryDirectory();
const clockFile = join(directory.path, 'clock');
const service = await spawnService(
  {
    ...onDatabase(database.url),
    SLUICE_LOCK_TIMEOUT_MS: '300',
    SLUICE_RETRY_TIMEOUT_MS: '1500',
    SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    SHIFTED_CLOCK: clockFile,
  },
  [process.execPath, '--import', PRELOAD, 'src/start/main.ts'],
);
after(async () => {
  await service.stop();
  await directory.remove();
  await database.drop();
});
assert.equal(await service.ready(), true, service.output());
await service.printed('one-time password');
const FIRST_PASSWORD = /^ +password +(\S+)$/m.exec(service.output())?.[1] ?? '';

let jumps = 0;

/** Resolves once the service's clock differs by this much. */
async function jumpTo(offsetMs: number): Promise<void> {
  jumps += 1;
  await writeFile(clockFile, `${offsetMs} ${jumps}`);
  service.child.kill('SIGUSR2');
  await service.printed(`clock ${jumps}: `);
  const shown = new RegExp(`^clock ${jumps}: (\\S+)$`, 'm').exec(service.output())?.[1] ?? '';
  assert.ok(Math.abs(Date.parse(shown) - Date.now() - offsetMs) < HOUR_MS / 4, `the clock shows ${shown}`);
}

const channel = (await service.admin('POST', '/channels', { name: 'A', country_code: 'JP' })).json.data;
await service.admin('POST', '/products', { code: 'P', name: 'P', variants: [{ code: 'P-1' }] });
await service.admin('PUT', '/stock/P-1', { quantity: 100_000 });
await service.admin('PUT', `/channels/${channel.id}/mappings`, {
  mappings: [{ sku: 'S', variant_code: 'P-1' }],
});
await service.admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.5' });
// A rate for half an hour later: only the database's clock decides when it applies.
await service.admin('POST', '/exchange-rates', {
  currency_code: 'JPY',
  rate: '20',
  effective_at: new Date(Date.now() + HOUR_MS / 2).toISOString(),
});
const receiver = await startReceiver();
after(() => receiver.close());
assert.equal(
  (await service.admin('POST', '/webhooks', { url: receiver.url, events: ['order.accepted'] })).status,
  201,
);
let taken = 0;

const send = () =>
  call(`${service.origin}/api/v1/orders`, 'POST', orderOf([{ sku: 'S', quantity: 1, unit_price: 2 }]), {
    'x-api-key': channel.api_key as string,
  });

async function assertWorks(): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  taken += answers.length;

  for (const { status, json, text } of answers) {
    assert.equal(status, 201, text);
    assert.equal(json.data.total_amount, '19.00', 'the rate in effect by the clock of the database');
    assert.ok(Math.abs(Date.parse(json.data.created_at) - Date.now()) < HOUR_MS / 4, json.data.created_at);
  }
  assert.equal((await service.admin('GET', '/stock/P-1')).json.data.unshipped, taken);
  const list = await call(`${service.origin}/api/v1/inventory`, 'GET', undefined, {
    'x-api-key': channel.api_key as string,
  });
  assert.equal(list.json.data[0].available, 100_000 - taken);
  assert.equal((await service.admin('GET', '/reconcile')).json.data.ok, true);
}

/** By default as the account that the service created and printed at its first start. */
const signIn = (password = FIRST_PASSWORD, email = 'admin@localhost') =>
  call(`${service.origin}/admin/v1/session`, 'POST', { email, password });

const JUMPS = { forward: HOUR_MS, back: -HOUR_MS };

test('a clock that differs from the database by more than 5 s is logged once and shown in a metric, until both agree', async () => {
  const skew = async (): Promise<number> => {
    await call(`${service.origin}/readyz`, 'GET');
    const { text } = await call(`${service.origin}/metrics`, 'GET');
    return Number(/^sluice_clock_skew_seconds (\S+)$/m.exec(text)?.[1]);
  };
  const told = (text: string): number => service.output().split(text).length - 1;
  for (const offset_ms of [HOUR_MS, -HOUR_MS]) {
    const before = told('differs from that of the database');
    await jumpTo(offset_ms);
    await until(async () => Math.abs((await skew()) - 3_600) < 60, 'the metric');
    await skew();
    assert.equal(told('differs from that of the database'), before + 1);
    assert.match(
      service.output(),
      new RegExp(`"seconds":${offset_ms < 0 ? '-' : ''}3[56]\\d\\d(?:\\.\\d)?,`),
    );
    await jumpTo(0);
    await until(async () => (await skew()) < 5, 'the clocks agree');
    await until(() => told('agree again') === before + 1, 'the line that says so');
  }
});

for (const [name, offset_ms] of Object.entries(JUMPS)) {
  test(`the clock jumps an hour ${name} while orders are in progress: all are accepted, with the database's time and rate`, async () => {
    const signedIn = await signIn();
    assert.equal(signedIn.status, 200, signedIn.text);
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const before = Array.from({ length: 50 }, send);
    await jumpTo(offset_ms);
    assert.ok((await Promise.all(before)).every(({ status }) => status === 201));
    taken += before.length;
    const session = await call(`${service.origin}/admin/v1/session`, 'GET', undefined, { cookie });
    assert.equal(session.status, 200, 'the session is still valid');
    await assertWorks();
    await jumpTo(0);
    await assertWorks();
  });

  test(`the clock jumps an hour ${name} while a batch waits for a lock: the retry timeout is not affected`, async () => {
    const other = await openTransaction(database.adminUrl, 'select from stock for update');
    const started = performance.now();
    const waiting = send();
    await until(async () => (await query(database.adminUrl, WAITING_GATES)).length > 0, 'the batch waits');
    await jumpTo(offset_ms);
    assertNotNow(await waiting);
    const waited = performance.now() - started;
    assert.ok(waited >= 1_500, `it gave up after ${waited} ms`);
    await other.end();
    await untilReady(service.origin);
    await assertWorks();
    await jumpTo(0);
  });

  test(`the clock jumps an hour ${name}: what operators date is judged by the clock of the database`, async () => {
    await jumpTo(offset_ms);
    const inHalfAnHour = new Date(Date.now() + HOUR_MS / 2).toISOString();
    const halfAnHourAgo = new Date(Date.now() - HOUR_MS / 2).toISOString();
    const statusOf = async (method: string, path: string, body: object): Promise<number> =>
      (await service.admin(method, path, body)).status;
    const token = (expires_at: string) =>
      statusOf('POST', '/tokens', { name: `until ${expires_at} ${name}`, role: 'viewer', expires_at });
    assert.deepEqual([await token(inHalfAnHour), await token(halfAnHourAgo)], [201, 422]);
    const trace = (trace_until: string) => statusOf('PATCH', `/channels/${channel.id}`, { trace_until });
    assert.deepEqual([await trace(inHalfAnHour), await trace(halfAnHourAgo)], [200, 422]);
    const count = (counted_at: string) => statusOf('PUT', '/stock/P-1', { quantity: 100_000, counted_at });
    assert.deepEqual([await count(inHalfAnHour), await count(new Date().toISOString())], [422, 200]);
    const { now } = (await service.admin('GET', '/exchange-rates/current')).json.data;
    assert.ok(Math.abs(Date.parse(now) - Date.now()) < HOUR_MS / 4, now);
    await jumpTo(0);
  });

  test(`the clock jumps an hour ${name}: webhooks are sent at once, and their health is judged by one clock`, async () => {
    await jumpTo(offset_ms);
    const before = receiver.received.length;
    assert.equal((await send()).status, 201);
    taken += 1;
    await until(() => receiver.received.length > before, 'the webhook', 20_000);
    const [hook] = (await service.admin('GET', '/webhooks')).json.data;
    assert.deepEqual([hook.is_active, hook.failing_since], [true, null]);
    await jumpTo(0);
  });

  test(`the clock jumps an hour ${name} while an e-mail is locked out: it stays locked, for seconds and not for an hour`, async () => {
    const guess = () => signIn('wrong', `${name}@example.com`);
    for (let attempt = 0; attempt < 5; attempt++) assert.equal((await guess()).status, 401);
    await jumpTo(offset_ms);
    const refused = await guess();
    assert.equal(refused.status, 429, refused.text);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 15, `${seconds} s`);
    await jumpTo(0);
  });
}

const WAITING_GATES = `select 1 from pg_stat_activity
  where application_name = 'sluice-gate' and datname = current_database() and wait_event_type = 'Lock'`;
