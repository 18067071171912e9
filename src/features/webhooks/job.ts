// The webhook job: one concurrent loop for each active endpoint, so that a slow endpoint delays no other.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gauge } from 'prom-client';
import { failureOf } from '../../platform/database/failures.ts';
import { activeWebhookIds } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { trimDeliveries } from './deliveries-store.ts';
import type { CoreJob, JobServices } from '../../core/assembly/core.ts';
import { EndpointLoop } from './endpoint.ts';

const NAME = 'webhooks';
/** Shorter than the job runner allows. Another process may get the next run. */
const RUN_MS = 50 * 60_000;
/** Interval of the check for endpoints that were added or resumed. */
const LOOK_MS = 1_000;
const TRIM_MS = 60_000;

async function run(services: JobServices, waiting: Gauge, signal: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const loops = new Map<number, { loop: EndpointLoop; ended: Promise<void> }>();
  const deadline = performance.now() + RUN_MS;
  try {
    for (let trimmedAt = -Infinity; ;) {
      if (performance.now() - trimmedAt > TRIM_MS) {
        await trimDeliveries(services.pool);
        trimmedAt = performance.now();
      }
      const ids = await reading(services.pool, activeWebhookIds);
      for (const id of ids) {
        if (loops.has(id)) continue;
        const loop = new EndpointLoop(id, services);
        const done = loop
          .run(ended)
          .catch((error: unknown) => {
            const level = failureOf(error) === 'unexpected' ? 'error' : 'warn';
            services.log[level]({ err: error, webhook: id }, 'webhooks were not delivered');
          })
          .finally(() => loops.delete(id));
        loops.set(id, { loop, ended: done });
      }
      services.metrics.jobProgressed(NAME);
      waiting.set([...loops.values()].reduce((sum, { loop }) => sum + loop.waiting, 0));
      if (ended.aborted || performance.now() > deadline) return;
      await sleep(LOOK_MS, undefined, { signal: ended }).catch(() => {});
    }
  } finally {
    ending.abort();
    await Promise.all([...loops.values()].map((one) => one.ended));
    // Another process has the deliveries now.
    waiting.set(0);
  }
}

export const webhooksJob = (waiting: Gauge): CoreJob => ({
  name: NAME,
  every_s: 1,
  run: (services, signal) => run(services, waiting, signal),
});
