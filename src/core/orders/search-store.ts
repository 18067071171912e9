// The search of orders in their index (search-index-store.ts).
import { planned, rows, statement, type Tx } from '../../platform/database/database.ts';
import {
  filteredBy,
  filterValues,
  ID_MAX,
  listed,
  SORTED_ORDERS_MAX,
  type ListedOrder,
  type OrderFilter,
  type OrderPage,
  type OrderTotals,
} from './list-store.ts';

/** Size of a block, as in the definition of the index: `order_id >> 14`. */
const BLOCK_BITS = 14;
const BLOCK_ORDERS = 2 ** BLOCK_BITS;

export interface Searched {
  filter: OrderFilter;
  /** An order matches if one of these is part of one of its texts. */
  texts: readonly string[];
  /** Whether recipient, phone and tracking number are searched too. */
  isPersonal: boolean;
}

/** Substrings of a text that are looked up in the index. Looking up more would cost more than it excludes. */
const SEARCHED_GRAMS_MAX = 8;

// Substrings at positions spread over the whole text.
const SEARCHED_GRAMS = `select array_agg(distinct substr(l.text, p.place, 3)) as grams
     from (select greatest(char_length(l.text) - 2, 1) as last) e
     cross join lateral (
       select generate_series(1, e.last, (e.last + ${SEARCHED_GRAMS_MAX - 1}) / ${SEARCHED_GRAMS_MAX}) as place union select e.last
     ) p`;

// Orders that version 0.2.0 indexed have kept their capital letters beyond ASCII.
const FOLDED = `select lower(t.text) as text from unnest($3::text[]) as t (text)
       union select lower(t.text collate "C") from unnest($3::text[]) as t (text)`;

// Finds orders in some blocks. By its complete number an order is found even before it is indexed. OFFSET keeps the
// subqueries from being flattened, so that each block is one index scan and each found order is one lookup. As a join
// of many blocks, the planner would read all orders, which takes 10 s with five million.
const found = (first: number): string =>
  `select o.* from (
     select s.order_id from generate_series($1::bigint, $2::bigint) as b (block)
     cross join (
       select l.text, g.grams from (${FOLDED}) l
       cross join lateral (${SEARCHED_GRAMS}) g offset 0
     ) t
     cross join lateral (select array(select hashtext(b.block::text || gram) from unnest(t.grams) gram) as hashes offset 0) g
     cross join lateral (
       select s.order_id from order_search s
       where order_search_grams(s.order_id >> ${BLOCK_BITS}, s.content) @> g.hashes
         and strpos(case when $4 then s.content else split_part(s.content, E'\\n\\n', 1) end, t.text) > 0
       offset 0
     ) s
     union
     select e.id from orders e where e.order_number = any($3::text[]) and e.id >> ${BLOCK_BITS} between $1 and $2
   ) s
   cross join lateral (select * from orders l where l.id = s.order_id offset 0) o
   where o.id < $5 and ${filteredBy(first)}`;

const FOUND_LIST = listed(`${found(7)} order by o.id desc limit $6`, 'o.id desc');
const FOUND_IDS = `select o.id from (${found(7)}) o limit $6`;
const FOUND_TOTALS = `select count(*) as count, coalesce(sum(o.total_amount), 0)::numeric(42, 2)::text as total_amount
   from (${found(6)}) o`;

const OLDEST_NUMBERED = statement(
  'order_search_oldest_numbered',
  'select min(id) as id from orders where order_number = any($1::text[])',
);
const LAST_BEFORE = statement('order_search_last_before', 'select max(id) as id from orders where id < $1');

/** A search stops after about this long. */
const SEARCH_MS_MAX = 200;
/** The next step takes as many blocks as fit into this time, estimated from the last step. */
const STEP_MS = 60;
const STEP_GROWTH = 8;
const STEP_BLOCKS_MAX = 64;

/**
 * Goes through the blocks from the newest to the oldest, taking more blocks per step while steps are fast. Stops when
 * `work` returns true, or after SEARCH_MS_MAX if `reachedId` was reached. Returns the id below which nothing was
 * searched; null: all blocks were searched.
 */
async function throughBlocks(
  tx: Tx,
  { beforeId, reachedId = ID_MAX }: { beforeId: number; reachedId?: number },
  work: (first: number, last: number) => Promise<boolean>,
): Promise<number | null> {
  const started = performance.now();
  let count = 1;
  for (let before = beforeId; ;) {
    // Where ids have a gap, the blocks in it are skipped.
    const [newest] = await rows<{ id: number | null }>(tx, LAST_BEFORE, [before]);
    if (typeof newest?.id !== 'number') return null;
    const last = Math.floor(newest.id / BLOCK_ORDERS);
    const first = Math.max(0, last - count + 1);
    before = first * BLOCK_ORDERS;
    const stepStarted = performance.now();
    const isEnough = await work(first, last);
    const now = performance.now();
    if (isEnough || (now - started > SEARCH_MS_MAX && before <= reachedId))
      return before === 0 ? null : before;
    const fitting = Math.floor((count * STEP_MS) / Math.max(1, now - stepStarted));
    count = Math.max(1, Math.min(STEP_BLOCKS_MAX, count * STEP_GROWTH, fitting));
  }
}

/** Newest first. `resumeId`: the search ran out of time, and nothing below this id was searched. */
export async function searchOrders(
  tx: Tx,
  { filter, texts, isPersonal }: Searched,
  { beforeId, limit }: OrderPage,
): Promise<{ orders: ListedOrder[]; resumeId: number | null }> {
  const orders: ListedOrder[] = [];
  const before = beforeId ?? ID_MAX;
  // The search continues at least to an order with exactly this number, however old the order is.
  const [numbered] = await rows<{ id: number | null }>(tx, OLDEST_NUMBERED, [texts]);
  const reach = { beforeId: before, ...(typeof numbered?.id === 'number' ? { reachedId: numbered.id } : {}) };
  const resumeId = await throughBlocks(tx, reach, async (first, last) => {
    const values = [first, last, texts, isPersonal, before, limit - orders.length, ...filterValues(filter)];
    orders.push(...(await planned<ListedOrder>(tx, FOUND_LIST, values)));
    return orders.length >= limit;
  });
  return { orders, resumeId: orders.length >= limit ? null : resumeId };
}

/** null: more than SORTED_ORDERS_MAX orders match, or the search ran out of time. */
export async function searchIds(tx: Tx, { filter, texts, isPersonal }: Searched): Promise<number[] | null> {
  const ids: number[] = [];
  const resumeId = await throughBlocks(tx, { beforeId: ID_MAX }, async (first, last) => {
    const values = [first, last, texts, isPersonal, ID_MAX, SORTED_ORDERS_MAX + 1, ...filterValues(filter)];
    for (const { id } of await planned<{ id: number }>(tx, FOUND_IDS, values)) ids.push(id);
    return ids.length > SORTED_ORDERS_MAX;
  });
  return resumeId === null && ids.length <= SORTED_ORDERS_MAX ? ids : null;
}

export async function searchTotals(tx: Tx, { filter, texts, isPersonal }: Searched): Promise<OrderTotals> {
  let count = 0;
  let hundredths = 0n;
  const resumeId = await throughBlocks(tx, { beforeId: ID_MAX }, async (first, last) => {
    const values = [first, last, texts, isPersonal, ID_MAX, ...filterValues(filter)];
    const [part] = await planned<{ count: number; total_amount: string }>(tx, FOUND_TOTALS, values);
    count += part?.count ?? 0;
    hundredths += BigInt((part?.total_amount ?? '0').replace('.', ''));
    return false;
  });
  const digits = hundredths.toString().padStart(3, '0');
  return {
    count,
    total_amount: `${digits.slice(0, -2)}.${digits.slice(-2)}`,
    is_complete: resumeId === null,
  };
}
