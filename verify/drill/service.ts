// The service under test: started like `npm start`, on its own data directory and always on the same port.
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runningAddresses } from '../../src/platform/command-database/embedded.ts';
import { isAlive, serverOn } from '../../src/platform/embedded-postgres/process.ts';
import { ADMIN_TOKEN } from '../kit/canaries.ts';
import { query } from '../kit/connection.ts';
import { startService, type ServiceProcess } from '../kit/process.ts';
import type { Random } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import { signalAll } from './failover/processes.ts';
import type { System } from './under-load.ts';

const KINDS = ['service', 'backend', 'postmaster', 'everything', 'stop'] as const;
export type Kind = (typeof KINDS)[number] | 'worker';

/** The kinds of kill. */
export const kindsFor = (workers: number): readonly Kind[] => (workers === 1 ? KINDS : [...KINDS, 'worker']);

const GONE_MS = 60_000;

export class ServiceUnderDrill implements System {
  readonly origins: readonly string[];
  readonly #env: Record<string, string>;
  readonly #dataDir: string;
  #process: ServiceProcess | null = null;

  constructor(dataDir: string, port: number, workers: number) {
    this.origins = [`http://127.0.0.1:${port}`];
    this.#dataDir = dataDir;
    this.#env = {
      PORT: String(port),
      SLUICE_DATA_DIR: dataDir,
      SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
      SLUICE_WORKERS: String(workers),
      LOG_LEVEL: 'warn',
    };
  }

  output(): string {
    return this.#process?.output() ?? '';
  }

  async databaseUrl(): Promise<string> {
    const running = await runningAddresses(this.#dataDir);
    if (!running) throw new Error('the database server is not running');
    return running.url;
  }

  /** Starts it unless it is running, and waits until it is ready. */
  async ready(): Promise<void> {
    if (this.#process === null) this.#process = await startService(this.#env, ['bin/serve']);
    else await this.#process.mustBeReady();
  }

  /** Executes one kill and resolves when the killed processes have exited. Returns the faults seen. */
  async strike(kind: Kind, random: Random): Promise<string[]> {
    switch (kind) {
      case 'service':
        await this.#end('SIGKILL');
        return [];
      case 'stop':
        return this.#stopService();
      case 'backend': {
        const gates = await this.#backends(`application_name = 'sluice-gate'`);
        const all = gates.length > 0 ? gates : await this.#backends(`application_name like 'sluice%'`);
        await killed([random.pick(all)]);
        return [];
      }
      case 'worker':
        await killed([random.pick(await workersOf(this.#process?.pid))]);
        return [];
      case 'postmaster':
        await killed([await this.#postmaster()]);
        return [];
      case 'everything': {
        const database = [await this.#postmaster(), ...(await this.#backends('true'))];
        await Promise.all([this.#end('SIGKILL'), killed(database)]);
        return [];
      }
    }
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  async #end(signal: NodeJS.Signals) {
    const running = this.#process;
    running?.child.kill(signal);
    const ended = await running?.ended;
    this.#process = null;
    return ended;
  }

  async #stopService(): Promise<string[]> {
    const ended = await this.#end('SIGTERM');
    return ended?.code === 0
      ? []
      : [`the service ended with ${ended?.signal ?? ended?.code} when asked to stop`];
  }

  async #postmaster(): Promise<number> {
    const server = await serverOn(await realpath(join(this.#dataDir, 'postgres')));
    if (server === null) throw new Error('the database server is not running');
    return server.pid;
  }

  async #backends(condition: string): Promise<number[]> {
    const sql = `select pid from pg_stat_activity where ${condition}`;
    const rows = await query<{ pid: number }>(await this.databaseUrl(), sql);
    return rows.map(({ pid }) => pid);
  }
}

/** The process ids of a supervisor's workers. */
export async function workersOf(supervisor: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,command=']);
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    const isOurs = parent === supervisor && line.includes('start/worker.ts');
    return isOurs && pid !== undefined ? [pid] : [];
  });
}

export async function killed(pids: readonly number[]): Promise<void> {
  signalAll(pids, 'SIGKILL');
  await until(() => !pids.some(isAlive), 'the killed processes are gone', GONE_MS);
}
