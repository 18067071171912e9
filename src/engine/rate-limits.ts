// Rate limits of channels, for all processes together: the buckets are in the database, and a process leases requests from
// them, a few at a time where the limit is high. A bucket that is known to be empty is not asked again before it has something.
// Kept outside the channel directory, which is cleared at every change of a channel.
import {
  leaseMax,
  bucketOf,
  remainingAfter,
  take,
  type Bucket,
  type RateLimit,
  type RateLimitResult,
} from '../domain/rate-limit.ts';
import type { Tx } from '../store/database.ts';
import { leaseRequests } from '../store/rate-buckets.ts';

/** Leased requests that were not used are dropped, so that an idle process does not add to the next burst. */
const LEASE_KEPT_MS = 1_000;
/** While the database is away, each process counts by itself. */
const RETRY_MS = 1_000;

interface Known {
  readonly limit: RateLimit;
  /** Leased and not used yet. */
  leased: number;
  /** What was left of the shared bucket; null: not known. */
  left: Bucket | null;
  /** Requests that wait for a lease. */
  waiting: number;
  leasing: Promise<void> | null;
  /** Used while the database is away. */
  own: Bucket | undefined;
  own_until_ms: number;
}

const isSame = (one: RateLimit, other: RateLimit): boolean =>
  one.burst === other.burst && one.requests_per_minute === other.requests_per_minute;

export class RateLimits {
  readonly #pool: Tx;
  readonly #known = new Map<number, Known>();

  constructor(pool: Tx) {
    this.#pool = pool;
  }

  /** Synchronous unless the database must be asked. */
  take(channelId: number, limit: RateLimit): RateLimitResult | Promise<RateLimitResult> {
    let known = this.#known.get(channelId);
    if (!known || !isSame(known.limit, limit)) {
      const own = known?.own;
      known = { limit, leased: 0, left: null, waiting: 0, leasing: null, own, own_until_ms: -Infinity };
      this.#known.set(channelId, known);
    }
    return decide(known) ?? this.#ask(channelId, known);
  }

  async #ask(channelId: number, known: Known): Promise<RateLimitResult> {
    known.waiting += 1;
    try {
      for (;;) {
        known.leasing ??= this.#lease(channelId, known).finally(() => {
          known.leasing = null;
        });
        await known.leasing;
        const result = decide(known);
        if (result) return result;
      }
    } finally {
      known.waiting -= 1;
    }
  }

  async #lease(channelId: number, known: Known): Promise<void> {
    const { limit } = known;
    const wanted = Math.max(known.waiting, leaseMax(limit));
    try {
      const { granted, left } = await leaseRequests(this.#pool, channelId, limit, wanted);
      known.leased += granted;
      known.left = bucketOf(left, performance.now());
    } catch {
      known.own_until_ms = performance.now() + RETRY_MS;
    }
  }
}

/** null: the database must be asked. */
function decide(known: Known): RateLimitResult | null {
  const { limit, left } = known;
  const now = performance.now();
  if (now < known.own_until_ms) {
    const taken = take(limit, known.own, now);
    known.own = taken.bucket;
    return taken;
  }
  if (!left) return null;
  if (now - left.at_ms > LEASE_KEPT_MS) known.leased = 0;
  const isTaken = known.leased > 0;
  if (isTaken) known.leased -= 1;
  const result = remainingAfter(limit, left, { now_ms: now, leased: known.leased, isTaken });
  // There is something again, which another process may have taken.
  return isTaken || result.retry_after_s > 0 ? result : null;
}
