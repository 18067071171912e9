// Rate limits of channels, shared by all processes. The buckets are in the database, and each process leases requests
// from them, several at a time if the limit is high. After an empty bucket the process does not ask again before the
// bucket can have a request. This state is not in the channel directory, because that is cleared at every change of a
// channel.
import {
  leaseMax,
  bucketOf,
  remainingAfter,
  take,
  type Bucket,
  type RateLimit,
  type RateLimitResult,
} from '../rules/rate-limit.ts';
import type { Tx } from '../../platform/database/database.ts';
import { leaseRequests } from './rate-buckets-store.ts';

/** Unused leases are dropped after this time, so that an idle process does not add to the next burst. */
const LEASE_KEPT_MS = 1_000;
/** While the database is unavailable, each process counts separately for this long, then asks the database again. */
const RETRY_MS = 1_000;

interface Known {
  readonly limit: RateLimit;
  /** Leased requests that are not used yet. */
  leased: number;
  /** The shared bucket after the last lease; null: unknown. */
  left: Bucket | null;
  /** Requests that wait for a lease. */
  waiting: number;
  leasing: Promise<void> | null;
  /** This process's own bucket, used while the database is unavailable. */
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
  // The shared bucket may have requests again, but another process may have taken them: ask.
  return isTaken || result.retry_after_s > 0 ? result : null;
}
