// A token bucket in integers: a request costs 60,000 units, and each millisecond adds `requests_per_minute` units.
// Nothing is rounded, so the limit is exact over any number of requests.

export interface RateLimit {
  requests_per_minute: number;
  /** Capacity of the bucket: requests allowed at the same moment. */
  burst: number;
}

/** Maximum of both settings; a full bucket then stays within exact integers. */
export const RATE_LIMIT_MAX = 1_000_000;

const UNITS_PER_REQUEST = 60_000;

export interface Bucket {
  units: number;
  /** Time of the last update, in whole milliseconds of a monotonic clock. */
  at_ms: number;
}

export interface RateLimitResult {
  bucket: Bucket;
  isTaken: boolean;
  /** Requests that are allowed now. */
  remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  reset_s: number;
  /** Seconds until the next request is allowed, rounded up; 0 means now. */
  retry_after_s: number;
}

/** Takes one request. Without a bucket the client starts with a full one. */
export function take(limit: RateLimit, bucket: Bucket | undefined, now_ms: number): RateLimitResult {
  const { requests_per_minute: rate, burst } = limit;
  const full = burst * UNITS_PER_REQUEST;
  const at_ms = Math.floor(now_ms);
  const before = bucket ? Math.min(full, bucket.units + Math.max(0, at_ms - bucket.at_ms) * rate) : full;
  const isTaken = before >= UNITS_PER_REQUEST;
  const units = isTaken ? before - UNITS_PER_REQUEST : before;
  const secondsFor = (missing: number): number => Math.max(0, Math.ceil(missing / rate / 1000));
  return {
    bucket: { units, at_ms },
    isTaken,
    remaining: Math.floor(units / UNITS_PER_REQUEST),
    reset_s: secondsFor(full - units),
    retry_after_s: secondsFor(UNITS_PER_REQUEST - units),
  };
}
