// The health of an endpoint: counts consecutive failures, decides when to retry, and collects changes to store.
import { ENDPOINT_FAILURES_MAX, endpointRetryAt, isAccepted, pauseReason } from './rules.ts';
import type { Webhook, WebhookHealth } from './store.ts';

type Changes = WebhookHealth & { isBack: boolean };

export class EndpointHealth {
  #url = '';
  #failures = 0;
  #retryAt = 0;
  #lastStatus: number | null = null;
  #hasSucceeded = false;
  #isChanged = false;
  #wasDown = false;

  /** Takes over the stored health, unless there are changes for this URL that are not stored yet. */
  load({ url, failures, retry_at }: Webhook): void {
    if (url === this.#url && this.#isChanged) return;
    if (url !== this.#url) this.#lastStatus = null;
    this.#url = url;
    this.#failures = failures;
    this.#retryAt = retry_at?.getTime() ?? 0;
    this.#hasSucceeded = false;
    this.#isChanged = false;
    this.#wasDown = this.isDown;
  }

  /** The endpoint keeps failing, so it is probed with single attempts. */
  get isDown(): boolean {
    return this.#failures >= ENDPOINT_FAILURES_MAX;
  }

  mayBeTried(now_ms: number): boolean {
    return this.#retryAt <= now_ms;
  }

  /** Why the endpoint should be paused now; null: it should not. */
  pauseReason({ failing_since }: Webhook, now_ms: number): 'failing' | 'gone' | null {
    const failing_since_ms = failing_since?.getTime() ?? null;
    return pauseReason({ failing_since_ms, status: this.#lastStatus }, now_ms);
  }

  /**
   * Records an attempt; `status` null: no response. True: the endpoint was down and is back. Attempts at an earlier URL
   * do not count.
   */
  note(url: string, status: number | null, now_ms: number): boolean {
    if (url !== this.#url) return false;
    this.#lastStatus = status;
    this.#isChanged = true;
    if (!isAccepted(status)) {
      this.#failures += 1;
      this.#retryAt = endpointRetryAt(this.#failures, now_ms, Math.random()) ?? 0;
      return false;
    }
    const isBack = this.isDown;
    this.#hasSucceeded = true;
    this.#failures = 0;
    this.#retryAt = 0;
    return isBack;
  }

  /** The changes to store; null: none. `isBack`: all stored pending deliveries are due now. */
  take(): Changes | null {
    if (!this.#isChanged) return null;
    const taken: Changes = {
      url: this.#url,
      failures: this.#failures,
      retry_at: this.#retryAt > 0 ? new Date(this.#retryAt) : null,
      succeeded: this.#hasSucceeded,
      isBack: this.#wasDown && this.#hasSucceeded && this.#failures === 0,
    };
    this.#isChanged = false;
    this.#hasSucceeded = false;
    this.#wasDown = this.isDown;
    return taken;
  }

  /** Takes back changes that could not be stored. */
  untake({ url, succeeded, isBack }: Changes): void {
    if (url !== this.#url) return;
    this.#isChanged = true;
    this.#hasSucceeded ||= succeeded;
    this.#wasDown ||= isBack;
  }
}
