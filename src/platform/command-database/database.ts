// The database of a command: the one of DATABASE_URL, the embedded one of a running service, or an embedded one started
// for this command.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { readConfig, type Config } from '../config/config.ts';
import { createCommandPool, schemaState } from './command-line.ts';
import { migrate } from '../database/migrations.ts';
import { connectionIdentity } from '../database/privileges.ts';
import { ensureSupportedServer } from '../database/server-version.ts';
import { systemError } from '../log/system-error.ts';
import { Failure } from '../cli/command.ts';
import { openEmbedded, type Server } from './embedded.ts';
import { note } from '../cli/output.ts';
import { commandEnvironment } from './service-environment.ts';

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));

const PROGRAM = join(PROJECT_DIR, 'bin', 'sluice');

export interface ServerOptions {
  /** Makes a new database. All other commands refuse: on an empty database their result would look like success. */
  readonly creates?: boolean;
  /** Connects as the role that owns the schema. */
  readonly asOwner?: boolean;
}

const DATABASE = ['DATABASE_URL', 'DATABASE_MIGRATION_URL', 'SLUICE_DATA_DIR'];
const SECRETS = ['SLUICE_SECRET', 'SLUICE_SECRET_PREVIOUS'];

/** Only these settings: a wrong PORT must not prevent an import. A value may be in a file, as for the service. */
function settings(names: readonly string[], { asOwner = false }: ServerOptions = {}) {
  const env = commandEnvironment(PROGRAM, { asOwner });
  return Object.fromEntries(names.flatMap((name) => [name, `${name}_FILE`]).map((name) => [name, env[name]]));
}

// readConfig requires a secret with DATABASE_URL, but most commands seal nothing.
const NO_SECRET = 'never used: this command seals no keys';

export const configWithoutSecret = (options?: ServerOptions): Config =>
  readConfig({ ...settings(DATABASE, options), SLUICE_SECRET: NO_SECRET }, PROJECT_DIR);

const ELSEWHERE =
  'Set SLUICE_DATA_DIR or DATABASE_URL as for the service; "sluice migrate" makes a new, empty database.';

async function requireCluster(dataDir: string): Promise<void> {
  const isMissing = await stat(join(dataDir, 'postgres')).then(
    () => false,
    (error: unknown) => systemError(error).code === 'ENOENT',
  );
  if (isMissing) throw new Failure(`there is no database in ${dataDir}. ${ELSEWHERE}`);
}

async function openServer(options: ServerOptions): Promise<Server> {
  const config = configWithoutSecret(options);
  const { database_url, database_migration_url } = config;
  if (database_url === null) {
    if (!options.creates) await requireCluster(config.data_dir);
    return openEmbedded(config.data_dir);
  }
  await ensureSupportedServer(database_url).catch((error: unknown) => {
    const invalid = systemError(error).code === 'ERR_INVALID_URL';
    throw invalid ? new Failure('DATABASE_URL is not a valid address.') : error;
  });
  const ownerUrl = database_migration_url ?? database_url;
  const serviceRole = async (): Promise<string | null> =>
    database_migration_url === null ? null : serviceRoleOf(database_url, ownerUrl);
  return {
    url: database_url,
    name: withoutPassword(database_url),
    embedded: false,
    ownerUrl,
    serviceRole,
    migrate: async () => migrate(ownerUrl, await serviceRole()),
    stop: async () => {},
  };
}

function withoutPassword(text: string): string {
  const { protocol, username, host, pathname } = new URL(text);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** The service's role, if it is not the owner. */
async function serviceRoleOf(url: string, ownerUrl: string): Promise<string | null> {
  await ensureSupportedServer(ownerUrl);
  const service = await identityAt(url);
  const owner = await identityAt(ownerUrl);
  if (service.place !== owner.place) {
    throw new Failure('DATABASE_URL and DATABASE_MIGRATION_URL do not name the same database.');
  }
  return service.role === owner.role ? null : service.role;
}

async function identityAt(url: string): Promise<{ role: string; place: string }> {
  const pool = createCommandPool(url);
  try {
    return await connectionIdentity(pool);
  } finally {
    await pool.end();
  }
}

export async function withServer<T>(
  work: (server: Server) => Promise<T>,
  options: ServerOptions = {},
): Promise<T> {
  const server = await openServer(options);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Requires the schema of this version: the embedded database is migrated, an external one must be up to date. */
export const withDatabase = <T>(
  work: (pool: pg.Pool) => Promise<T>,
  options: ServerOptions = {},
): Promise<T> =>
  withServer(async (server) => {
    const pool = createCommandPool(server.url);
    try {
      await requireSchema(server, pool, options);
      return await work(pool);
    } finally {
      await pool.end();
    }
  }, options);

/** For a command that also works without a secret. */
export const secretConfig = (): Config => readConfig(settings([...SECRETS, 'SLUICE_DATA_DIR']), PROJECT_DIR);

/** A missing SLUICE_SECRET is an error. */
export const configWithSecret = (options?: ServerOptions): Config =>
  readConfig(settings([...DATABASE, ...SECRETS], options), PROJECT_DIR);

async function requireSchema(server: Server, pool: pg.Pool, { creates }: ServerOptions): Promise<void> {
  const state = await schemaState(pool);
  if (state === 'newer') {
    throw new Failure('the database is newer than this version of Sluice; use a newer version.');
  }
  if (state === 'current') return;
  if (state === 'empty' && !creates) {
    throw new Failure(`the database ${server.name} has no tables of Sluice. ${ELSEWHERE}`);
  }
  if (!server.embedded) {
    throw new Failure(
      `the database ${server.name} does not have the schema of this version yet; run "sluice migrate" first.`,
    );
  }
  const applied = await server.migrate();
  if (applied.length > 0) note(`the embedded database was migrated: ${applied.join(', ')}`);
}
