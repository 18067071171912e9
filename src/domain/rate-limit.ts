// A token bucket in whole numbers: a request costs a minute's milliseconds, and each millisecond brings as many units as
// requests a minute are allowed. Nothing is rounded, so that no run of requests, however long, gets one too many.

export interface RateLimit {
  requests_per_minute: number;
  /** How many may come at once; the bucket holds no more. */
  burst: number;
}

/** Of both, so that the units of a full bucket stay exact. */
export const RATE_LIMIT_MAX = 1_000_000;

const UNITS_PER_REQUEST = 60_000;

export interface Bucket {
  units: number;
  /** When the units were counted, in whole milliseconds of a clock that never goes back. */
  at_ms: number;
}

export interface Taken {
  bucket: Bucket;
  isTaken: boolean;
  /** Requests that may follow at once. */
  remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  reset_s: number;
  /** Seconds until the next request is allowed, rounded up; 0: at once. */
  retry_after_s: number;
}

/** One request at that moment; without a bucket it is the first, and the bucket is full. */
export function take(limit: RateLimit, bucket: Bucket | undefined, now_ms: number): Taken {
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
