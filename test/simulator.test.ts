import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Random } from '../verify/kit/random.ts';
import { Observer } from '../verify/observer/observer.ts';
import type { Status } from '../verify/observer/order-states.ts';
import type { ServiceAnswer, OrderBody, ServiceRequest } from '../verify/observer/requests.ts';
import { serveProductInfo } from '../tools/simulator/product-info.ts';
import {
  arrivalsOf,
  arrivedBy,
  SCENARIO_NAMES,
  SCENARIOS,
  type ScenarioName,
} from '../tools/simulator/scenarios.ts';
import { simulate } from '../tools/simulator/simulate.ts';
import { chooseOnSale, planVisit, shelfOf } from '../tools/simulator/visit.ts';
import { UsageError } from '../verify/kit/command-line.ts';
import type { KeyedWorld } from '../tools/simulator/world.ts';
import { grantKey } from '../verify/observer/world.ts';
import { seedDemo } from '../src/features/demo/changes.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { sluice } from './cli-run.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';
import { ADMIN_TOKEN, startTestService } from '../verify/kit/service.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const service = await startTestService();
const { pool, sealer } = service.service.services;
await inTransaction(pool, (tx) =>
  seedDemo(tx, { actor: 'test', request_id: null }, { sealer, force: false }),
);

/** The scenario has a peak of a hundred times its rate, so a low rate is enough. */
const RATES: Partial<Record<ScenarioName, number>> = { 'black-friday': 2 };

/** Simulates a short day on the service at `origin`; returns the exit code and the output. */
async function run(origin: string, scenario: ScenarioName): Promise<{ code: number; text: string }> {
  let text = '';
  const screen = { write: (more: string) => (text += more) };
  const target = { origin, keys: null, admin_token: ADMIN_TOKEN };
  const options = {
    channels: 2,
    rate: RATES[scenario] ?? 100,
    seed: 7,
    scenario,
    ms: 400,
    target,
    json: null,
  };
  const code = await simulate(options, screen, new AbortController().signal);
  return { code, text };
}

for (const scenario of SCENARIO_NAMES) {
  test(`${scenario}: a short run has no violations`, async () => {
    const { code, text } = await run(service.origin, scenario);
    assert.equal(code, 0, text);
    assert.match(text, /accepted [1-9]\d*, resent [1-9]/);
    assert.match(text, /violations 0/);
    if (scenario === 'flash-sale') assert.match(text, /refused [1-9]/);
    assert.doesNotMatch(text, /Product information was not pulled/);
  });
}

test('customers arrive as the scenario defines: all of them by the end, and at a hundred times the rate on Black Friday', () => {
  for (const name of SCENARIO_NAMES) {
    const { arrivals } = SCENARIOS[name];
    const mean = arrivals.reduce((sum, factor) => sum + factor, 0) / arrivals.length;
    assert.ok(Math.abs(arrivedBy(SCENARIOS[name], 1, 600) - 600 * mean) < 1e-6, name);
    let before = 0;
    for (let share = 0; share <= 1.1; share += 0.01) {
      const now = arrivedBy(SCENARIOS[name], share, 600);
      assert.ok(now >= before, name);
      before = now;
    }
  }
  const usual = arrivedBy(SCENARIOS['black-friday'], 1 / 6, 600);
  assert.equal(usual, 100);
  assert.equal(arrivedBy(SCENARIOS['black-friday'], 2 / 6, 600) - usual, 100 * usual);
});

test('in a run without an end, as in the demo, customers arrive at the usual rate', () => {
  const arrived = arrivalsOf(SCENARIOS.calm, Infinity, 3);
  assert.deepEqual([0, 1_000, 3_600_000].map(arrived), [0, 3, 10_800]);
  assert.equal(arrivalsOf(SCENARIOS.calm, 60_000, 3)(60_000), 180);
});

test('a flash sale sells a SKU that has stock', () => {
  const sku = (variant_code: string) => ({
    sku: variant_code,
    variant_code,
    product_code: null,
    product_name: '',
  });
  const channel = { id: 1, name: 'c', api_key: 'k', currency_code: 'KRW', country_code: 'KR', rate: null };
  const channels = [{ ...channel, skus: ['none', 'empty', 'some'].map(sku) }];
  const row = (quantity: number) => ({ quantity, unshipped: 0, backordered: 0, allocated: 0 });
  const stock = new Map([
    ['empty', row(0)],
    ['some', row(5)],
  ]);
  for (let seed = 0; seed < 20; seed++) {
    const chosen = chooseOnSale({ channels, stock, grants: new Map() }, new Random(seed));
    assert.equal(chosen, 'some');
  }
  assert.equal(chooseOnSale({ channels, stock: new Map(), grants: new Map() }, new Random(1)), null);
});

test('a service with nothing to sell is refused with a message, and no channel is created on it', async () => {
  const empty = await startTestService();
  await assert.rejects(run(empty.origin, 'calm'), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /^There is nothing to sell/);
    return true;
  });
  const { json } = await empty.admin('GET', '/channels');
  assert.deepEqual(json.data, []);
});

interface Told {
  status: number;
  // `any`, because a lie reads and changes any field of a body.
  json: any;
}
type Lie = (path: string, told: Told, sent: string) => Told;

const FORWARDED = ['x-api-key', 'authorization', 'content-type', 'if-none-match'] as const;
const RETURNED = ['content-type', 'etag', 'x-request-id', 'retry-after'];

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, lie: Lie): Promise<void> {
  let body = '';
  for await (const part of incoming.setEncoding('utf8')) body += String(part);
  const path = incoming.url ?? '/';
  const answer = await fetch(`${service.origin}${path}`, {
    method: incoming.method ?? 'GET',
    headers: Object.fromEntries(FORWARDED.flatMap((name) => one(name, incoming.headers[name]))),
    ...(body === '' ? {} : { body }),
  });
  const text = await answer.text();
  const told = { status: answer.status, json: text === '' ? null : (JSON.parse(text) as unknown) };
  const changed = path.startsWith('/api/') ? lie(path, told, body) : told;
  const kept = Object.fromEntries(RETURNED.flatMap((name) => one(name, answer.headers.get(name))));
  outgoing.writeHead(changed.status, kept);
  outgoing.end(text === '' ? undefined : JSON.stringify(changed.json));
}

const one = (name: string, value: unknown): [string, string][] =>
  typeof value === 'string' ? [[name, value]] : [];

/** A proxy between the simulator and the service that falsifies some of its answers. */
async function startLiar(lie: Lie): Promise<{ origin: string; close(): void }> {
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, lie).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  after(close);
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe('a service with wrong answers is detected', () => {
  let firstId: number | undefined;
  let madeUp = 1_000_000_000;
  const lies: Record<string, { scenario: ScenarioName; lie: Lie; sentence: RegExp }> = {
    'an order with the id of another': {
      scenario: 'calm',
      lie: (path, told) => {
        if (!path.endsWith('/orders') || told.status !== 201) return told;
        firstId ??= told.json.data.id as number;
        return { ...told, json: { data: { ...told.json.data, id: firstId } } };
      },
      sentence: /order SIM-\S+ has the id \d+ of order SIM-/,
    },
    'a lookup that shows one less': {
      scenario: 'calm',
      lie: (path, told) =>
        /\/inventory\/./.test(path) && told.json.available > 0
          ? { ...told, json: { ...told.json, available: told.json.available - 1 } }
          : told,
      sentence: /has \d+ available in the list and \d+ in the lookup/,
    },
    'another code on a 409': {
      scenario: 'wild-retries',
      lie: (_path, told) =>
        told.json?.code === 'invalid_transition'
          ? { ...told, json: { ...told.json, code: 'insufficient_stock' } }
          : told,
      sentence: /was answered 409 insufficient_stock, but from \d+ it is an invalid_transition/,
    },
    'an oversell': {
      scenario: 'flash-sale',
      lie: (path, told, sent) => {
        if (!path.endsWith('/orders') || told.status !== 422) return told;
        const order = JSON.parse(sent) as OrderBody;
        const items = order.items.map(({ sku, quantity, unit_price }) => ({
          product_code: sku,
          product_name: sku,
          quantity,
          unit_price: unit_price.toFixed(2),
        }));
        const { order_number, recipient_name, status } = order;
        const created_at = '2026-01-01T00:00:00+09:00';
        const data = { id: ++madeUp, order_number, recipient_name, status, items, created_at };
        return { status: 201, json: { data: { ...data, total_amount: '0.00' } } };
      },
      sentence: /is oversold: \d+ are accepted and not cancelled, but no more than \d+ could be sold/,
    },
  };
  for (const [name, { scenario, lie, sentence }] of Object.entries(lies)) {
    test(name, async () => {
      const liar = await startLiar(lie);
      const { code, text } = await run(liar.origin, scenario);
      liar.close();
      assert.equal(code, 1, text);
      assert.match(text, sentence);
    });
  }
});

describe('the observer, with single answers', () => {
  const world: KeyedWorld = {
    channels: [
      {
        id: 1,
        name: 'Shop',
        api_key: 'key',
        currency_code: 'JPY',
        country_code: 'JP',
        rate: '9.35',
        skus: [{ sku: 'A', variant_code: 'P-A', product_code: 'P', product_name: 'Pen' }],
      },
    ],
    stock: new Map([['P-A', { quantity: 5, unshipped: 0, backordered: 0, allocated: 2 }]]),
    grants: new Map([[grantKey(0, 'P-A'), { allocated_qty: 2, reserve_quota: 3, backordered_qty: 0 }]]),
  };
  const order = (number: string, quantity: number, is_backorder = false): OrderBody => ({
    order_number: number,
    recipient_name: 'Kim',
    recipient_phone: '1',
    shipping_address: 'Seoul',
    status: 1,
    is_backorder,
    items: [{ sku: 'A', quantity, unit_price: 100.05 }],
  });
  /** Quantity times 100.05 at the rate 9.35, rounded once. */
  const TOTALS: Record<number, string> = { 1: '935.47', 2: '1870.94', 3: '2806.40' };
  const shown = (number: string, quantity: number, fields: object = {}) => ({
    data: {
      id: 1,
      order_number: number,
      status: 1,
      total_amount: TOTALS[quantity],
      recipient_name: 'Kim',
      items: [{ product_code: 'P', product_name: 'Pen', quantity, unit_price: '935.47' }],
      created_at: '2026-11-15T09:30:00+09:00',
      ...fields,
    },
  });
  const answer = (status: number, json: unknown, headers: Partial<ServiceAnswer> = {}): ServiceAnswer => ({
    status,
    text: JSON.stringify(json),
    request_id: 'r',
    retry_after: null,
    ...headers,
  });
  const submit = (body: OrderBody): ServiceRequest => ({ kind: 'order', channel: 0, body });
  const report = (order_number: string, status: Status): ServiceRequest => ({
    kind: 'report',
    channel: 0,
    order_number,
    status,
  });
  const look = (sku: string): ServiceRequest => ({ kind: 'lookup', channel: 0, sku });
  type Exchange = [ServiceRequest, ServiceAnswer | null];
  const conflict = (code: string, current_status: number, requested_status: number): ServiceAnswer =>
    answer(409, { error: 'no', code, current_status, requested_status });
  const taken: Exchange = [submit(order('N1', 2)), answer(201, shown('N1', 2))];

  const broken = (exchanges: readonly Exchange[]): string => {
    const observer = new Observer(world);
    for (const [request, told] of exchanges) observer.leaves(request)(told);
    return [...observer.broken].join('\n');
  };

  test('correct answers are not violations', () => {
    const silent: Exchange = [submit(order('N9', 1)), null];
    assert.equal(
      broken([
        taken,
        [submit(order('N1', 2)), answer(200, shown('N1', 2))],
        [report('N1', 3), answer(200, shown('N1', 2, { status: 3 }))],
        [report('N1', 88), conflict('invalid_transition', 3, 88)],
        silent,
        [submit(order('N9', 1)), answer(200, shown('N9', 1, { id: 2 }))],
        [submit(order('N8', 3)), answer(422, { error: 'SKU A: 3, 2' })],
        [look('A'), answer(200, { sku: 'A', available: 2, reserve_remaining: 3 })],
        [look('B'), answer(404, { error: 'no' })],
        [look('A'), answer(503, { error: 'later' }, { retry_after: '1' })],
        [submit(order('N1', 2)), answer(408, { error: 'too slow' })],
      ]),
      '',
    );
  });

  const cases: Record<string, [Exchange[], RegExp]> = {
    'a second 201': [[taken, taken], /answered 201 twice/],
    'a 200 at the first intake': [
      [[submit(order('N1', 2)), answer(200, shown('N1', 2))]],
      /answered 200, as a resend, at its first intake/,
    ],
    'a resend with another amount': [
      [taken, [submit(order('N1', 2)), answer(200, shown('N1', 2, { total_amount: '1.00' }))]],
      /changed its total_amount from 1870.94 to 1.00/,
    ],
    'a total rounded line by line': [
      [[submit(order('N1', 3)), answer(201, shown('N1', 3, { total_amount: '2806.41' }))]],
      /has total_amount 2806.41 instead of 2806.40/,
    ],
    'one decimal': [
      [[submit(order('N1', 2)), answer(201, shown('N1', 2, { total_amount: '1870.9' }))]],
      /not a decimal text with two decimals/,
    ],
    'an internal field': [
      [[submit(order('N1', 2)), answer(201, shown('N1', 2, { is_backorder: false }))]],
      /is_backorder is shown and must not be/,
    ],
    'a refused resend': [
      [taken, [submit(order('N1', 2)), answer(422, { error: 'SKU A' })]],
      /had been accepted, but its resend was refused/,
    ],
    'a needless refusal': [
      [[submit(order('N1', 1)), answer(422, { error: 'SKU A' })]],
      /was refused although stock was sufficient/,
    ],
    'a quota exceeded': [
      [
        [submit(order('N1', 2, true)), answer(201, shown('N1', 2))],
        [submit(order('N2', 2, true)), answer(201, shown('N2', 2, { id: 2 }))],
      ],
      /backorders exceed the quota: 4 are backordered, but the quota left was 3/,
    ],
    'a backward move': [
      [
        taken,
        [report('N1', 2), answer(200, shown('N1', 2, { status: 2 }))],
        [report('N1', 1), answer(200, shown('N1', 2, { status: 1 }))],
      ],
      /was accepted, but this transition is not allowed from 2/,
    ],
    'a legal move refused': [
      [taken, [report('N1', 2), conflict('invalid_transition', 1, 2)]],
      /invalid_transition, although the transition is allowed from 1/,
    ],
    'a shipment refused although the stock is there': [
      [taken, [report('N1', 3), conflict('insufficient_stock', 1, 3)]],
      /insufficient_stock although there was enough stock/,
    ],
    'an order that was lost': [[taken, [report('N1', 2), answer(404, { error: 'no' })]], /was answered 404/],
    'more available than possible': [
      [taken, [look('A'), answer(200, { sku: 'A', available: 4, reserve_remaining: 0 })]],
      /shows 4 available, but no more than 3 can be/,
    ],
    'a server error': [[[submit(order('N1', 2)), answer(500, { error: 'oops' })]], /was answered 500/],
    'a 503 without Retry-After': [[[look('A'), answer(503, { error: 'later' })]], /without a Retry-After/],
    'no request id': [
      [[look('B'), answer(404, { error: 'no' }, { request_id: null })]],
      /without an X-Request-Id/,
    ],
  };
  test('each wrong answer is a violation, with a message that describes it', () => {
    for (const [name, [exchanges, sentence]] of Object.entries(cases))
      assert.match(broken(exchanges), sentence, name);
  });

  test('the product information address requires the key of its channel', async () => {
    const goods = await serveProductInfo(world.channels, () => 4);
    after(() => goods.close());
    const ask = async (usercode: string, key: string) => {
      const got = await fetch(`${goods.urlOf(0)}?usercode=${usercode}`, { headers: { 'x-api-key': key } });
      return { status: got.status, json: (await got.json()) as object };
    };
    const option = { opt_group: '좌', power: 'A', option_code: 'A', stock: 4, hidden: false };
    const found = { found: true, goods_name: 'Pen', is_monthly: 0, options: [option] };
    assert.deepEqual(await ask('P', 'key'), { status: 200, json: found });
    assert.deepEqual(await ask('Q', 'key'), { status: 200, json: { found: false, message: 'no goods Q' } });
    assert.equal((await ask('P', 'another')).status, 401);
  });

  test('the same seed plans the same visits', () => {
    const shelves = world.channels.map((channel) => shelfOf(channel, null));
    const plan = { scenario: SCENARIOS['wild-retries'], world, shelves, prefix: 'T' };
    const visits = (seed: number) =>
      Array.from({ length: 20 }, (_, n) => planVisit(plan, new Random(seed + n), n));
    assert.deepEqual(visits(1), visits(1));
    assert.notDeepEqual(visits(1), visits(500));
  });
});

describe('npm run simulate', () => {
  const command = ['npm', '--prefix', ROOT, 'run', '--silent', 'simulate', '--'];

  test('an invalid option ends with exit code 2', async () => {
    const { code, stderr } = await sluice(['--scenario', 'stormy'], { command });
    assert.equal(code, 2);
    assert.match(stderr, /--scenario must be one of calm, flash-sale, wild-retries/);
  });

  test('--json in a directory that does not exist is refused before the run', async () => {
    const { code, stdout, stderr } = await sluice(['--json', 'none/out.json'], { command });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^--json: the directory .*none does not exist\n$/);
  });

  test('its own service has its own database, whatever DATABASE_URL is', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/production' };
    const { code, stdout, stderr } = await sluice(['--seconds', '0.3'], { command, env });
    assert.equal(code, 0, stdout + stderr);
  });

  test('with the keys of a running service: exit code 0 and a summary where npm is called', async () => {
    const directory = await temporaryDirectory();
    const channels = (await service.admin('GET', '/channels?limit=500')).json.data as { id: number }[];
    const rotated = await service.admin('POST', `/channels/${channels[0]?.id}/rotate-key`, {});
    const keys = rotated.json.data.api_key as string;
    const args = ['--url', service.origin, '--keys', keys, '--seconds', '0.3', '--rate', '50', '--seed', '3'];
    const cwd = directory.path;
    const { code, stdout } = await sluice([...args, '--json', 'summary.json'], { command, cwd });
    assert.equal(code, 0, stdout);
    const summary = JSON.parse(await readFile(join(cwd, 'summary.json'), 'utf8')) as {
      seed: number;
      channels: { counts: { accepted: number } }[];
    };
    assert.equal(summary.seed, 3);
    assert.ok((summary.channels[0]?.counts.accepted ?? 0) > 0);
    await directory.remove();
  });
});
