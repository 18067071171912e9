// LISTEN for announcements of other processes, on its own connection, which reconnects automatically.
import pg from 'pg';
import {
  connectionConfig,
  dropConnection,
  endConnection,
  HOT_CONNECTION_LIMITS,
  type ConnectionLimits,
} from './connections.ts';

const RECONNECT_MS = 500;
/**
 * A dead connection that sends nothing can go unnoticed for hours, and announcements would be missed. A periodic query
 * detects it.
 */
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_ANSWER_MS_MAX = 5_000;

export class Listener {
  readonly #url: string;
  readonly #topic: string;
  readonly #changed: () => void;
  readonly #limits: ConnectionLimits;
  #client: pg.Client | null = null;
  #opening: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  /** `changed` is called for each announcement, and whenever some may have been missed. */
  constructor(url: string, topic: string, changed: () => void, limits = HOT_CONNECTION_LIMITS) {
    this.#url = url;
    this.#topic = topic;
    this.#changed = changed;
    this.#limits = limits;
  }

  /** False: announcements may be missed, so nothing may be cached. */
  get isListening(): boolean {
    return this.#client !== null;
  }

  open(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    const client = new pg.Client(connectionConfig(this.#url, 'sluice-listen', this.#limits));
    client.on('error', () => {});
    client.on('notification', this.#changed);
    try {
      await client.connect();
      await client.query(`listen ${this.#topic}`);
    } catch {
      void endConnection(client);
      this.#reopenLater();
      return;
    }
    const heartbeat = setInterval(() => beat(client), HEARTBEAT_MS);
    heartbeat.unref();
    client.once('end', () => {
      clearInterval(heartbeat);
      this.#client = null;
      this.#changed();
      this.#reopenLater();
    });
    this.#client = client;
    // Announcements before the LISTEN took effect may have been missed.
    this.#changed();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    // A connection that is still being opened would stay open.
    await this.#opening;
    if (this.#client) await endConnection(this.#client);
  }

  #reopenLater(): void {
    if (this.#closed || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.open();
    }, RECONNECT_MS);
    this.#timer.unref();
  }
}

function beat(client: pg.Client): void {
  const asked = { text: 'select 1', query_timeout: HEARTBEAT_ANSWER_MS_MAX };
  client.query(asked).catch(() => dropConnection(client));
}
