// `npm run demo`: the service with a demo catalogue, channels and live simulated traffic, on data of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SERVICE_COMMAND } from '../scripts/service-command.ts';
import { runShop, type Tally } from './shop.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const READY_POLL_MS = 200;
const REPORT_MS = 5_000;

const port = process.env['PORT'] ?? '8080';
const origin = `http://${process.env['HOST'] ?? '127.0.0.1'}:${port}`;
const token = process.env['SLUICE_ADMIN_TOKEN'] ?? randomUUID();
const env = {
  ...SERVICE_COMMAND.env,
  SLUICE_DATA_DIR: join(ROOT, '.data', 'demo'),
  ...process.env,
  PORT: port,
  SLUICE_ADMIN_TOKEN: token,
};

const start = (stdout: 'inherit' | 'ignore', ...args: string[]): ChildProcess =>
  spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', stdout, 'inherit'] });

async function admin<T>(method: string, path: string): Promise<T> {
  const answer = await fetch(`${origin}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`);
  return ((await answer.json()) as { data: T }).data;
}

/** False: the service ended before it was ready, and has said why. */
async function untilReady(service: ChildProcess): Promise<boolean> {
  while (service.exitCode === null && service.signalCode === null) {
    const answer = await fetch(`${origin}/readyz`).catch(() => null);
    if (answer?.ok) return true;
    await sleep(READY_POLL_MS);
  }
  return false;
}

interface Channel {
  id: number;
  name: string;
  is_active: boolean;
}

/** New keys at each start: nobody has kept the old ones. */
async function openShops(stopping: AbortSignal, tally: Tally): Promise<Promise<void>[]> {
  const channels = await admin<Channel[]>('GET', '/channels?limit=500');
  const shops: Promise<void>[] = [];
  for (const { id, name } of channels.filter((channel) => channel.is_active)) {
    const { api_key } = await admin<{ api_key: string }>('POST', `/channels/${id}/rotate-key`);
    console.log(`  channel ${id}  ${api_key}  ${name}`);
    const prefix = `DEMO-${id}-${Date.now().toString(36)}`;
    shops.push(runShop({ origin, api_key, prefix }, stopping, tally));
  }
  return shops;
}

async function main(): Promise<void> {
  const service = start('inherit', ...SERVICE_COMMAND.args);
  const ended = once(service, 'exit');
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopping.abort();
      // Ctrl-C reaches the whole group by itself; a signal to this process alone is passed on.
      service.kill('SIGTERM');
    });
  }
  if (await untilReady(service)) {
    await once(start('ignore', 'src/cli.ts', 'seed'), 'exit');
    const tally: Tally = { taken: 0, refused: 0, shipped: 0, cancelled: 0, resent: 0 };
    const shops = await openShops(stopping.signal, tally);
    console.log(
      `\nTraffic runs on ${shops.length} channels; Ctrl-C ends it. Administrator token: ${token}\n`,
    );
    const report = setInterval(() => {
      const counts = Object.entries(tally).map(([name, count]) => `${name} ${count}`);
      console.log(`orders: ${counts.join(', ')}`);
    }, REPORT_MS);
    await Promise.race([ended, Promise.all(shops)]);
    clearInterval(report);
  }
  await ended;
  process.exitCode = service.exitCode ?? 1;
}

await main();
