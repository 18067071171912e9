// Prometheus metrics. Labels are bounded: routes, outcome kinds, status codes and channels, never values of requests.
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ChannelCounts } from './channel-counts.ts';
import { DurationHistogram } from './duration-histogram.ts';
import type { GateObserver } from './engine/batch-runner.ts';
import type { WorkerMetric } from './engine/other-workers.ts';
import { VERSION } from './version.ts';

/** Figures of the gate since the start of the process. */
interface GateFigures {
  batches: number;
  /** Orders created. */
  orders: number;
  last_batch_size: number;
  /** Average of the last batches. */
  average_batch_ms: number;
  retries: number;
}

export interface Metrics extends GateObserver {
  readonly registry: Registry;
  /** Of this process, to be merged with those of others. */
  snapshot(): Promise<WorkerMetric[]>;
  /** A request rejected by overload before it was processed. */
  shed(): void;
  request(method: string, route: string, status: number, seconds: number): void;
  /** A request with a valid key. `label`: of its channel. */
  channelRequest(label: string, status: number): void;
  /** An order was taken. */
  channelOrder(label: string): void;
  /** The database is not available any more. */
  databaseOutage(): void;
  /** A request answered with 503. */
  refused(reason: 'overloaded' | 'database'): void;
  /** A reconcile finished; `count` counters differ. */
  drift(count: number): void;
  /** Items whose orders and pre-allocations exceed the physical stock, counted every minute. */
  overcommitted(count: number): void;
  /** A reconcile failed. */
  reconcileFailed(): void;
  /** Sealed keys and signing secrets that could not be opened at the start. */
  closedKeys(count: number): void;
  /** A request with a valid key that was refused by its address, rate limit or signature. */
  channelRefusal(code: string): void;
  /** A wrong API key or admin token; throttled: answered 429 instead of 401. */
  wrongCredential(kind: 'key' | 'token', isThrottled: boolean): void;
  /** A connection over the limit of its address. */
  connectionRefused(): void;
  /** A refused order or late report that is not on the worklist, because there were too many. */
  observationDropped(): void;
  /** A logged request that is not on the list of its channel, because there were too many. */
  requestDropped(): void;
  gateFigures(): GateFigures;
  /** How many requests this process has answered. */
  requestsAnswered(): number;
  jobStarted(name: string): void;
  jobEnded(name: string, outcome: 'done' | 'failed' | 'stopped'): void;
  jobProgressed(name: string): void;
  webhooksWaiting(count: number): void;
  /** Spans that were sent to the receiver of traces, or dropped. */
  traceSpans(outcome: 'sent' | 'dropped', count: number): void;
  /** Attempts to sign in to the console. */
  signIn(outcome: 'done' | 'failed' | 'throttled'): void;
  /** Registers the lengths of the gate's queues, read at each scrape. */
  watchQueue(gate: { readonly waiting: number; readonly held: number }): void;
  /** Registers the requests that wait for a change, counted at each scrape. */
  watchWaiting(watch: { readonly waiting: number }): void;
  /** Registers the memory held for clients, read at each scrape. */
  watchHeldBytes(budgets: Readonly<Record<string, { readonly bytes: number }>>): void;
  /** Work, or one attempt at it, failed because of the database. */
  databaseFailure(state: string): void;
  /** Registers the state of the database, read at each scrape. */
  watchDatabase(states: readonly string[], current: () => Promise<string>): void;
}

/** The metrics of all workers as one text: counters are summed, gauges as each of them says. */
export function mergedMetrics(list: readonly (readonly WorkerMetric[])[]): Promise<string> {
  const known = list.map((metrics) =>
    metrics.map((metric) => ({
      ...metric,
      // Not counted yet by this worker, but perhaps by another one.
      values: metric.values.filter(({ value }) => !Number.isNaN(value)),
    })),
  );
  return AggregatorRegistry.aggregate(known).metrics();
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Number of batches in the average. */
const BATCHES_REMEMBERED = 100;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'sluice_build_info',
    help: 'The version of Sluice and of its Node; always 1.',
    labelNames: ['version', 'node'],
    aggregator: 'max',
    registers,
  }).set({ version: VERSION, node: process.version }, 1);
  new Gauge({ name: 'sluice_workers', help: 'Processes that serve the port.', registers }).set(1);
  const requests = new DurationHistogram(
    registry,
    'sluice_http_request_seconds',
    'Time from the request to its answer.',
    SECONDS,
  );
  const batchSize = new Histogram({
    name: 'sluice_batch_commands',
    help: 'Commands in one batch of the gate.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'sluice_batch_seconds',
    help: 'Time of one batch of the gate, retries included.',
    buckets: SECONDS,
    registers,
  });
  const outcomes = new Counter({
    name: 'sluice_outcomes_total',
    help: 'What became of orders and status reports, by reason.',
    labelNames: ['outcome'],
    registers,
  });
  const retries = new Counter({
    name: 'sluice_batch_retries_total',
    help: 'Batches run again, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const failures = new Counter({
    name: 'sluice_command_failures_total',
    help: 'Orders and reports that ended in no outcome: the database was away, or a bug.',
    registers,
  });
  const shed = new Counter({
    name: 'sluice_shed_total',
    help: 'Requests answered 503 at once because too many commands were waiting.',
    registers,
  });
  const refused = new Counter({
    name: 'sluice_refused_total',
    help: 'Requests answered 503, because of the database or of too much work.',
    labelNames: ['reason'],
    registers,
  });
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
  const databaseFailures = new Counter({
    name: 'sluice_database_failures_total',
    help: 'Work, or tries at it, that failed because of the database, by its state.',
    labelNames: ['state'],
    registers,
  });
  const databaseOutages = new Counter({
    name: 'sluice_database_outages_total',
    help: 'Times that the database became unavailable, as each worker has noticed it.',
    registers,
  });
  const lastOutage = new Gauge({
    name: 'sluice_database_last_outage_timestamp_seconds',
    help: 'When the database last became unavailable; NaN before the first time.',
    aggregator: 'max',
    registers,
  });
  lastOutage.set(Number.NaN);
  const channelCounts = new ChannelCounts(registry);
  const closedKeys = new Gauge({
    name: 'sluice_closed_keys',
    help: 'Sealed keys and signing secrets that the secret did not open at the start.',
    aggregator: 'max',
    registers,
  });
  const channelRefusals = new Counter({
    name: 'sluice_channel_refusals_total',
    help: 'Requests of channels refused by address, rate limit or signature, by code.',
    labelNames: ['code'],
    registers,
  });
  const wrongCredentials = new Counter({
    name: 'sluice_wrong_credentials_total',
    help: 'Requests with a wrong API key or admin token, by kind and answer.',
    labelNames: ['kind', 'status'],
    registers,
  });
  const connectionsRefused = new Counter({
    name: 'sluice_connections_refused_total',
    help: 'Connections closed at once because their address had too many.',
    registers,
  });
  const observationsDropped = new Counter({
    name: 'sluice_observations_dropped_total',
    help: 'Refused orders and late reports that were too many for the worklists.',
    registers,
  });
  const requestsDropped = new Counter({
    name: 'sluice_request_log_dropped_total',
    help: 'Logged requests that are not on the list of their channel: too many, or no database.',
    registers,
  });
  const signIns = new Counter({
    name: 'sluice_sign_ins_total',
    help: 'Attempts to sign in to the console, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  const labelNames = ['job'];
  const jobRunning = new Gauge({
    name: 'sluice_job_running',
    help: 'Whether this process runs the job now.',
    labelNames,
    registers,
  });
  const jobRuns = new Counter({
    name: 'sluice_job_runs_total',
    help: 'Runs of a background job that have ended in this process.',
    labelNames,
    registers,
  });
  const jobFailures = new Counter({
    name: 'sluice_job_failures_total',
    help: 'Of these runs, those that failed.',
    labelNames,
    registers,
  });
  const jobSuccess = new Gauge({
    name: 'sluice_job_last_success_timestamp_seconds',
    help: 'When the job last ended well, or made progress, in this process.',
    labelNames,
    aggregator: 'max',
    registers,
  });
  const webhooksWaiting = new Gauge({
    name: 'sluice_webhook_waiting_deliveries',
    help: 'Deliveries of webhooks that wait in the process that sends them.',
    registers,
  });
  const traceSpans = new Counter({
    name: 'sluice_trace_spans_total',
    help: 'Spans that were sent to the receiver of traces, or dropped because it did not take them in time.',
    labelNames: ['outcome'],
    registers,
  });
  const figures = { batches: 0, orders: 0, last_batch_size: 0, retries: 0 };
  const lastSeconds = new Float64Array(BATCHES_REMEMBERED);
  let answered = 0;
  return {
    registry,
    snapshot: () => registry.getMetricsAsJSON(),
    gateFigures: () => {
      const remembered = Math.min(figures.batches, BATCHES_REMEMBERED);
      const seconds = lastSeconds.reduce((sum, one) => sum + one, 0);
      return { ...figures, average_batch_ms: remembered === 0 ? 0 : (seconds / remembered) * 1000 };
    },
    requestsAnswered: () => answered,
    request: (method, route, status, seconds) => {
      answered += 1;
      requests.observe(`${method} ${route} ${status}`, seconds, () => ({ method, route, status }));
    },
    shed: () => shed.inc(),
    channelRequest: (label, status) => channelCounts.request(label, status),
    channelOrder: (label) => channelCounts.order(label),
    databaseOutage: () => {
      databaseOutages.inc();
      lastOutage.setToCurrentTime();
    },
    overcommitted: (count) => overcommitted.set(count),
    refused: (reason) => refused.inc({ reason }),
    drift: (count) => {
      reconciled ??= registerReconciled();
      reconciled.drift.set(count);
      reconciled.at.setToCurrentTime();
    },
    reconcileFailed: () => reconcileFailures.inc(),
    closedKeys: (count) => closedKeys.set(count),
    channelRefusal: (code) => channelRefusals.inc({ code }),
    wrongCredential: (kind, isThrottled) => wrongCredentials.inc({ kind, status: isThrottled ? 429 : 401 }),
    connectionRefused: () => connectionsRefused.inc(),
    observationDropped: () => observationsDropped.inc(),
    requestDropped: () => requestsDropped.inc(),
    jobStarted: (job) => {
      jobRunning.set({ job }, 1);
      jobFailures.inc({ job }, 0);
    },
    jobEnded: (job, outcome) => {
      jobRunning.set({ job }, 0);
      jobRuns.inc({ job });
      if (outcome === 'done') jobSuccess.setToCurrentTime({ job });
      if (outcome === 'failed') jobFailures.inc({ job });
    },
    jobProgressed: (job) => jobSuccess.setToCurrentTime({ job }),
    webhooksWaiting: (count) => webhooksWaiting.set(count),
    traceSpans: (outcome, count) => traceSpans.inc({ outcome }, count),
    signIn: (outcome) => signIns.inc({ outcome }),
    watchQueue: (gate) => {
      void new Gauge({
        name: 'sluice_queue_commands',
        help: 'Commands waiting for the gate.',
        registers,
        collect() {
          this.set(gate.waiting);
        },
      });
      void new Gauge({
        name: 'sluice_held_commands',
        help: 'Of the waiting commands, those for rows that another transaction holds.',
        registers,
        collect() {
          this.set(gate.held);
        },
      });
    },
    watchWaiting: (watch) =>
      void new Gauge({
        name: 'sluice_waiting_requests',
        help: 'Requests of channels that wait for a change.',
        registers,
        collect() {
          this.set(watch.waiting);
        },
      }),
    watchHeldBytes: (budgets) =>
      void new Gauge({
        name: 'sluice_held_bytes',
        help: 'Bytes held for clients: large bodies until their answer, stock lists until they are taken.',
        labelNames: ['of'],
        registers,
        collect() {
          for (const [of, { bytes }] of Object.entries(budgets)) this.set({ of }, bytes);
        },
      }),
    databaseFailure: (state) => databaseFailures.inc({ state }),
    watchDatabase: (states, current) =>
      void new Gauge({
        name: 'sluice_database_state',
        help: 'The state of the database: 1 for the one it is in.',
        labelNames: ['state'],
        aggregator: 'max',
        registers,
        async collect() {
          const now = await current();
          for (const state of states) this.set({ state }, state === now ? 1 : 0);
        },
      }),
    batch: (size, seconds) => {
      batchSize.observe(size);
      batchSeconds.observe(seconds);
      lastSeconds[figures.batches % BATCHES_REMEMBERED] = seconds;
      figures.batches += 1;
      figures.last_batch_size = size;
    },
    outcome: (outcome) => {
      outcomes.inc({ outcome: outcome.kind });
      if (outcome.kind === 'created') figures.orders += 1;
    },
    retry: (reason) => {
      retries.inc({ reason });
      figures.retries += 1;
    },
    failure: () => failures.inc(),
  };
}
