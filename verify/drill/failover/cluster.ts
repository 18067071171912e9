// Three nodes of PostgreSQL under Patroni, etcd beside them and HAProxy in front, all on loopback.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseUser } from '../../../src/platform/embedded-postgres/user.ts';
import { query } from '../../kit/connection.ts';
import { freePort } from '../../kit/ports.ts';
import { eventually } from '../../kit/until.ts';
import { etcdArguments, haproxyConfiguration } from './configuration.ts';
import { ClusterNode, ownDirectory, start, type Installation } from './node.ts';
import { unpackPrograms } from './packages.ts';
import { killAllUnder } from './processes.ts';

const NODES = ['alpha', 'beta', 'gamma'];
const FORMED_MS = 180_000;
const ANSWER_MS = 1_500;
const DUPLICATE_DATABASE = '42P04';
const DUPLICATE_OBJECT = '42710';

const password = (): string => randomBytes(18).toString('hex');

interface Member {
  name: string;
  role: string;
  state: string;
}

export class Cluster {
  readonly nodes: readonly ClusterNode[];
  /** The URL of HAProxy, which routes to the current primary. */
  readonly #url: URL;
  #databases = 0;
  readonly #installation: Installation;
  readonly #etcdPorts: readonly [number, number];

  private constructor(
    installation: Installation,
    nodes: readonly ClusterNode[],
    etcdPorts: readonly [number, number],
    url: URL,
  ) {
    this.nodes = nodes;
    this.#url = url;
    this.#installation = installation;
    this.#etcdPorts = etcdPorts;
  }

  /** Starts nothing yet. `remove` cleans up everything that is created afterwards. */
  static async create(synchronous: boolean): Promise<Cluster> {
    const dir = await mkdtemp(join(tmpdir(), 'sluice-failover-'));
    try {
      await chmod(dir, 0o711);
      const passwords = { superuser: password(), replication: password(), rewind: password() };
      const installation: Installation = {
        dir,
        programs: await unpackPrograms(dir),
        user: await chooseUser(dir),
        passwords,
        synchronous,
      };
      const etcd = [await freePort(), await freePort()] as const;
      const nodes: ClusterNode[] = [];
      for (const name of NODES) nodes.push(await ClusterNode.create(installation, name, etcd[0]));
      const url = new URL(`postgres://sluice:${password()}@127.0.0.1:${await freePort()}`);
      return new Cluster(installation, nodes, etcd, url);
    } catch (error) {
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }

  async form(signal: AbortSignal): Promise<void> {
    await ownDirectory(this.#installation, 'etcd');
    this.startEtcd();
    for (const node of this.nodes) node.start();
    const file = join(this.#installation.dir, 'haproxy.cfg');
    const plans = this.nodes.map((node) => node.plan);
    await writeFile(file, haproxyConfiguration(Number(this.#url.port), plans));
    const command = [this.#installation.programs.haproxy, '-db', '-f', file];
    start(this.#installation, command, join(this.#installation.dir, 'haproxy.log'));
    await this.healthy(signal);
    const { username, password: secret } = this.#url;
    await this.#asSuperuser(`create role ${username} login password '${secret}'`, signal);
  }

  /** Creates an empty database and returns its URL. The previous one is dropped. */
  async nextDatabase(signal: AbortSignal): Promise<string> {
    if (this.#databases > 0)
      await this.#asSuperuser(`drop database if exists sluice_${this.#databases} with (force)`, signal);
    this.#databases += 1;
    const name = `sluice_${this.#databases}`;
    await this.#asSuperuser(`create database ${name} owner ${this.#url.username}`, signal);
    return new URL(name, this.#url).href;
  }

  startEtcd(): void {
    const dir = join(this.#installation.dir, 'etcd');
    const args = etcdArguments(join(dir, 'data'), ...this.#etcdPorts);
    start(this.#installation, [this.#installation.programs.etcd, ...args], join(dir, 'log'));
  }

  killEtcd(): Promise<void> {
    return killAllUnder(`--data-dir=${this.#installation.dir}/etcd/`);
  }

  /**
   * Waits for a primary with two streaming standbys (synchronous unless configured otherwise) and returns the primary.
   */
  healthy(signal: AbortSignal): Promise<ClusterNode> {
    const attempt = async (): Promise<ClusterNode> => {
      const primary = await this.primary();
      const members = primary ? await this.#members(primary) : [];
      const standbys = members.filter(
        ({ role, state }) =>
          role === (this.#installation.synchronous ? 'sync_standby' : 'replica') &&
          (state === 'running' || state === 'streaming'),
      );
      if (primary && standbys.length === NODES.length - 1) return primary;
      throw new Error(`the cluster is not complete after ${FORMED_MS / 1000} s: ${JSON.stringify(members)}`);
    };
    return eventually(attempt, FORMED_MS, signal);
  }

  /** The node that reports itself as primary; null during a failover. Queries the nodes directly, bypassing their walls. */
  async primary(among = this.nodes): Promise<ClusterNode | null> {
    for (const node of among) {
      const status = await ask(node, '/primary').then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return node;
    }
    return null;
  }

  /** A planned switchover, as before maintenance. */
  async switchOver(from: ClusterNode): Promise<void> {
    const answer = await ask(from, '/switchover', { leader: from.name });
    if (!answer.ok) throw new Error(`the switchover was refused: ${await answer.text()}`);
  }

  async #members(node: ClusterNode): Promise<Member[]> {
    try {
      const answer = await ask(node, '/cluster');
      return ((await answer.json()) as { members: Member[] }).members;
    } catch {
      return [];
    }
  }

  /** Retries until it succeeds: HAProxy may not have detected the primary yet. */
  async #asSuperuser(statement: string, signal: AbortSignal): Promise<void> {
    const url = new URL('postgres', this.#url);
    url.username = 'postgres';
    url.password = this.#installation.passwords.superuser;
    const attempt = (): Promise<unknown> =>
      query(url.href, statement).catch((error: { code?: string }) => {
        // An earlier attempt without an answer has created it.
        if (error.code !== DUPLICATE_DATABASE && error.code !== DUPLICATE_OBJECT) throw error;
      });
    await eventually(attempt, FORMED_MS, signal);
  }

  /** The end of each log, for error messages. */
  async logs(): Promise<string> {
    const files = ['etcd/log', 'haproxy.log', ...this.nodes.map(({ name }) => `${name}/log`)];
    const texts = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(join(this.#installation.dir, file), 'utf8').catch(() => '');
        return `--- ${file}\n${text.split('\n').slice(-15).join('\n')}`;
      }),
    );
    return texts.join('\n');
  }

  async remove(): Promise<void> {
    await killAllUnder(`${this.#installation.dir}/`);
    await Promise.all(this.nodes.map((node) => node.remove()));
    await rm(this.#installation.dir, { recursive: true, force: true });
  }
}

const ask = (node: ClusterNode, path: string, body?: unknown): Promise<Response> =>
  fetch(`http://127.0.0.1:${node.plan.rest_port}${path}`, {
    signal: AbortSignal.timeout(body === undefined ? ANSWER_MS : 60_000),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
