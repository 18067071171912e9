// sluice backup: writes the whole database into one file, while the service runs.
import { createWriteStream, fstatSync, rmSync } from 'node:fs';
import { link, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { readBackup } from './backup-store.ts';
import { withChecksum } from './file.ts';
import { systemError } from '../../platform/log/system-error.ts';
import { fromCaller } from '../../platform/cli/caller-path.ts';
import { Failure, type Args, type CliCommand } from '../../platform/cli/command.ts';
import { withServer } from '../../platform/command-database/database.ts';
import { formatCount, note, plural, print, printJson } from '../../platform/cli/output.ts';
import { ProgressLine } from '../../platform/cli/progress.ts';

export const STANDARD_STREAM = '-';
/** Level 6 took twice as long and saved a tenth. */
const GZIP_LEVEL = 3;
export const NOTE_EVERY_ROWS = 1_000_000;
const BYTES_PER_MB = 1_000_000;

export const backupCommand: CliCommand = {
  name: 'backup',
  summary: 'write the whole database into one file, while the service runs',
  about: [
    'One consistent snapshot of every table, compressed with gzip, with a checksum. Orders continue; a',
    'migration waits for the end. Written to a temporary name first, so that FILE is always complete.',
    'With DATABASE_MIGRATION_URL it is read as that role, which must be able to read the sequences too.',
    'The secret that opens the sealed channel keys is not in the backup: keep it separately, as long as the backup.',
  ],
  operands: [{ name: 'FILE', help: 'the file to write; - for standard output' }],
  options: { force: { help: 'replace FILE if it exists' } },
  examples: ['sluice backup sluice-2026-11-16.backup', 'sluice backup - | ssh vault "cat > sluice.backup"'],
  run: backup,
};

interface Written {
  rows: number;
  bytes: number;
}

async function backup(args: Args): Promise<number> {
  if (args.operand(0) === STANDARD_STREAM) {
    const { rows } = await withServer(({ ownerUrl }) => writeOut(ownerUrl), { asOwner: true });
    note(`${plural(rows, 'row')} written. ${ABOUT_SECRET}`);
    return 0;
  }
  const file = fromCaller(args.operand(0));
  if (!args.flag('force') && (await stat(file).catch(() => null)) !== null) throw alreadyThere(file);
  const { rows, bytes } = await withServer(({ ownerUrl }) => writeFile(ownerUrl, file, args.flag('force')), {
    asOwner: true,
  });
  if (args.json) printJson({ file, rows, bytes });
  else print(`${file}: ${plural(rows, 'row')}, ${formatCount(Math.ceil(bytes / BYTES_PER_MB))} MB.`);
  note(ABOUT_SECRET);
  return 0;
}

const ABOUT_SECRET =
  'The backup contains personal data and the sealed channel keys, but not the secret that opens them: keep SLUICE_SECRET, or the secret file, separately.';

const alreadyThere = (file: string): Failure =>
  new Failure(`${file} already exists and was not changed; choose another name, or add --force.`);

async function writeTo(url: string, target: Writable): Promise<Written> {
  const progress = new ProgressLine(NOTE_EVERY_ROWS);
  let rows = 0;
  let bytes = 0;
  const content = readBackup(url, (table, count) => {
    rows += count;
    progress.advance(`backup ${table}`, count);
  });
  const count = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  try {
    const packed = Readable.from(withChecksum(content), { objectMode: false });
    await pipeline(packed, createGzip({ level: GZIP_LEVEL }), count, target);
    return { rows, bytes };
  } finally {
    progress.clear();
  }
}

/** Errors of a write() to a file; unlike those of open() they contain no path. */
const DISK_ERRORS = ['EDQUOT', 'EFBIG', 'EIO', 'ENOSPC', 'EROFS'];

function writeFailure(error: unknown, file: string): unknown {
  const { code = '', path } = systemError(error);
  if (path === undefined && !DISK_ERRORS.includes(code)) return error;
  return new Failure(`${file} cannot be written (${code}).`);
}

async function writeOut(url: string): Promise<Written> {
  process.exitCode = 1; // until the backup is complete, also if the reader closes the pipe
  // process.stdout drops the rest if a file takes only a part of a chunk.
  const target = fstatSync(1).isFile() ? createWriteStream('', { fd: 1, flush: true }) : process.stdout;
  try {
    return await writeTo(url, target);
  } catch (error) {
    throw writeFailure(error, 'standard output');
  }
}

/**
 * Written to a temporary name until it is complete and on disk; a signal removes it. Readable by its owner only, because
 * it contains personal data.
 */
async function writeFile(url: string, file: string, replace: boolean): Promise<Written> {
  const draft = `${file}.partial-${process.pid}`;
  const removeDraft = (): void => rmSync(draft, { force: true });
  process.once('exit', removeDraft);
  try {
    const written = await writeTo(url, createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true }));
    if (replace) await rename(draft, file);
    else await publish(draft, file);
    await sync(dirname(file));
    return written;
  } catch (error) {
    throw writeFailure(error, file);
  } finally {
    process.off('exit', removeDraft);
    removeDraft();
  }
}

/** link() fails if the file exists. Not every file system supports links. */
async function publish(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if (systemError(error).code === 'EEXIST') throw alreadyThere(file);
    await rename(draft, file);
  }
}

async function sync(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
