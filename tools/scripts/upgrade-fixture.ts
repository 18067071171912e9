// `bin/node tools/scripts/upgrade-fixture.ts <git ref>`: creates the data of a released version for
// test/upgrade.test.ts. It runs the sources of that version with the packages installed here on a separate
// database, creates orders of every status over HTTP, and writes test/released/<version>.sql (the rows) and
// .json (keys, and its answers).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { startEmbedded } from '../../src/platform/embedded-postgres/server.ts';
import { ADMIN_TOKEN, PASSWORD, TEST_SECRET } from '../../verify/kit/canaries.ts';
import { connected } from '../../verify/kit/connection.ts';
import { must, orderOf } from '../../verify/kit/fixtures.ts';
import { spawnService } from '../../verify/kit/process.ts';
import { call } from '../../verify/kit/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The facts about the released version that the test needs. */
export interface ReleasedFacts {
  version: string;
  /** By channel index. */
  keys: string[];
  /** The key before a rotation of the first channel, still accepted. */
  previous_key: string;
  admin_token: string;
  user: { email: string; password: string };
  /** Bodies of orders, as the channels sent them, and the answers to a resend. */
  orders: { key: string; body: { order_number: string }; answer: unknown }[];
  /** An order number for each kind of report, all of the first channel. */
  open: { ship: string; cancel: string; backorder: string };
  /** Reads of channels and of the back office. */
  reads: { key: string | null; path: string; body: unknown }[];
}

/** Transaction ids have no meaning in another database; the test creates sessions by signing in. */
const LEFT_OUT = ['change_journal', 'journal_trim', 'account_session'];

type Call = (method: string, path: string, body?: unknown) => ReturnType<typeof call>;

interface Side {
  admin: Call;
  /** A call with the key of a channel. */
  as: (key: string) => Call;
}

/** Creates data of every kind over HTTP. */
async function drive(origin: string, version: string): Promise<ReleasedFacts> {
  const admin: Call = (method, path, body) =>
    call(`${origin}/admin/v1${path}`, method, body, { authorization: `Bearer ${ADMIN_TOKEN}` });
  const as =
    (key: string): Call =>
    (method, path, body) =>
      call(`${origin}/api/v1${path}`, method, body, { 'x-api-key': key });
  const side = { admin, as };

  const korean = await must(admin('POST', '/channels', { name: 'Seoul shop', country_code: 'KR' }), 201);
  const japanese = await must(
    admin('POST', '/channels', {
      name: 'Tokyo shop',
      country_code: 'JP',
      api_url: 'http://127.0.0.1:9/info',
    }),
    201,
  );
  await enterGoods(admin);
  await mapAndAllocate(admin, korean.id, japanese.id);
  await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', { name: 'CJ Logistics' }), 200, 201);
  await must(admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.1534' }), 201);
  await must(
    admin('PUT', `/channels/${japanese.id}/rate-limit`, { requests_per_minute: 60_000, burst: 1_000 }),
    200,
  );
  await must(admin('POST', `/channels/${japanese.id}/signing-secrets`), 201);
  await must(admin('PUT', `/channels/${japanese.id}/signing`, { mode: 'accepted' }), 200);
  const rotated = await must(
    admin('POST', `/channels/${korean.id}/rotate-key`, { overlap_seconds: 86_400 }),
    200,
    201,
  );
  const token = await must(admin('POST', '/tokens', { name: 'a program', role: 'viewer' }), 201);
  const user = await createUser(origin, admin);

  const keys = [rotated.api_key as string, japanese.api_key as string];
  const sent = await sendOrders(side, keys);
  const listed = await admin('GET', '/orders?limit=100');
  const orders: { id: number; order_number: string }[] = listed.json.data;
  const desk = orders.find(({ order_number }) => order_number === 'T-desk');
  await must(
    admin('POST', `/orders/${desk?.id}/status`, { status: 88, reason: 'out of the catalogue' }),
    200,
  );

  for (const one of sent) one.answer = (await as(one.key)('POST', '/orders', one.body)).json;
  return {
    version,
    keys,
    previous_key: korean.api_key,
    admin_token: token.token,
    user,
    orders: sent,
    open: { ship: 'S-paid', cancel: 'S-on-hold', backorder: 'S-backorder' },
    reads: await readEverything(side, keys, {
      orders: orders.map(({ id }) => id),
      channels: [korean.id, japanese.id],
    }),
  };
}

async function enterGoods(admin: Call): Promise<void> {
  const lens = { code: 'LENS', name: 'Daily lens', variants: [{ code: 'LENS-1' }, { code: 'LENS-2' }] };
  await must(admin('POST', '/products', lens), 201);
  await must(
    admin('POST', '/products', { code: 'CASE', name: 'Lens case', variants: [{ code: 'CASE-1' }] }),
    201,
  );
  for (const [variant, quantity] of [
    ['LENS-1', 30],
    ['LENS-2', 12],
    ['CASE-1', 5],
  ] as const)
    await must(admin('PUT', `/stock/${variant}`, { quantity, reason: 'first count' }), 200, 201);
  await must(
    admin('POST', '/stock/LENS-1/adjustments', { delta: 3, reason: 'found behind the shelf' }),
    200,
    201,
  );
}

async function mapAndAllocate(admin: Call, korean: number, japanese: number): Promise<void> {
  const map = (id: number, mappings: object[]) =>
    must(admin('PUT', `/channels/${id}/mappings`, { mappings }), 200);
  await map(korean, [
    { sku: 'K-LENS-1', variant_code: 'LENS-1' },
    { sku: 'K-LENS-2', variant_code: 'LENS-2' },
  ]);
  await map(japanese, [
    { sku: 'J/LENS 1', variant_code: 'LENS-1' },
    { sku: 'J-CASE', variant_code: 'CASE-1' },
  ]);
  const allocate = (id: number, variant: string, body: object) =>
    must(admin('PUT', `/channels/${id}/allocations/${variant}`, body), 200);
  await allocate(korean, 'LENS-1', { allocated_qty: 6, reserve_quota: 4 });
  await allocate(japanese, 'LENS-1', { allocated_qty: 5, reserve_quota: 0 });
}

/** A user who has replaced the one-time password. */
async function createUser(origin: string, admin: Call): Promise<ReleasedFacts['user']> {
  const user = await must(
    admin('POST', '/users', { email: 'operator@example.com', name: 'Operator', role: 'operator' }),
    201,
  );
  const session = { email: user.email as string, password: user.password as string };
  const signedIn = await call(`${origin}/admin/v1/session`, 'POST', session, { origin });
  const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '';
  await must(
    call(
      `${origin}/admin/v1/session/password`,
      'PUT',
      { current_password: session.password, new_password: PASSWORD },
      { origin, cookie, 'x-csrf-token': signedIn.json.data.csrf_token },
    ),
    200,
    204,
  );
  return { email: session.email, password: PASSWORD };
}

/** Orders of every status, and requests that are refused. */
async function sendOrders({ as }: Side, keys: string[]): Promise<ReleasedFacts['orders']> {
  const [seoul, tokyo] = keys.map(as) as [Call, Call];
  const sent: ReleasedFacts['orders'] = [];
  const order = async (
    key: number,
    number: string,
    items: [string, number, number][],
    fields: object = {},
  ) => {
    const lines = items.map(([sku, quantity, unit_price]) => ({ sku, quantity, unit_price }));
    const body = orderOf(lines, { order_number: number, ...fields });
    await must((key === 0 ? seoul : tokyo)('POST', '/orders', body), 201);
    sent.push({ key: keys[key] ?? '', body, answer: null });
  };
  const report = (by: Call, number: string, body: object) =>
    must(by('POST', `/orders/${encodeURIComponent(number)}/status`, body), 200);

  await order(0, 'S-unpaid', [['K-LENS-1', 1, 15_000]], { status: 0 });
  await order(0, 'S-paid', [['K-LENS-1', 2, 15_000]]);
  await order(0, 'S-preparing', [['K-LENS-2', 1, 15_000]]);
  await report(seoul, 'S-preparing', { status: 2 });
  await order(0, 'S-on-hold', [['K-LENS-2', 2, 15_000.5]]);
  await report(seoul, 'S-on-hold', { status: 9 });
  await order(0, 'S-shipped', [
    ['K-LENS-1', 3, 15_000],
    ['K-LENS-2', 1, 14_000],
  ]);
  await report(seoul, 'S-shipped', { status: 3, tracking_number: 'T-1', courier_code: 'CJ' });
  await order(0, 'S-cancelled', [['K-LENS-1', 4, 15_000]]);
  await report(seoul, 'S-cancelled', { status: 88, reason: 'changed their mind' });
  await order(1, 'T-yen', [['J/LENS 1', 2, 1_500.5]]);
  await order(1, 'T-desk', [['J-CASE', 1, 300]]);
  // More than the common stock: the rest is drawn from the channel's pre-allocation.
  await order(1, 'T-drawn', [['J/LENS 1', 17, 1_500]]);
  await order(0, 'S-backorder', [['K-LENS-1', 2, 15_000]], { is_backorder: true });
  await order(0, 'S-backorder-cancelled', [['K-LENS-1', 1, 15_000]], { is_backorder: true });
  await report(seoul, 'S-backorder-cancelled', { status: 88 });
  await seoul('GET', '/inventory/K-NOBODY-KNOWS');
  await seoul('POST', '/orders', orderOf([{ sku: 'K-UNMAPPED', quantity: 1, unit_price: 1 }]));
  return sent;
}

async function readEverything(
  { admin, as }: Side,
  keys: string[],
  ids: { orders: number[]; channels: number[] },
): Promise<ReleasedFacts['reads']> {
  const reads: ReleasedFacts['reads'] = [];
  const read = async (key: string | null, path: string): Promise<void> => {
    const answer = await (key === null ? admin : as(key))('GET', path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    reads.push({ key, path, body: answer.json });
  };
  for (const key of keys) await read(key, '/inventory');
  for (const sku of ['K-LENS-1', 'K-LENS-2']) await read(keys[0] ?? '', `/inventory/${sku}`);
  for (const sku of ['J/LENS 1', 'J-CASE'])
    await read(keys[1] ?? '', `/inventory/${encodeURIComponent(sku)}`);
  for (const id of ids.orders) await read(null, `/orders/${id}`);
  for (const variant of ['LENS-1', 'LENS-2', 'CASE-1'])
    for (const rest of ['', '/movements']) await read(null, `/stock/${variant}${rest}`);
  for (const id of ids.channels)
    for (const rest of ['', '/mappings', '/allocations']) await read(null, `/channels/${id}${rest}`);
  for (const path of [
    '/exchange-rates',
    '/common-codes/DELIVERY_COMPANY',
    '/users',
    '/products',
    '/audit?limit=100',
  ])
    await read(null, path);
  return reads;
}

const KEEP_KEYS = `update channel set previous_key_valid_until = '2100-01-01' where previous_key_hash is not null`;

/** Every row as an INSERT, and the state of the sequences. */
async function dump(client: pg.Client): Promise<string> {
  const names = async (sql: string, values: unknown[] = []): Promise<string[]> =>
    (await client.query<{ name: string }>(sql, values)).rows.map(({ name }) => name);
  const tables = await names(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  const lines: string[] = [];
  for (const table of tables.filter((name) => !LEFT_OUT.includes(name))) {
    const columns = await names(
      `select attname as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [table],
    );
    const values = columns.map((column) => `quote_nullable("${column}"::text)`).join(` || ', ' || `);
    const list = columns.map((column) => `"${column}"`).join(', ');
    const rows = await names(`select ${values} as name from "${table}" order by 1`);
    lines.push(
      ...rows.map((row) => `insert into "${table}" (${list}) overriding system value values (${row});`),
    );
  }
  const sequences = await client.query<{ name: string; last: string | null }>(
    `select sequencename as name, last_value as last from pg_sequences where schemaname = 'public' order by 1`,
  );
  for (const { name, last } of sequences.rows)
    if (last !== null) lines.push(`select setval('"${name}"', ${last});`);
  return `${lines.join('\n')}\n`;
}

async function main(): Promise<void> {
  const [ref] = process.argv.slice(2);
  if (ref === undefined) throw new Error('The git ref is missing, such as v0.2.0.');
  const home = mkdtempSync(join(tmpdir(), 'sluice-released-'));
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-released-data-'));
  try {
    const sources = execFileSync('git', ['archive', ref], { cwd: ROOT, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', home], { input: sources });
    symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
    const log = { info: () => {}, warn: (text: string) => process.stderr.write(`${text}\n`) };
    const server = await startEmbedded({ dataDir, log });
    const service = await spawnService(
      { DATABASE_URL: server.ownerUrl, SLUICE_SECRET: TEST_SECRET, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN },
      [process.execPath, 'src/start/main.ts'],
      home,
    );
    try {
      await service.mustBeReady();
      const facts = await drive(service.origin, version);
      await service.stop();
      // The test runs later, so extend the time in which the key before the rotation is accepted.
      await connected(server.ownerUrl, (client) => client.query(KEEP_KEYS));
      const place = join(ROOT, 'test', 'released', version);
      writeFileSync(`${place}.json`, `${JSON.stringify(facts, null, 1)}\n`);
      writeFileSync(`${place}.sql`, await connected(server.ownerUrl, dump));
      process.stdout.write(`${place}.sql and .json\n`);
    } finally {
      await service.stop();
      await server.stop();
    }
  } finally {
    for (const directory of [home, dataDir]) rmSync(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
