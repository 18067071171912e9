// Rows that a batch waits for change while it waits: it goes on with what they are then, and misses none of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTransaction, query, until } from './kit/adverse.ts';
import { fixtures, must, orderOf } from './kit/fixtures.ts';
import { startTestService } from './kit/service.ts';

const service = await startTestService();
const { database } = service;
const make = fixtures(service);

const WAITING_GATES = `select 1 from pg_stat_activity
  where application_name = 'sluice-gate' and datname = current_database() and wait_event_type = 'Lock'`;

/** A channel with an order of several items, and its stock moved by somebody else, who has not committed yet. */
async function setting(count: number) {
  const channel = await make.channel();
  const variants = [];
  const lines = [];
  for (let index = 0; index < count; index++) {
    const variant = await make.variant(100);
    variants.push(variant);
    lines.push({ sku: await make.map(channel, variant), quantity: 2, unit_price: 1 });
  }
  const order = orderOf(lines);
  await must(channel.call('POST', '/orders', order), 201);
  const codes = variants.map(({ code }) => `'${code}'`).join();
  const ids = `(select id from variant where code in (${codes}))`;
  const other = await openTransaction(
    database.adminUrl,
    `update stock set quantity = quantity + 1 where variant_id in ${ids}`,
    `insert into stock_movement (variant_id, delta, quantity_after, kind, actor, reason)
     select id, 1, 101, 'adjustment', 'test', 'meanwhile' from variant where code in (${codes})`,
  );
  return { channel, variants, order, other };
}

for (const [name, status] of [
  ['cancelled', 88],
  ['shipped', 3],
] as const) {
  test(`an order is ${name} while its stock is being changed: no row is missed, the change is seen`, async () => {
    const { channel, variants, order, other } = await setting(4);
    const body = { status, tracking_number: 'T' };
    const report = channel.call('POST', `/orders/${order.order_number}/status`, body);
    await until(async () => (await query(database.adminUrl, WAITING_GATES)).length > 0, 'the batch waits');
    await other.end('commit');
    const answer = await report;
    assert.equal(answer.status, 200, answer.text);
    for (const variant of variants) {
      const stock = await make.stock(variant);
      assert.deepEqual([stock.quantity, stock.unshipped], [status === 3 ? 99 : 101, 0]);
    }
  });
}
