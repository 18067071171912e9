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
  const before = unitsAt(limit, bucket, now_ms);
  const isTaken = before >= UNITS_PER_REQUEST;
  const units = isTaken ? before - UNITS_PER_REQUEST : before;
  return resultOf(limit, { units, at_ms: Math.floor(now_ms) }, isTaken);
}

function unitsAt(
  { requests_per_minute, burst }: RateLimit,
  bucket: Bucket | undefined,
  now_ms: number,
): number {
  const full = burst * UNITS_PER_REQUEST;
  if (!bucket) return full;
  return Math.min(full, bucket.units + Math.max(0, Math.floor(now_ms) - bucket.at_ms) * requests_per_minute);
}

function resultOf(
  { requests_per_minute, burst }: RateLimit,
  bucket: Bucket,
  isTaken: boolean,
): RateLimitResult {
  const { units } = bucket;
  const secondsFor = (missing: number): number =>
    Math.max(0, Math.ceil(missing / requests_per_minute / 1000));
  return {
    bucket,
    isTaken,
    remaining: Math.floor(units / UNITS_PER_REQUEST),
    reset_s: secondsFor(burst * UNITS_PER_REQUEST - units),
    retry_after_s: secondsFor(UNITS_PER_REQUEST - units),
  };
}

/**
 * A process leases at most a tenth of the burst and of the requests that one second adds. This bounds how far off the
 * limit may be.
 */
const LEASE_SHARE_MAX = 0.1;

/** How many requests a process leases at a time from the shared bucket. */
export const leaseMax = ({ requests_per_minute, burst }: RateLimit): number =>
  Math.max(1, Math.floor(LEASE_SHARE_MAX * Math.min(burst, requests_per_minute / 60)));

/** A bucket that holds `requests`, which may be a fraction. */
export const bucketOf = (requests: number, now_ms: number): Bucket => ({
  units: Math.floor(requests * UNITS_PER_REQUEST),
  at_ms: Math.ceil(now_ms),
});

/** The rate limit state reported to a client: the shared bucket plus the requests that this process has leased. */
export function remainingAfter(
  limit: RateLimit,
  left: Bucket,
  { now_ms, leased, isTaken }: { now_ms: number; leased: number; isTaken: boolean },
): RateLimitResult {
  const units = Math.min(
    limit.burst * UNITS_PER_REQUEST,
    unitsAt(limit, left, now_ms) + leased * UNITS_PER_REQUEST,
  );
  return resultOf(limit, { units, at_ms: Math.floor(now_ms) }, isTaken);
}
