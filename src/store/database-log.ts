// One log line when the database goes away, or orders wait for locked rows, and one when that is over.
import type { DatabaseHealth, DatabaseState } from './health.ts';

interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export class DatabaseLog {
  readonly #logger: Log;
  #state: DatabaseState = 'ready';
  #since = 0;

  constructor(logger: Log) {
    this.#logger = logger;
  }

  saw({ state, words, blockers }: DatabaseHealth): void {
    const before = this.#state;
    this.#state = state;
    if (state === 'ready') {
      if (before !== 'ready')
        this.#logger.info({ state, seconds: this.#seconds() }, 'the database takes work again');
      return;
    }
    if (before === 'ready') this.#since = performance.now();
    // An outage goes through several states; the first line is enough. Locked rows and an outage are not the same.
    else if ((before === 'blocked') === (state === 'blocked')) return;
    this.#logger.warn({ state, ...(blockers && { blockers }) }, words);
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#since) / 100) / 10;
  }
}
