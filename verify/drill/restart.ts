// `npm run drill:restart`: rolling restart of the processes behind a load balancer under load; no request may be lost.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedServer } from '../../src/platform/embedded-postgres/server.ts';
import { startMigrated } from '../kit/cluster.ts';
import { grouped, runCommand, say } from '../kit/command-line.ts';
import { fixtures, orderOf } from '../kit/fixtures.ts';
import { jsonRequest } from '../kit/plain-request.ts';
import { freePort } from '../kit/ports.ts';
import { onDatabase, startService, type ServiceProcess } from '../kit/process.ts';
import { atRate } from '../kit/rate.ts';
import { spreadOf } from '../kit/spread.ts';
import { BALANCERS, startBalancer, type Balancer } from './restart-balancer.ts';
import { HELP, readOptions, type Options } from './restart-options.ts';

const STOCK = 1_000_000_000;
/** Longer than the service may take, so that a slow answer is not counted as a missing one. */
const ANSWER_MS_MAX = 30_000;
/** Time limit for a process to exit, including its drain. */
const END_MS_MAX = 45_000;
const LOST_SHOWN_MAX = 20;

type StartService = (place: number) => Promise<ServiceProcess>;

/** Counts the outcomes of the requests. */
class Outcomes {
  readonly lost: string[] = [];
  readonly times: number[] = [];
  readonly counts = { orders: 0, lookups: 0 };
  #stop = 0;

  /** Attributes the following requests to this stop. */
  during(stop: number): void {
    this.#stop = stop;
  }

  async count(kind: 'orders' | 'lookups', wanted: number, answer: Promise<number>): Promise<void> {
    const [began, stop] = [performance.now(), this.#stop];
    const outcome = await answer.catch((error: unknown) => String(error));
    this.times.push(performance.now() - began);
    if (outcome === wanted) this.counts[kind] += 1;
    else this.lost.push(`${kind}, sent during stop ${stop}: ${outcome}`);
  }
}

async function restart(services: ServiceProcess[], place: number, start: StartService): Promise<void> {
  const service = services[place];
  const end = await service?.stop(END_MS_MAX);
  if (end?.code !== 0)
    throw new Error(
      `the process did not exit with 0 within ${END_MS_MAX} ms (${end?.signal ?? end?.code}):\n${service?.output()}`,
    );
  services[place] = await start(place);
}

async function drive(
  { stops, rate }: Options,
  services: ServiceProcess[],
  start: StartService,
  balancer: Balancer,
  signal: AbortSignal,
): Promise<boolean> {
  const [first] = services;
  if (!first) throw new Error('no process');
  const make = fixtures(first);
  const { channel, variant, sku } = await make.setting(STOCK);
  const agent = new Agent({ keepAlive: true });
  const headers = { 'x-api-key': channel.api_key };
  const send = async (method: string, path: string, body?: object): Promise<number> => {
    const url = `${balancer.origin}/api/v1${path}`;
    const sent = body ? JSON.stringify(body) : null;
    return (await jsonRequest(url, { method, agent, headers }, sent, ANSWER_MS_MAX)).status;
  };
  const outcomes = new Outcomes();
  const ending = new AbortController();
  const order = () => send('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  const load = Promise.all([
    atRate(rate, ending.signal, () => outcomes.count('orders', 201, order())),
    atRate(rate / 2, ending.signal, () => outcomes.count('lookups', 200, send('GET', `/inventory/${sku}`))),
  ]);
  const seconds: number[] = [];
  try {
    for (let stop = 1; stop <= stops && outcomes.lost.length === 0; stop++) {
      signal.throwIfAborted();
      const place = (stop - 1) % services.length;
      outcomes.during(stop);
      const began = performance.now();
      await restart(services, place, start);
      await balancer.seesUp();
      seconds.push((performance.now() - began) / 1_000);
      const { orders, lookups } = outcomes.counts;
      say(
        `stop ${stop}/${stops}  ready again after ${(seconds.at(-1) ?? 0).toFixed(1)} s  ` +
          `${grouped(orders)} orders, ${grouped(lookups)} lookups, ${outcomes.lost.length} lost`,
      );
    }
  } finally {
    ending.abort();
    await load;
    agent.destroy();
  }
  const { unshipped } = (await make.stock(variant)) as { unshipped: number };
  return summarize(outcomes, seconds, unshipped);
}

/** Returns true if no request was lost. */
function summarize({ counts, lost, times }: Outcomes, seconds: readonly number[], stored: number): boolean {
  say(`stops     ${seconds.length}, ready again after at most ${spreadOf(seconds).max.toFixed(1)} s`);
  say(`answered  ${grouped(counts.orders)} orders, ${grouped(counts.lookups)} lookups`);
  say(`slowest   ${Math.round(spreadOf(times).max)} ms`);
  say(`stored    ${grouped(stored)} orders`);
  say(`lost      ${lost.length}`);
  for (const text of lost.slice(0, LOST_SHOWN_MAX)) say(`LOST  ${text}`);
  if (stored !== counts.orders && lost.length === 0)
    say('FAULT  the number of stored orders differs from the number of answered orders');
  return lost.length === 0 && stored === counts.orders;
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'sluice-restart-'));
  const services: ServiceProcess[] = [];
  let [server, balancer]: [EmbeddedServer?, Balancer?] = [];
  try {
    const log = { info: () => {}, warn: say };
    server = await startMigrated({ dataDir: join(home, 'data'), log, signal });
    const { url } = server;
    const ports: number[] = [];
    for (const _address of BALANCERS[options.balancer].addresses) ports.push(await freePort());
    const start: StartService = async (place) => {
      services[place] = await startService({
        PORT: String(ports[place]),
        ...onDatabase(url),
        SLUICE_DRAIN_MS: String(options.drain_ms),
        SLUICE_WORKERS: String(options.workers),
        LOG_LEVEL: 'warn',
      });
      return services[place];
    };
    for (const place of ports.keys()) await start(place);
    balancer = await startBalancer(options.balancer, home, { balancer: await freePort(), services: ports });
    await balancer.seesUp();
    return (await drive(options, services, start, balancer, signal)) ? 0 : 1;
  } finally {
    await balancer?.stop();
    await Promise.all(services.map((service) => service.stop()));
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  }
}

await runCommand(HELP, readOptions, main);
