// PostgreSQL as a process: find, start and stop.
import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { open, readFile, stat, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemError } from '../log/system-error.ts';
import type { RunAs } from './user.ts';
import { spawnAs } from './user.ts';

const POLL_MS = 20;
/**
 * A fast shutdown writes a checkpoint first; an immediate one leaves the work to crash recovery. A server that is frozen
 * notices neither.
 */
const STOP_STEPS = [
  { signal: 'SIGINT', wait_ms: 20_000 },
  { signal: 'SIGQUIT', wait_ms: 10_000 },
  { signal: 'SIGKILL', wait_ms: 5_000 },
] as const;
const LOG_BYTES_MAX = 8 * 1024 * 1024;

/** postmaster.pid in the database directory. */
export interface PidFile {
  readonly pid: number;
  readonly started_at_ms: number;
  readonly port: number;
  readonly ready: boolean;
  readonly text: string;
}

export interface ServerProcess {
  readonly child: ChildProcess;
  /** Resolves when it has ended, with the reason. */
  readonly ended: Promise<Ending>;
}

export interface Ending {
  readonly code: number | null;
  readonly signalled: boolean;
  readonly how: string;
}

export interface ServerCommand {
  readonly program: string;
  readonly dir: string;
  readonly user: RunAs | null;
  /** The user can open the directory by its path. */
  readonly isReachable: boolean;
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** pid is 0 if the file is not (or not yet) complete. */
export async function readPidFile(dir: string): Promise<PidFile | null> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => null);
  if (text === null) return null;
  const [pid, , started, port, , , , status] = text.split('\n');
  return {
    pid: Number(pid) || 0,
    started_at_ms: Number(started) * 1000,
    port: Number(port) || 0,
    ready: status?.trim() === 'ready',
    text,
  };
}

export function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemError(error).code === 'EPERM';
  }
}

/**
 * A process can open its working directory by this path even if its user may not pass the parent directories. Root
 * changes into the directory before it becomes that user.
 */
export const WORKING_DIRECTORY = '/proc/self/cwd';
/** Shows the real directory in the arguments of such a server. */
const DIRECTORY_SETTING = 'sluice.directory';

/** Checked before any signal: the process is a postgres, and its arguments name the directory. */
export async function isServerOn(pid: number, dir: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-p', String(pid), '-o', 'command=']).catch(
      () => ({ stdout: '' }),
    );
    return stdout.includes(`postgres -D ${dir} `);
  }
  // A zombie, which a container without an init never reaps, has no arguments and counts as ended.
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  if (basename(args[0] ?? '') !== 'postgres' || args[1] !== '-D') return false;
  // The actual directory, independent of its name and mount. A container may forbid reading it.
  const inside = await stat(`/proc/${pid}/cwd`).catch(() => null);
  const named = args.find((arg) => arg.startsWith(`${DIRECTORY_SETTING}=`));
  const started = named === undefined ? args[2] : named.slice(DIRECTORY_SETTING.length + 1);
  const found = inside ?? (await stat(started ?? '').catch(() => null));
  const asked = await stat(dir).catch(() => null);
  if (found === null || asked === null) return started === dir;
  return found.ino === asked.ino && found.dev === asked.dev;
}

/** The server that runs on the directory, if any. */
export async function serverOn(dir: string): Promise<PidFile | null> {
  const file = await readPidFile(dir);
  return file !== null && (await isServerOn(file.pid, dir)) ? file : null;
}

/**
 * In its own session and with files instead of pipes, so that neither Ctrl-C nor the end of this process affects it.
 */
export async function spawnServer(command: ServerCommand): Promise<ServerProcess> {
  const log = await open(command.logFile, 'a', 0o600);
  try {
    const { dir, isReachable } = command;
    const all = { ...command.settings, ...(isReachable ? {} : { [DIRECTORY_SETTING]: dir }) };
    const settings = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(command.program, ['-D', isReachable ? dir : WORKING_DIRECTORY, ...settings], {
      ...spawnAs(command.user),
      cwd: dir,
      detached: true,
      env: serverEnv(),
      stdio: ['ignore', log.fd, log.fd],
    });
    return { child, ended: endingOf(child) };
  } finally {
    await log.close();
  }
}

/** A clean environment: PGDATA, LD_LIBRARY_PATH or a locale would change the server's behaviour. */
export function serverEnv(): Record<string, string> {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function endingOf(child: ChildProcess): Promise<Ending> {
  // If the service exits without stop(), for example after an uncaught error, the server is stopped too.
  const onExit = () => child.kill('SIGINT');
  process.once('exit', onExit);
  return new Promise((resolve) => {
    const end = (ending: Ending) => {
      process.off('exit', onExit);
      resolve(ending);
    };
    child.once('error', (error) => end({ code: null, signalled: false, how: error.message }));
    child.once('exit', (code, signal) => {
      end({ code, signalled: signal !== null, how: signal ?? `exit code ${code}` });
    });
  });
}

export function hasEnded({ child }: ServerProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** False: still running, although it was killed. */
export async function stopServer(server: ServerProcess): Promise<boolean> {
  for (const { signal, wait_ms } of STOP_STEPS) {
    const timeout = new AbortController();
    server.child.kill(signal);
    const ended = await Promise.race([
      server.ended.then(() => true),
      delay(wait_ms, false, { signal: timeout.signal }).catch(() => false),
    ]);
    timeout.abort();
    if (ended) return true;
  }
  return false;
}

/** Like `stopServer`, for a server that is not our child process. */
export async function stopServerOn(dir: string, pid: number): Promise<boolean> {
  for (const { signal, wait_ms } of STOP_STEPS) {
    if (!(await isServerOn(pid, dir))) return true;
    process.kill(pid, signal);
    for (const deadline = Date.now() + wait_ms; Date.now() < deadline; await delay(POLL_MS)) {
      if (!(await isServerOn(pid, dir))) return true;
    }
  }
  return false;
}

export async function readinessOf(server: ServerProcess, dir: string, signal: AbortSignal): Promise<boolean> {
  while (!hasEnded(server)) {
    const file = await readPidFile(dir);
    if (file?.pid === server.child.pid && file?.ready === true) return true;
    await delay(POLL_MS, undefined, { signal });
  }
  return false;
}

export async function boundLog(logFile: string): Promise<void> {
  const found = await stat(logFile).catch(() => null);
  if (found !== null && found.size > LOG_BYTES_MAX) await truncate(logFile, 0);
}

export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0;
}

/** The last lines written after the file had this size. */
export async function tailSince(logFile: string, size: number): Promise<string> {
  const text = await readFile(logFile).catch(() => Buffer.alloc(0));
  const lines = text.subarray(size).toString('utf8').trim().split('\n');
  return lines.slice(-6).join('\n');
}
