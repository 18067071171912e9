// `npm start` as an operator uses it: first start, restart, kill -9, Ctrl-C, and every reason to refuse a start.
import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { tellFirstSignIn } from '../src/platform/accounts/first-sign-in.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { orderOf } from '../verify/kit/fixtures.ts';
import { spawnService, temporaryDirectory, type ServiceProcess } from '../verify/kit/process.ts';
import { ADMIN_TOKEN, call, TEST_SECRET } from '../verify/kit/service.ts';
import { Visitor } from './kit/visitor.ts';
import { until } from '../verify/kit/until.ts';

const running: ServiceProcess[] = [];
const directories: { remove(): Promise<void> }[] = [];
after(async () => {
  await Promise.all(running.map((service) => service.stop()));
  await Promise.all(directories.map((directory) => directory.remove()));
});

async function start(env: Record<string, string>, command?: readonly string[]): Promise<ServiceProcess> {
  const service = await spawnService(env, command);
  running.push(service);
  return service;
}

async function emptyDataDir(): Promise<string> {
  const directory = await temporaryDirectory();
  directories.push(directory);
  return directory.path;
}

/** A data directory whose database has the schema, but no rows. */
async function newDataDir(): Promise<string> {
  const path = await emptyDataDir();
  await copyCluster(path);
  return path;
}

/** Creates a channel with plenty of stock of one SKU; returns what its orders need. */
async function setUp(service: ServiceProcess): Promise<{ api_key: string; sku: string }> {
  const channel = (await service.admin('POST', '/channels', { name: 'A', country_code: 'KR' })).json.data;
  await service.admin('POST', '/products', { code: 'P', name: 'P', variants: [{ code: 'P-1' }] });
  await service.admin('PUT', '/stock/P-1', { quantity: 1_000_000 });
  const mappings = [{ sku: 'S', variant_code: 'P-1' }];
  const mapped = await service.admin('PUT', `/channels/${channel.id}/mappings`, { mappings });
  assert.equal(mapped.status, 200, mapped.text);
  return { api_key: channel.api_key, sku: 'S' };
}

const sendOrder = (service: ServiceProcess, key: string, order: object) =>
  call(`${service.origin}/api/v1/orders`, 'POST', order, { 'x-api-key': key });

test('npm start on an empty directory creates a token and a password, in a file and not in the output; a restart keeps the data and creates neither', async () => {
  const SLUICE_DATA_DIR = await emptyDataDir();
  const service = await start({ SLUICE_DATA_DIR }, ['npm', 'start', '--silent']);
  assert.equal(await service.ready(), true, service.output());
  const file = join(SLUICE_DATA_DIR, 'first-sign-in.txt');
  await service.printed(`First start: how to sign in is in ${file}`);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const told = await readFile(file, 'utf8');
  const token = /^ +(sluice_admin_\S+)$/m.exec(told)?.[1];
  const channels = `${service.origin}/admin/v1/channels`;
  const created = await call(channels, 'POST', { name: 'Kept' }, { authorization: `Bearer ${token}` });
  assert.equal(created.status, 201, created.text);
  assert.ok(service.output().includes(`${service.origin}/console/`));
  const password = /^ +password +(\S+)$/m.exec(told)?.[1] ?? '';
  const visitor = new Visitor(service.origin);
  const signedIn = await visitor.signIn('admin@localhost', password);
  assert.equal(signedIn.status, 200, signedIn.text);
  const { role, must_change_password } = signedIn.json.data;
  assert.deepEqual([role, must_change_password], ['admin', true]);
  assert.ok(!service.output().includes('sluice_admin_') && !service.output().includes(password));
  const change = { current_password: password, new_password: 'a perfectly good one' };
  assert.equal((await visitor.call('PUT', '/session/password', change)).status, 200);
  await assert.rejects(stat(file), { code: 'ENOENT' });
  service.signal('SIGTERM');
  assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());

  const again = await start({ SLUICE_DATA_DIR }, ['npm', 'start', '--silent']);
  assert.equal(await again.ready(), true, again.output());
  await again.printed(`${again.origin}/api/v1`);
  assert.doesNotMatch(again.output(), /sluice_admin_|one-time password|First start/);
  const list = await call(`${again.origin}/admin/v1/channels`, 'GET', undefined, {
    authorization: `Bearer ${token}`,
  });
  assert.deepEqual(
    list.json.data.map((channel: { name: string }) => channel.name),
    ['Kept'],
  );
  again.signal('SIGTERM');
  await again.ended;
});

/** The tests below share one database: each continues where the one before it ended. */
const FIRST_PASSWORD = 'quiet lantern over the harbour';
const used = {
  SLUICE_DATA_DIR: await newDataDir(),
  SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
  SLUICE_FIRST_PASSWORD: FIRST_PASSWORD,
};
let next: ServiceProcess;
let shop: { api_key: string; sku: string };

test('a chosen first password works, must be changed, and is not in the output', async () => {
  next = await start(used);
  assert.equal(await next.ready(), true, next.output());
  await next.printed('with SLUICE_FIRST_PASSWORD');
  const signedIn = await new Visitor(next.origin).signIn('admin@localhost', FIRST_PASSWORD);
  assert.equal(signedIn.status, 200, signedIn.text);
  assert.equal(signedIn.json.data.must_change_password, true);
  assert.ok(!next.output().includes(FIRST_PASSWORD));
});

test('after kill -9 under load the next start recovers automatically, and no acknowledged order is lost', async () => {
  const service = next;
  shop = await setUp(service);
  const { api_key, sku } = shop;
  const acknowledged: string[] = [];
  let alive = true;
  const clients = Array.from({ length: 8 }, async () => {
    while (alive) {
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      const answer = await sendOrder(service, api_key, order).catch(() => null);
      if (answer?.status === 201) acknowledged.push(order.order_number);
      if (!answer) break;
    }
  });
  await until(() => acknowledged.length >= 100, '100 orders are acknowledged');
  service.signal('SIGKILL');
  alive = false;
  await Promise.all(clients);

  next = await start(used);
  assert.equal(await next.ready(), true, next.output());
  const resends = await Promise.all(
    acknowledged.map((order_number) =>
      sendOrder(next, api_key, orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number })),
    ),
  );
  assert.ok(
    resends.every(({ status }) => status === 200),
    'an acknowledged order is missing',
  );
  assert.equal((await next.admin('GET', '/reconcile')).json.data.ok, true);
});

test('Ctrl-C to the process group: requests in flight are answered, then service and database stop in order', async () => {
  const service = next;
  const { api_key, sku } = shop;
  const before = (await service.admin('GET', '/stock/P-1')).json.data.unshipped;
  const inFlight = Array.from({ length: 100 }, () =>
    sendOrder(service, api_key, orderOf([{ sku, quantity: 1, unit_price: 1 }])),
  );
  await Promise.race(inFlight);
  service.signal('SIGINT');
  const answers = await Promise.allSettled(inFlight);
  const statuses = answers.map((one) =>
    one.status === 'fulfilled' ? one.value.status : 'refused connection',
  );
  assert.ok(statuses.filter((status) => status === 201).length > 0);
  assert.deepEqual(
    statuses.filter((status) => status !== 201 && status !== 'refused connection'),
    [],
  );
  assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
  assert.match(service.output(), /"stopped"/);

  next = await start(used);
  assert.equal(await next.ready(), true, next.output());
  const stock = (await next.admin('GET', '/stock/P-1')).json.data;
  assert.ok(stock.unshipped >= before + statuses.filter((status) => status === 201).length);
});

async function refusal(env: Record<string, string>): Promise<string> {
  const service = await start(env);
  assert.equal(await service.ready(), false, 'the service should not have started');
  assert.equal((await service.ended).code, 1);
  return service.output();
}

test('a second service on the same data directory exits with one clear message, and the first one is not affected', async () => {
  assert.match(await refusal(used), /another Sluice .*is already running/i);
  assert.equal((await fetch(`${next.origin}/readyz`)).status, 200);
});

test('a port in use: the service exits with one clear message, leaves no database running, and a first start is still the first', async () => {
  next.signal('SIGTERM');
  await next.ended;
  const taken = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  const { port } = taken.address() as AddressInfo;
  assert.match(await refusal({ ...used, PORT: String(port) }), /already in use; set PORT/);
  const untouched = await emptyDataDir();
  for (const name of ['PORT', 'SLUICE_INTERNAL_PORT'])
    assert.match(
      await refusal({ SLUICE_DATA_DIR: untouched, [name]: String(port) }),
      /already in use; set PORT/,
    );
  assert.deepEqual(await readdir(untouched), [], 'no database was made');
  const SLUICE_DATA_DIR = await newDataDir();
  assert.match(await refusal({ SLUICE_DATA_DIR, PORT: String(port) }), /already in use; set PORT/);
  taken.close();
  const first = await start({ SLUICE_DATA_DIR });
  await first.printed('First start: how to sign in');
  assert.match(await readFile(join(SLUICE_DATA_DIR, 'first-sign-in.txt'), 'utf8'), /password[^]*token/);
  await first.stop();
  next = await start(used);
  assert.equal(await next.ready(), true, next.output());
  assert.doesNotMatch(next.output(), /orphan|taking it over/i);
  next.signal('SIGTERM');
  await next.ended;
});

test('invalid settings, a directory that cannot be created, an unreachable database: one message each', async () => {
  const faults = await refusal({
    PORT: 'x',
    SLUICE_TIMEZONE: 'Mars',
    DATABASE_URL: 'postgres://localhost/x',
  });
  for (const name of ['PORT', 'SLUICE_TIMEZONE', 'SLUICE_SECRET']) assert.ok(faults.includes(name), faults);
  assert.match(await refusal({ SLUICE_DATA_DIR: '/dev/null/data' }), /\/dev\/null\/data/);
  const away = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:9/x', SLUICE_SECRET: TEST_SECRET };
  const text = await refusal(away);
  assert.match(text, /cannot be reached/);
  assert.ok(!text.includes('hunter2'));
});

test('the service has no options: one that is given stops the start instead of being ignored', async () => {
  const given = async (...options: string[]) => {
    const service = await start({ SLUICE_DATA_DIR: '/dev/null/data' }, ['bin/serve', ...options]);
    return { ...(await service.ended), output: service.output() };
  };
  const wrong = await given('--port', '9090');
  assert.equal(wrong.code, 2);
  assert.match(wrong.output, /^sluice: Unknown option --port of "sluice serve"/);
  const help = await given('--help');
  assert.equal(help.code, 0);
  assert.match(help.output, /configured by the environment/);
});

test('two processes that start at the same time on a new external database migrate safely and serve the same data', async () => {
  const database = await createDatabase({ template: null, owner: 'sluice' });
  const env = { DATABASE_URL: database.url, SLUICE_SECRET: TEST_SECRET, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN };
  const pair = await Promise.all([start(env), start(env)]);
  for (const service of pair) assert.equal(await service.ready(), true, service.output());
  const [first, second] = pair;
  // With SLUICE_ADMIN_TOKEN no token is created. One of the processes creates the account and prints its password.
  for (const service of pair) await service.printed(`${service.origin}/api/v1`);
  assert.equal(pair.filter((service) => service.output().includes('one-time password')).length, 1);
  assert.ok(pair.every((service) => !service.output().includes('sluice_admin_')));
  assert.equal((await first.admin('GET', '/users')).json.data.length, 1);
  const { api_key, sku } = await setUp(first);
  // The second process learns of the new channel automatically.
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  assert.equal((await sendOrder(first, api_key, order)).status, 201);
  assert.equal((await sendOrder(second, api_key, order)).status, 200);
  const rotated = (await second.admin('POST', '/channels/1/rotate-key')).json.data.api_key;
  assert.equal((await sendOrder(second, api_key, order)).status, 401);
  assert.equal((await sendOrder(second, rotated, order)).status, 200);
  for (const service of pair) service.signal('SIGTERM');
  for (const service of pair) assert.equal((await service.ended).code, 0, service.output());

  await query(
    database.url,
    `insert into schema_migration (version, name, checksum) values (9999, '9999_future.sql', 'x')`,
  );
  assert.match(await refusal(env), /newer than this version/);
  await database.drop();
});

test('first start: on a terminal or with an external database the credentials are printed, otherwise only the path of their file', async () => {
  const data_dir = await emptyDataDir();
  const made = { token: 'sluice_admin_x', account: { email: 'admin@localhost', password: 'one-time' } };
  const tell = async (database_url: string | null, isTerminal: boolean) =>
    (await tellFirstSignIn({ data_dir, database_url }, made, 'http://h', isTerminal)).join('\n');
  assert.match(await tell(null, true), /one-time[^]*sluice_admin_x/);
  assert.match(await tell('postgres://db', false), /one-time[^]*sluice_admin_x[^]*change the password/);
  assert.doesNotMatch(await tell('postgres://db', true), /change the password/);
  assert.doesNotMatch(await tell(null, false), /one-time|sluice_admin_x/);
  const place = { data_dir, database_url: null };
  const file = join(data_dir, 'first-sign-in.txt');
  const onlyPassword = { token: null, account: made.account };
  assert.deepEqual(await tellFirstSignIn(place, onlyPassword, 'http://h', false), [
    '',
    `First start: how to sign in is in ${file}`,
  ]);
  assert.doesNotMatch(await readFile(file, 'utf8'), /token/, 'SLUICE_ADMIN_TOKEN is set: none was created');
  const known = { email: 'admin@localhost', password: null };
  const chosen = ['', 'First start: sign in to the console as admin@localhost with SLUICE_FIRST_PASSWORD.'];
  await rm(file);
  for (const database_url of [null, 'postgres://db'])
    assert.deepEqual(
      await tellFirstSignIn({ data_dir, database_url }, { token: null, account: known }, 'http://h', false),
      chosen,
    );
  await assert.rejects(stat(file), { code: 'ENOENT' });
  const nothing = { token: null, account: null };
  assert.deepEqual(await tellFirstSignIn({ data_dir, database_url: null }, nothing, 'http://h', false), []);
});
