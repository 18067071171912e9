// The token buckets of this process, by channel. Kept outside the channel directory, which is cleared at every change
// of a channel.
import { take, type Bucket, type RateLimit, type RateLimitResult } from '../domain/rate-limit.ts';

export class RateLimits {
  readonly #buckets = new Map<number, Bucket>();

  take(channelId: number, limit: RateLimit): RateLimitResult {
    const taken = take(limit, this.#buckets.get(channelId), performance.now());
    this.#buckets.set(channelId, taken.bucket);
    return taken;
  }
}
