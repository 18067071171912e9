// Reports and resends of channels that came too late, for operators. One row for each order and kind.
import type { LateKind } from './late-reports-rules.ts';
import type { Status } from '../../core/rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { expiredRows, keptRows } from '../../platform/database/kept-rows.ts';

/** Late reports of one order and kind since the last write. */
export interface LateReportSeen {
  channel_id: number;
  order_number: string;
  kind: LateKind;
  /** The status of the last report; null: a resend. */
  requested_status: Status | null;
  request_id: string;
  count: number;
  first_at: Date;
  last_at: Date;
}

// Sorted, so that processes that write the same rows lock in the same order and cannot deadlock.
const ADD = statement(
  'late_report_add',
  `insert into late_report (channel_id, order_number, kind, requested_status, request_id, count, first_at, last_at)
   select d.channel_id, d.order_number, d.kind, d.requested_status, d.request_id, d.count, d.first_at, d.last_at
   from unnest($1::int[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::bigint[], $7::timestamptz[], $8::timestamptz[])
     as d (channel_id, order_number, kind, requested_status, request_id, count, first_at, last_at)
   order by d.channel_id, d.order_number collate "C", d.kind collate "C"
   on conflict (channel_id, order_number, kind) do update set
     requested_status = excluded.requested_status, request_id = excluded.request_id,
     count = late_report.count + excluded.count,
     first_at = least(late_report.first_at, excluded.first_at), last_at = excluded.last_at`,
);

export const addLateReports = (tx: Tx, seen: readonly LateReportSeen[]): Promise<number> =>
  run(tx, ADD, [
    seen.map((one) => one.channel_id),
    seen.map((one) => one.order_number),
    seen.map((one) => one.kind),
    seen.map((one) => one.requested_status),
    seen.map((one) => one.request_id),
    seen.map((one) => one.count),
    seen.map((one) => one.first_at),
    seen.map((one) => one.last_at),
  ]);

export interface LateReport extends LateReportSeen {
  id: number;
  channel_name: string;
  /** null: the service does not have the order. */
  order_id: number | null;
  /** Current status of the order. */
  status: Status | null;
  /** The service cancelled the order because it was not paid in time. */
  expired: boolean;
}

export interface LateReportFilter {
  channel_id: number | null;
  kind: string | null;
  /** Part of an order number. */
  search: string | null;
  after: { at: Date; id: number } | null;
  limit: number;
}

// A scalar subquery, evaluated per row; an EXISTS would be evaluated for the whole order history first.
const IS_EXPIRED = `coalesce(
     (select true from order_history h where h.order_id = o.id and h.to_status = 88 and h.source = 'service'), false)`;
const LIST = statement(
  'late_report_list',
  `select l.id, l.channel_id, l.order_number, l.kind, l.requested_status, l.request_id, l.count, l.first_at, l.last_at,
          c.name as channel_name, o.id as order_id, o.status,
          ${IS_EXPIRED} as expired
   from late_report l
   join channel c on c.id = l.channel_id
   left join orders o on o.order_number = l.order_number and o.channel_id = l.channel_id
   where ($1::int is null or l.channel_id = $1)
     and ($2::text is null or l.kind = $2)
     and ($3::text is null or strpos(lower(l.order_number collate "default"), lower($3)) > 0)
     and ($4::timestamptz is null or (l.last_at, l.id) < ($4, $5::bigint))
   order by l.last_at desc, l.id desc limit $6`,
);

/** Latest first. */
export const listLateReports = (tx: Tx, filter: LateReportFilter): Promise<LateReport[]> => {
  const { channel_id, kind, search, after, limit } = filter;
  return rows(tx, LIST, [channel_id, kind, search, after?.at ?? null, after?.id ?? null, limit]);
};

const DISMISS = statement(
  'late_report_dismiss',
  `delete from late_report l where l.id = $1 returning l.channel_id, l.order_number, l.kind, l.requested_status`,
);

/** The deleted row; undefined: there was none. */
export const deleteLateReport = async (
  tx: Tx,
  id: number,
): Promise<Pick<LateReport, 'channel_id' | 'order_number' | 'kind' | 'requested_status'> | undefined> =>
  (await rows<LateReport>(tx, DISMISS, [id]))[0];

const TRIM = statement(
  'late_report_trim',
  `with expired as (${expiredRows('late_report', 'last_at', 'r.channel_id, r.order_number, r.kind')})
   delete from late_report r using expired e where r.id = e.id`,
);

export const trimLateReports = (tx: Tx, rowsMax?: number): Promise<number> =>
  run(tx, TRIM, keptRows(rowsMax));
