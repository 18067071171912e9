// The last requests of channels that were refused, slow or traced. No personal data.
import type { RequestOutcome } from './requests-rules.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { expiredRows, keptRows } from '../../platform/database/kept-rows.ts';

export interface ChannelRequest {
  id: number;
  channel_id: number;
  at: Date;
  /** X-Request-Id. */
  request_id: string;
  outcome: RequestOutcome;
  method: string;
  /** The route pattern, not the path. */
  route: string;
  sku: string | null;
  order_number: string | null;
  status: number;
  /** The header Sluice-Error; null: the request was not refused. */
  code: string | null;
  ms: number;
  /** Address of the client; for IPv6 its /64 network. */
  address: string;
}

// A conflict means that these rows were already written, and the connection was lost before the response.
const ADD = statement(
  'channel_request_add',
  `insert into channel_request (id, channel_id, at, request_id, outcome, method, route, sku, order_number, status, code, ms, address)
   select * from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
     $9::text[], $10::int[], $11::text[], $12::int[], $13::text[])
   on conflict do nothing`,
);

export const addRequests = (tx: Tx, seen: readonly ChannelRequest[]): Promise<number> =>
  run(tx, ADD, [
    seen.map((one) => one.id),
    seen.map((one) => one.channel_id),
    seen.map((one) => one.at),
    seen.map((one) => one.request_id),
    seen.map((one) => one.outcome),
    seen.map((one) => one.method),
    seen.map((one) => one.route),
    seen.map((one) => one.sku),
    seen.map((one) => one.order_number),
    seen.map((one) => one.status),
    seen.map((one) => one.code),
    seen.map((one) => one.ms),
    seen.map((one) => one.address),
  ]);

export interface RequestFilter {
  request_id: string | null;
  outcome: RequestOutcome | null;
  after: { at: Date; id: number } | null;
  limit: number;
}

const LIST = statement(
  'channel_request_list',
  `select r.id, r.channel_id, r.at, r.request_id, r.outcome, r.method, r.route, r.sku, r.order_number, r.status, r.code, r.ms,
     r.address
   from channel_request r
   where r.channel_id = $1
     and ($2::text is null or r.request_id = $2)
     and ($3::text is null or r.outcome = $3)
     and ($4::timestamptz is null or (r.at, r.id) < ($4, $5::bigint))
   order by r.at desc, r.id desc limit $6`,
);

/** Newest first. */
export const listRequests = (
  tx: Tx,
  channelId: number,
  { request_id, outcome, after, limit }: RequestFilter,
): Promise<ChannelRequest[]> =>
  rows(tx, LIST, [channelId, request_id, outcome, after?.at ?? null, after?.id ?? null, limit]);

const TRIM = statement(
  'channel_request_trim',
  `with expired as (${expiredRows('channel_request', 'at', 'r.id')})
   delete from channel_request r using expired e where r.id = e.id`,
);

export const trimRequests = (tx: Tx, rowsMax?: number): Promise<number> => run(tx, TRIM, keptRows(rowsMax));
