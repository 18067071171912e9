// Durations of requests, for Prometheus. The histogram of prom-client hashes and checks the labels of each observation,
// which took 2 % of the service's time for an order. Here an observation is three lookups and an addition.
import type { Histogram, MetricValueWithName, Registry } from 'prom-client';

/** Bounds of the buckets for times of a request or a batch. */
export const SECONDS_BOUNDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

interface Series {
  readonly labels: { method: string; route: string; status: number };
  /** Counts by bucket. The last bucket is for durations above all bounds. */
  readonly counts: number[];
  seconds: number;
}

export class DurationHistogram {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: Series[] = [];
  /** By route, method and status. Nested, because building and hashing a combined key took longer than the rest. */
  readonly #known = new Map<string, Map<string, Map<number, Series>>>();

  /** `bounds`: of the buckets, in seconds, in ascending order. */
  constructor(registry: Registry, name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.#help = help;
    this.#bounds = bounds;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the registry uses only the name and `get`.
    registry.registerMetric(this as unknown as Histogram);
  }

  observe(method: string, route: string, status: number, seconds: number): void {
    const series = this.#known.get(route)?.get(method)?.get(status) ?? this.#newSeries(method, route, status);
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.seconds += seconds;
  }

  #newSeries(method: string, route: string, status: number): Series {
    const counts = this.#bounds.map(() => 0).concat(0);
    const series = { labels: { method, route, status }, counts, seconds: 0 };
    this.#series.push(series);
    const ofRoute = this.#known.get(route) ?? new Map<string, Map<number, Series>>();
    const ofMethod = ofRoute.get(method) ?? new Map<number, Series>();
    this.#known.set(route, ofRoute.set(method, ofMethod.set(status, series)));
    return series;
  }

  async get(): Promise<object> {
    const values = this.#series.flatMap((series) => this.#valuesOf(series));
    return { name: this.name, help: this.#help, type: 'histogram', aggregator: 'sum', values };
  }

  #valuesOf({ labels, counts, seconds }: Series): MetricValueWithName<string>[] {
    let count = 0;
    const buckets = counts.map((one, index) => {
      count += one;
      const le = this.#bounds[index] ?? '+Inf';
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: seconds },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
