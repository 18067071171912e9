// What one channel's flood costs another channel: one channel sends 300 distinct requests at once, the other one polls.
// Prints the ratio of the poll's duration to its duration without a flood.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../verify/kit/connection.ts';
import { must, orderOf } from '../../verify/kit/fixtures.ts';
import type { ServiceProcess } from '../../verify/kit/process.ts';
import { call } from '../../verify/kit/service.ts';
import { spreadOf } from '../../verify/kit/spread.ts';
import { addChannel, announceStock, fillCatalogue, mapAll, type BenchChannel } from './catalogue.ts';
import { skuOf } from './catalogue-names.ts';
import { openFlood } from './flood-client.ts';

const FLOOD_REQUESTS = 300;
const ORDERS = 1_000;
const SKUS = 10_000;
const SKUS_OF_THE_OTHER = 100;
const BULK_SKUS = 1_000;
const AT_ONCE = 32;
const QUIET_POLLS = 20;
const POLL_PAUSE_MS = 5;
/** The poll of another channel may take this many times its quiet duration, and this much longer. */
const TIMES_QUIET_MAX = 5;
const MORE_MS_MAX = 50;

interface Asked {
  method?: 'POST';
  /** Under /api/v1, except /healthz. */
  path: string;
  body?: object;
}

interface Kind {
  name: string;
  flood: (index: number) => Asked;
  poll: Asked;
  /** Makes a change for which all requests of the flood wait. */
  trigger?: () => Promise<unknown>;
}

/** Costs nothing but HTTP: no flood of this size can cost less. */
const PROBE = '/healthz';
const pathOf = ({ path }: Asked): string => (path === PROBE ? path : `/api/v1${path}`);

const encoded = encodeURIComponent;
/** All requests of a flood are at the service before the change. */
const ARRIVE_MS = 1_500;

export async function measureFloods(
  service: ServiceProcess,
  { url, secret }: { url: string; secret: string },
): Promise<void> {
  const { origin } = service;
  const client = await connect(url);
  const flooder = await addChannel(client, secret, 'flooder');
  const other = await addChannel(client, secret, 'other');
  await fillCatalogue(client, flooder.id, SKUS);
  await mapAll(client, other.id, SKUS_OF_THE_OTHER);
  await announceStock(client);
  const sku = skuOf(1);
  const stockToken = (await askJson(origin, flooder, { path: '/inventory?limit=1' })).changes_since;
  const otherToken = (await askJson(origin, other, { path: '/inventory?limit=1' })).changes_since;
  // Every SKU may have changed since these tokens.
  await announceStock(client);
  await client.end();
  const numbers = await changedOrders(origin, flooder, sku, ORDERS);
  const [otherNumber = ''] = await changedOrders(origin, other, sku, 5);
  const now = (await askJson(origin, flooder, { path: '/orders?changes_since=now' })).changes_since;
  const [waitedFor = ''] = await openOrders(origin, flooder, sku, 1);
  const skus = Array.from({ length: BULK_SKUS }, (_, index) => skuOf(index + 1));
  const kinds: Kind[] = [
    { name: 'health probes', flood: () => ({ path: PROBE }), poll: { path: `/inventory/${encoded(sku)}` } },
    {
      name: 'order changes',
      flood: (index) => ({ path: `/orders?changes_since=&limit=${200 + index}` }),
      poll: { path: '/orders?changes_since=&limit=100' },
    },
    {
      name: 'order changes, waiting',
      flood: (index) => ({ path: `/orders?changes_since=${encoded(now)}&wait=30&limit=${200 + index}` }),
      poll: { path: '/orders?changes_since=&limit=100' },
      trigger: () => report(origin, flooder, waitedFor, 88),
    },
    {
      name: 'stock changes',
      flood: (index) => ({ path: `/inventory?changes_since=${encoded(stockToken)}&limit=${700 + index}` }),
      poll: { path: `/inventory?changes_since=${encoded(otherToken)}&limit=100` },
    },
    {
      name: 'stock pages',
      flood: (index) => ({ path: `/inventory?limit=${700 + index}` }),
      poll: { path: '/inventory?limit=100' },
    },
    { name: 'stock list', flood: () => ({ path: '/inventory' }), poll: { path: '/inventory' } },
    {
      name: 'lookups',
      flood: (index) => ({ path: `/inventory/${encoded(skuOf(index + 1))}` }),
      poll: { path: `/inventory/${encoded(sku)}` },
    },
    {
      name: 'bulk lookups',
      flood: () => ({ method: 'POST', path: '/inventory/lookup', body: { skus } }),
      poll: { method: 'POST', path: '/inventory/lookup', body: { skus: skus.slice(0, 10) } },
    },
    {
      name: 'one order',
      flood: (index) => ({ path: `/orders/${numbers[index]}` }),
      poll: { path: `/orders/${otherNumber}` },
    },
  ];
  process.stdout.write(
    `one channel sends ${FLOOD_REQUESTS} requests at once (${SKUS} SKUs, ${ORDERS} orders), another one polls; allowed: ` +
      `${TIMES_QUIET_MAX} × quiet + ${MORE_MS_MAX} ms\n`,
  );
  for (const kind of kinds) await measureKind(service, kind, { flooder, other });
}

async function measureKind(
  { origin, port }: ServiceProcess,
  { name, flood, poll, trigger }: Kind,
  { flooder, other }: { flooder: BenchChannel; other: BenchChannel },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const polled = (): Promise<number> => timed(origin, other, poll, agent);
  for (let warm = 0; warm < QUIET_POLLS; warm++) await polled();
  const quiet: number[] = [];
  for (let index = 0; index < QUIET_POLLS; index++) {
    quiet.push(await polled());
    await sleep(POLL_PAUSE_MS);
  }
  const requests = Array.from({ length: FLOOD_REQUESTS }, (_, index) => textOf(flooder, flood(index)));
  const { send } = await openFlood({ port, requests });
  const began = performance.now();
  let isOver = false;
  const answered = send().finally(() => (isOver = true));
  if (trigger) {
    await sleep(ARRIVE_MS);
    await trigger();
  }
  const during: number[] = [];
  while (!isOver) {
    during.push(await polled());
    await sleep(POLL_PAUSE_MS);
  }
  const tookMs = performance.now() - began;
  agent.destroy();
  const usual = spreadOf(quiet).median;
  const worst = Math.max(...during);
  const allowed = TIMES_QUIET_MAX * usual + MORE_MS_MAX;
  const isWithin = worst <= allowed;
  process.stdout.write(
    `  ${name.padEnd(24)} ${isWithin ? 'ok    ' : 'BEYOND'} slowest poll ${(worst / usual).toFixed(1).padStart(6)} × quiet` +
      ` (${worst.toFixed(0)} of at most ${allowed.toFixed(0)} ms; quiet ${usual.toFixed(1)}, median ${spreadOf(during).median.toFixed(0)} ms),` +
      ` ${during.length} polls during a flood of ${tookMs.toFixed(0)} ms, ${await answered} of ${FLOOD_REQUESTS} answered with 200\n`,
  );
}

const headersOf = ({ key }: BenchChannel) => ({ 'x-api-key': key });

function textOf(channel: BenchChannel, asked: Asked): string {
  const { method, body } = asked;
  const content = body === undefined ? '' : JSON.stringify(body);
  return [
    `${method ?? 'GET'} ${pathOf(asked)} HTTP/1.1`,
    'host: localhost',
    `x-api-key: ${channel.key}`,
    'connection: close',
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${content.length}`]),
    '',
    content,
  ].join('\r\n');
}

function timed(
  origin: string,
  channel: BenchChannel,
  { method, path, body }: Asked,
  agent: Agent,
): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { ...headersOf(channel), 'content-type': 'application/json' };
    const asked = request(
      `${origin}/api/v1${path}`,
      { agent, method: method ?? 'GET', headers },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${path} was answered with ${answer.statusCode}`));
        answer.resume().on('end', () => resolve(performance.now() - began));
      },
    );
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function askJson(origin: string, channel: BenchChannel, { path }: Asked) {
  return (await call(`${origin}/api/v1${path}`, 'GET', undefined, headersOf(channel))).json;
}

/** Numbers of new orders. */
async function openOrders(
  origin: string,
  channel: BenchChannel,
  sku: string,
  count: number,
): Promise<string[]> {
  const orders = Array.from({ length: count }, () => orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  const left = orders.values();
  const send = async (): Promise<void> => {
    for (const order of left)
      await must(call(`${origin}/api/v1/orders`, 'POST', order, headersOf(channel)), 201);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return orders.map(({ order_number }) => order_number);
}

/** Numbers of orders whose status has changed. */
async function changedOrders(
  origin: string,
  channel: BenchChannel,
  sku: string,
  count: number,
): Promise<string[]> {
  const numbers = await openOrders(origin, channel, sku, count);
  const left = numbers.values();
  const send = async (): Promise<void> => {
    for (const number of left) await report(origin, channel, number, 2);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return numbers;
}

const report = (origin: string, channel: BenchChannel, number: string, status: number): Promise<unknown> =>
  must(call(`${origin}/api/v1/orders/${number}/status`, 'POST', { status }, headersOf(channel)), 200);
