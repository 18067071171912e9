// `npm run bench:waiting`: the cost of clients that wait for changes (`wait=30`). Measures memory, CPU time and
// database connections while nothing changes, and how long it takes until all clients have received one change.
// One wait of 30 s is measured; the run takes about a minute. Then one channel floods the service with requests that have
// to wait for their turn (floods.ts). Or: how long orders wait beside imports (imports.ts).
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { amount, count, maybe, optionsOf, optionsOrExit, someOf } from '../../verify/kit/command-line.ts';
import { connect } from '../../verify/kit/connection.ts';
import { must, orderOf } from '../../verify/kit/fixtures.ts';
import { startService, type ServiceProcess } from '../../verify/kit/process.ts';
import { startOwnServer } from '../../verify/kit/server.ts';
import { ADMIN_TOKEN, call } from '../../verify/kit/service.ts';
import { fillCatalogue } from './catalogue.ts';
import { cpuSecondsOfTree, residentMegabytesOf } from './cpu.ts';
import { withClient } from './database.ts';
import { measureFloods } from './floods.ts';
import { measureImports } from './imports.ts';

const PARTS = ['clients', 'floods'] as const;
const HELP = `npm run bench:waiting -- [options]

What waiting clients cost the service, and how fast they get a change; and how long the polls of one channel take while
another channel sends 300 requests at once, of each kind that a channel can send.

  --only A,B    only these of ${PARTS.join(', ')} (default: both)
  --clients N   number of clients, at most 8000 (default 5000)
  --imports N   instead: how long orders wait beside each import of N rows
  --help`;

const { clients, only, imports } = optionsOrExit(
  HELP,
  optionsOf({ clients: count(5000), only: someOf(PARTS), imports: maybe(amount(1)) }),
);
const CLIENTS = Math.min(clients, 8_000);
const WAIT_SECONDS = 30;
/** The duration of the measurement while nothing changes. */
const QUIET_SECONDS = 10;
const SETTLE_SECONDS = 4;
/** Opened in groups, so that the listener's queue is not the bottleneck. */
const OPENED_AT_ONCE = 200;

const SECRET = 'only for this measurement, and sealed with nothing else';

const server = await startOwnServer({ fsync: 'on' });
let service: ServiceProcess | null = null;
try {
  service = await startService({
    DATABASE_URL: server.database.url,
    SLUICE_SECRET: SECRET,
    SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
    SLUICE_CONNECTIONS_PER_ADDRESS_MAX: '8192',
    LOG_LEVEL: 'warn',
  });
  if (imports === null) {
    if (only.includes('clients')) await measure(service);
    if (only.includes('floods'))
      await measureFloods(service, { url: server.database.adminUrl, secret: SECRET });
  } else await measureBesideImports(service, imports);
} finally {
  await service?.stop();
  await server.remove();
}

async function measureBesideImports({ origin, admin }: ServiceProcess, rows: number): Promise<void> {
  const channel = await must(admin('POST', '/channels', { name: 'waiting', country_code: 'KR' }), 201);
  await withClient(server.database.ownerUrl, async (client) => {
    await fillCatalogue(client, channel.id, rows);
    const env = { DATABASE_URL: server.database.url, SLUICE_SECRET: SECRET };
    if (!(await measureImports({ origin, channel, client, env, rows }))) process.exitCode = 1;
  });
}

async function measure(running: ServiceProcess): Promise<void> {
  const { pid, origin } = running;
  const admin: ServiceProcess['admin'] = (...asked) => running.admin(...asked);
  const channel = await must(admin('POST', '/channels', { name: 'waiting', country_code: 'KR' }), 201);
  await must(admin('POST', '/products', { code: 'P', name: 'P', variants: [{ code: 'P-1' }] }), 201);
  await must(admin('PUT', '/stock/P-1', { quantity: 10, reason: 'bench' }), 200, 201);
  const mappings = [{ sku: 'S', variant_code: 'P-1' }];
  await must(admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);
  const key = { 'x-api-key': channel.api_key as string };
  const order = orderOf([{ sku: 'S', quantity: 1, unit_price: 1 }]);
  await must(call(`${origin}/api/v1/orders`, 'POST', order, key), 201);
  const now = await call(`${origin}/api/v1/orders?changes_since=now`, 'GET', undefined, key);
  const path = `/api/v1/orders?changes_since=${encodeURIComponent(now.json.changes_since)}&wait=${WAIT_SECONDS}`;
  const before = residentMegabytesOf(pid) ?? 0;

  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const answers: Promise<{ at: number; changes: number }>[] = [];
  for (let opened = 0; opened < CLIENTS; opened += 1) {
    answers.push(waitFor(origin + path, key, agent));
    if (opened % OPENED_AT_ONCE === 0) await sleep(20);
  }
  await sleep(SETTLE_SECONDS * 1000);
  const waiting = residentMegabytesOf(pid) ?? 0;
  const cpu = cpuSecondsOfTree(pid) ?? 0;
  const activity: { connections: number; active: number }[] = [];
  for (let second = 0; second < QUIET_SECONDS; second += 1) {
    activity.push(await databaseActivity());
    await sleep(1000);
  }
  const used = (cpuSecondsOfTree(pid) ?? 0) - cpu;

  const report = `${origin}/api/v1/orders/${order.order_number}/status`;
  await must(call(report, 'POST', { status: 88 }, key), 200);
  const changedAt = performance.now();
  const received = (await Promise.all(answers)).toSorted((a, b) => a.at - b.at);
  agent.destroy();
  const missed = received.filter(({ changes }) => changes !== 1).length;
  const [first, last] = [received[0], received.at(-1)].map((answer) =>
    Math.round((answer?.at ?? 0) - changedAt),
  );
  const most = (field: 'connections' | 'active') => Math.max(...activity.map((one) => one[field]));
  process.stdout.write(
    `${CLIENTS} clients wait for changes of orders (wait=${WAIT_SECONDS}), one process\n` +
      `  memory: ${before.toFixed(0)} MiB before, ${waiting.toFixed(0)} MiB while they wait: ` +
      `${(((waiting - before) * 1024) / CLIENTS).toFixed(1)} KiB each\n` +
      `  CPU while nothing changes: ${((used / QUIET_SECONDS) * 100).toFixed(1)} % of a core\n` +
      `  database: at most ${most('connections')} connections of the service, ${most('active')} in a statement or transaction\n` +
      `  one change: the first client received it after ${first} ms, the last after ${last} ms; not received: ${missed}\n`,
  );
  if (missed > 0) process.exitCode = 1;
}

function waitFor(
  url: string,
  headers: Record<string, string>,
  agent: Agent,
): Promise<{ at: number; changes: number }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += String(chunk)));
      answer.on('end', () => {
        const { changes } = JSON.parse(text) as { changes?: unknown[] };
        resolve({ at: performance.now(), changes: changes?.length ?? -1 });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Database activity of the service, without the measuring connection. */
async function databaseActivity(): Promise<{ connections: number; active: number }> {
  const client = await connect(server.database.adminUrl);
  try {
    const { rows } = await client.query<{ connections: number; active: number }>(
      `select count(*)::int as connections, count(*) filter (where state <> 'idle')::int as active
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    return rows[0] ?? { connections: 0, active: 0 };
  } finally {
    await client.end();
  }
}
