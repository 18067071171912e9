// All baselines, in as many processes as the service has. Configured once over IPC; answers with the port on
// which it listens.
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createBaselineApp } from './baselines/app.ts';
import { registerEcho } from './baselines/echo.ts';
import { createPools } from './baselines/pools.ts';
import { registerRowlist } from './baselines/rowlist.ts';
import { registerRowlock } from './baselines/rowlock.ts';
import { registerRowlockStatus } from './baselines/rowlock-status.ts';
import { takeSamples, type Samples } from './baselines/samples.ts';

export interface BaselineSetup {
  database_url: string;
  service_origin: string;
  api_key: string;
  channel_id: number;
  variants: number;
  workers: number;
}

export type BaselineReply = { ok: true; port: number; list_bytes: number } | { ok: false; error: string };

const samplesOf = (setup: BaselineSetup): Promise<Samples> =>
  takeSamples(setup.service_origin, setup.api_key, setup.variants);

async function start({ samples, ...setup }: BaselineSetup & { samples: Samples }): Promise<BaselineReply> {
  const pools = createPools(setup.database_url, setup.workers);
  const app = createBaselineApp(setup.api_key);
  registerEcho(app, samples);
  registerRowlock(app, pools, setup.channel_id);
  registerRowlockStatus(app, pools, setup.channel_id);
  registerRowlist(app, pools, setup.channel_id);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { ok: true, port: (app.server.address() as AddressInfo).port, list_bytes: samples.list.length };
}

/** Like the service: connections are distributed to the workers in turn. */
async function startWorkers(setup: BaselineSetup): Promise<BaselineReply> {
  cluster.setupPrimary({ serialization: 'advanced' });
  // Take the samples only once, because they send an order with a fixed number.
  const samples = await samplesOf(setup);
  const replies = Array.from({ length: setup.workers }, async () => {
    const worker = cluster.fork();
    worker.send({ ...setup, samples });
    const [reply] = (await once(worker, 'message')) as [BaselineReply];
    return reply;
  });
  const all = await Promise.all(replies);
  const failed = all.find((reply) => !reply.ok);
  const [first] = all;
  if (!first) throw new RangeError('no workers');
  return failed ?? first;
}

async function begin(setup: BaselineSetup & { samples?: Samples }): Promise<BaselineReply> {
  if (cluster.isPrimary && setup.workers > 1) return startWorkers(setup);
  return start({ ...setup, samples: setup.samples ?? (await samplesOf(setup)) });
}

process.on('message', (setup: BaselineSetup & { samples?: Samples }) => {
  begin(setup)
    .catch((error: unknown): BaselineReply => ({ ok: false, error: String(error) }))
    .then((reply) => process.send?.(reply))
    .catch(() => process.exit(1));
});
// Ctrl-C reaches the whole process group, but the orchestrator decides when this process ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
