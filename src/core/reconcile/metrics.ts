// Metrics of the reconcile.
import { Counter, Gauge, type Registry } from 'prom-client';

export function reconcileMetrics(registry: Registry) {
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
  const failures = new Counter({
    name: 'sluice_reconcile_failures_total',
    help: 'Reconciles that ended without a result.',
    registers,
  });
  return {
    /** A reconcile finished; `count` counters differ. */
    drift: (count: number): void => {
      reconciled ??= registerReconciled();
      reconciled.drift.set(count);
      reconciled.at.setToCurrentTime();
    },
    /** A reconcile failed. */
    failed: () => failures.inc(),
  };
}
