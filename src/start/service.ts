// Assembles the service over one database, and stops it in order.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../platform/config/config.ts';
import { timestampFormat } from '../platform/values/timestamps.ts';
import type { GateObserver } from '../core/gate/batch-runner.ts';
import { ChangeWatch } from '../core/journal/watch.ts';
import { ChannelDirectory } from '../core/directory/channel-directory.ts';
import { KeyUses } from '../core/directory/key-uses.ts';
import { OrderIndexer } from '../core/orders/search-indexer.ts';
import { createReconciler } from '../core/reconcile/service.ts';
import { Gate } from '../core/gate/gate.ts';
import { Inventory } from '../core/inventory/inventory.ts';
import {
  METRICS,
  NO_OTHERS,
  topic,
  WorkerAnswers,
  type OtherWorkers,
} from '../platform/supervisor/other-workers.ts';
import type { Core, JobServices } from '../core/assembly/core.ts';
import type { FeatureService } from '../core/assembly/feature.ts';
import { ChannelHooks } from '../core/channel-api/hooks.ts';
import { CHANNELS_STALE } from '../core/channels/channels-changed.ts';
import { FEATURES } from './features.ts';
import { RateLimits } from '../core/channel-policy/rate-limits.ts';
import { readsOn } from '../core/inventory/channel-reads.ts';
import { LIST_CACHE_BYTES_MAX, StockListCache } from '../core/inventory/stock-list-cache.ts';
import { Turns } from '../platform/queues/turns.ts';
import { createAdminTurns } from '../platform/accounts/admin-turns.ts';
import { buildApp } from './app.ts';
import { ByteBudget } from '../platform/http/byte-budget.ts';
import { UnsentListBudget } from '../core/channel-api/unsent-lists.ts';
import { buildInternalApp } from '../platform/http/internal-app.ts';
import { probedOf } from './probed.ts';
import type { Services } from './services.ts';
import { Drain } from '../platform/http/drain.ts';
import { followConnections, type OpenConnections } from '../platform/http/open-connections.ts';
import { WrongCredentials, type CountsByAddress } from '../platform/accounts/wrong-credentials.ts';
import { JobRunner } from '../platform/jobs/runner.ts';
import { checkSeals } from '../platform/sealed-values/check.ts';
import { createSealer, type SecretSource } from '../platform/secrets/keys.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { startBackground, within } from './background.ts';
import { backgroundParts } from './background-parts.ts';
import { connectDatabase } from './database.ts';
import { sealedColumns } from './seals.ts';
import { openTraces } from './traces.ts';
import { readChangedChannels } from '../core/journal/since-store.ts';
import { failureOf } from '../platform/database/failures.ts';

const MIB_BYTES = 1024 * 1024;
/** Minimum size of the stock list cache of one worker. */
const LIST_CACHE_BYTES_MIN = 64 * MIB_BYTES;
const STOP_SWEEP_MS = 50;
/**
 * How long requests may take to end, longer than a statement of the back office. Then the database is cut off, and they
 * are answered with 503. What follows takes a few seconds: less than `STOP_TIMEOUT_MS` altogether.
 */
const REQUESTS_MS_MAX = 33_000;
/** Requests of channels that may wait for their turn. */
const CHANNEL_WAITING_MAX = 4_096;

export interface StopOptions {
  drain_ms?: number;
  linger_ms?: number;
  lingered?: AbortSignal;
  hurry?: AbortSignal;
}

export interface Service {
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly jobs: JobRunner<JobServices>;
  /** Listens and returns the origin, e.g. http://127.0.0.1:8080. A single process also calls `lead`. */
  listen(): Promise<string>;
  /** Starts the tasks that one process does for all workers: jobs, schedules, housekeeping. */
  lead(): void;
  readonly features: readonly FeatureService[];
  /** Writes what is kept in memory. */
  flush(): Promise<void>;
  /** Origin of the second listener after it started to listen; null: no second listener. */
  internalOrigin(): string | null;
  /**
   * Returns 503 from /readyz and keeps serving for `drain_ms`; then finishes requests in flight and closes the
   * database. With `linger_ms`, new connections go to other workers. Open connections are served until they close,
   * but at most for `linger_ms` or until `lingered`. `hurry` ends the drain and closes the remaining connections.
   */
  stop(options?: StopOptions): Promise<void>;
}

export async function createService(
  config: Config,
  database: Database,
  logger: FastifyBaseLogger,
  others = NO_OTHERS,
): Promise<Service> {
  const { services, features, jobs, app, internal, connections, connected } = await assemble(
    config,
    database,
    logger,
    others,
  );
  const { directory } = services;
  const parts = backgroundParts(services, connected.patience, features);
  await directory.open();
  await checkSeals(services, await sealedColumns());
  const { lead, stopBackground } = startBackground(services, parts, jobs, connected);

  return {
    app,
    services,
    features,
    jobs,
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      if (internal) await internal.listen({ host: config.host, port: config.internal_port ?? 0 });
      if (others === NO_OTHERS) lead();
      return originOf(app);
    },
    lead,
    flush: async () => void (await Promise.all(parts.flatMap((part) => part.flush?.() ?? []))),
    internalOrigin: () => internal && originOf(internal),
    async stop(options = {}) {
      services.drain.begin();
      services.changeWatch.close();
      await stopBackground(finishRequests(app, connections, () => connected.cutOff('all'), options));
      // Before the connections, because it reads the database for probes during the stop.
      await internal?.close();
      await Promise.all([directory.close(), connected.close()]);
    },
  };
}

async function finishRequests(
  app: FastifyInstance,
  connections: OpenConnections,
  cutOff: () => void,
  { drain_ms = 0, linger_ms = 0, lingered, hurry }: StopOptions,
): Promise<void> {
  await sleep(drain_ms, undefined, { signal: hurry }).catch(() => {});
  if (linger_ms > 0)
    await connections.runOut(
      AbortSignal.any([AbortSignal.timeout(linger_ms), lingered ?? [], hurry ?? []].flat()),
    );
  hurry?.addEventListener('abort', () => app.server.closeAllConnections());
  // close() does not close a connection whose last request ends later.
  const began = performance.now();
  const sweeping = setInterval(() => connections.sweep(performance.now() - began), STOP_SWEEP_MS);
  await within(REQUESTS_MS_MAX, app.close(), cutOff);
  clearInterval(sweeping);
}

interface Database {
  url: string;
  pool_connections?: number;
  secret: string | SecretSource;
}

/** Assembles the service without starting it. Does not access the database, so the API can be described without one. */
export async function assemble(
  config: Config,
  database: Database,
  logger: FastifyBaseLogger,
  others: OtherWorkers = NO_OTHERS,
) {
  const { url, secret } = database;
  const { timeouts } = config;
  const metrics = createMetrics();
  const connected = connectDatabase(database, timeouts, metrics, logger);
  const { pool, jobPool, gateConnections, health, limits } = connected;
  const traces = config.tracing ? await openTraces(config.tracing, metrics, logger) : undefined;
  const gate = new Gate(gateConnections, gateObserver(metrics, traces, connected), {
    patience_ms: timeouts.retry_ms,
    has_rivals: others !== NO_OTHERS,
  });
  metrics.watchQueue(gate);
  const sealer = createSealer(secret);
  const directory = new ChannelDirectory(url, pool, sealer, limits);
  const reads = createReads(connected, config, others);
  metrics.watchWaiting(reads.changeWatch);
  const answers = new WorkerAnswers();
  answers.on(CHANNELS_STALE, () => {
    directory.invalidate();
    return null;
  });
  answers.on(METRICS, () => metrics.snapshot());
  const formatTimestamp = timestampFormat(config.timezone);
  const reconciler = createReconciler({ pool, log: logger, metrics, others, answers });
  const budgets = {
    large_bodies: new ByteBudget(config.limits.large_bodies_mib * MIB_BYTES),
    unsent_lists: new UnsentListBudget(config.limits.unsent_lists_mib * MIB_BYTES),
  };
  metrics.watchBudgets(budgets);
  const services: Services = {
    log: logger,
    config,
    pool,
    gate,
    directory,
    metrics,
    health,
    drain: new Drain(() => others.probed()),
    others,
    ...reads,
    keyUses: new KeyUses(pool, directory, (error) =>
      logger.error({ err: error }, 'the last use of keys was not recorded'),
    ),
    orderIndexer: new OrderIndexer(
      pool,
      () => metrics.requestsAnswered(),
      (error) => logger.error({ err: error }, 'the search index of orders was not updated'),
    ),
    reconciler,
    sealer,
    rateLimits: new RateLimits(pool),
    ...countWrongCredentials(config, others, answers, logger),
    answers,
    hooks: new ChannelHooks(),
    budgets,
    turns: {
      lists: new Turns({ at_once_max: 1, waiting_max: CHANNEL_WAITING_MAX }),
      large_bodies: new Turns({ at_once_max: 1, waiting_max: CHANNEL_WAITING_MAX }),
      admin: createAdminTurns(
        others === NO_OTHERS ? 1 : config.workers,
        config.timeouts.retry_ms,
        database.pool_connections,
      ),
    },
    formatTimestamp,
    traces,
  };
  const features = await startFeatures(services);
  const jobs = new JobRunner<JobServices>(
    features.flatMap((feature) => feature.jobs ?? []),
    {
      config,
      pool: jobPool,
      gate,
      reconciler,
      sealer,
      metrics,
      log: logger,
      formatTimestamp,
    },
  );
  const app = await buildApp(services, features, logger);
  const internal =
    config.internal_port === null ? null : buildInternalApp(config, probedOf(services), logger);
  const connections = followConnections(app.server);
  return { services, features, jobs, app, internal, connections, connected };
}

type Connected = ReturnType<typeof connectDatabase>;

const gateObserver = (
  metrics: Metrics,
  traces: Services['traces'],
  { health, patience }: Connected,
): GateObserver => ({
  ...metrics,
  ...(traces && { traced: () => traces.batch() }),
  retry: (reason, error) => {
    metrics.retry(reason, error);
    health.note(error);
    if (failureOf(error) === 'connection') patience.notice(error);
  },
});

/** Features start in the order of their list. */
async function startFeatures(core: Core): Promise<FeatureService[]> {
  const loaded = await Promise.all(FEATURES.flatMap(({ load }) => load?.() ?? []));
  const started: FeatureService[] = [];
  const brought = () => started.flatMap(({ brings = [] }) => brings);
  for (const feature of loaded) started.push(feature.start(core, brought));
  return started;
}

/** The reads of channels. */
function createReads(
  { lookupConnection, listConnection, patience }: Connected,
  { workers }: Config,
  others: OtherWorkers,
): Pick<Services, 'inventory' | 'changeWatch' | 'reads' | 'stockLists'> {
  const cacheBytesMax =
    others === NO_OTHERS ? undefined : Math.max(LIST_CACHE_BYTES_MIN, LIST_CACHE_BYTES_MAX / workers);
  const reads = { short: readsOn(lookupConnection, patience), long: readsOn(listConnection, patience) };
  const stockLists = new StockListCache(reads.short, reads.long, cacheBytesMax);
  return {
    reads,
    stockLists,
    inventory: new Inventory(reads, stockLists),
    changeWatch: new ChangeWatch((since) => reads.short((tx) => readChangedChannels(tx, since))),
  };
}

/** Wrong credentials by client address since the worker's last message. */
const WRONG_CREDENTIALS = topic<CountsByAddress>('wrong_credentials');

function countWrongCredentials(
  { limits }: Config,
  others: OtherWorkers,
  answers: WorkerAnswers,
  logger: FastifyBaseLogger,
): Pick<Services, 'wrongCredentials' | 'foreignAddresses'> {
  const wrongCredentials = new WrongCredentials({
    per_minute_max: limits.wrong_credentials_per_minute,
    tell: (counts) => void others.ask(WRONG_CREDENTIALS, counts),
    report: (wrong, by_address) => logger.warn({ wrong, by_address }, 'wrong API keys or admin tokens'),
  });
  const foreignAddresses = new WrongCredentials({
    per_minute_max: Number.POSITIVE_INFINITY, // throttled by `wrongCredentials`, like every refused key
    report: (refused, by_channel) =>
      logger.warn({ refused, by_channel }, 'API keys used from addresses that their channels do not allow'),
  });
  answers.on(WRONG_CREDENTIALS, (counts) => {
    wrongCredentials.learn(counts);
    return null;
  });
  return { wrongCredentials, foreignAddresses };
}

function originOf(app: FastifyInstance): string {
  const bound = app.server.address();
  if (bound === null || typeof bound === 'string') throw new TypeError('the service listens on no TCP port');
  const { address, port, family } = bound;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
