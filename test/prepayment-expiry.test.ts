// Contract 10.21: the service cancels orders that are not paid in time, if their channel has an expiry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasExpired } from '../src/core/rules/prepayment-expiry.ts';
import { STATUSES } from '../src/core/rules/transitions.ts';
import { openTransaction } from './kit/adverse.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { PATIENT, startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { desk, fieldsRefused } from './kit/desk.ts';

const database = await createDatabase();
const first = await startTestService({ database, env: PATIENT });
const second = await startTestService({ database, env: PATIENT });
const make = fixtures(first);
const { admin, audits } = desk(first);

const expire = (service = first): Promise<void> => service.service.jobs.runNow('expire-orders');

/** Unpaid orders created `hoursAgo`. They are imported, because only an import sets the creation time. */
async function waiting(
  channel: TestChannel,
  sku: string,
  count: number,
  hoursAgo: number,
  fields = '',
): Promise<string[]> {
  const numbers = Array.from({ length: count }, () => unique('WAIT'));
  const at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
  const header =
    'order_number,channel_id,status,created_at,recipient_name,recipient_phone,shipping_address,sku,quantity,local_unit_price,is_backorder,from_allocation';
  const rows = numbers.map((number) => `${number},${channel.id},0,${at},R,1,A,${sku},1,1,${fields || ','}`);
  await must(admin('POST', '/orders/import', { csv: [header, ...rows].join('\n') }), 200);
  return numbers;
}
const orderBy = async (number: string): Promise<any> => {
  const [found] = await must(admin('GET', `/orders?order_number=${number}`), 200);
  return must(admin('GET', `/orders/${found.id}`), 200);
};
const statusOf = async (number: string): Promise<number> => (await orderBy(number)).status;

test('an order has expired if and only if it is unpaid and the expiry of its channel has passed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STATUSES),
      fc.option(fc.integer({ min: 1, max: 527_040 })),
      fc.integer({ min: -10, max: 600_000 }),
      fc.integer({ min: 0, max: 59_999 }),
      (status, minutes, passed, ms) => {
        const created_at = new Date(1_700_000_000_000);
        const now = new Date(created_at.getTime() + passed * 60_000 + ms);
        const expiry = minutes === null ? undefined : { minutes, now };
        assert.equal(
          hasExpired({ status, created_at }, expiry),
          status === 0 && minutes !== null && passed >= minutes,
        );
      },
    ),
  );
});

test('the expiry is off by default, set and cleared per channel, and audited; invalid values are refused', async () => {
  const made = await must(admin('POST', '/channels', { name: unique('c') }), 201);
  assert.equal(made.prepayment_expiry_minutes, null);
  const path = `/channels/${made.id}`;
  const set = async (prepayment_expiry_minutes: unknown) =>
    (await must(admin('PATCH', path, { prepayment_expiry_minutes }), 200)).prepayment_expiry_minutes;
  assert.equal(await set(90), 90);
  assert.equal((await must(admin('PATCH', path, { name: 'other' }), 200)).prepayment_expiry_minutes, 90);
  assert.equal(await set(null), null);
  const created = await must(
    admin('POST', '/channels', { name: unique('c'), prepayment_expiry_minutes: 5 }),
    201,
  );
  assert.equal(created.prepayment_expiry_minutes, 5);
  for (const prepayment_expiry_minutes of [0, -1, 1.5, '5', 527_041])
    assert.deepEqual(await fieldsRefused(admin('PATCH', path, { prepayment_expiry_minutes })), [
      'prepayment_expiry_minutes',
    ]);
  const trail = await audits(`channel:${made.id}`);
  const shown = trail.map(({ after }) => (after as Record<string, unknown>)['prepayment_expiry_minutes']);
  assert.deepEqual(shown, [null, 90, 90, null]);
});

test('an order that is not paid in time is cancelled: counters, answers, history, feed, journal', async () => {
  const { channel, variant, sku } = await make.setting(10, { prepayment_expiry_minutes: 60 });
  await make.allocate(channel, variant, 4, 0);
  const [drawn = '', young = ''] = [
    ...(await waiting(channel, sku, 1, 2, ',1')),
    ...(await waiting(channel, sku, 1, 0.5)),
  ];
  const [backorder = ''] = await waiting(channel, sku, 1, 3, 'true,');
  const paid = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 1 });
  await must(channel.call('POST', '/orders', paid), 201);
  const before = await make.stock(variant);
  assert.deepEqual([before.unshipped, before.allocated, before.backordered], [3, 4, 1]);
  const list = (await channel.call('GET', '/inventory?limit=10')).json;
  await expire();
  const after = await make.stock(variant);
  assert.deepEqual([after.quantity, after.unshipped, after.allocated, after.backordered], [10, 2, 5, 0]);
  const gone = await orderBy(drawn);
  assert.deepEqual([gone.status, gone.cancel_reason, gone.items[0].cancelled_quantity], [88, 'expired', 1]);
  assert.deepEqual(
    gone.history.map(({ from, to, source, actor }: any) => [from, to, source, actor]),
    [
      [null, 0, 'import', 'import'],
      [0, 88, 'service', 'expiry'],
    ],
  );
  assert.deepEqual(
    [await statusOf(young), await statusOf(backorder), await statusOf(paid.order_number)],
    [0, 88, 1],
  );
  const changed = await channel.call(
    'GET',
    `/inventory?changes_since=${encodeURIComponent(list.changes_since)}`,
  );
  assert.deepEqual(
    changed.json.data.map((row: any) => row.sku),
    [sku],
  );
  let since = '';
  const seen: unknown[] = [];
  for (let more = true; more;) {
    const page = (await admin('GET', `/orders/changes${since}`)).json;
    for (const one of page.data)
      if (one.order_number === drawn) seen.push([one.previous_status, one.status, one.source]);
    since = `?since=${encodeURIComponent(page.next)}`;
    more = page.has_more;
  }
  assert.deepEqual(seen, [
    [null, 0, 'import'],
    [0, 88, 'service'],
  ]);
});

test('without an expiry no order expires, also when the expiry is removed during a run', async () => {
  const { channel, sku } = await make.setting(1_000);
  const [never = ''] = await waiting(channel, sku, 1, 24 * 300);
  await expire();
  assert.equal(await statusOf(never), 0);

  const path = `/channels/${channel.id}`;
  await must(admin('PATCH', path, { prepayment_expiry_minutes: 1 }), 200);
  // Another transaction is about to remove the expiry, and locks the channel as a PATCH does.
  const other = await openTransaction(
    database.url,
    `select from channel where id = ${channel.id} for update`,
    `update channel set prepayment_expiry_minutes = null where id = ${channel.id}`,
  );
  await expire();
  assert.equal(await statusOf(never), 0);
  await other.end();

  const numbers = await waiting(channel, sku, 120, 1);
  const running = expire();
  await must(admin('PATCH', path, { prepayment_expiry_minutes: null }), 200);
  const [atAnswer] = await query<{ n: number }>(
    database.url,
    'select count(*)::int as n from orders where order_number = any($1) and status = 88',
    [numbers],
  );
  await running;
  const [atEnd] = await query<{ n: number }>(
    database.url,
    'select count(*)::int as n from orders where order_number = any($1) and status = 88',
    [numbers],
  );
  assert.equal(atEnd?.n, atAnswer?.n, 'nothing expired after the answer');
  assert.ok((atEnd?.n ?? 0) < 121);
});

test('expiry and payment at the same time, in two processes: each order is either paid or expired, and late payments are listed', async () => {
  const { channel, variant, sku } = await make.setting(1_000, { prepayment_expiry_minutes: 30 });
  const call = second.channel(channel.api_key);
  const numbers = await waiting(channel, sku, 60, 1);
  const [answers] = await Promise.all([
    Promise.all(numbers.map((number) => call('POST', `/orders/${number}/status`, { status: 1 }))),
    expire(first),
    expire(second),
  ]);
  const late: string[] = [];
  for (const [index, number] of numbers.entries()) {
    const order = await orderBy(number);
    const walk = order.history.map(({ to }: any) => to).join();
    const { status } = answers[index] ?? { status: 0 };
    if (status === 200) assert.equal(walk, '0,1', `${number} was paid`);
    else {
      assert.equal(status, 409);
      assert.equal(answers[index]?.json.code, 'invalid_transition');
      assert.equal(walk, '0,88', `${number} had expired`);
      late.push(number);
    }
  }
  const stock = await make.stock(variant);
  assert.equal(stock.unshipped, numbers.length - late.length);
  // Ensures at least one late payment, whatever the result of the race.
  if (late.length === 0) {
    const [number = ''] = await waiting(channel, sku, 1, 1);
    await expire();
    assert.equal((await call('POST', `/orders/${number}/status`, { status: 1 })).status, 409);
    late.push(number);
  }
  await until(async () => {
    const shown = await must(
      admin('GET', `/late-reports?channel_id=${channel.id}&kind=report_after_cancel&limit=500`),
      200,
    );
    const found = shown.filter((one: any) => one.expired && one.requested_status === 1);
    return late.every((number) => found.some((one: any) => one.order_number === number));
  }, 'every late payment in the list of late reports');
});

test('a run expires all due orders in small batches, and new orders are accepted meanwhile', async () => {
  const { channel, variant, sku } = await make.setting(1_000, { prepayment_expiry_minutes: 1 });
  const numbers = await waiting(channel, sku, 130, 1);
  const running = expire();
  const orders = await Promise.all(
    Array.from({ length: 20 }, () =>
      channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    ),
  );
  await running;
  assert.ok(orders.every(({ status }) => status === 201));
  assert.equal((await make.stock(variant)).unshipped, 20);
  const [left] = await query<{ n: number }>(
    database.url,
    'select count(*)::int as n from orders where order_number = any($1) and status <> 88',
    [numbers],
  );
  assert.equal(left?.n, 0);
});
