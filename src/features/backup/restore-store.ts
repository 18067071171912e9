// Restores a backup into an empty database, in one transaction.
import type pg from 'pg';
import { insertAudit, type Actor } from '../../platform/audit/store.ts';
import {
  identifier,
  identifiers,
  openClient,
  readSequences,
  readTables,
  type OnRows,
} from './backup-store.ts';
import { BackupFileError, BackupReader, type BackupEnd, type BackupHeader } from './file.ts';
import { Failure } from '../../platform/cli/command.ts';
import { copyIn } from '../../platform/database/copy.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import {
  appliedMigrations,
  lockMigrations,
  migrateIn,
  readMigrations,
} from '../../platform/database/migrations.ts';
import { startSearchOver } from '../../core/orders/search-index-store.ts';
import { grantPrivileges } from '../../platform/database/privileges.ts';

/** Tables that have one row after a migration. */
const SEEDED = ['schema_migration', 'journal_trim', 'journal_era', 'order_search_progress'];
/** Emptied by a restore: what was written into a database without data means nothing. */
const DISCARDED = ['order_feed_token'];

export interface RestoreTarget {
  /** Connects as the owner of the schema. */
  readonly url: string;
  /** The role that gets the service's privileges; null: the owner is the service. */
  readonly service_role: string | null;
}

export interface Restored {
  readonly header: BackupHeader;
  readonly rows: Readonly<Record<string, number>>;
  /** Migrations applied after loading the backup. */
  readonly migrated: string[];
}

/** One transaction, which commits only after the checksum is verified: an incomplete file changes nothing. */
export async function restoreBackup(
  { url, service_role }: RestoreTarget,
  source: AsyncIterable<Buffer>,
  by: Actor,
  onRows: OnRows,
): Promise<Restored> {
  const reader = new BackupReader(source);
  const header = await reader.header();
  await requireKnown(header);
  return connected(url, async (client) => {
    await client.query('begin');
    await prepareEmpty(client, header);
    const counts = await withoutTriggers(client, () => load(client, reader, header, onRows));
    const end = await reader.end();
    checkCounts(counts, end);
    await setSequences(client, end);
    const migrated = await migrateIn(client, await readMigrations());
    await run(client, TRIM_ALL);
    await run(client, FORGET_POSITIONS);
    await startSearchOver(client);
    if (service_role !== null) await grantPrivileges(client, service_role);
    const after = { made_at: header.made_at, rows: counts };
    await insertAudit(client, by, [{ action: 'database.restore', subject: 'database', before: null, after }]);
    await client.query('commit');
    await client.query('analyze');
    return { header, rows: counts, migrated };
  });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(url);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Rejects backups with unknown or changed migrations. */
export async function requireKnown({ migrations }: BackupHeader): Promise<void> {
  const known = new Map((await readMigrations()).map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of migrations) {
    const ours = known.get(version);
    if (!ours) {
      throw new Failure(
        `the backup is newer than this version of Sluice: it has migration ${name}. Use a newer version.`,
      );
    }
    if (ours.checksum !== checksum) {
      throw new Failure(`migration ${name} of the backup is not the one of this version of Sluice.`);
    }
  }
}

/**
 * A database without a schema gets the schema of the backup; otherwise the schema must be equal and the tables empty.
 */
async function prepareEmpty(client: pg.Client, { migrations }: BackupHeader): Promise<void> {
  await lockMigrations(client);
  const present = await readTables(client);
  const applied = present.some(({ name }) => name === 'schema_migration')
    ? await appliedMigrations(client)
    : [];
  for (const { name } of present) {
    if (SEEDED.includes(name) || DISCARDED.includes(name)) continue;
    const { rowCount } = await client.query(`select from ${identifier(name)} limit 1`);
    if ((rowCount ?? 0) > 0) {
      throw new Failure(
        `the database is not empty: ${name} has rows. A backup is restored into an empty database only; nothing was changed.`,
      );
    }
  }
  const wanted = new Set(migrations.map(({ version }) => version));
  if (applied.some(({ version }) => !wanted.has(version))) {
    throw new Failure(
      'the database has a newer schema than the backup. Restore into a database without a schema: it gets the one of the backup first.',
    );
  }
  const own = (await readMigrations()).filter(({ version }) => wanted.has(version));
  await migrateIn(client, own);
}

const TRIGGERS = statement(
  'backup_triggers',
  `select tgname as name, tgrelid::regclass::text as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and t.tgenabled = 'O'`,
);

/** Disables triggers, which are meant for new rows. Constraints stay enabled. */
async function withoutTriggers<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  const triggers = await rows<{ name: string; table: string }>(client, TRIGGERS);
  const all = async (verb: string): Promise<void> => {
    for (const { name, table } of triggers) {
      await client.query(`alter table ${table} ${verb} trigger ${identifier(name)}`);
    }
  };
  await all('disable');
  const result = await work();
  await all('enable');
  return result;
}

async function load(
  client: pg.Client,
  reader: BackupReader,
  { tables }: BackupHeader,
  onRows: OnRows,
): Promise<Record<string, number>> {
  const present = await readTables(client);
  const columnsOf = new Map(present.map(({ name, columns }) => [name, columns]));
  for (const { name, columns } of tables) {
    const known = columnsOf.get(name);
    if (!known || columns.some((column) => !known.includes(column)))
      throw new BackupFileError(
        `it has a table or column that the schema of its version does not have: ${name}`,
      );
  }
  // Rows inserted by migrations are in the backup too.
  const kept = ['schema_migration', 'journal_trim', 'order_search_progress'];
  const emptied = present.map(({ name }) => name).filter((name) => !kept.includes(name));
  await client.query(`truncate ${identifiers(emptied)}; set constraints all deferred`);
  const counts: Record<string, number> = {};
  for (const { name, columns } of tables) {
    await reader.table(name);
    const text = `copy ${identifier(name)} (${identifiers(columns)}) from stdin`;
    counts[name] = await copyIn(client, text, reader.rows());
    onRows(name, counts[name]);
  }
  // Checked now: a table with pending constraint checks cannot be altered.
  await client.query('set constraints all immediate');
  return counts;
}

function checkCounts(counts: Readonly<Record<string, number>>, end: BackupEnd): void {
  for (const [table, count] of Object.entries(end.rows)) {
    if (counts[table] !== count) throw new BackupFileError(`the table ${table} is not complete`);
  }
}

const SET_SEQUENCE = statement('backup_set_sequence', 'select setval($1::regclass, $2::bigint, $3)');

async function setSequences(tx: Tx, { sequences }: BackupEnd): Promise<void> {
  const present = new Set((await readSequences(tx)).map(({ name }) => name));
  const unknown = sequences.find(({ name }) => !present.has(name));
  if (unknown) throw new BackupFileError(`it has a sequence that the schema does not have: ${unknown.name}`);
  for (const { name, last_value, is_called } of sequences) {
    await run(tx, SET_SEQUENCE, [identifier(name), last_value, is_called]);
  }
}

// The steps of the backup have no transaction ids, also if this database is the one that was backed up.
const FORGET_POSITIONS = statement('backup_forget_positions', 'update webhook set position = null');

// Invalidates cursors and tokens of this database. Cursors of other databases have another era.
const TRIM_ALL = statement('backup_trim_all', 'update journal_trim set xid = pg_current_xact_id()');
