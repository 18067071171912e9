// The list of open backorders, and which of them could ship with the current stock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { outlookOf, type WaitingBackorder } from '../src/features/backorders/rules.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { desk, refusal } from './kit/desk.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, pages, token } = desk(service);

const backorder = async (channel: TestChannel, lines: [string, number][], fields: object = {}) => {
  const items = lines.map(([sku, quantity]) => ({ sku, quantity, unit_price: 1 }));
  return must(channel.call('POST', '/orders', orderOf(items, { is_backorder: true, ...fields })), 201);
};
const listed = (query = '') => pages(`/backorders${query}`, 500);

test('backorders get the stock that normal orders leave, oldest first; an unpaid or short order takes nothing', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const alias = await make.map(channel, variant);
  const other = await make.channel();
  const theirs = await make.map(other, variant);
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 4, unit_price: 1 }])), 201);
  const big = await backorder(channel, [
    [sku, 5],
    [alias, 3],
  ]);
  const unpaid = await backorder(channel, [[sku, 1]], { status: 0 });
  const fits = await backorder(other, [[theirs, 5]]);
  const late = await backorder(channel, [[sku, 2]]);
  const rows = await listed();
  assert.deepEqual(
    rows.map(({ id, can_ship, items }) => [id, can_ship, items[0].quantity, items[0].missing, items[0].free]),
    [
      [big.id, false, 8, 2, 6],
      [unpaid.id, false, 1, 0, 6],
      [fits.id, true, 5, 0, 6],
      [late.id, false, 2, 1, 6],
    ],
  );
  assert.deepEqual(rows[0].items[0].skus, [sku, alias]);
  assert.deepEqual(
    (await listed(`?channel_id=${channel.id}`)).map(({ id }) => id as number),
    [big.id, unpaid.id, late.id],
  );
  assert.deepEqual(
    (await listed('?can_ship=true')).map(({ id }) => id as number),
    [fits.id],
  );
  for (const search of [alias, variant.code.toLowerCase(), big.order_number])
    assert.ok(
      (await listed(`?search=${search}`)).some(({ id }) => id === big.id),
      search,
    );
  assert.deepEqual(await listed('?search=nothing-like-it'), []);
  assert.deepEqual(
    (await pages('/backorders', 1)).map(({ id }) => id as number),
    rows.map(({ id }) => id as number),
  );

  const items = await pages('/backorders/items', 1);
  assert.deepEqual(
    items.map(({ channel_id, order_count, quantity, can_ship_quantity, free }) => [
      channel_id,
      order_count,
      quantity,
      can_ship_quantity,
      free,
    ]),
    [
      [channel.id, 3, 11, 0, 6],
      [other.id, 1, 5, 5, 6],
    ],
  );
  assert.equal((await pages(`/backorders/items?channel_id=${other.id}`, 50)).length, 1);

  // The gate ships an order that is listed as shippable; then it is no longer listed.
  await must(admin('POST', `/orders/${fits.id}/status`, { status: 3, tracking_number: 'T' }), 200);
  await must(admin('POST', `/orders/${unpaid.id}/status`, { status: 88 }), 200);
  assert.deepEqual(
    (await listed()).map(({ id, can_ship }) => [id, can_ship]),
    [
      [big.id, false],
      [late.id, false],
    ],
  );
  assert.equal((await admin('GET', '/backorders', undefined, await token('viewer'))).status, 200);
  await refusal(admin('GET', '/backorders?cursor=x'), 422);
});

test('shippable backorders together never need more than the stock; the others wait only for payment or missing stock', () => {
  const needs = fc
    .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 5 })), {
      selector: ([variant]) => variant,
      minLength: 1,
    })
    .map((pairs) => new Map(pairs));
  const orders = fc.array(fc.record({ is_paid: fc.boolean(), needs }), { maxLength: 12 });
  const stock = fc.dictionary(fc.constantFrom('1', '2', '3'), fc.nat({ max: 12 }));
  fc.assert(
    fc.property(orders, stock, (list, free) => {
      const waiting: WaitingBackorder[] = list.map((order, id) => ({ id, ...order }));
      const shelf = new Map(Object.entries(free).map(([id, n]) => [Number(id), n]));
      const outlooks = outlookOf(waiting, shelf);
      const taken = (variant: number, before: number): number =>
        waiting
          .filter(({ id }) => id < before && outlooks.get(id)?.can_ship === true)
          .reduce((sum, order) => sum + (order.needs.get(variant) ?? 0), 0);
      for (const variant of [1, 2, 3]) assert.ok(taken(variant, waiting.length) <= (shelf.get(variant) ?? 0));
      for (const { id, is_paid, needs: wanted } of waiting) {
        const short = [...wanted].filter(
          ([variant, n]) => n > (shelf.get(variant) ?? 0) - taken(variant, id),
        );
        assert.equal(outlooks.get(id)?.can_ship, is_paid && short.length === 0);
        assert.equal(outlooks.get(id)?.missing.size, short.length);
      }
    }),
  );
});
