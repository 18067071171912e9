// Creates a day of history for the demo channels: orders in every state, refusals, stock changes. It uses the
// real API and then moves the timestamps into the past, because the API cannot set them.
import { marketOf } from '../simulator/people.ts';

const ORDERS = 220;
const HOUR_MS = 3_600_000;
const SHIP_AFTER_HOURS = 3;
/** The load of each hour of the day. */
const BUSY = [2, 1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 8, 9, 8, 7, 7, 8, 9, 10, 12, 13, 11, 7, 4];

/** Random numbers from a seed, the same in every run. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * `shops`: the result of the seed, with keys. `api(method, path, body, headers)` returns {status, json}; `admin` the same
 * for /admin/v1. `query` runs SQL, for the timestamps.
 */
export async function makeHistory({ shops, api, admin, query }) {
  const roll = randomNumbers(20_261_115);
  const pick = (list) => list[Math.floor(roll() * list.length)];
  const [korea, japan, america] = shops;

  await changeStock(admin);
  const made = [];
  for (const at of momentsOfADay(roll)) {
    const shop = roll() < 0.58 ? korea : roll() < 0.65 ? japan : america;
    const order = await placeOrder({ shop, api, roll, pick, sequence: made.length + 1 });
    if (order !== null) made.push({ ...order, at });
  }
  const ids = await idsOf(query, made);
  for (const order of made) await settle({ admin, roll, pick, order, id: ids.get(order.number) });
  await refuseSome(api, korea, japan);
  await moveIntoThePast(query, made);
  await admin('GET', '/reconcile');
}

const momentsOfADay = (roll) => {
  const now = Date.now();
  const total = BUSY.reduce((sum, n) => sum + n, 0);
  return BUSY.flatMap((_, back) => {
    const start = now - (23 - back) * HOUR_MS;
    const hour = (new Date(start).getUTCHours() + 9) % 24; // time of day of the shop
    return Array.from({ length: Math.round((ORDERS * BUSY[hour]) / total) }, () => start - roll() * HOUR_MS);
  }).toSorted((a, b) => a - b);
};

/** Stock changes of the previous week. */
async function changeStock(admin) {
  const items = ['AQUA1D--1.00', 'AQUA1D--2.00', 'MOON1M--1.50', 'CARE-SOL-355ML'];
  for (const [n, code] of items.entries()) {
    const path = `/stock/${encodeURIComponent(code)}/adjustments`;
    await admin('POST', path, { delta: 120 + n * 30, reason: '입고 · goods in, delivery 4471' });
    await admin('POST', path, { delta: -4, reason: '파손 · damaged in transit' });
    await admin('POST', path, { delta: 60, reason: '입고 · goods in, delivery 4502' });
  }
  for (const [code, quantity] of [
    ['HAZEL1M--2.00', 17],
    ['CASE-MINT', 6],
    ['TWEEZER-STD', 3],
    ['CARE-DROP-10ML', 8],
  ]) {
    const { quantity: expected_quantity } = (await admin('GET', `/stock/${code}`)).json.data;
    await admin('PUT', `/stock/${code}`, { quantity, expected_quantity, reason: '실사 · stock-taking' });
  }
}

async function placeOrder({ shop, api, roll, pick, sequence }) {
  const market = marketOf(shop.currency);
  const list = await api('GET', '/inventory', undefined, shop.api_key);
  const goods = list.json.data.filter(({ available }) => available > 14);
  const lines = roll() < 0.7 ? 1 : 2;
  const items = Array.from({ length: lines }, () => pick(roll() < 0.35 ? goods.slice(0, 6) : goods)).map(
    ({ sku }) => ({ sku, quantity: 1 + Math.floor(roll() * 3), unit_price: pick(market.prices) }),
  );
  const isAhead = shop.currency === 'USD' && roll() < 0.12;
  const order_number = `${shop.prefix}-${String(100_000 + sequence * 7)}`;
  const { status } = await api(
    'POST',
    '/orders',
    {
      order_number,
      recipient_name: pick(market.people),
      recipient_phone: market.phone,
      shipping_address: pick(market.addresses),
      status: roll() < 0.2 ? 0 : 1,
      is_backorder: isAhead,
      items: isAhead ? [{ sku: 'US-SUNGLASS-BROWN', quantity: 1, unit_price: 89 }] : items,
    },
    shop.api_key,
  );
  return status === 201 ? { number: order_number, isAhead, currency: shop.currency } : null;
}

async function idsOf(query, made) {
  const { rows } = await query('select id, order_number from orders where order_number = any($1)', [
    made.map(({ number }) => number),
  ]);
  return new Map(rows.map(({ id, order_number }) => [order_number, id]));
}

/** The older an order is, the further its status. */
async function settle({ admin, roll, pick, order, id }) {
  const hours = (Date.now() - order.at) / HOUR_MS;
  const move = (body) => admin('POST', `/orders/${id}/status`, body);
  if (roll() < 0.05) return void (await move({ status: 88, reason: pick(['고객 변심', 'Ordered twice']) }));
  if (order.isAhead || roll() < 0.05) return; // no stock yet, or never paid
  const tracking_number = `${6_000 + Math.floor(roll() * 3_999)}-${1_000 + Math.floor(roll() * 8_999)}-${1_000 + Math.floor(roll() * 8_999)}`;
  if (hours > SHIP_AFTER_HOURS + 0.5) {
    if (roll() < 0.6) await move({ status: 2 });
    await move({ status: 3, tracking_number, courier_code: pick(marketOf(order.currency).couriers) });
  } else if (hours > 1.5) {
    await move({ status: 2 });
    if (roll() < 0.5) await move({ status: 9 });
  }
}

async function refuseSome(api, korea, japan) {
  const order = (sku, quantity) => ({
    order_number: `REFUSED-${sku}-${quantity}`,
    recipient_name: '이서준',
    recipient_phone: '010-5550-0199',
    shipping_address: '서울특별시 마포구 월드컵북로 12',
    items: [{ sku, quantity, unit_price: 10_000 }],
  });
  for (const sku of ['KR-LUNA1M--1.00', 'KR-LUNA1M--1.25', 'KR-AQUA1D--7.00', 'KR-POUCH-GREEN']) {
    for (let n = 0; n < 1 + (sku.length % 4); n++)
      await api('GET', `/inventory/${sku}`, undefined, korea.api_key);
    await api('POST', '/orders', order(sku, 1), korea.api_key);
  }
  for (const quantity of [40, 50, 60])
    await api('POST', '/orders', order('KR-CASE-MINT', quantity), korea.api_key);
  await api('POST', '/orders', order('JP-SUNGLASS-BROWN', 1), japan.api_key);
  await api('POST', '/orders', { order_number: 'REFUSED' }, japan.api_key);
}

async function moveIntoThePast(query, made) {
  await query(
    `update orders o set created_at = t.at
     from unnest($1::text[], $2::timestamptz[]) as t (number, at) where o.order_number = t.number`,
    [made.map(({ number }) => number), made.map(({ at }) => new Date(at).toISOString())],
  );
  await query(
    `update order_history h set at = least(now(), o.created_at + case
       when h.from_status is null then interval '0'
       when h.to_status = 3 then interval '${SHIP_AFTER_HOURS} hours'
       when h.to_status = 9 then interval '80 minutes'
       else interval '40 minutes' end)
     from orders o where o.id = h.order_id`,
  );
  await query(
    `update stock_movement m set at = h.at from order_history h where h.order_id = m.order_id and h.to_status = 3`,
  );
  await query(`update stock_movement set at = now() - interval '9 days' where kind = 'import'`);
  await query(
    `update stock_movement m set at = now() - (8 - r.n) * interval '1 day' - interval '3 hours'
     from (select id, row_number() over (partition by variant_id order by id) as n
           from stock_movement where kind in ('adjustment', 'set')) r where r.id = m.id`,
  );
  await query(
    `update audit set at = now() - (select max(id) from audit) * interval '4 minutes' + id * interval '4 minutes'`,
  );
  await query(
    `update asked_in_vain set first_at = now() - lookups * interval '5 hours', last_at = now() - lookups * interval '12 minutes'`,
  );
  for (const table of ['product', 'channel', 'admin_token', 'account'])
    await query(`update ${table} set created_at = now() - interval '41 days' + id * interval '26 hours'`);
  // Changes made with the script's token are attributed to people.
  for (const table of ['audit', 'stock_movement'])
    await query(
      `update ${table} set actor = case when id % 3 = 0 then 'user:jiho.yoon@example.com'
         else 'user:seoyeon.kang@example.com' end where actor = 'environment'`,
    );
}
