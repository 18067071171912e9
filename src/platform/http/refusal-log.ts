// Logs 503 responses: the first one immediately, then one line per second with the count since the last line, and one
// at the end. A line for each refusal would add to the overload.
import type { FastifyBaseLogger } from 'fastify';

const LINE_EVERY_MS = 1_000;
/** Without a refusal for this long, the overload has ended. */
const QUIET_MS = 2_000;

interface Episode {
  reason: string;
  /** Since the last line. */
  refused: number;
  refused_total: number;
  began: number;
  last: number;
  readonly timer: NodeJS.Timeout;
}

export class RefusalLog {
  readonly #logger: FastifyBaseLogger;
  readonly #isServing: () => boolean;
  #episode: Episode | null = null;

  /** `isServing` false: there were no refusals because there were no requests. */
  constructor(logger: FastifyBaseLogger, isServing: () => boolean) {
    this.#logger = logger;
    this.#isServing = isServing;
  }

  refused(reason: string): void {
    const now = performance.now();
    if (!this.#episode) {
      const timer = setInterval(() => this.#look(), LINE_EVERY_MS);
      timer.unref();
      this.#episode = { reason, refused: 1, refused_total: 1, began: now, last: now, timer };
      this.#write(this.#episode);
      return;
    }
    const episode = this.#episode;
    episode.reason = reason;
    episode.refused += 1;
    episode.refused_total += 1;
    episode.last = now;
  }

  close(): void {
    if (this.#episode) this.#write(this.#episode);
    clearInterval(this.#episode?.timer);
    this.#episode = null;
  }

  #look(): void {
    const episode = this.#episode;
    if (!episode) return;
    this.#write(episode);
    if (performance.now() - episode.last < QUIET_MS || !this.#isServing()) return;
    const seconds = Math.round((episode.last - episode.began) / 100) / 10;
    this.#logger.info({ seconds, refused_total: episode.refused_total }, 'accepting requests again');
    this.close();
  }

  #write(episode: Episode): void {
    const { reason, refused, refused_total } = episode;
    if (refused > 0) this.#logger.warn({ reason, refused, refused_total }, 'refusing requests with 503');
    episode.refused = 0;
  }
}
