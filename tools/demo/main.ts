// `npm run demo`: the service with a demo catalogue and channels, and simulated customers, on its own data.
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { newSeed, UsageError } from '../../verify/kit/command-line.ts';
import { databaseVariable } from '../../verify/kit/environment.ts';
import { spawnService, type ServiceProcess } from '../../verify/kit/process.ts';
import { Admin } from '../../verify/kit/admin.ts';
import { adoptChannels } from '../simulator/open-channels.ts';
import { seedDemoData } from '../simulator/own-service.ts';
import { serveProductInfo } from '../simulator/product-info.ts';
import { Run } from '../simulator/run.ts';
import { show } from '../simulator/view.ts';
import { ownWorld, shared } from '../simulator/world.ts';
import { HELP, readOptions } from './options.ts';
import { resetData } from './reset.ts';
import { signIn, welcome } from './welcome.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const RATE = 3;
/** A factor for waits. Orders stay open for about half a minute: long enough to be seen in every state. */
const PACE = 8;
const OPENING = 100;
const POLL_MS = 5_000;
const DELIVERY_MS = 10_000;
const CHANNELS_MAX = 50;

const port = process.env['PORT'] ?? '8080';
const origin = `http://${process.env['HOST'] ?? '127.0.0.1'}:${port}`;
const token = process.env['SLUICE_ADMIN_TOKEN'] ?? randomUUID();
const dataDir = resolve(ROOT, process.env['SLUICE_DATA_DIR'] ?? join('.data', 'demo'));
const env: Record<string, string> = {
  // The product-information address of the channels is on this machine.
  SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
  LOG_LEVEL: 'warn',
  ...(process.env as Record<string, string>),
  SLUICE_DATA_DIR: dataDir,
  PORT: port,
  SLUICE_ADMIN_TOKEN: token,
};

/** The demo prints its own welcome. From the service, only log lines and errors are printed. */
async function startService(): Promise<ServiceProcess> {
  const service = await spawnService(env, ['bin/serve']);
  const { stdout, stderr } = service.child;
  if (stdout) createInterface(stdout).on('line', (line) => line.startsWith('{') && console.error(line));
  stderr?.pipe(process.stderr);
  return service;
}

async function sell(signal: AbortSignal): Promise<void> {
  const admin = new Admin(origin, token);
  const world = await ownWorld(admin, await adoptChannels(admin, CHANNELS_MAX));
  const channels = world.channels.filter(({ skus }) => skus.length > 0);
  const run = new Run({
    baseUrl: `${origin}/api/v1`,
    // Console users may change anything, so the run does not check the stock.
    world: shared({ ...world, channels }),
    seed: newSeed(),
    scenario: 'calm',
    rate: RATE,
    ms: Infinity,
    pace: PACE,
    poll_ms: POLL_MS,
    opening: OPENING,
    warehouse: { admin, every_ms: DELIVERY_MS },
    signal,
  });
  const goods = await serveProductInfo(channels, (channel, sku) => run.shops[channel]?.shown(sku) ?? 0);
  try {
    for (const [place, { id }] of channels.entries())
      await admin.send('PATCH', `/channels/${id}`, { api_url: goods.urlOf(place) });
    const words = {
      origin,
      token,
      data: dataDir,
      sign_in: await signIn(admin),
      channels,
      urlOf: goods.urlOf,
    };
    console.log(welcome(words));
    const hide = show(process.stdout, () => 'Simulated customers are ordering.', run.board, run.observer);
    await run.go().finally(hide);
    for (const sentence of run.observer.broken) console.error(`violation: ${sentence}`);
  } finally {
    goods.close();
  }
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    console.log(HELP);
    return 0;
  }
  const foreign = databaseVariable();
  if (foreign !== undefined)
    throw new UsageError(
      `The demo has a database of its own, and fills it with demo data and orders: unset ${foreign}.`,
    );
  if (options.reset) await resetData(dataDir);
  const stopping = new AbortController();
  const service = await startService();
  const stop = (): void => void service.child.kill('SIGTERM');
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      // A second signal stops the service without waiting for the customers.
      if (stopping.signal.aborted) stop();
      stopping.abort();
    });
  }
  const ended = service.ended.then(() => stopping.abort());
  let isSelling = false;
  stopping.signal.addEventListener('abort', () => isSelling || stop());
  try {
    if (await service.ready(Infinity)) {
      await seedDemoData(env);
      isSelling = !stopping.signal.aborted;
      if (isSelling) await sell(stopping.signal);
    }
  } catch (error) {
    // If the service has exited, it has already printed the reason.
    if (service.child.exitCode === null) throw error;
  } finally {
    isSelling = false;
    stop();
    await ended;
  }
  return service.child.exitCode ?? 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
