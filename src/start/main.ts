// Composition root: config → database → service → signals.
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { hasSeals } from '../platform/sealed-values/changes.ts';
import { createFirstToken } from '../platform/accounts/tokens-changes.ts';
import { createFirstUser, oneTimePassword } from '../platform/accounts/changes.ts';
import { readConfig, unknownVariables, type Config } from '../platform/config/config.ts';
import { tellFirstSignIn, type FirstSignIn } from '../platform/accounts/first-sign-in.ts';
import { createLogger } from '../platform/log/log.ts';
import { openSecrets } from '../platform/secrets/secret.ts';
import { sealedColumns } from './seals.ts';
import { explainFailure } from './start-failure.ts';
import { ensurePortsAreFree } from './free-ports.ts';
import { stopInTime } from './stop.ts';
import { hasAccounts } from '../platform/accounts/store.ts';
import {
  connectionsNeeded,
  connectionsWanted,
  planConnections,
  planFitting,
  type ConnectionPlan,
} from '../platform/database/connection-budget.ts';
import { createPool } from '../platform/database/connections.ts';
import { SERVICE_ROLE } from '../platform/embedded-postgres/roles.ts';
import { startEmbedded, type EmbeddedServer } from '../platform/embedded-postgres/server.ts';
import { migrate } from '../platform/database/migrations.ts';
import { ensureSupportedServer, UnsupportedServer } from '../platform/database/server-version.ts';
import { inTransaction } from '../platform/database/transactions.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
const WORKER_FILE = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** `max_connections` of the embedded server, unless the workers need more. */
const MAX_CONNECTIONS = 100;
/**
 * npm forwards Ctrl-C to a process that already got it from the terminal: two signals within this time count as one.
 */
const SAME_SIGNAL_MS = 500;

async function main(signals: Signals): Promise<void> {
  const config = readConfig(process.env, PROJECT_DIR, { needsSecretFile: true });
  const logger = createLogger(config.log_level, { time: config.log_time });
  for (const text of unknownVariables(process.env)) logger.warn(text);
  await ensurePortsAreFree(config);
  const embedded =
    config.database_url === null ? await startDatabase(config, logger, signals.stopping) : null;
  try {
    const url = embedded?.url ?? config.database_url ?? '';
    const plan = await unlessStopped(prepareDatabase(config, url, embedded, logger), signals);
    const database = { url, ...plan };
    if (plan.workers === 1) await serve(config, url, logger, signals);
    else await supervise(config, database, logger, signals);
  } finally {
    await embedded?.stop();
  }
}

/** The schema, and how many workers the database allows. */
async function prepareDatabase(
  config: Config,
  url: string,
  embedded: EmbeddedServer | null,
  logger: Logger,
): Promise<ConnectionPlan> {
  const { connections_max } = await ensureSupportedServer(url);
  const plan = planWorkers(config, connections_max, logger);
  const applied = embedded ? await migrate(embedded.ownerUrl, SERVICE_ROLE) : await migrate(url);
  if (applied.length > 0)
    logger.info({ migrations: applied.length, newest: applied.at(-1) }, 'the database schema is up to date');
  return plan;
}

/**
 * A stop does not wait for a database that does not respond. What is abandoned was one transaction, which ends with its
 * connection when the process exits.
 */
async function unlessStopped<T>(work: Promise<T>, { stopping }: Signals): Promise<T> {
  const stop = Promise.withResolvers<never>();
  const end = () => stop.reject(stopping.reason);
  if (stopping.aborted) end();
  stopping.addEventListener('abort', end);
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    stopping.removeEventListener('abort', end);
  }
}

/** A number of workers that the operator has set is not changed. */
function planWorkers(config: Config, connections_max: number, logger: Logger): ConnectionPlan {
  const { workers, workers_auto } = config;
  if (!workers_auto) {
    const plan = planConnections(workers, connections_max);
    if (plan) return plan;
    throw new UnsupportedServer(
      `The database allows this service ${connections_max} connections, and ${workers} workers need at least ${connectionsNeeded(workers)}: lower SLUICE_WORKERS, or raise max_connections of the server and the limits of role and database.`,
    );
  }
  const plan = planFitting(workers, connections_max);
  if (plan.workers < workers)
    logger.warn(
      { workers: plan.workers, connections_max },
      'fewer workers than cores allow: the database allows too few connections',
    );
  return plan;
}

interface Signals {
  /** Aborted by the first signal. */
  stopping: AbortSignal;
  /** The first signal. */
  stopped: Promise<string>;
  /** The second signal. */
  hurry: AbortSignal;
  /** Called for each SIGHUP; null: SIGHUP stops the service. */
  onRestart: (() => void) | null;
}

/**
 * In a terminal, SIGHUP means that the terminal was closed. Elsewhere it restarts the workers, if there are several.
 */
function watchSignals(): Signals {
  const stopping = new AbortController();
  const hurry = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<string>();
  const signals: Signals = { stopping: stopping.signal, stopped, hurry: hurry.signal, onRestart: null };
  let first = Infinity;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (signal === 'SIGHUP' && signals.onRestart && !process.stdout.isTTY) {
        signals.onRestart();
        return;
      }
      if (performance.now() - first > SAME_SIGNAL_MS) hurry.abort();
      first = Math.min(first, performance.now());
      stopping.abort(new Error(`stopped by ${signal}`));
      resolve(signal);
    });
  }
  return signals;
}

const startDatabase = (config: Config, logger: Logger, signal: AbortSignal): Promise<EmbeddedServer> =>
  startEmbedded({
    dataDir: config.data_dir,
    signal,
    settings: { max_connections: String(Math.max(MAX_CONNECTIONS, connectionsWanted(config.workers))) },
    log: { info: (message) => logger.info(message), warn: (message) => logger.warn(message) },
  });

/** One process, without workers. */
async function serve(config: Config, url: string, logger: Logger, signals: Signals): Promise<void> {
  const { stopped, hurry } = signals;
  // Loaded here: a supervisor does not need it.
  const { createService } = await import('./service.ts');
  let drain_ms = 0;
  const secret = await unlessStopped(
    withOneConnection(url, (pool) => openSecrets(config, async () => hasSeals(pool, await sealedColumns()))),
    signals,
  );
  const service = await unlessStopped(createService(config, { url, secret }, logger), signals);
  try {
    const { pool } = service.services;
    const password = await firstPassword(config, pool);
    const origin = await service.listen();
    // Only now: a start that fails, for example at a used port, must not use up credentials that are shown once.
    const ways = await firstSignIn(config, pool, password);
    await welcome(config, ways, { origin, internal_origin: service.internalOrigin() });
    // Stores compiled code, so that the next start is faster and uses less memory.
    flushCompileCache();
    const signal = await stopped;
    // SIGINT comes from a terminal: stop without a drain.
    if (signal === 'SIGTERM') drain_ms = config.drain_ms ?? service.services.drain.usualMs;
    logger.info({ signal, drain_ms }, 'stopping');
  } finally {
    await stopInTime(service, { drain_ms, hurry });
  }
  logger.info('stopped');
}

/** Several workers, which share the port. */
async function supervise(
  config: Config,
  database: { url: string } & ConnectionPlan,
  logger: Logger,
  signals: Signals,
): Promise<void> {
  const { stopped, hurry } = signals;
  const { Supervisor } = await import('../platform/supervisor/supervisor.ts');
  // Fails early on errors, and generates the secret once for all workers.
  await unlessStopped(
    withOneConnection(database.url, (pool) =>
      openSecrets(config, async () => hasSeals(pool, await sealedColumns())),
    ),
    signals,
  );
  const supervisor = new Supervisor(config, database, logger, { worker_file: WORKER_FILE });
  signals.onRestart = () => void supervisor.restart();
  let drain_ms = 0;
  try {
    // A stop does not wait for workers that are starting.
    const place = await Promise.race([supervisor.start(), stopped.then(() => null)]);
    if (place) await welcome(config, await firstSignInOver(config, database.url), place);
    const signal = await stopped;
    if (signal === 'SIGTERM') drain_ms = supervisor.drainMs;
    logger.info({ signal, drain_ms }, 'stopping');
  } finally {
    if (!(await supervisor.stop({ drain_ms, hurry }))) process.exitCode = 1;
  }
  logger.info('stopped');
}

type Pool = Parameters<typeof inTransaction>[0];

type FirstPassword = Awaited<ReturnType<typeof oneTimePassword>>;

/** null: accounts exist. Hashing takes a while, and nearly every start is a later one. */
const firstPassword = async ({ first_password }: Config, pool: Pool): Promise<FirstPassword | null> =>
  (await hasAccounts(pool)) ? null : oneTimePassword(undefined, first_password ?? undefined);

const firstSignIn = async (
  config: Config,
  pool: Pool,
  password: FirstPassword | null,
): Promise<FirstSignIn> => ({
  token: config.admin_token === null ? await inTransaction(pool, createFirstToken) : null,
  account: password && (await firstAccount(config, pool, password)),
});

async function firstAccount(
  { first_password }: Config,
  pool: Pool,
  { password, password_hash }: FirstPassword,
): Promise<FirstSignIn['account']> {
  const account = await inTransaction(pool, (tx) => createFirstUser(tx, password_hash));
  return account && { email: account.email, password: first_password === null ? password : null };
}

const firstSignInOver = (config: Config, url: string): Promise<FirstSignIn> =>
  withOneConnection(url, async (pool) => firstSignIn(config, pool, await firstPassword(config, pool)));

/** The connection is opened on first use. */
async function withOneConnection<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, 1);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function welcome(
  config: Config,
  ways: FirstSignIn,
  { origin, internal_origin }: { origin: string; internal_origin: string | null },
): Promise<void> {
  const lines = [
    `Sluice is ready.`,
    `  console      ${config.public_url ?? origin}/console/`,
    `  channel API  ${origin}/api/v1`,
    `  admin API    ${origin}/admin/v1`,
    `  docs         ${origin}/docs`,
    ...(internal_origin === null ? [] : [`  internal     ${internal_origin}/metrics`]),
    ...(await tellFirstSignIn(config, ways, origin, process.stdout.isTTY)),
  ];
  console.log(lines.join('\n'));
}

const signals = watchSignals();
try {
  await main(signals);
} catch (error) {
  // A start that was told to stop has not failed, whatever it was waiting for.
  if (signals.stopping.aborted) process.exit();
  console.error(`Sluice cannot start. ${explainFailure(error)}`);
  process.exitCode = 1;
}
