// Logs one line when the database becomes unavailable or orders wait for locked rows, and one when that ends.
import type { DatabaseHealth, DatabaseState } from './health.ts';

interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export class DatabaseLog {
  readonly #logger: Log;
  readonly #onOutage: () => void;
  #state: DatabaseState = 'ready';
  #since = 0;

  /** `onOutage`: the database became unavailable; locked rows are no outage. */
  constructor(logger: Log, onOutage: () => void = () => {}) {
    this.#logger = logger;
    this.#onOutage = onOutage;
  }

  saw({ state, message, blockers }: DatabaseHealth): void {
    const before = this.#state;
    this.#state = state;
    if (state === 'ready') {
      if (before !== 'ready')
        this.#logger.info({ state, seconds: this.#seconds() }, 'the database is available again');
      return;
    }
    if (before === 'ready') this.#since = performance.now();
    // An outage passes through several states; one line is enough. Locked rows and outages are logged separately.
    else if ((before === 'blocked') === (state === 'blocked')) return;
    if (state !== 'blocked') this.#onOutage();
    this.#logger.warn({ state, ...(blockers && { blockers }) }, message);
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#since) / 100) / 10;
  }
}
