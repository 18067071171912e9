// Forward-only SQL files. Several processes may migrate at once; a database newer than the code is refused.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { rows, run, statement, type Tx } from './database.ts';
import { failureOf, isForbidden } from './failures.ts';
import { grantPrivileges } from './privileges.ts';

const DIRECTORY = new URL('../../../migrations/', import.meta.url);
/** An arbitrary constant: serializes processes that migrate the same database. */
const MIGRATION_LOCK = 7_358_264_001;

interface Migration {
  version: number;
  name: string;
  text: string;
  checksum: string;
}

export class MigrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MigrationError';
  }
}

export async function readMigrations(directory: URL = DIRECTORY): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name, index) => {
      const version = versionOf(name);
      // Numbers may be skipped, because several migrations are developed at a time, but not repeated.
      if (!(version > versionOf(names[index - 1] ?? '0000_')))
        throw new MigrationError(`${name} has the same number as another migration, or none.`);
      const text = await readFile(new URL(name, directory), 'utf8');
      return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

const versionOf = (name: string): number => Number(/^(\d{4})_/.exec(name)?.[1]);

const LOCK = statement('migrate_lock', `select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
/**
 * Lock timeout of a step. Other transactions queue behind a waiting ALTER TABLE, so the step gives up quickly and
 * retries; processes of the previous version continue to work. Longer than `deadlock_timeout` (1 s): only then
 * PostgreSQL cancels an autovacuum of the table, which may take hours.
 */
const TABLE_WAIT_MS = 2_000;
const TABLE_PAUSE_MS = 500;
const LIMIT_WAIT = statement('migrate_limit_wait', `select set_config('lock_timeout', $1, true)`);
/** The database or the role may have a timeout; a step over a large table takes long. */
const UNLIMITED = statement('migrate_unlimited', `select set_config('statement_timeout', '0', true)`);
const CREATE = statement(
  'migrate_create',
  `create table if not exists schema_migration (
     version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
);
const HAS_TABLE = statement(
  'migrate_has_table',
  `select to_regclass('schema_migration') is not null as present`,
);
const APPLIED = statement(
  'migrate_applied',
  'select version, name, checksum from schema_migration order by version',
);
const RECORD = statement(
  'migrate_record',
  'insert into schema_migration (version, name, checksum) values ($1, $2, $3)',
);

/**
 * Applies all missing migrations in one transaction and returns their names. Uses its own connection. `serviceRole` gets
 * the privileges that the service needs; without it, the migrating role is the service.
 */
export async function migrate(
  url: string,
  serviceRole: string | null = null,
  directory: URL = DIRECTORY,
): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const client = new pg.Client({ connectionString: url, application_name: 'sluice-migrate' });
  await client.connect();
  try {
    for (;;) {
      try {
        await client.query('begin');
        const names = await migrateIn(client, migrations);
        if (serviceRole !== null) await grantPrivileges(client, serviceRole);
        await client.query('commit');
        return names;
      } catch (error) {
        if (failureOf(error) !== 'conflict') throw error;
        await client.query('rollback');
        await sleep(TABLE_PAUSE_MS);
      }
    }
  } finally {
    await client.end();
  }
}

/** Held until the end of the transaction. */
export const lockMigrations = (tx: Tx): Promise<number> => run(tx, LOCK);

export const appliedMigrations = (tx: Tx): Promise<Omit<Migration, 'text'>[]> => rows(tx, APPLIED);

/** Runs in the caller's transaction. */
export async function migrateIn(tx: Tx, migrations: readonly Migration[]): Promise<string[]> {
  await run(tx, UNLIMITED);
  await lockMigrations(tx);
  await run(tx, LIMIT_WAIT, [TABLE_WAIT_MS]);
  const [table] = await rows<{ present: boolean }>(tx, HAS_TABLE);
  const applied = table?.present === true ? await appliedMigrations(tx) : [];
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const done of applied) checkApplied(done, known.get(done.version));
  const isApplied = new Set(applied.map((done) => done.version));
  const missing = migrations.filter(({ version }) => !isApplied.has(version));
  // A role that owns nothing may not even run "create table if not exists".
  if (missing.length === 0) return [];
  try {
    await run(tx, CREATE);
    for (const migration of missing) await apply(tx, migration);
  } catch (error) {
    throw isForbidden(error) ? notByThisRole(missing) : error;
  }
  return missing.map((migration) => migration.name);
}

const notByThisRole = (missing: readonly Migration[]): MigrationError =>
  new MigrationError(
    `Run "sluice migrate" with DATABASE_MIGRATION_URL: the database lacks ${namesOf(missing)}, and this role may not change its schema.`,
  );

/** The first and the last one: a new database lacks all of them. */
function namesOf(missing: readonly Migration[]): string {
  const [first, last] = [missing[0]?.name, missing.at(-1)?.name];
  return missing.length === 1 ? `migration ${first}` : `${missing.length} migrations, ${first} to ${last}`;
}

function checkApplied(done: Omit<Migration, 'text'>, known: Migration | undefined): void {
  if (!known) {
    throw new MigrationError(
      `The database is newer than this version of Sluice: it has migration ${done.name}. Start a newer version.`,
    );
  }
  if (known.checksum !== done.checksum) {
    throw new MigrationError(
      `Migration ${done.name} of this version differs from the one that was applied to this database. Either the file was ` +
        `changed after it had been applied: put back the one of your release. Or the database belongs to another build of ` +
        `Sluice: start that one, or set DATABASE_URL to the right database. Nothing was changed.`,
    );
  }
}

async function apply(tx: Tx, migration: Migration): Promise<void> {
  await tx.query({ text: migration.text });
  await run(tx, RECORD, [migration.version, migration.name, migration.checksum]);
}
