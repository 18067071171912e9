// What workers had counted that have ended. Without it a sum over the workers would fall when one ends, and Prometheus takes
// a counter that falls for one that began again at 0.
import type { WorkerMetric } from '../engine/other-workers.ts';

type Sample = WorkerMetric['values'][number];

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

const isCounted = ({ type }: WorkerMetric): boolean => type === 'counter' || type === 'histogram';

export class RetiredMetrics<Worker> {
  /** The last that was seen of each worker: what it counted later was never shown. */
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
