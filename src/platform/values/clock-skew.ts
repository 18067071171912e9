// The difference between the clocks of the service and of the database.

/** Above this, times in logs and lists mislead, and signed requests come close to their limit of five minutes. */
export const CLOCK_SKEW_MS_MAX = 5_000;

/**
 * How far the service's clock is ahead of the database's (negative: behind), at least. `sent_ms` and `received_ms` are
 * times of the service around the query, so that a slow round trip is not taken for a difference.
 */
export function clockSkew(
  { sent_ms, received_ms }: { sent_ms: number; received_ms: number },
  database_ms: number,
): number {
  if (database_ms < sent_ms) return sent_ms - database_ms;
  return database_ms > received_ms ? received_ms - database_ms : 0;
}
