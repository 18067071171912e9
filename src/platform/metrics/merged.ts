// The metrics of several processes as one text. Counters are summed; gauges are combined as each one defines.
import { AggregatorRegistry } from 'prom-client';

interface Sampled {
  readonly values: readonly { readonly value: number }[];
}

export function mergedMetrics(list: readonly (readonly Sampled[])[]): Promise<string> {
  const known = list.map((metrics) =>
    metrics.map((metric) => ({
      ...metric,
      // NaN: this worker has no value yet, but another one may have.
      values: metric.values.filter(({ value }) => !Number.isNaN(value)),
    })),
  );
  return AggregatorRegistry.aggregate(known).metrics();
}
