// The embedded PostgreSQL server: started, locked, supervised and stopped here.
import { mkdir, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endConnection } from '../database/connections.ts';
import { binariesFor, findBinaries } from './binaries.ts';
import { ensureCluster, ensurePassword } from './cluster.ts';
import type { Cluster, Ownership } from './owner.ts';
import { connect, ownedByAnother, settlePrevious, tryLock } from './owner.ts';
import type { Ending, ServerCommand, ServerProcess } from './process.ts';
import { boundLog, hasEnded, readinessOf, sizeOf, spawnServer, stopServer, tailSince } from './process.ts';
import type { Log } from './report.ts';
import { asStartError, EmbeddedStartError, errorCode } from './report.ts';
import { addressesOf, ensureDatabase, type Addresses } from './roles.ts';
import type { RunAs } from './user.ts';
import { admits, chooseUser } from './user.ts';

export { EmbeddedStartError };

export interface EmbeddedServer extends Addresses {
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Override the settings below. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Aborts a start; crash recovery may take minutes. */
  readonly signal?: AbortSignal;
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // WAL segments up to this size are recycled instead of created again.
  min_wal_size: '256MB',
  // This build has no lz4, and pglz doubled the time of scattered updates after a checkpoint (0.4 to 0.8 s).
  wal_compression: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  // Parallel workers do not help on two cores, and their shared memory exceeds a container's default of 64 MB.
  max_parallel_workers_per_gather: '0',
  // Keeps the log small and free of customers' data.
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

// Below the ephemeral port range: a client that retries on a port of that range while the server is down can connect to
// itself, and the server could not bind its port again.
const PORT_MIN = 20_000;
const PORT_MAX = 31_999;
const PORT_ATTEMPTS_MAX = 100;

const READY_TIMEOUT_MS = 180_000;
/** Backends of a killed postmaster keep its shared memory until they notice. */
const CLAIM_RETRY_MS = 15_000;
const RETRY_PAUSE_MS = 200;
const RESTART_PAUSE_MIN_MS = 100;
const RESTART_PAUSE_MAX_MS = 5_000;
const HEALTHY_AFTER_MS = 30_000;

interface Plan extends Cluster {
  readonly command: ServerCommand;
}

interface Running {
  readonly server: ServerProcess;
  readonly port: number;
  readonly ownership: Ownership;
}

type Launch = ({ kind: 'running' } & Running) | { kind: 'retry' | 'failed'; reason: string };

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const signal = options.signal ?? new AbortController().signal;
  try {
    const plan = await prepare(options);
    const running = await claim(plan, null, signal);
    try {
      await ensureDatabase(running.ownership.client, plan.password);
      signal.throwIfAborted();
    } catch (error) {
      await stopServer(running.server);
      throw error;
    }
    return new Supervised(plan, running);
  } catch (error) {
    throw asStartError(error, options.dataDir);
  }
}

async function prepare(options: EmbeddedOptions): Promise<Plan> {
  const { log } = options;
  const found = await findBinaries();
  await makeDirectory(options.dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  const dataDir = await realpath(options.dataDir);
  const link = join(dataDir, 'postgres');
  const user = await chooseUser(link);
  const binaries = await binariesFor(found, user, log);
  const password = await ensurePassword(dataDir);
  const isReachable = user === null || (await admits(dataDir, user));
  if (!isReachable) requireWorkingDirectory(dataDir, user);
  const dir = await ensureCluster({ dataDir, link, binaries, user, isReachable, password, log });
  const logFile = join(dataDir, 'postgres.log');
  await boundLog(logFile);
  const settings = { ...SETTINGS, ...options.settings };
  const program = join(binaries.home, 'bin', 'postgres');
  return { dataDir, dir, password, log, command: { program, dir, user, isReachable, settings, logFile } };
}

/**
 * Creates the directory, and those above it. `mkdir` with `recursive` never returns below /proc, which refuses a new
 * directory as if the one above were missing.
 */
async function makeDirectory(path: string, mode: number): Promise<void> {
  const unless = (expected: string) => (error: unknown) => {
    if (errorCode(error) !== expected) throw error;
    return null;
  };
  if ((await stat(path).catch(unless('ENOENT'))) !== null) return;
  await makeDirectory(dirname(path), mode);
  await mkdir(path, mode).catch(unless('EEXIST'));
}

/** Other systems have no path for the working directory. */
function requireWorkingDirectory(dataDir: string, user: RunAs): void {
  if (process.platform === 'linux') return;
  throw new EmbeddedStartError(
    `PostgreSQL runs as ${user.name}, who cannot reach ${dataDir}; choose another SLUICE_DATA_DIR or open the directories above it`,
  );
}

/** Starts a server on this directory and takes its lock, or fails with the reason. */
async function claim(plan: Plan, wantedPort: number | null, signal: AbortSignal): Promise<Running> {
  const deadline = Date.now() + CLAIM_RETRY_MS;
  for (;;) {
    signal.throwIfAborted();
    await settlePrevious(plan, signal);
    const launch = await launchServer(plan, wantedPort ?? (await freePort()), signal);
    if (launch.kind === 'running') return launch;
    if (launch.kind === 'failed' || Date.now() > deadline) throw new EmbeddedStartError(launch.reason);
    await delay(RETRY_PAUSE_MS, undefined, { signal });
  }
}

async function launchServer(plan: Plan, port: number, signal: AbortSignal): Promise<Launch> {
  const { command } = plan;
  const logSize = await sizeOf(command.logFile);
  const server = await spawnServer({ ...command, settings: { ...command.settings, port: String(port) } });
  const timeout = AbortSignal.timeout(READY_TIMEOUT_MS);
  try {
    const limit = AbortSignal.any([signal, timeout]);
    if (await readinessOf(server, plan.dir, limit)) {
      const ownership = await own(plan, port, server, limit);
      if (ownership !== null) return { kind: 'running', server, port, ownership };
    }
    return await explain(plan, await server.ended, logSize);
  } catch (error) {
    await stopServer(server);
    if (!timeout.aborted) throw error;
    throw new EmbeddedStartError(
      `the database server in ${plan.dir} was not ready after ${READY_TIMEOUT_MS / 1000} seconds`,
      { cause: error },
    );
  }
}

/** null: the server ended meanwhile, perhaps because another process took it for an orphan. */
async function own(
  plan: Plan,
  port: number,
  server: ServerProcess,
  signal: AbortSignal,
): Promise<Ownership | null> {
  for (;;) {
    const attempt = await connectAndLock(plan, port);
    if (attempt !== null) return attempt;
    const pause = delay(RETRY_PAUSE_MS, false, { signal });
    if (await Promise.race([server.ended.then(() => true), pause])) return null;
  }
}

/** null: the server accepts no connections now, because it is restarting or stopping. */
async function connectAndLock(plan: Plan, port: number): Promise<Ownership | null> {
  let ownership: Ownership | undefined;
  try {
    ownership = await connect(plan, port);
    if (await tryLock(ownership.client)) return ownership;
    throw await ownedByAnother(plan, ownership.client);
  } catch (error) {
    if (ownership) await endConnection(ownership.client);
    if (error instanceof EmbeddedStartError) throw error;
    return null;
  }
}

async function explain(plan: Plan, ending: Ending, logSize: number): Promise<Launch> {
  const tail = await tailSince(plan.command.logFile, logSize);
  if (tail.includes('No space left on device')) {
    return { kind: 'failed', reason: `the disk that holds ${plan.dataDir} is full` };
  }
  const passing =
    /Address already in use|shared memory block .* still in use|lock file "postmaster.pid"/.test(tail);
  const reason = `the database server in ${plan.dir} did not start (${ending.how})${tail && `:\n${tail}`}`;
  // A clean exit or a signal: another process stopped it; settlePrevious handles that.
  return { kind: passing || ending.code === 0 || ending.signalled ? 'retry' : 'failed', reason };
}

async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS_MAX; attempt++) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1));
    if (await isFree(port)) return port;
  }
  throw new EmbeddedStartError(`no free port between ${PORT_MIN} and ${PORT_MAX} on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Supervises server and lock, and restores them on the same port. */
class Supervised implements EmbeddedServer {
  readonly url: string;
  readonly ownerUrl: string;
  readonly adminUrl: string;
  readonly #plan: Plan;
  readonly #stopping = new AbortController();
  readonly #watch: Promise<void>;
  #running: Running;
  #stopped: Promise<void> | undefined;

  constructor(plan: Plan, running: Running) {
    this.#plan = plan;
    this.#running = running;
    const { url, ownerUrl, adminUrl } = addressesOf(plan.password, running.port);
    this.url = url;
    this.ownerUrl = ownerUrl;
    this.adminUrl = adminUrl;
    this.#watch = this.#supervise();
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watch;
    await endConnection(this.#running.ownership.client);
    if (!(await stopServer(this.#running.server))) {
      this.#plan.log.warn(`the database server (process ${this.#running.server.child.pid}) does not stop`);
    }
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    const stopping = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    let pause_ms = 0;
    for (;;) {
      const since = Date.now();
      await Promise.race([stopping, this.#running.server.ended, this.#running.ownership.lost]);
      if (Date.now() - since > HEALTHY_AFTER_MS) pause_ms = 0;
      pause_ms = Math.min(Math.max(pause_ms * 2, RESTART_PAUSE_MIN_MS), RESTART_PAUSE_MAX_MS);
      try {
        await delay(pause_ms, undefined, { signal });
        await this.#recover(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#plan.log.warn(`the database server could not be restarted yet: ${String(error)}`);
      }
    }
  }

  async #recover(signal: AbortSignal): Promise<void> {
    const { server, port } = this.#running;
    if (hasEnded(server)) {
      const { how } = await server.ended;
      this.#plan.log.warn(`the database server ended unexpectedly (${how}); restarting it`);
      this.#running = await claim(this.#plan, port, signal);
      this.#plan.log.info('the database server is running again');
      return;
    }
    // Only the connection was lost: after a backend crash the server closes all connections and continues.
    const ownership = await own(this.#plan, port, server, signal);
    if (ownership !== null) this.#running = { ...this.#running, ownership };
  }
}
