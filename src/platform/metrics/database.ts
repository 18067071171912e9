// Metrics of the connection to the database.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface DatabaseMetrics {
  /** The database has become unavailable. */
  databaseOutage(): void;
  /** Work, or one attempt at it, failed because of the database. */
  databaseFailure(state: string): void;
  /** The difference between the clocks of service and database. */
  clockSkew(seconds: number): void;
  /** Registers the state of the database, read at each scrape. */
  watchDatabase(states: readonly string[], current: () => Promise<string>): void;
}

export function databaseMetrics(registry: Registry): DatabaseMetrics {
  const registers = [registry];
  const databaseFailures = new Counter({
    name: 'sluice_database_failures_total',
    help: 'Attempts that failed because of the database, by the state of the database.',
    labelNames: ['state'],
    registers,
  });
  const databaseOutages = new Counter({
    name: 'sluice_database_outages_total',
    help: 'Number of times that the database became unavailable, as seen by each worker.',
    registers,
  });
  const lastOutage = new Gauge({
    name: 'sluice_database_last_outage_timestamp_seconds',
    help: 'When the database last became unavailable; NaN before the first time.',
    aggregator: 'max',
    registers,
  });
  lastOutage.set(Number.NaN);
  const clockSkew = new Gauge({
    name: 'sluice_clock_skew_seconds',
    help: 'By how much the clocks of the service and of the database differ at least, in either direction.',
    aggregator: 'max',
    registers,
  });
  return {
    databaseOutage: () => {
      databaseOutages.inc();
      lastOutage.setToCurrentTime();
    },
    clockSkew: (seconds) => clockSkew.set(seconds),
    databaseFailure: (state) => databaseFailures.inc({ state }),
    watchDatabase: (states, current) =>
      void new Gauge({
        name: 'sluice_database_state',
        help: 'State of the database: 1 for the current state, 0 for the others.',
        labelNames: ['state'],
        aggregator: 'max',
        registers,
        async collect() {
          const now = await current();
          for (const state of states) this.set({ state }, state === now ? 1 : 0);
        },
      }),
  };
}
