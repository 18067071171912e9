// The reconciler of a process, with metrics and log. The result of a run reaches all workers.
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { topic, type OtherWorkers, type WorkerAnswers } from '../../platform/supervisor/other-workers.ts';
import { reconcileMetrics } from './metrics.ts';
import { Reconciler, type LastReconcile } from './reconciler.ts';

/** The result of a reconcile, which one process runs. */
const RECONCILED = topic<LastReconcile>('reconciled');

interface Surroundings {
  readonly pool: pg.Pool;
  readonly log: FastifyBaseLogger;
  readonly metrics: { readonly registry: Registry };
  readonly others: OtherWorkers;
  readonly answers: WorkerAnswers;
}

export function createReconciler({ pool, log, metrics, others, answers }: Surroundings): Reconciler {
  const { drift, failed } = reconcileMetrics(metrics.registry);
  const reconciler = new Reconciler(
    pool,
    (last) => {
      drift(last.drift_count);
      void others.ask(RECONCILED, last);
    },
    (error) => {
      failed();
      log.error({ err: error }, 'the counters could not be reconciled');
    },
  );
  answers.on(RECONCILED, (last) => {
    reconciler.learn(last);
    drift(last.drift_count);
    return null;
  });
  return reconciler;
}
