// `npm run sandbox`: the service for channel developers, with test keys, a reset and an inspector, on its own data.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionsOf, UsageError } from '../../verify/kit/command-line.ts';
import { databaseVariable } from '../../verify/kit/environment.ts';
import { ConfigError, readConfig, type Config } from '../../src/platform/config/config.ts';
import { EmbeddedStartError } from '../../src/platform/embedded-postgres/report.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const HELP = `npm run sandbox

The service with test keys and test data, for channel developers. http://127.0.0.1:8081/sandbox shows the test data and
explains failed requests; POST /sandbox/reset with a test key restores the initial state. See docs/sandbox.md.

  --help

Settings, as for the service: PORT (8081), HOST (127.0.0.1), SLUICE_DATA_DIR (.data/sandbox), SLUICE_PUBLIC_URL,
SLUICE_ADMIN_TOKEN, SLUICE_TIMEZONE, LOG_LEVEL (warn). DATABASE_URL must not be set: the sandbox uses its own
database and drops it at each reset.`;

class StartError extends Error {}

function readSettings(): Config {
  const { env } = process;
  const foreign = databaseVariable();
  if (foreign !== undefined) {
    throw new StartError(
      `The sandbox has a database of its own, which it drops at each reset: unset ${foreign}.`,
    );
  }
  const { PORT = '8081', SLUICE_DATA_DIR = join('.data', 'sandbox'), LOG_LEVEL = 'warn' } = env;
  return readConfig({ ...env, PORT, SLUICE_DATA_DIR, LOG_LEVEL }, ROOT);
}

/** Loads the service only for a start, so that help and invalid settings are reported immediately. */
async function start(config: Config): Promise<void> {
  const { runSandbox } = await import('./run.ts');
  await runSandbox(config);
}

/** Set-up errors get one clear message. Other errors are bugs and keep their stack. */
function explain(error: unknown): string {
  const expected = [StartError, ConfigError, EmbeddedStartError];
  if (expected.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is already in use; set PORT to another one.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  if (optionsOf({})(process.argv.slice(2)) === null) console.log(HELP);
  else await start(readSettings());
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? error.message : `The sandbox cannot start. ${explain(error)}`);
  process.exitCode = isUsage ? 2 : 1;
}
