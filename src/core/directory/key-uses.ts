// Records when each channel's key and signing secrets were last used, to the minute. Requests only set a mark in
// memory, which is written asynchronously. What an outage keeps from being written is written later.
import { type Tx } from '../../platform/database/database.ts';
import { failureOf } from '../../platform/database/failures.ts';
import { recordKeyUses, recordSecretUses } from './store.ts';
import type { ChannelDirectory } from './channel-directory.ts';

const RECORD_MS = 60_000;

export class KeyUses {
  readonly #pool: Tx;
  readonly #directory: ChannelDirectory;
  readonly #onBug: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(pool: Tx, directory: ChannelDirectory, onBug: (error: unknown) => void) {
    this.#pool = pool;
    this.#directory = directory;
    this.#onBug = onBug;
    this.#timer = setInterval(() => void this.record(), RECORD_MS);
    this.#timer.unref();
  }

  /** Never fails. */
  async record(): Promise<void> {
    const used = this.#directory.takeUsed();
    const secrets = this.#directory.takeUsedSecrets();
    try {
      if (used.length > 0) await recordKeyUses(this.#pool, used);
      if (secrets.length > 0) await recordSecretUses(this.#pool, secrets);
    } catch (error) {
      if (failureOf(error) === 'unexpected') this.#onBug(error);
      else this.#directory.stillUsed(used, secrets);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.record();
  }
}
