// Statistics on requests: refused orders, and requested SKUs that are not mapped.
import { trimRequests } from './requests-store.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { trimLateReports } from './late-reports-store.ts';
import { surplusRows } from '../../platform/database/kept-rows.ts';
import { trimRefusedOrders } from './refused-orders-store.ts';

export interface RefusalCount {
  hour: Date;
  channel_id: number;
  reason: string;
  count: number;
}

// Sorted, so that processes that write the same rows lock in the same order and cannot deadlock.
const ADD_REFUSALS = statement(
  'observation_add_refusals',
  `insert into refusal_count (hour, channel_id, reason, count)
   select d.hour, d.channel_id, d.reason, sum(d.count)
   from unnest($1::timestamptz[], $2::int[], $3::text[], $4::bigint[]) as d (hour, channel_id, reason, count)
   group by d.hour, d.channel_id, d.reason
   order by d.hour, d.channel_id, d.reason collate "C"
   on conflict (hour, channel_id, reason) do update set count = refusal_count.count + excluded.count`,
);

/** Several counts of one hour, channel and reason are added up. */
export const addRefusals = (tx: Tx, counts: readonly RefusalCount[]): Promise<number> =>
  run(tx, ADD_REFUSALS, [
    counts.map(({ hour }) => hour),
    counts.map(({ channel_id }) => channel_id),
    counts.map(({ reason }) => reason),
    counts.map(({ count }) => count),
  ]);

export interface UnmappedSku {
  sku: string;
  lookups: number;
  orders: number;
  first_at: Date;
  last_at: Date;
}

const ADD_ASKED = statement(
  'observation_add_asked',
  `insert into asked_in_vain (channel_id, sku, lookups, orders, first_at, last_at)
   select d.channel_id, d.sku, d.lookups, d.orders, d.first_at, d.last_at
   from unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])
     as d (channel_id, sku, lookups, orders, first_at, last_at)
   order by d.channel_id, d.sku collate "C"
   on conflict (channel_id, sku) do update set
     lookups = asked_in_vain.lookups + excluded.lookups, orders = asked_in_vain.orders + excluded.orders,
     first_at = least(asked_in_vain.first_at, excluded.first_at),
     last_at = greatest(asked_in_vain.last_at, excluded.last_at)`,
);

export const addUnmappedSkus = (
  tx: Tx,
  asked: readonly (UnmappedSku & { channel_id: number })[],
): Promise<number> =>
  run(tx, ADD_ASKED, [
    asked.map(({ channel_id }) => channel_id),
    asked.map(({ sku }) => sku),
    asked.map(({ lookups }) => lookups),
    asked.map(({ orders }) => orders),
    asked.map(({ first_at }) => first_at),
    asked.map(({ last_at }) => last_at),
  ]);

/** A SKU that has been mapped since is no longer listed. */
const UNMAPPED = `not exists (select from mapping m where m.channel_id = a.channel_id and m.sku = a.sku)`;

const LIST = statement(
  'observation_list_asked',
  `select a.sku, a.lookups, a.orders, a.first_at, a.last_at
   from asked_in_vain a
   where a.channel_id = $1 and ${UNMAPPED}
     and ($2::timestamptz is null or a.last_at < $2 or (a.last_at = $2 and a.sku > $3))
     and ($4::text is null or strpos(lower(a.sku collate "default"), lower($4)) > 0)
   order by a.last_at desc, a.sku limit $5`,
);

/** Last requested first; `after` is the last row of the previous page. */
export const listUnmappedSkus = (
  tx: Tx,
  channelId: number,
  filter: { after: { last_at: Date; sku: string } | null; search: string | null; limit: number },
): Promise<UnmappedSku[]> => {
  const { after, search, limit } = filter;
  return rows(tx, LIST, [channelId, after?.last_at ?? null, after?.sku ?? null, search, limit]);
};

const COUNT = statement(
  'observation_count_asked',
  `select count(*) as count from asked_in_vain a where ($1::int is null or a.channel_id = $1) and ${UNMAPPED}`,
);

/** `channelId` null: all channels. */
export const countUnmappedSkus = async (tx: Tx, channelId: number | null): Promise<number> =>
  (await rows<{ count: number }>(tx, COUNT, [channelId]))[0]?.count ?? 0;

const DISMISS = statement(
  'observation_dismiss',
  `delete from asked_in_vain where channel_id = $1 and sku = $2 returning sku, lookups, orders, first_at, last_at`,
);

/** The deleted row; undefined: it was not on the list. */
export const deleteUnmappedSku = async (
  tx: Tx,
  channelId: number,
  sku: string,
): Promise<UnmappedSku | undefined> => (await rows<UnmappedSku>(tx, DISMISS, [channelId, sku]))[0];

const REFUSALS_KEPT_DAYS = 30;
const ASKED_ROWS_A_CHANNEL_MAX = 1_000;

const TRIM_REFUSALS = statement(
  'observation_trim_refusals',
  `delete from refusal_count where hour < now() - make_interval(days => $1)`,
);

// Rows locked by other processes are in use: skipped.
const TRIM_ASKED = statement(
  'observation_trim_asked',
  `with gone as (
     select a.channel_id, a.sku from asked_in_vain a
     where not ${UNMAPPED}
       or (a.channel_id, a.sku) in (${surplusRows('asked_in_vain', 'channel_id, sku', 'last_at desc, sku', '$1')})
     order by a.channel_id, a.sku for update of a skip locked
   )
   delete from asked_in_vain a using gone g where a.channel_id = g.channel_id and a.sku = g.sku`,
);

export async function trimObservations(tx: Tx, askedRowsMax = ASKED_ROWS_A_CHANNEL_MAX): Promise<void> {
  await run(tx, TRIM_REFUSALS, [REFUSALS_KEPT_DAYS]);
  await run(tx, TRIM_ASKED, [askedRowsMax]);
  await trimRefusedOrders(tx);
  await trimLateReports(tx);
  await trimRequests(tx);
}
