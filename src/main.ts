// Composition root: config → database → service → signals.
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { createFirstToken } from './backoffice/tokens.ts';
import { createFirstUser, oneTimePassword } from './backoffice/users.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { tellFirstSignIn, type FirstSignIn } from './first-sign-in.ts';
import { createLogger } from './log.ts';
import { openSecrets } from './secret.ts';
import { createService } from './service.ts';
import { hasAccounts } from './store/accounts.ts';
import { DatabaseUnavailable, failureOf, sqlState } from './store/failures.ts';
import { inTransaction } from './store/transactions.ts';
import { SERVICE_ROLE } from './store/embedded/roles.ts';
import { startEmbedded, EmbeddedStartError, type EmbeddedServer } from './store/embedded/server.ts';
import { healthMessage } from './store/health.ts';
import { migrate, MigrationError } from './store/migrations.ts';
import { ensureSupportedServer, UnsupportedServer } from './store/server-version.ts';
import { systemError } from './system-error.ts';

const PROJECT_DIR = fileURLToPath(new URL('..', import.meta.url));
/** Longer than any request may take; then the process exits. */
const STOP_TIMEOUT_MS = 40_000;
/**
 * npm forwards Ctrl-C to a process that already got it from the terminal: two signals within this time count as one.
 */
const SAME_SIGNAL_MS = 500;

async function main(): Promise<void> {
  const config = readConfig(process.env, PROJECT_DIR);
  const logger = createLogger(config.log_level);
  const stopping = new AbortController();
  const hurry = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    let first = Infinity;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (performance.now() - first > SAME_SIGNAL_MS) hurry.abort();
        first = Math.min(first, performance.now());
        stopping.abort(new Error(`stopped by ${signal}`));
        resolve(signal);
      });
    }
  });

  const embedded = config.database_url === null ? await startDatabase(config, logger, stopping.signal) : null;
  try {
    const url = embedded?.url ?? config.database_url ?? '';
    await ensureSupportedServer(url);
    const applied = embedded ? await migrate(embedded.ownerUrl, SERVICE_ROLE) : await migrate(url);
    for (const name of applied) logger.info({ migration: name }, 'migrated');
    await serve(config, url, logger, { stopped, hurry: hurry.signal });
  } finally {
    await embedded?.stop();
  }
}

const startDatabase = (config: Config, logger: Logger, signal: AbortSignal): Promise<EmbeddedServer> =>
  startEmbedded({
    dataDir: config.data_dir,
    signal,
    log: { info: (message) => logger.info(message), warn: (message) => logger.warn(message) },
  });

interface Signals {
  /** The first signal. */
  stopped: Promise<string>;
  /** The second signal. */
  hurry: AbortSignal;
}

async function serve(
  config: Config,
  url: string,
  logger: Logger,
  { stopped, hurry }: Signals,
): Promise<void> {
  let drain_ms = 0;
  const service = await createService(config, { url, secret: await openSecrets(config) }, logger);
  try {
    const ways = await firstSignIn(config, service.services.pool);
    const origin = await service.listen();
    const told = await tellFirstSignIn(config, ways, origin, process.stdout.isTTY);
    console.log([...welcome(origin, service.internalOrigin(), config), ...told].join('\n'));
    // Stores compiled code, so that the next start is faster and uses less memory.
    flushCompileCache();
    const signal = await stopped;
    // SIGINT comes from a terminal: stop without a drain.
    if (signal === 'SIGTERM') drain_ms = config.drain_ms ?? service.services.drain.usualMs;
    logger.info({ signal, drain_ms }, 'stopping');
  } finally {
    setTimeout(() => {
      const seconds = STOP_TIMEOUT_MS / 1000;
      logger.error(
        `requests are still running ${seconds} s after the stop began: exiting without their responses`,
      );
      process.exit(1);
    }, drain_ms + STOP_TIMEOUT_MS).unref();
    await service.stop({ drain_ms, hurry });
  }
  logger.info('stopped');
}

type Pool = Parameters<typeof inTransaction>[0];

const firstSignIn = async (config: Config, pool: Pool): Promise<FirstSignIn> => ({
  token: config.admin_token === null ? await inTransaction(pool, createFirstToken) : null,
  account: await firstAccount(pool),
});

/** Checked first: hashing takes a while, and nearly every start is a later one. */
async function firstAccount(pool: Pool): Promise<FirstSignIn['account']> {
  if (await hasAccounts(pool)) return null;
  const { password, password_hash } = await oneTimePassword();
  const account = await inTransaction(pool, (tx) => createFirstUser(tx, password_hash));
  return account && { email: account.email, password };
}

const welcome = (origin: string, internalOrigin: string | null, config: Config): string[] => [
  `Sluice is ready.`,
  `  console      ${config.public_url ?? origin}/console/`,
  `  channel API  ${origin}/api/v1`,
  `  admin API    ${origin}/admin/v1`,
  `  docs         ${origin}/docs`,
  ...(internalOrigin === null ? [] : [`  internal     ${internalOrigin}/metrics`]),
];

/** Set-up errors get one clear message; other errors are bugs and keep their stack. */
function explain(error: unknown): string {
  const expected = [ConfigError, EmbeddedStartError, MigrationError, UnsupportedServer];
  if (error instanceof Error && expected.some((kind) => error instanceof kind)) return error.message;
  const { code, syscall, address, port } = systemError(error);
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${address} is already in use; set PORT (or SLUICE_INTERNAL_PORT) to another one.`;
  if (code === 'EACCES' && syscall === 'listen')
    return `Port ${port} on ${address} may not be opened by this user.`;
  if (code === 'EADDRNOTAVAIL')
    return `${address} is not an address of this machine; set HOST to another one.`;
  const inDatabase = error instanceof DatabaseUnavailable || sqlState(error) !== undefined;
  if (inDatabase && failureOf(error) !== 'unexpected') return healthMessage(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await main();
} catch (error) {
  console.error(`Sluice cannot start. ${explain(error)}`);
  process.exitCode = 1;
}
