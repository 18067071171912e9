// The token buckets of rate limits, shared by all processes. A process leases several requests at a time.
import type { RateLimit } from '../rules/rate-limit.ts';
import { rows, statement, type Tx } from '../../platform/database/database.ts';

/** Finer than milliseconds, so that frequent leases lose nothing to rounding. */
const UNITS_PER_REQUEST = 60_000_000;

export interface Lease {
  /** 0: the bucket is empty. */
  granted: number;
  /** Requests left in the bucket, with a fraction. */
  left: number;
}

/**
 * $1 channel, $2 units of a full bucket, $3 requests per minute, $4 wanted requests. Computed as numeric, because a
 * bucket that was not used for months would overflow. The time is read once the row is locked: a statement that waited
 * for the row is not older than the row. If the clock was set back, the bucket fills from the new time on.
 */
const LEASE = statement(
  'lease_requests',
  `insert into rate_bucket as b (channel_id, units, granted, at)
   values ($1::int, $2::bigint - least($4::int, $2::bigint / ${UNITS_PER_REQUEST}) * ${UNITS_PER_REQUEST},
           least($4::int, $2::bigint / ${UNITS_PER_REQUEST}), clock_timestamp())
   on conflict (channel_id) do update set (units, granted, at) = (
     select filled - least($4::int, div(filled, ${UNITS_PER_REQUEST})) * ${UNITS_PER_REQUEST},
            least($4::int, div(filled, ${UNITS_PER_REQUEST})),
            now
     from (select now, least($2::numeric,
                             b.units + greatest(0, extract(epoch from now - b.at) * 1000000) * $3::int) as filled
           from (select clock_timestamp() as now offset 0) c) f)
   returning units, granted`,
);

/** Takes up to `wanted` requests out of the channel's bucket. A new bucket is full. */
export async function leaseRequests(
  tx: Tx,
  channelId: number,
  { requests_per_minute, burst }: RateLimit,
  wanted: number,
): Promise<Lease> {
  const values = [channelId, burst * UNITS_PER_REQUEST, requests_per_minute, wanted];
  const [row] = await rows<{ units: number; granted: number }>(tx, LEASE, values);
  if (!row) throw new RangeError('no row');
  return { granted: row.granted, left: row.units / UNITS_PER_REQUEST };
}
