// sluice restore: loads a backup into an empty database, completely or not at all.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { inspectSeals, totalSeals } from '../../platform/sealed-values/changes.ts';
import { createSealer } from '../../platform/secrets/keys.ts';
import type { SealedColumn } from '../../platform/secrets/sealed-column.ts';
import { findSecrets } from '../../platform/secrets/secret.ts';
import { requireKnown, restoreBackup, type Restored } from './restore-store.ts';
import { BackupFileError, verifyBackup } from './file.ts';
import { createCommandPool } from '../../platform/command-database/command-line.ts';
import { reconcileUnhurried, type Reconciliation } from '../../core/reconcile/store.ts';
import { systemError } from '../../platform/log/system-error.ts';
import { cliActor } from '../../platform/audit/cli-actor.ts';
import { NOTE_EVERY_ROWS, STANDARD_STREAM } from './backup-command.ts';
import { fromCaller } from '../../platform/cli/caller-path.ts';
import { Failure, type Args, type CliCommand, type Program } from '../../platform/cli/command.ts';
import { secretConfig, withServer } from '../../platform/command-database/database.ts';
import type { Server } from '../../platform/command-database/embedded.ts';
import { formatCount, note, plural, print, printJson } from '../../platform/cli/output.ts';
import { ProgressLine } from '../../platform/cli/progress.ts';

export const restoreCommand: CliCommand = {
  name: 'restore',
  summary: 'restore a backup into an empty database; exit 1 if a counter differs',
  about: [
    'The file is checked first. Everything is loaded in one transaction: a failure leaves the database unchanged.',
    'A backup of an earlier version is migrated; one of a newer version is refused. Afterwards every',
    'counter is recomputed, as by "sluice reconcile". It needs the role that owns the schema: DATABASE_MIGRATION_URL,',
    'or DATABASE_URL with a single role. Sessions are not restored: users sign in again.',
  ],
  operands: [{ name: 'FILE', help: 'a file of "sluice backup"; - for standard input' }],
  examples: ['SLUICE_DATA_DIR=/srv/sluice-new sluice restore sluice-2026-11-16.backup'],
  run: restore,
};

async function restore(args: Args, program: Program): Promise<number> {
  const file = args.operand(0);
  const name = file === STANDARD_STREAM ? 'the backup' : file;
  return asFailure(name, async () => {
    // Checked before a database is opened. Otherwise a wrong file would create a database in a new data directory.
    if (file !== STANDARD_STREAM) await requireKnown(await verifyBackup(contentOf(file)));
    return withServer((server) => restoreInto(server, args, program), { creates: true, asOwner: true });
  });
}

async function restoreInto(server: Server, args: Args, { sealedColumns }: Program): Promise<number> {
  const restored = await loadFrom(contentOf(args.operand(0)), server);
  const pool = createCommandPool(server.ownerUrl);
  try {
    const report = await reconcileUnhurried(pool);
    const keys = await keyState(pool, await sealedColumns());
    if (args.json) printJson({ ...restored, reconciliation: report, keys });
    else print(summary(restored, report));
    note(aboutKeys(keys));
    return report.ok ? 0 : 1;
  } finally {
    await pool.end();
  }
}

async function loadFrom(content: AsyncIterable<Buffer>, server: Server): Promise<Restored> {
  const progress = new ProgressLine(NOTE_EVERY_ROWS);
  try {
    const target = { url: server.ownerUrl, service_role: await server.serviceRole() };
    return await restoreBackup(target, content, cliActor(), (table, rows) =>
      progress.advance(`restore ${table}`, rows),
    );
  } finally {
    progress.clear();
  }
}

function contentOf(file: string): AsyncIterable<Buffer> {
  const source: Readable = file === STANDARD_STREAM ? process.stdin : createReadStream(fromCaller(file));
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  return source.pipe(unpacked);
}

/** SQLSTATE: an invalid value, or a violated constraint. */
const DOES_NOT_FIT = /^2[23]...$/;

/** A file that is unreadable or damaged is an expected failure, not a bug. */
async function asFailure<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '', syscall } = systemError(error);
    if (error instanceof BackupFileError) throw refused(file, error.message);
    if (code.startsWith('Z_')) throw refused(file, 'it is damaged, incomplete or no backup of Sluice');
    // Happens only with standard input, which cannot be checked first.
    if (DOES_NOT_FIT.test(code)) throw refused(file, 'it is damaged: its rows do not fit the tables');
    if (['open', 'read'].includes(syscall ?? '')) throw new Failure(`${file} cannot be read (${code}).`);
    throw error;
  }
}

const refused = (file: string, reason: string): Failure =>
  new Failure(`${file} was refused: ${reason}. Nothing was restored.`);

interface KeyState {
  sealed: number;
  /** null: no secret is configured. */
  closed: number | null;
}

async function keyState(
  pool: ReturnType<typeof createCommandPool>,
  columns: readonly SealedColumn[],
): Promise<KeyState> {
  const secrets = await findSecrets(secretConfig());
  const sealer = createSealer(secrets ?? 'none: only counted');
  const { count: sealed, closed } = totalSeals(await inspectSeals(pool, sealer, columns));
  return { sealed, closed: secrets === null ? null : closed };
}

function aboutKeys({ sealed, closed }: KeyState): string {
  const keys = plural(sealed, 'sealed key or secret', 'sealed keys and secrets');
  if (sealed === 0) return 'The backup contains no sealed keys.';
  if (closed === 0) return `The current secret opens the ${keys}.`;
  const missing =
    closed === null
      ? `No secret is configured to open the ${keys}`
      : `The current secret does not open ${formatCount(closed)} of the ${keys}`;
  return `${missing}. Configure the SLUICE_SECRET or secret file from the time of the backup before you start the service; otherwise keys, signing secrets and the secrets of webhooks must be replaced, and second factors reset.`;
}

function summary({ header, rows, migrated }: Restored, report: Reconciliation): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const orders = plural(rows['orders'] ?? 0, 'order');
  return [
    `Restored the backup of ${header.made_at}: ${plural(total, 'row')}, ${orders} among them.`,
    ...(migrated.length > 0 ? [`Migrated to this version: ${migrated.join(', ')}.`] : []),
    report.ok
      ? `No drift: ${plural(report.checked, 'value')} checked.`
      : `Drift: ${formatCount(report.drift_count)} of ${plural(report.checked, 'value')} differ; run "sluice reconcile" for the list.`,
  ].join('\n');
}
