// The counts of workers that have ended. Without them, sums over the workers would decrease when a worker ends, and
// Prometheus treats a counter that decreases as reset to 0.
import type { WorkerMetric } from './other-workers.ts';

type Sample = WorkerMetric['values'][number];

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

const isCounted = ({ type }: WorkerMetric): boolean => type === 'counter' || type === 'histogram';

export class RetiredMetrics<Worker> {
  /** The last known metrics of each worker. Its later counts were never shown. */
  readonly #last = new Map<Worker, readonly WorkerMetric[]>();
  readonly #retired = new Map<string, { metric: WorkerMetric; samples: Map<string, Sample> }>();

  saw(worker: Worker, metrics: readonly WorkerMetric[]): void {
    this.#last.set(worker, metrics.filter(isCounted));
  }

  ended(worker: Worker): void {
    for (const metric of this.#last.get(worker) ?? []) this.#add(metric);
    this.#last.delete(worker);
  }

  all(): WorkerMetric[] {
    return [...this.#retired.values()].map(({ metric, samples }) => ({
      ...metric,
      values: [...samples.values()],
    }));
  }

  #add(metric: WorkerMetric): void {
    const { samples } = this.#retired.get(metric.name) ?? { samples: new Map<string, Sample>() };
    this.#retired.set(metric.name, { metric, samples });
    for (const sample of metric.values) {
      const key = JSON.stringify([sample.metricName, Object.entries(sample.labels).toSorted(byName)]);
      samples.set(key, { ...sample, value: sample.value + (samples.get(key)?.value ?? 0) });
    }
  }
}
