// How an endpoint does: counts failures in a row, decides when it is tried again, and collects what has to be stored.
import { ENDPOINT_FAILURES_MAX, endpointRetryAt, isAccepted, pauseReason } from '../domain/webhooks.ts';
import type { Webhook, WebhookHealth } from '../store/webhooks.ts';

export class EndpointHealth {
  #failures = 0;
  #retryAt = 0;
  #lastStatus: number | null = null;
  #hasSucceeded = false;
  #isChanged = false;
  #wasDown = false;

  /** As it is stored. What is not stored yet counts more. */
  load({ failures, retry_at }: Webhook): void {
    if (this.#isChanged) return;
    this.#failures = failures;
    this.#retryAt = retry_at?.getTime() ?? 0;
    this.#wasDown = this.isDown;
  }

  /** It keeps failing: single attempts find out whether it is back. */
  get isDown(): boolean {
    return this.#failures >= ENDPOINT_FAILURES_MAX;
  }

  mayBeTried(now_ms: number): boolean {
    return this.#retryAt <= now_ms;
  }

  /** Why it is paused now; null: it is not. */
  pauseReason({ failing_since }: Webhook, now_ms: number): 'failing' | 'gone' | null {
    const failing_since_ms = failing_since?.getTime() ?? null;
    return pauseReason({ failing_since_ms, status: this.#lastStatus }, now_ms);
  }

  /** An attempt ended with this status, or without one. True: the endpoint was down, and is back. */
  note(status: number | null, now_ms: number): boolean {
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

  /** What has to be stored; null: nothing new. `isBack`: stored deliveries that wait are due. */
  take(): (WebhookHealth & { isBack: boolean }) | null {
    if (!this.#isChanged) return null;
    const taken = {
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
}
