// How much of its limit each channel has left, in this process alone. It outlives the directory, which forgets
// everything whenever any channel is changed.
import { take, type Bucket, type RateLimit, type Taken } from '../domain/rate-limit.ts';

export class RateLimits {
  readonly #buckets = new Map<number, Bucket>();

  take(channelId: number, limit: RateLimit): Taken {
    const taken = take(limit, this.#buckets.get(channelId), performance.now());
    this.#buckets.set(channelId, taken.bucket);
    return taken;
  }
}
