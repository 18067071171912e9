// One node of the cluster: Patroni, the PostgreSQL that it runs, and the proxy (wall) in front of both.
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnAs, type RunAs } from '../../../src/platform/embedded-postgres/user.ts';
import { freePort } from '../../kit/ports.ts';
import { patroniConfiguration, type NodePlan, type Passwords } from './configuration.ts';
import type { Programs } from './packages.ts';
import { killAllUnder, processesNaming, processesUnder, signalAll } from './processes.ts';
import { startWall, type Wall } from './wall.ts';

/** Patroni's failsafe request: sent by a primary that lost etcd, and the only request that bypasses the proxies. */
const LEADER_CALLS = 'POST /failsafe';

/** What all nodes share. */
export interface Installation {
  /** The drill's own directory. */
  readonly dir: string;
  readonly programs: Programs;
  /** null: everything runs as the current user */
  readonly user: RunAs | null;
  readonly passwords: Passwords;
  readonly synchronous: boolean;
}

/** Starts a program in the background as PostgreSQL's user, with its output in a file. */
export function start(installation: Installation, command: readonly string[], log: string): void {
  const [program = '', ...args] = command;
  const output = openSync(log, 'a');
  const child = spawn(program, args, {
    cwd: installation.dir,
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: installation.dir,
      LC_ALL: 'C.UTF-8',
      ...installation.programs.env,
    },
    ...spawnAs(installation.user),
  });
  child.unref();
}

export async function ownDirectory(installation: Installation, name: string): Promise<string> {
  const dir = join(installation.dir, name);
  await mkdir(dir, { mode: 0o700 });
  if (installation.user) await chown(dir, installation.user.uid, installation.user.gid);
  return dir;
}

export class ClusterNode {
  readonly plan: NodePlan;
  readonly #installation: Installation;
  readonly #walls: readonly Wall[];

  private constructor(plan: NodePlan, installation: Installation, walls: readonly Wall[]) {
    this.plan = plan;
    this.#installation = installation;
    this.#walls = walls;
  }

  static async create(installation: Installation, name: string, etcdPort: number): Promise<ClusterNode> {
    const dir = await ownDirectory(installation, name);
    const [postgresPort, restPort] = [await freePort(), await freePort()];
    const walls = await Promise.all([postgresPort, restPort, etcdPort].map(startWall));
    const [postgresWall, restWall, etcdWall] = walls.map((wall) => wall.port);
    const plan: NodePlan = {
      name,
      dir,
      postgres_port: postgresPort,
      postgres_wall_port: postgresWall ?? 0,
      rest_port: restPort,
      rest_wall_port: restWall ?? 0,
      etcd_wall_port: etcdWall ?? 0,
    };
    const file = join(dir, 'patroni.yml');
    const { programs, passwords, synchronous } = installation;
    await writeFile(file, patroniConfiguration(plan, programs.postgres_dir, passwords, synchronous));
    if (installation.user) await chown(file, installation.user.uid, installation.user.gid);
    return new ClusterNode(plan, installation, walls);
  }

  get name(): string {
    return this.plan.name;
  }

  /** Starts Patroni as a service manager would, also after a kill. */
  start(): void {
    const { python, patroni } = this.#installation.programs;
    const { dir } = this.plan;
    start(this.#installation, [python, patroni, join(dir, 'patroni.yml')], join(dir, 'log'));
  }

  /** Kills Patroni, PostgreSQL and every process they started. */
  killEverything(): Promise<void> {
    return killAllUnder(`${this.plan.dir}/`);
  }

  /** PostgreSQL keeps running as primary without Patroni. */
  async killPatroni(): Promise<void> {
    signalAll(await processesNaming(`${this.plan.dir}/patroni.yml`), 'SIGKILL');
  }

  async killPostmaster(): Promise<void> {
    signalAll(await processesNaming(`-D ${this.plan.dir}/data`), 'SIGKILL');
  }

  async freeze(): Promise<void> {
    signalAll(await processesUnder(`${this.plan.dir}/`), 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    signalAll(await processesUnder(`${this.plan.dir}/`), 'SIGCONT');
  }

  /** Drops all traffic between this node and the other nodes, the clients and etcd, without closing connections. */
  isolate(others: readonly ClusterNode[]): void {
    for (const wall of this.#walls) wall.close();
    for (const other of others) other.#lose(LEADER_CALLS);
  }

  rejoin(others: readonly ClusterNode[]): void {
    for (const wall of this.#walls) wall.open();
    for (const other of others) other.#lose(null);
  }

  #lose(beginning: string | null): void {
    for (const wall of this.#walls) wall.lose(beginning);
  }

  async remove(): Promise<void> {
    await this.killEverything();
    await Promise.all(this.#walls.map((wall) => wall.remove()));
  }
}
