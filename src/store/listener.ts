// Announcements between processes, by LISTEN and NOTIFY. A connection of its own that comes back by itself.
import pg from 'pg';
import { connectionConfig, HOT_CONNECTION_LIMITS } from './database.ts';

const RECONNECT_MS = 500;

export class Listener {
  readonly #url: string;
  readonly #topic: string;
  readonly #changed: () => void;
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  /** `changed` is called for each announcement, and whenever some may have been missed. */
  constructor(url: string, topic: string, changed: () => void) {
    this.#url = url;
    this.#topic = topic;
    this.#changed = changed;
  }

  /** False: announcements may be missed right now, so nothing may be kept. */
  get isListening(): boolean {
    return this.#client !== null;
  }

  async open(): Promise<void> {
    const client = new pg.Client(connectionConfig(this.#url, 'sluice-listen', HOT_CONNECTION_LIMITS));
    client.on('error', () => {});
    client.on('notification', this.#changed);
    try {
      await client.connect();
      await client.query(`listen ${this.#topic}`);
    } catch {
      client.end().catch(() => {});
      this.#reopenLater();
      return;
    }
    client.once('end', () => {
      this.#client = null;
      this.#changed();
      this.#reopenLater();
    });
    this.#client = client;
    // What was announced before the LISTEN took effect counts as missed.
    this.#changed();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
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
