// Metrics of the overview.
import { Gauge, type Registry } from 'prom-client';

/** Items whose orders and pre-allocations exceed the physical stock, counted every minute. */
export function overcommittedMetric(registry: Registry): Gauge {
  const overcommitted = new Gauge({
    name: 'sluice_overcommitted_variants',
    help: 'Items whose unshipped orders and pre-allocations exceed the physical stock; NaN before the first count.',
    aggregator: 'max',
    registers: [registry],
  });
  overcommitted.set(Number.NaN);
  return overcommitted;
}
