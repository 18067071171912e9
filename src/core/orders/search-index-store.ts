// The search index of orders, which one process at a time updates in steps shortly after the orders.
import { planned, rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { PLACE, seenSql, USE_INDEX } from '../journal/since-store.ts';
import { ID_MAX } from './list-store.ts';

// Every transaction below this id has ended. The current transaction's id is at least as high, so after a crash no id
// below the horizon is assigned again.
const HORIZON = `pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
/** Upper limit, because a restored backup may contain ids of another database that are higher than any id here. */
const FUTURE = seenSql('pg_current_snapshot()').end;

const PREFER_INDEX = statement('order_search_prefer_index', `select ${USE_INDEX}`);

// Planned for each call: a plan that was made for an empty history would read the whole history later. Materialized: for
// one row of many, the planner expects to find it at the beginning of any scan.
const IS_BEHIND = `select p.seen_xid is null or p.pass_xid is not null or p.place <> ${PLACE}
          or exists (
            with unseen as materialized (
              select from order_history h where h.xid >= p.seen_xid and h.xid < ${FUTURE}
            ) select from unseen
          ) as is_behind
   from order_search_progress p`;

/** Must run in its own transaction. Only reads, so that an idle service writes nothing. */
export async function isSearchBehind(tx: Tx): Promise<boolean> {
  await run(tx, PREFER_INDEX);
  return (await planned<{ is_behind: boolean }>(tx, IS_BEHIND, []))[0]?.is_behind ?? false;
}

// While the row is locked, no other process indexes and no personal data is erased.
const LOCK = statement(
  'order_search_lock',
  `select p.place <> ${PLACE} as is_elsewhere, ${USE_INDEX} from order_search_progress p
   order by p.only_row for update skip locked`,
);
const START_OVER = statement(
  'order_search_start_over',
  `update order_search_progress set place = ${PLACE}, seen_xid = null, seen_at = null, pass_xid = null, after_id = 0, last_id = null`,
);
/** Makes the next step build the index from the start. */
export const startSearchOver = (tx: Tx): Promise<number> => run(tx, START_OVER);

// A pass takes the next transactions. `pass_at` is set if the pass reaches the present. Such a pass also takes visible
// transactions above one that is still open; the next pass takes them again.
const BEGIN_PASS = statement(
  'order_search_begin_pass',
  `update order_search_progress p
   set pass_xid = least(coalesce(p.seen_xid + $1, h.horizon), h.horizon),
       pass_at = case when coalesce(p.seen_xid + $1 >= h.horizon, true) then now() end
   from (select ${HORIZON} as horizon) h
   where p.pass_xid is null
   returning p.seen_xid is not null as is_later`,
);

// The orders of the pass. `offset 0` keeps the planner from searching by order id, which would read all of a large
// table.
const WINDOW = `select distinct h.order_id from order_history h
        where h.xid >= p.seen_xid and h.xid < case when p.pass_at is null then p.pass_xid else ${FUTURE} end offset 0`;
/**
 * A pass with more orders contains an import. Its range of orders is read by id, because each step reads the whole
 * window.
 */
const WINDOW_ORDERS_MAX = 20_000;
const MEASURE_PASS = `update order_search_progress p set after_id = m.first_id - 1, last_id = m.last_id
   from (select count(*) as count, min(w.order_id) as first_id, max(w.order_id) as last_id
         from order_search_progress p cross join lateral (${WINDOW}) w) m
   where m.count > $1`;

const oneLine = (text: string): string => `translate(${text}, E'\\n\\r', '  ')`;

// Phone numbers are kept as digits. Erased data is left out. With the collation of the order number, "C", lower() would
// change ASCII letters only.
const CONTENT = `lower(concat_ws(E'\\n', ${oneLine('o.order_number')}, i.codes,
    case when o.erased_at is null then concat_ws(E'\\n', '', ${oneLine('o.recipient_name')},
      regexp_replace(o.recipient_phone, '\\D', '', 'g'), ${oneLine('o.tracking_number')}) end) collate "default")`;
// A subquery and not a join, for which PostgreSQL built a hash of all variants in each step.
const VARIANT_CODE = '(select v.code from variant v where v.id = i.variant_id)';
const CODES = `cross join lateral (
     select string_agg(distinct ${oneLine('i.sku')} || E'\\n' || ${oneLine(VARIANT_CODE)}, E'\\n') as codes
     from order_item i where i.order_id = o.id
   ) i`;
const WRITE = `insert into order_search (order_id, content)
   select o.id, ${CONTENT} from due join orders o on o.id = due.order_id ${CODES}
   on conflict (order_id) do update set content = excluded.content where order_search.content <> excluded.content`;

const AGAIN = statement(
  'order_search_again',
  `with due as (select unnest($1::bigint[]) as order_id) ${WRITE}`,
);

/** For orders whose recipient was changed without a new status, which the indexer would not notice. */
export const indexAgain = (tx: Tx, orderIds: readonly number[]): Promise<number> =>
  run(tx, AGAIN, [orderIds]);

/** Orders that one step indexes: 0.2 s, in which one core does nothing else. */
export const STEP_ORDERS_MAX = 1_000;

// The first pass takes all orders by id. The outer limit is for the planner: without statistics of the progress table
// it would expect a million orders here, and read all orders in each step.
const STEP = `with due as materialized (
     select d.order_id from order_search_progress p cross join lateral (
       (select o.id as order_id from orders o
        where (p.seen_xid is null or p.last_id is not null) and o.id > p.after_id and o.id <= coalesce(p.last_id, ${ID_MAX})
        order by o.id limit $1)
       union all
       (select w.order_id from (${WINDOW}) w
        where p.last_id is null and w.order_id > p.after_id order by w.order_id limit $1)
     ) d limit $1
   ), written as (${WRITE})
   select count(*) as count, max(order_id) as last_id from due`;
const ADVANCE = statement(
  'order_search_advance',
  `update order_search_progress
   set after_id = case when $2 then 0 else $1::bigint end,
       seen_xid = case when $2 then pass_xid else seen_xid end,
       seen_at = case when $2 then coalesce(pass_at, seen_at) else seen_at end,
       pass_xid = case when $2 then null else pass_xid end,
       last_id = case when $2 then null else last_id end
   returning $2 and pass_at is not null as is_done`,
);

/** `busy`: another process updates the index. `done`: the index has reached the present. */
export type IndexStep = 'busy' | 'more' | 'done';

/**
 * Indexes the next orders. Must run in its own transaction. `transactions`: limit on transaction ids per pass;
 * `orders`: limit on orders of this step; `count`: orders taken.
 */
export async function indexOrders(
  tx: Tx,
  { transactions = Number.MAX_SAFE_INTEGER, orders = STEP_ORDERS_MAX } = {},
): Promise<{ outcome: IndexStep; count: number }> {
  const [progress] = await rows<{ is_elsewhere: boolean }>(tx, LOCK);
  if (!progress) return { outcome: 'busy', count: 0 };
  if (progress.is_elsewhere) await startSearchOver(tx);
  const [begun] = await rows<{ is_later: boolean }>(tx, BEGIN_PASS, [transactions]);
  if (begun?.is_later === true) await planned(tx, MEASURE_PASS, [WINDOW_ORDERS_MAX]);
  const [step] = await planned<{ count: number; last_id: number | null }>(tx, STEP, [orders]);
  const count = step?.count ?? 0;
  const [pass] = await rows<{ is_done: boolean }>(tx, ADVANCE, [step?.last_id ?? 0, count < orders]);
  return { outcome: pass?.is_done === true ? 'done' : 'more', count };
}

const LOCK_INDEX = statement(
  'order_search_hold',
  `select from order_search_progress order by only_row for update`,
);

/** Prevents indexing until the transaction ends. */
export const lockSearchIndex = (tx: Tx): Promise<number> => run(tx, LOCK_INDEX);

const WRITE_NOW = statement(
  'order_search_write_now',
  `with due as (select order_id from unnest($1::bigint[]) as d (order_id)) ${WRITE}`,
);

/** Call after the change of the orders in the same transaction, which must have locked the index. */
export const writeToSearch = (tx: Tx, ids: readonly number[]): Promise<number> => run(tx, WRITE_NOW, [ids]);

const SEEN_AT = statement('order_search_seen_at', 'select seen_at from order_search_progress');

/** The index contains at least everything that was committed by then; null: not built yet. */
export const searchSeenAt = async (tx: Tx): Promise<Date | null> =>
  (await rows<{ seen_at: Date | null }>(tx, SEEN_AT))[0]?.seen_at ?? null;
