// Deliveries of webhooks: the event for an endpoint, and the results of its attempts.
import type { Status } from '../../core/rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The event of a delivery: a step of an order, an alert, or neither (a test). */
export interface DeliveryEvent {
  type: string;
  at: Date;
  order_id: number | null;
  from_status: Status | null;
  to_status: Status | null;
  source: string | null;
  alert_id: number | null;
}

export interface Delivery extends DeliveryEvent {
  id: number;
  webhook_id: number;
  state: DeliveryState;
  attempts: number;
  next_attempt_at: Date;
  last_attempt_at: Date | null;
  response_status: number | null;
  response_text: string | null;
  failure: string | null;
  duration_ms: number | null;
  created_at: Date;
}

const COLUMNS = `id, webhook_id, type, at, order_id, from_status, to_status, source, alert_id, state, attempts, next_attempt_at,
  last_attempt_at, response_status, response_text, failure, duration_ms, created_at`;

const INSERT = statement(
  'webhook_delivery_insert',
  `insert into webhook_delivery (webhook_id, type, at, order_id, from_status, to_status, source, alert_id)
   select $1, d.type, d.at, d.order_id, d.from_status, d.to_status, d.source, d.alert_id
   from unnest($2::text[], $3::timestamptz[], $4::bigint[], $5::smallint[], $6::smallint[], $7::text[], $8::bigint[])
     with ordinality as d (type, at, order_id, from_status, to_status, source, alert_id, n)
   order by d.n returning ${COLUMNS}`,
);

/** Returns the deliveries in the order of their ids. */
export const insertDeliveries = (
  tx: Tx,
  webhookId: number,
  events: readonly DeliveryEvent[],
): Promise<Delivery[]> =>
  rows(tx, INSERT, [
    webhookId,
    events.map(({ type }) => type),
    events.map(({ at }) => at.toISOString()),
    events.map(({ order_id }) => order_id),
    events.map(({ from_status }) => from_status),
    events.map(({ to_status }) => to_status),
    events.map(({ source }) => source),
    events.map(({ alert_id }) => alert_id),
  ]);

// Not pending, because it is sent once, immediately.
const INSERT_TEST = statement(
  'webhook_delivery_insert_test',
  `insert into webhook_delivery (webhook_id, type, at, state) values ($1, $2, now(), 'failed') returning ${COLUMNS}`,
);
export async function insertTestDelivery(tx: Tx, webhookId: number, type: string): Promise<Delivery> {
  const [row] = await rows<Delivery>(tx, INSERT_TEST, [webhookId, type]);
  if (!row) throw new RangeError('no row');
  return row;
}

// Paused endpoints get the alerts when they are resumed. An endpoint gets no more pending deliveries than the limit. One
// statement for all alerts: counting the pending deliveries for each of 1,000 took 7 s. Locked, so that an endpoint that
// is being removed is waited for and then left out.
const INSERT_ALERTS = statement(
  'webhook_delivery_insert_alerts',
  `insert into webhook_delivery (webhook_id, type, at, alert_id)
   select w.id, $1, d.at, d.alert_id
   from webhook w
   cross join lateral (
     select count(*) as count
     from (select from webhook_delivery p where p.webhook_id = w.id and p.state = 'pending' limit $4) p
   ) p
   join unnest($2::timestamptz[], $3::bigint[]) with ordinality as d (at, alert_id, n) on d.n <= $4 - p.count
   where $1 = any(w.events)
   order by w.id, d.n
   for key share of w`,
);
export const insertAlertDeliveries = (
  tx: Tx,
  type: 'alert.opened' | 'alert.closed',
  alerts: readonly { id: number; at: Date }[],
  pendingMax: number,
): Promise<number> =>
  run(tx, INSERT_ALERTS, [
    type,
    alerts.map(({ at }) => at.toISOString()),
    alerts.map(({ id }) => id),
    pendingMax,
  ]);

const PENDING = statement(
  'webhook_delivery_pending',
  `select ${COLUMNS} from webhook_delivery where webhook_id = $1 and state = 'pending' and id > $2 order by id limit $3`,
);
export const pendingDeliveries = (
  tx: Tx,
  webhookId: number,
  afterId: number,
  limit: number,
): Promise<Delivery[]> => rows(tx, PENDING, [webhookId, afterId, limit]);

export interface Attempt {
  id: number;
  state: DeliveryState;
  next_attempt_at: Date | null;
  response_status: number | null;
  response_text: string | null;
  failure: string | null;
  duration_ms: number;
}

// If another process has delivered it meanwhile, it stays delivered.
const RECORD = statement(
  'webhook_delivery_record',
  `update webhook_delivery d set attempts = d.attempts + 1, last_attempt_at = now(), response_status = r.response_status,
     response_text = r.response_text, failure = r.failure, duration_ms = r.duration_ms,
     state = case when d.state = 'delivered' then d.state else r.state end,
     next_attempt_at = coalesce(r.next_attempt_at, d.next_attempt_at)
   from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::int[], $5::text[], $6::text[], $7::int[])
     as r (id, state, next_attempt_at, response_status, response_text, failure, duration_ms)
   where d.id = r.id`,
);
export const recordAttempts = (tx: Tx, attempts: readonly Attempt[]): Promise<number> =>
  run(tx, RECORD, [
    attempts.map(({ id }) => id),
    attempts.map(({ state }) => state),
    attempts.map(({ next_attempt_at }) => next_attempt_at?.toISOString() ?? null),
    attempts.map(({ response_status }) => response_status),
    attempts.map(({ response_text }) => response_text),
    attempts.map(({ failure }) => failure),
    attempts.map(({ duration_ms }) => duration_ms),
  ]);

const RELEASE = statement(
  'webhook_delivery_release',
  `update webhook_delivery set next_attempt_at = now() where webhook_id = $1 and state = 'pending' and next_attempt_at > now()`,
);

/** Makes all pending deliveries due, because the endpoint is back. */
export const releaseDeliveries = (tx: Tx, webhookId: number): Promise<number> =>
  run(tx, RELEASE, [webhookId]);

const FIND = statement(
  'webhook_delivery_find',
  `select ${COLUMNS} from webhook_delivery where id = $1 and webhook_id = $2`,
);
export const findDelivery = async (tx: Tx, webhookId: number, id: number): Promise<Delivery | undefined> =>
  (await rows<Delivery>(tx, FIND, [id, webhookId]))[0];

const LIST = statement(
  'webhook_delivery_list',
  `select ${COLUMNS} from webhook_delivery
   where webhook_id = $1 and id < $2 and ($3::text is null or state = $3)
     and (not $5 or state <> 'delivered' and attempts > 0)
   order by id desc limit $4`,
);

interface DeliveryFilter {
  state: DeliveryState | null;
  /** Only deliveries whose last attempt failed. */
  failing?: boolean;
}

/** Newest first. */
export const listDeliveries = (
  tx: Tx,
  webhookId: number,
  { state, failing = false, before, limit }: DeliveryFilter & { before: number | null; limit: number },
): Promise<Delivery[]> =>
  rows(tx, LIST, [webhookId, before ?? Number.MAX_SAFE_INTEGER, state, limit, failing]);

const COUNT_PENDING = statement(
  'webhook_delivery_count_pending',
  `select webhook_id, count(*) as count from webhook_delivery where state = 'pending' and webhook_id = any($1::int[])
   group by webhook_id`,
);
export const countPending = async (tx: Tx, webhookIds: readonly number[]): Promise<Map<number, number>> =>
  new Map(
    (await rows<{ webhook_id: number; count: number }>(tx, COUNT_PENDING, [webhookIds])).map(
      ({ webhook_id, count }) => [webhook_id, count],
    ),
  );

const LOG_DAYS = 7;
const TRIM_ROWS = 10_000;
// Ids ascend with time, so the rows are read from the oldest one to the first that is young enough.
const TRIM = statement(
  'webhook_delivery_trim',
  `delete from webhook_delivery where id = any(array(
     select id from webhook_delivery
     where state <> 'pending' and id < coalesce(
       (select id from webhook_delivery where created_at >= now() - interval '${LOG_DAYS} days' order by id limit 1),
       ${Number.MAX_SAFE_INTEGER})
     order by id limit ${TRIM_ROWS}))`,
);

/** The log is kept for a week. */
export const trimDeliveries = (tx: Tx): Promise<number> => run(tx, TRIM);
