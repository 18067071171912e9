// Metrics of the stock: results of the reconcile, and overcommitted items.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface StockMetrics {
  /** A reconcile finished; `count` counters differ. */
  drift(count: number): void;
  /** A reconcile failed. */
  reconcileFailed(): void;
  /** Items whose orders and pre-allocations exceed the physical stock, counted every minute. */
  overcommitted(count: number): void;
}

export function stockMetrics(registry: Registry): StockMetrics {
  const registers = [registry];
  // Registered with the first result: a 0 before it would look like a clean run.
  let reconciled: { drift: Gauge; at: Gauge } | null = null;
  const registerReconciled = () => ({
    drift: new Gauge({
      name: 'sluice_reconcile_drift',
      help: 'Counters that differ from orders and ledger, at the last reconcile; absent before the first.',
      aggregator: 'max',
      registers,
    }),
    at: new Gauge({
      name: 'sluice_reconcile_last_success_timestamp_seconds',
      help: 'When the last reconcile of this process or its workers ended with a result; absent before the first.',
      aggregator: 'max',
      registers,
    }),
  });
  const reconcileFailures = new Counter({
    name: 'sluice_reconcile_failures_total',
    help: 'Reconciles that ended without a result.',
    registers,
  });
  const overcommitted = new Gauge({
    name: 'sluice_overcommitted_variants',
    help: 'Items whose unshipped orders and pre-allocations exceed the physical stock; NaN before the first count.',
    aggregator: 'max',
    registers,
  });
  overcommitted.set(Number.NaN);
  return {
    drift: (count) => {
      reconciled ??= registerReconciled();
      reconciled.drift.set(count);
      reconciled.at.setToCurrentTime();
    },
    reconcileFailed: () => reconcileFailures.inc(),
    overcommitted: (count) => overcommitted.set(count),
  };
}
