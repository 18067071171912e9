// `npm run bench:background`: what the order feed, webhooks, alerts and expiry cost intake and reports. Two
// services on two copies of the same data are measured alternately: one with all of them, one without jobs and
// without a feed reader.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { amount, count, maybe, optionsOf, runCommand, someOf } from '../../verify/kit/command-line.ts';
import type { ServiceProcess } from '../../verify/kit/process.ts';
import { COPY, MAIN, say, startBench, type Bench } from './bench.ts';
import { analyzeOrders } from './catalogue.ts';
import { Cleanup } from './cleanup.ts';
import { withClient } from './database.ts';
import { checkService } from './final-checks.ts';
import type { Job, LoadResult } from './job.ts';
import { record } from './rounds.ts';
import { hotOrders, SERVICE_ORDERS, walk } from './runs.ts';
import { spreadOf } from '../../verify/kit/spread.ts';

const PARTS = ['feed', 'webhooks', 'alerts', 'expiry'] as const;

const HELP = `npm run bench:background -- [options]

Orders and reports per second, and the CPU time of each, with and without background work. "With" means: a reader that
polls the order feed and reads every order; one webhook endpoint that receives every order and every status change; a
low-stock threshold on every tenth variant; an expiry for unpaid orders. The jobs run in the process that takes the
orders; the receiver and the reader run on the same machine.

  --with A,B         only these of ${PARTS.join(', ')} (default: all)
  --rate N           only orders, N per second (default: orders and reports, as many as 64 connections can send)
  --rounds N         default 5
  --seconds S        duration of each measurement (default 3)
  --help`;

const readOptions = optionsOf({
  with: someOf(PARTS),
  rate: maybe(amount(1)),
  rounds: count(5),
  seconds: amount(3),
});
type Options = NonNullable<ReturnType<typeof readOptions>>;

const WARMUP_S = 0.5;
const REPORTS_S = 6_000;
const FEED_PAGE = 500;
const FEED_PAUSE_MS = 1_000;
const QUIET_MS = 1_500;
const DRAIN_MS_MAX = 60_000;
const OPEN_CONNECTIONS = 1_000;

type Admin = (method: string, path: string, body?: unknown) => Promise<{ data: any } & Record<string, any>>;

const adminOf =
  ({ origin }: ServiceProcess, token: string): Admin =>
  async (method, path, body) => {
    const answer = await fetch(`${origin}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = (await answer.json()) as Awaited<ReturnType<Admin>>;
    if (!answer.ok)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(json)}`);
    return json;
  };

/** Answers immediately and counts the requests. */
async function startCounter(cleanup: Cleanup): Promise<{ url: string; count: () => number }> {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add('receiver', async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, count: () => received };
}

/** Reads all pages, then waits a second, like a warehouse system. */
function startReader(admin: Admin, cleanup: Cleanup): { count: () => number } {
  let [read, isOn] = [0, true];
  const reading = (async () => {
    let since = 'now';
    while (isOn) {
      const page = await admin('GET', `/orders/changes?limit=${FEED_PAGE}&since=${since}`).catch(() => null);
      if (page) [since, read] = [page['next'] as string, read + page.data.length];
      if (page?.['has_more'] !== true) await sleep(FEED_PAUSE_MS);
    }
  })();
  cleanup.add('reader of the feed', async () => {
    isOn = false;
    await reading;
  });
  return { count: () => read };
}

/** The events delivered so far by webhook and by the feed. */
type Delivered = () => { events: number; read: number };

async function switchOn(bench: Bench, parts: Options['with'], cleanup: Cleanup): Promise<Delivered> {
  const admin = adminOf(bench.service, bench.admin_token);
  const receiver = await startCounter(cleanup);
  const reader = parts.includes('feed') ? startReader(admin, cleanup) : { count: () => 0 };
  if (parts.includes('webhooks'))
    await admin('POST', '/webhooks', {
      url: receiver.url,
      events: ['order.accepted', 'order.status_changed'],
    });
  if (parts.includes('alerts'))
    await withClient(bench.database.urlOf(MAIN), (client) =>
      client.query('update variant set low_stock_at = 5 where id % 10 = 0'),
    );
  if (parts.includes('expiry'))
    await admin('PATCH', `/channels/${bench.channel.id}`, { prepayment_expiry_minutes: 60 });
  return () => ({ events: receiver.count(), read: reader.count() });
}

/** Waits until all events are delivered, so that this work does not fall into the next measurement. */
async function drained(delivered: Delivered): Promise<void> {
  const deadline = Date.now() + DRAIN_MS_MAX;
  for (let before = ''; Date.now() < deadline; await sleep(QUIET_MS)) {
    const now = JSON.stringify(delivered());
    if (now === before) return;
    before = now;
  }
  throw new Error('the events of one round were not delivered in time');
}

interface Side {
  name: 'with' | 'without';
  database: string;
  service: ServiceProcess;
}

const KINDS = ['orders', 'reports'] as const;

async function jobOf(
  bench: Bench,
  kind: (typeof KINDS)[number],
  side: Side,
  rate: number | null,
): Promise<Job> {
  if (kind === 'reports') return walk({ bench }, side.service, side.database, SERVICE_ORDERS, REPORTS_S);
  const load = rate === null ? {} : { load: { kind: 'open', rate, connections: OPEN_CONNECTIONS } as const };
  return hotOrders(bench, side.service, undefined, load);
}

const perOperation = (seconds: number | null, { counted }: LoadResult): number =>
  ((seconds ?? NaN) / counted) * 1e6;

type Measured = Record<Side['name'], LoadResult>;

function sayRatios(kind: string, rounds: readonly Measured[]): void {
  const line = (what: string, of: (result: LoadResult) => number, digits: number): void => {
    const sides = (['with', 'without'] as const).map((side) => {
      const { median, min, max } = spreadOf(rounds.map((round) => of(round[side])));
      return `${side} ${median.toFixed(digits)} (${min.toFixed(digits)} – ${max.toFixed(digits)})`;
    });
    const ratio = spreadOf(rounds.map((round) => of(round.with) / of(round.without)));
    console.log(
      `${kind.padEnd(8)} ${what.padEnd(22)} ratio ${ratio.median.toFixed(3)} (${ratio.min.toFixed(3)} – ${ratio.max.toFixed(3)})   ${sides.join(', ')}`,
    );
  };
  line('per second', ({ ops_s }) => ops_s, 0);
  line('p99 ms', ({ p99_ms }) => p99_ms, 1);
  line('CPU µs of the service', (result) => perOperation(result.cpu.service, result), 0);
  line('CPU µs of the database', (result) => perOperation(result.cpu.database, result), 0);
}

async function measure(options: Options, cleanup: Cleanup, signal: AbortSignal): Promise<number> {
  const { rounds, seconds, rate } = options;
  const whole = {
    quick: true,
    json: null,
    only: null,
    soak: false,
    minutes: 1,
    strict: false,
    profile: null,
  };
  const bench = await startBench(
    { ...whole, rounds, seconds, warmup_s: WARMUP_S, workers: 1 },
    cleanup,
    signal,
    {
      SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    },
  );
  const without = await bench.startService(COPY, 1, { SLUICE_JOBS: '0' });
  const sides: Side[] = [
    { name: 'with', database: MAIN, service: bench.service },
    { name: 'without', database: COPY, service: without },
  ];
  for (const side of sides) {
    await record(bench, 'warming up', side.name, hotOrders(bench, side.service));
    await record(bench, 'warming up', side.name, await jobOf(bench, 'reports', side, null));
    await withClient(bench.database.urlOf(side.database), analyzeOrders);
  }
  const delivered = await switchOn(bench, options.with, cleanup);
  await drained(delivered);
  const results = new Map<string, Measured[]>(KINDS.map((kind) => [kind, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const kind of rate === null ? KINDS : KINDS.slice(0, 1)) {
      const found: Partial<Measured> = {};
      for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
        const job = await jobOf(bench, kind, side, rate);
        await drained(delivered);
        const before = delivered();
        // Suspend the other service, because its jobs would continue.
        if (side.name === 'without') bench.service.signal('SIGSTOP');
        try {
          found[side.name] = await record(bench, `round ${round} of ${rounds}`, `${kind} ${side.name}`, job);
        } finally {
          if (side.name === 'without') bench.service.signal('SIGCONT');
        }
        const after = delivered();
        if (side.name === 'with')
          say(`meanwhile ${after.events - before.events} webhooks, ${after.read - before.read} changes read`);
      }
      results.get(kind)?.push(found as Measured);
    }
  }
  await drained(delivered);
  for (const { service, name } of sides) await checkService(bench, service, name);
  console.log(`with ${options.with.join(', ')}; ${JSON.stringify(delivered())}`);
  for (const [kind, of] of results) if (of.length > 0) sayRatios(kind, of);
  for (const fault of bench.faults) console.log(`INVALID: ${fault}`);
  return bench.faults.length > 0 ? 1 : 0;
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const cleanup = new Cleanup();
  try {
    return await measure(options, cleanup, signal);
  } finally {
    await cleanup.run();
  }
}

await runCommand(HELP, readOptions, main);
