// One pipelined connection that reconnects automatically, for the gate and the lookups.
import pg from 'pg';
import {
  connectionConfig,
  dropConnection,
  HOT_CONNECTION_LIMITS,
  requirePrimary,
  type ConnectionLimits,
} from './connections.ts';
import { rows, statement, type Tx } from './database.ts';
import { DatabaseUnavailable, failureOf } from './failures.ts';
import { inRoundTrips } from './round-trip.ts';

/**
 * Generic plans with nested loops along the indexes, joined in the written order: these statements fetch rows by key,
 * and planning for each batch cost more than running it.
 */
const PLANNER_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  join_collapse_limit: '1',
  from_collapse_limit: '1',
};

/**
 * Lifetime of a plan. One made while the tables were empty scans them until the next ANALYZE: 35 ms per batch after a
 * minute of orders. Planning again every few seconds costs nothing measurable.
 */
const PLANS_KEPT_MS = 2_000;

const PROBE = statement('connection_probe', 'select 1');

interface PipelinedConnectionOptions {
  limits?: ConnectionLimits;
  plans_kept_ms?: number;
}

export class PipelinedConnection {
  readonly #url: string;
  readonly #name: string;
  readonly #limits: ConnectionLimits;
  #client: pg.Client | null = null;
  readonly #replanning: NodeJS.Timeout;
  /** Whether the connection was used since the plans were last discarded. */
  #used = false;
  #connecting: Promise<pg.Client> | null = null;
  #isClosed = false;

  constructor(url: string, name: string, options: PipelinedConnectionOptions = {}) {
    const { limits = HOT_CONNECTION_LIMITS, plans_kept_ms = PLANS_KEPT_MS } = options;
    this.#url = url;
    this.#name = name;
    this.#limits = limits;
    this.#replanning = setInterval(() => this.#replan(), plans_kept_ms);
    this.#replanning.unref();
  }

  /** No statement succeeds any more, so a retry is useless. */
  get isClosed(): boolean {
    return this.#isClosed || this.#limits.sockets?.isCutOff === true;
  }

  /** The open connection, or a new one. */
  get(): Promise<pg.Client> {
    if (this.isClosed)
      return Promise.reject(new DatabaseUnavailable(new Error(`connection ${this.#name} is closed`)));
    this.#used = true;
    if (this.#client) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...connectionConfig(this.#url, this.#name, this.#limits, PLANNER_SETTINGS),
      pipeline: true,
    });
    const forget = () => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      await requirePrimary(client);
    } catch (error) {
      this.drop(client);
      throw error;
    }
    this.#client = client;
    return client;
  }

  /** Rejects while the database is unavailable. */
  async probe(): Promise<void> {
    await this.run((tx) => rows(tx, PROBE));
  }

  /** Runs `work` on the connection, and drops the connection if it was lost. */
  async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.get();
    try {
      return await work(inRoundTrips(client));
    } catch (error) {
      if (failureOf(error) === 'connection') this.drop(client);
      throw error;
    }
  }

  /** Closes a connection: everything in flight on it fails. */
  drop(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    dropConnection(client);
  }

  /** Pipelined with the other statements; harmless inside a transaction. */
  #replan(): void {
    if (!this.#client || !this.#used) return;
    this.#used = false;
    this.#client.query('discard plans').catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#replanning);
    const client = this.#client ?? (await this.#connecting?.catch(() => null));
    this.#client = null;
    await client?.end();
  }
}
