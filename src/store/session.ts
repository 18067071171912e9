// One pipelined connection that comes back by itself: what the gate and the lookups run on.
import pg from 'pg';
import { connectionConfig, HOT_CONNECTION_LIMITS } from './database.ts';

/**
 * What runs here fetches rows by their keys. Planned once, and always along the indexes: planning anew for each
 * batch cost more than running it, and a plan made while a table was still empty scanned it whole later on.
 */
const PLANNER_SETTINGS =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

export class Session {
  readonly #url: string;
  readonly #name: string;
  #client: pg.Client | null = null;
  #connecting: Promise<pg.Client> | null = null;

  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
  }

  /** The live connection, made now if there is none. */
  get(): Promise<pg.Client> {
    if (this.#client) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...connectionConfig(this.#url, this.#name, HOT_CONNECTION_LIMITS),
      pipeline: true,
      options: PLANNER_SETTINGS,
    });
    const forget = () => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    return client;
  }

  /** Gives a connection up for good: whatever it still had in flight fails. */
  drop(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
    stream.destroy();
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }
}
