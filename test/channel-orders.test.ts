// Contract 4.3: which orders are accepted, and which are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCareful, assertInvalid, assertRefused } from './kit/answers.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { query } from '../verify/kit/connection.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

const send = (channel: TestChannel, order: unknown) => channel.call('POST', '/orders', order);
const report = (channel: TestChannel, number: string, body: object) =>
  channel.call('POST', `/orders/${encodeURIComponent(number)}/status`, body);
const stored = (id: number) => must(service.admin('GET', `/orders/${id}`), 200);
const line = (sku: string, quantity = 1, unit_price = 1) => ({ sku, quantity, unit_price });

/** Everything that an order could change. */
async function traces(): Promise<unknown> {
  const { rows } = await service.service.services.pool.query({
    text: `select (select count(*) from orders) as orders, (select count(*) from order_item) as items,
                  (select count(*) from order_history) as history, (select count(*) from stock_movement) as movements,
                  (select coalesce(sum(unshipped + backordered + allocated), 0) from stock) as holds,
                  (select coalesce(sum(allocated_qty + backordered_qty), 0) from allocation) as shares,
                  (select count(*) from allocation) as allocations`,
  });
  return rows[0];
}

/** Asserts that a request leaves no trace: no order, no held stock, no history. */
async function withoutTrace(run: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  const before = await traces();
  const answer = await run();
  assert.deepEqual(await traces(), before, `${answer.status} left a trace`);
  return answer;
}

test('contract 4.3.22: a first intake is 201 with the order of contract 2.4, its fields in the order of the table', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const order = orderOf([line(sku, 3, 15000)], {
    recipient_name: 'Kim "Min\\ji" 김민지 Rene\u0301 😀\n\u2028',
  });
  const answer = await send(channel, order);
  assert.equal(answer.status, 201, answer.text);
  assertCareful(answer);
  const { id, created_at } = answer.json.data;
  assert.ok(Number.isInteger(id));
  assert.equal(
    JSON.stringify(answer.json),
    JSON.stringify({
      data: {
        id,
        order_number: order.order_number,
        status: 1,
        total_amount: '45000.00',
        recipient_name: order.recipient_name,
        items: [
          {
            product_code: variant.product,
            product_name: `Product ${variant.product}`,
            quantity: 3,
            unit_price: '15000.00',
          },
        ],
        created_at,
      },
    }),
  );
  assert.equal((await stored(id)).order_number, order.order_number);
});

test('contract 2.4.8a: an order keeps the code and name of its products as they were at its intake', async () => {
  const { channel, variant, sku } = await make.setting();
  const order = orderOf([line(sku), line(sku)]);
  const taken = await must(send(channel, order), 201);
  const names = (data: { items: { product_name: string }[] }) =>
    new Set(data.items.map(({ product_name }) => product_name));
  const [then] = names(taken);
  await must(service.admin('PATCH', `/products/${variant.product}`, { name: 'Renamed 2' }), 200);
  const next = await must(send(channel, orderOf([line(sku)])), 201);
  assert.deepEqual(names(next), new Set(['Renamed 2']));
  await service.service.services.pool.query({
    text: `update product set name = 'Renamed 3' where code = '${variant.product}'`,
  });
  assert.deepEqual(names(await must(send(channel, order), 200)), new Set([then]));
  assert.deepEqual(
    names(await must(report(channel, order.order_number, { status: 2 }), 200)),
    new Set([then]),
  );
  assert.deepEqual(names(await stored(taken.id)), new Set([then]));
  assert.deepEqual(names(await stored(next.id)), new Set(['Renamed 2']));
  const { json } = await channel.call('GET', '/inventory');
  assert.equal(json.data[0].product_name, 'Renamed 3');
});

test('contract 2.4.8a: an order from before product versions existed keeps the names of that time', async () => {
  const { channel, variant, sku } = await make.setting();
  const order = orderOf([line(sku)]);
  const taken = await must(send(channel, order), 201);
  await query(
    service.database.ownerUrl,
    'update order_item set product_version_id = null where order_id = $1',
    [taken.id],
  );
  await must(service.admin('PATCH', `/products/${variant.product}`, { name: 'Renamed' }), 200);
  assert.deepEqual((await must(send(channel, order), 200)).items, taken.items);
  assert.equal((await stored(taken.id)).items[0].product_name, taken.items[0].product_name);
});

test('contract 2.4.11a: created_at is now, in seconds, with the offset of the configured zone', async () => {
  const { channel, sku } = await make.setting();
  const { created_at } = await must(send(channel, orderOf([line(sku)])), 201);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
});

test('contract 2.4.7: product_code of a line is the product-level code, not the variant code of the stock list', async () => {
  const { channel, variant, sku } = await make.setting();
  const { items } = await must(send(channel, orderOf([line(sku)])), 201);
  assert.equal(items[0].product_code, variant.product);
  const { json } = await channel.call('GET', '/inventory');
  assert.equal(json.data[0].product_code, variant.code);
});

test('contract 1.1.4: accepting an order lowers sellable stock, not physical stock', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await must(send(channel, orderOf([line(sku, 4)])), 201);
  const { quantity, unshipped, common_available } = await make.stock(variant);
  assert.deepEqual(
    { quantity, unshipped, common_available },
    { quantity: 10, unshipped: 4, common_available: 6 },
  );
  const ledger = await must(service.admin('GET', `/stock/${variant.code}/movements`), 200);
  assert.equal(ledger.length, 1, 'only the set-up moved physical stock');
});

test('contract 3.2.1 to 3.2.3, 4.3.22a: status omitted, null or 1 gives 1; 0 gives 0 and shows 0', async () => {
  const { channel, sku } = await make.setting();
  for (const [fields, status] of [
    [{}, 1],
    [{ status: null }, 1],
    [{ status: 1 }, 1],
    [{ status: 0 }, 0],
  ] as const) {
    const data = await must(send(channel, orderOf([line(sku)], fields)), 201);
    assert.equal(data.status, status);
    const { history } = await stored(data.id);
    assert.deepEqual(
      history.map((step: { from: unknown; to: number; source: string }) => [step.from, step.to, step.source]),
      [[null, status, 'channel']],
    );
  }
});

test('contract 8.10: any other status at intake is a validation error', async () => {
  const { channel, sku } = await make.setting();
  for (const status of [2, 9, 3, 88, -1, 1.5, '1', '0', true, false, [], {}, 2147483648]) {
    const answer = await withoutTrace(() => send(channel, orderOf([line(sku)], { status })));
    assertInvalid(answer, 'status');
  }
});

test('contract 4.3.1, 4.3.2: a resend is 200 with the existing order, byte for byte, and holds no more stock', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const order = orderOf([line(sku, 4)]);
  const first = await send(channel, order);
  assert.equal(first.status, 201);
  const again = await withoutTrace(() => send(channel, order));
  assert.equal(again.status, 200);
  assert.equal(again.text, first.text);
  assert.equal((await make.stock(variant)).unshipped, 4);
});

test('contract 4.3.1a: a resend returns the stored order after sell-out, remapping, loss of the stock row, and unmapping', async () => {
  const { channel, variant, sku } = await make.setting(5);
  const order = orderOf([line(sku, 5)]);
  const first = await send(channel, order);
  assert.equal(await make.available(channel, sku), 0, 'sold out');
  assert.deepEqual(
    [(await send(channel, order)).status, (await send(channel, order)).text],
    [200, first.text],
  );
  await make.map(channel, await make.variant(3), sku);
  assert.equal((await send(channel, order)).text, first.text, 'remapped');
  await make.map(channel, await make.variant(null), sku);
  assert.equal((await send(channel, order)).text, first.text, 'remapped to an item without stock row');
  await must(service.admin('DELETE', `/channels/${channel.id}/mappings/${sku}`), 204);
  const again = await send(channel, order);
  assert.deepEqual([again.status, again.text], [200, first.text], 'unmapped');
  assert.equal((await make.stock(variant)).unshipped, 5);
  await must(report(channel, order.order_number, { status: 88 }), 200);
  assert.equal((await send(channel, order)).status, 200, 'unmapped and cancelled');
});

test('contract 4.3.1a: a resend shows the current status of the order, also cancelled and shipped', async () => {
  const { channel, sku } = await make.setting(10);
  for (const [body, status] of [
    [{ status: 88 }, 88],
    [{ status: 3, tracking_number: 'T' }, 3],
    [{ status: 9 }, 9],
  ] as const) {
    const order = orderOf([line(sku, 1)]);
    const { data } = (await send(channel, order)).json;
    await must(report(channel, order.order_number, body), 200);
    const again = await withoutTrace(() => send(channel, order));
    assert.equal(again.status, 200);
    assert.deepEqual(again.json.data, { ...data, status });
  }
});

test('contract 4.3.1a: a resend returns the stored order, whatever its body says', async () => {
  const { channel, sku } = await make.setting(10);
  const order = orderOf([line(sku, 2, 10)]);
  const first = await send(channel, order);
  const others = [
    { status: 0 },
    { is_backorder: true },
    { recipient_name: 'Somebody Else', shipping_address: 'Elsewhere', tracking_number: 'T9' },
    { items: [line(sku, 9_999)] },
    { items: [line('UNMAPPED', 1)] },
    { items: [line(sku, 1), line(sku, 1), line('UNMAPPED', 3)] },
  ];
  for (const fields of others) {
    const again = await withoutTrace(() => send(channel, { ...order, ...fields }));
    assert.deepEqual([again.status, again.text], [200, first.text], JSON.stringify(fields));
  }
});

test('contract 4.3.9a: the body is validated before a resend is recognized', async () => {
  const { channel, sku } = await make.setting();
  const order = orderOf([line(sku)]);
  await must(send(channel, order), 201);
  assertInvalid(await send(channel, { ...order, items: [] }), 'items');
  assertInvalid(await send(channel, { ...order, status: 2 }), 'status');
  assertInvalid(await send(channel, { order_number: order.order_number }));
});

test('contract 4.3.2: a refused order does not use up its number: the same number is accepted once there is stock', async () => {
  const { channel, variant, sku } = await make.setting(1);
  const order = orderOf([line(sku, 2)]);
  assertRefused(await send(channel, order), 422, sku);
  await make.setStock(variant, 2);
  assert.equal((await send(channel, order)).status, 201);
});

test('contract 4.3.2: order numbers differ by any character: case, surrounding spaces, accents', async () => {
  const { channel, sku } = await make.setting();
  const number = unique('Ord-É');
  const numbers = [number, number.toLowerCase(), ` ${number}`, `${number} `, number.normalize('NFD')];
  const ids = new Set<number>();
  for (const order_number of numbers) {
    const order = orderOf([line(sku)], { order_number });
    const data = await must(send(channel, order), 201);
    assert.equal(data.order_number, order_number);
    assert.deepEqual(await must(send(channel, order), 200), data);
    ids.add(data.id);
  }
  assert.equal(ids.size, numbers.length);
});

test('contract 4.3.3a: an order number of another channel is 500 with a generic text, and changes nothing', async () => {
  const a = await make.setting(10);
  const b = await make.setting(10);
  const order = orderOf([line(a.sku, 2)]);
  const first = await send(a.channel, order);
  const clash = await withoutTrace(() => send(b.channel, { ...order, items: [line(b.sku, 3)] }));
  assertRefused(clash, 500);
  assert.ok(!clash.text.includes(order.order_number));
  assert.doesNotMatch(clash.text, /order|number|channel|exist|duplicate|unique|taken/i);
  assert.equal(await make.available(b.channel, b.sku), 10);
  assertRefused(await report(b.channel, order.order_number, { status: 88 }), 404, order.order_number);
  const again = await send(a.channel, order);
  assert.deepEqual([again.status, again.text], [200, first.text], 'the owner of the number is not affected');
  assert.equal(
    (await send(b.channel, orderOf([line(b.sku, 3)]))).status,
    201,
    'the other channel can still order',
  );
});

test('contract 4.3.3b: a refused order with a number of another channel is answered like one with a free number', async () => {
  const a = await make.setting(10);
  const b = await make.setting(3);
  const unstocked = await make.map(b.channel, await make.variant(null));
  await make.allocate(b.channel, b.variant, 0, 2);
  const taken = orderOf([line(a.sku)]);
  await must(send(a.channel, taken), 201);
  const wanted: [sku: string, quantity: number, is_backorder: boolean, reason: string][] = [
    ['nowhere', 1, false, 'sku_unmapped'],
    [unstocked, 1, false, 'stock_missing'],
    [b.sku, 4, false, 'stock_insufficient'],
    [b.sku, 3, true, 'quota_insufficient'],
  ];
  const names = (answer: HttpAnswer) => [...answer.headers.keys()];
  for (const [sku, quantity, is_backorder, reason] of wanted) {
    const order = (order_number: string) => orderOf([line(sku, quantity)], { order_number, is_backorder });
    const [known, free] = [
      await withoutTrace(() => send(b.channel, order(taken.order_number))),
      await withoutTrace(() => send(b.channel, order(unique('FREE')))),
    ];
    assert.deepEqual([known.status, known.text, names(known)], [422, free.text, names(free)]);
    assert.equal(known.headers.get('sluice-error'), reason);
  }
  assert.equal((await send(b.channel, { ...taken, items: [line(b.sku, 3)] })).status, 500);
  await make.setStock(b.variant, 0);
  assert.equal((await send(b.channel, { ...taken, items: [line(b.sku, 3)] })).status, 422);
  assert.equal((await send(a.channel, taken)).status, 200);
});

test('contract 4.3.3a: requests in flight are not affected by a clash of order numbers', async () => {
  const a = await make.setting(1_000);
  const b = await make.setting(1_000);
  const taken = orderOf([line(a.sku)]);
  await must(send(a.channel, taken), 201);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 6 === 0
        ? send(b.channel, { ...taken, items: [line(b.sku)] })
        : send(b.channel, orderOf([line(b.sku)])),
    ),
  );
  for (const [index, answer] of answers.entries()) assert.equal(answer.status, index % 6 === 0 ? 500 : 201);
  assert.equal(await make.available(b.channel, b.sku), 950);
});

test('contract 7.11: an unmapped SKU is 422 with its name; another channel’s SKU is unmapped', async () => {
  const { channel, sku } = await make.setting();
  const other = await make.setting();
  for (const name of ['NOPE', other.sku, sku.toLowerCase(), '__proto__', 'constructor']) {
    const answer = await withoutTrace(() => send(channel, orderOf([line(name)])));
    assertRefused(answer, 422, name);
    const backorder = await withoutTrace(() => send(channel, orderOf([line(name)], { is_backorder: true })));
    assertRefused(backorder, 422, name);
  }
});

test('contract 7.12: a missing stock row is 422 with the SKU, for a backorder too', async () => {
  const { channel, sku } = await make.setting(null);
  for (const is_backorder of [false, true]) {
    const answer = await withoutTrace(() => send(channel, orderOf([line(sku)], { is_backorder })));
    assertRefused(answer, 422, sku);
  }
});

test('contract 4.3.6, 7.13: too little stock is 422 with SKU, requested and available; exactly the available quantity is accepted', async () => {
  const { channel, sku } = await make.setting(5);
  const short = await withoutTrace(() => send(channel, orderOf([line(sku, 8)])));
  assertRefused(short, 422, sku, 'requested 8', 'available 5');
  assert.equal((await send(channel, orderOf([line(sku, 5)]))).status, 201);
  assertRefused(await send(channel, orderOf([line(sku)])), 422, sku, 'requested 1', 'available 0');
});

test('contract 4.3.6, 2.3.2: a refusal counts the pre-allocation of the own channel, not those of other channels', async () => {
  const { channel: a, variant, sku } = await make.setting(10);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  await make.allocate(a, variant, 4);
  assertRefused(await send(b, orderOf([line(skuB, 7)])), 422, skuB, 'requested 7', 'available 6');
  assertRefused(await send(a, orderOf([line(sku, 11)])), 422, sku, 'requested 11', 'available 10');
  assert.equal((await send(a, orderOf([line(sku, 10)]))).status, 201);
});

test('contract 4.3.5: 3 of one alias and 2 of another count as 5, and so do repeated lines', async () => {
  const { channel, variant, sku } = await make.setting(4);
  const alias = await make.map(channel, variant);
  for (const lines of [
    [line(sku, 3), line(alias, 2)],
    [line(sku, 3), line(sku, 2)],
    [line(sku, 1), line(alias, 1), line(sku, 1), line(alias, 1), line(sku, 1)],
  ]) {
    const answer = await withoutTrace(() => send(channel, orderOf(lines)));
    assertRefused(answer, 422, sku, 'requested 5', 'available 4');
  }
  await must(send(channel, orderOf([line(sku, 2), line(alias, 1), line(sku, 1)])), 201);
  assert.equal(await make.available(channel, alias), 0);
});

test('contract 4.3.5, 4.3.8: the lines of a backorder are summed for the quota as well', async () => {
  const { channel, variant, sku } = await make.setting(0);
  const alias = await make.map(channel, variant);
  await make.allocate(channel, variant, 0, 4);
  const lines = [line(sku, 3), line(alias, 2)];
  const answer = await withoutTrace(() => send(channel, orderOf(lines, { is_backorder: true })));
  assertRefused(answer, 422, sku, 'requested 5', 'remaining 4');
});

test('contract 4.3.5a: several lines of one SKU stay separate lines, in request order, with their own price', async () => {
  const { channel, sku } = await make.setting();
  const order = orderOf([line(sku, 2, 100), line(sku, 1, 200), line(sku, 4, 50)]);
  const data = await must(send(channel, order), 201);
  assert.deepEqual(
    data.items.map((item: { quantity: number; unit_price: string }) => [item.quantity, item.unit_price]),
    [
      [2, '100.00'],
      [1, '200.00'],
      [4, '50.00'],
    ],
  );
  assert.equal(data.total_amount, '600.00');
  assert.deepEqual(await must(send(channel, order), 200), data, 'the same lines when it is sent again');
});

test('contract 4.3.9a: a refusal names the first failing line in request order', async () => {
  const channel = await make.channel();
  const [good, small, tiny, bare] = await Promise.all(
    [100, 5, 1, null].map(async (quantity) => make.map(channel, await make.variant(quantity))),
  );
  assert.ok(good !== undefined && small !== undefined && tiny !== undefined && bare !== undefined);
  const refused = async (lines: object[], named: string, ...never: string[]) => {
    const answer = await withoutTrace(() => send(channel, { ...orderOf([]), items: lines }));
    assertRefused(answer, 422, named);
    for (const sku of never) assert.ok(!answer.json.error.includes(sku), answer.json.error);
  };
  await refused([line(good), line('GONE-1'), line('GONE-2')], 'GONE-1', 'GONE-2', good);
  await refused([line(good), line(small, 6), line(tiny, 2)], small, tiny, good);
  await refused([line(good), line(tiny, 2), line(small, 6)], tiny, small, good);
  await refused([line(bare), line('GONE-1')], bare, 'GONE-1');
  await refused([line('GONE-1'), line(bare)], 'GONE-1', bare);
  // Mappings and stock rows of all lines are checked before any stock or quota.
  await refused([line(tiny, 2), line('GONE-1')], 'GONE-1', tiny);
  await refused([line(tiny, 2), line(bare)], bare, tiny);
  // A demand summed over several lines fails at its first line.
  await refused([line(small, 3), line(tiny, 2), line(small, 3)], small, tiny);
});

test('one bad line refuses the whole order, and its good lines hold no stock', async () => {
  const { channel, sku } = await make.setting(10);
  const short = await make.map(channel, await make.variant(1));
  for (const bad of [line(short, 2), line('GONE')]) {
    assertRefused(await withoutTrace(() => send(channel, orderOf([line(sku, 3), bad]))), 422, bad.sku);
  }
  assert.equal(await make.available(channel, sku), 10);
});

test('contract 4.3.7, 4.3.7a: a backorder is accepted beyond the stock, and draws on no stock or pre-allocation', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 4);
  const { id } = await must(send(channel, orderOf([line(sku, 25)], { is_backorder: true })), 201);
  const stock = await make.stock(variant);
  const { quantity, unshipped, allocated, backordered, common_available } = stock;
  assert.deepEqual(
    { quantity, unshipped, allocated, backordered, common_available },
    { quantity: 10, unshipped: 0, allocated: 4, backordered: 25, common_available: 0 },
  );
  assert.equal(stock.channels[0].backordered_qty, 25);
  const order = await stored(id);
  assert.equal(order.is_backorder, true);
  assert.equal(order.items[0].from_allocation, 0);
  assert.equal(await make.available(channel, sku), 4, 'the pre-allocation stays');
});

test('contract 4.3.7a: a backorder that the stock could cover is still a backorder', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await must(send(channel, orderOf([line(sku, 3)], { is_backorder: true })), 201);
  const { unshipped, backordered } = await make.stock(variant);
  assert.deepEqual({ unshipped, backordered }, { unshipped: 0, backordered: 3 });
  assert.equal(await make.available(channel, sku), 7, 'it lowers the available stock');
});

test('contract 4.3.8, 7.14: a quota above 0 is a limit: exactly the remainder is accepted, one more is refused', async () => {
  const { channel, variant, sku } = await make.setting(100);
  await make.allocate(channel, variant, 0, 10);
  const backorder = (quantity: number) =>
    send(channel, orderOf([line(sku, quantity)], { is_backorder: true }));
  assertRefused(await withoutTrace(() => backorder(11)), 422, sku, 'requested 11', 'remaining 10');
  assert.equal((await backorder(6)).status, 201);
  assertRefused(await withoutTrace(() => backorder(5)), 422, sku, 'requested 5', 'remaining 4');
  assert.equal((await backorder(4)).status, 201);
  assertRefused(await withoutTrace(() => backorder(1)), 422, sku, 'requested 1', 'remaining 0');
  assert.equal(
    (await send(channel, orderOf([line(sku, 5)]))).status,
    201,
    'the quota does not apply to normal orders',
  );
});

test('contract 4.3.8: with quota 0, or without an allocation, there is no limit', async () => {
  const { channel, variant, sku } = await make.setting(0);
  const huge = orderOf([line(sku, 1_000_000)], { is_backorder: true });
  assert.equal((await send(channel, huge)).status, 201, 'no allocation');
  await make.allocate(channel, variant, 3, 0);
  assert.equal((await send(channel, { ...huge, order_number: unique('ORD') })).status, 201, 'quota 0');
  await make.allocate(channel, variant, 3, 5);
  const limited = await send(channel, orderOf([line(sku)], { is_backorder: true }));
  assertRefused(limited, 422, sku, 'requested 1', 'remaining 0');
});

test('contract 4.3.7b: an order as a whole is either a backorder or normal', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const other = await make.variant(0);
  const otherSku = await make.map(channel, other);
  const lines = [line(sku, 1), line(otherSku, 1)];
  assertRefused(await send(channel, orderOf(lines)), 422, otherSku);
  await must(send(channel, orderOf(lines, { is_backorder: true })), 201);
  assert.equal((await make.stock(variant)).backordered, 1);
  assert.equal((await make.stock(other)).backordered, 1);
});

test('contract 4.3.17: is_backorder is a strict boolean; null counts as false', async () => {
  const { channel, sku } = await make.setting(0);
  for (const is_backorder of [1, 0, 'true', 'false', '', [], {}]) {
    assertInvalid(await send(channel, orderOf([line(sku)], { is_backorder })), 'is_backorder');
  }
  for (const is_backorder of [null, false]) {
    assertRefused(await send(channel, orderOf([line(sku)], { is_backorder })), 422, sku);
  }
});

test('contract 2.3.2a: the quantity that the common stock cannot cover is drawn from the pre-allocation, and recorded per line', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 6);
  const { id } = await must(send(channel, orderOf([line(sku, 3), line(sku, 4)])), 201);
  const { items } = await stored(id);
  const drawn = items.map((item: { from_allocation: number }) => item.from_allocation);
  assert.equal(drawn[0] + drawn[1], 3, '7 ordered, 4 common');
  assert.equal((await make.stock(variant)).channels[0].allocated_qty, 3);
  assert.equal(await make.available(channel, sku), 3);
});

test('contract 2.2.1a: an order keeps its internal SKU: after a remapping, a cancellation returns the stock of the old item', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const order = orderOf([line(sku, 4)]);
  const { id } = await must(send(channel, order), 201);
  const other = await make.variant(10);
  await make.map(channel, other, sku);
  assert.deepEqual([(await make.stock(variant)).unshipped, (await make.stock(other)).unshipped], [4, 0]);
  assert.equal((await stored(id)).items[0].variant_code, variant.code);
  await must(report(channel, order.order_number, { status: 88 }), 200);
  assert.deepEqual([(await make.stock(variant)).unshipped, (await make.stock(other)).unshipped], [0, 0]);
});

test('contract 2.5: an order is stored exactly as it was received', async () => {
  const { channel, variant, sku } = await make.setting();
  const order = orderOf([line(sku, 2, 10.5)], {
    recipient_name: ' Ünïcode 김 "\'\\ ',
    recipient_phone: ' +82 (0)10-1234-5678 ',
    shipping_address: ' Line 1\nLine 2\t$1 {}, NULL; drop table orders; --\n',
    tracking_number: ' TRACK-😀\t',
  });
  const { id } = await must(send(channel, order), 201);
  const whole = await stored(id);
  for (const field of [
    'order_number',
    'recipient_name',
    'recipient_phone',
    'shipping_address',
    'tracking_number',
  ])
    assert.equal(whole[field], order[field as keyof typeof order], field);
  assert.equal(whole.channel_id, channel.id);
  assert.equal(whole.is_backorder, false);
  assert.equal(whole.items[0].sku, sku);
  assert.equal(whole.items[0].variant_code, variant.code);
  assert.equal(whole.items[0].cancelled_quantity, 0);
});

const TEXT_FIELDS = [
  { field: 'order_number', max: 100, required: true },
  { field: 'recipient_name', max: 100, required: true },
  { field: 'recipient_phone', max: 30, required: true },
  { field: 'shipping_address', max: 500, required: true },
  { field: 'tracking_number', max: 100, required: false },
] as const;

for (const { field, max, required } of TEXT_FIELDS) {
  test(`contract 8.1 to 8.5: ${field} has at most ${max} characters, counted as Unicode characters`, async () => {
    const { channel, sku } = await make.setting();
    const tail = field === 'order_number' ? unique('') : '';
    for (const character of ['x', '가', '😀']) {
      const fits = character.repeat(max - tail.length) + tail;
      const data = await must(send(channel, orderOf([line(sku)], { [field]: fits })), 201);
      assert.equal((await stored(data.id))[field], fits);
      const tooLong = orderOf([line(sku)], { [field]: character + fits });
      assertInvalid(await withoutTrace(() => send(channel, tooLong)), field);
    }
  });

  test(`contract 4.3.11 to 4.3.15: ${field} is ${required ? 'required and not blank' : 'optional, null counts as absent'}`, async () => {
    const { channel, sku } = await make.setting();
    const { [field]: _left, ...without } = orderOf([line(sku)], { [field]: 'x' }) as Record<string, unknown>;
    const number = () => (field === 'order_number' ? {} : { order_number: unique('ORD') });
    for (const value of [undefined, null]) {
      const answer = await send(channel, {
        ...without,
        ...number(),
        ...(value === null ? { [field]: null } : {}),
      });
      if (required) assertInvalid(answer, field);
      else assert.equal(answer.json.data && (await stored(answer.json.data.id))[field], null);
    }
    const wrong: unknown[] = [7, true, ['x'], { x: 1 }, 'a\0b', '\ud83d', '\udc00x'];
    for (const value of [
      ...wrong,
      ...(required ? ['', ' ', '\t\n', '\u3000', '\u200b', '\u3164 \u00ad'] : []),
    ]) {
      const answer = await withoutTrace(() => send(channel, { ...without, ...number(), [field]: value }));
      assertInvalid(answer, field);
    }
  });
}

test('contract 4.3.18: items is required, a list, and not empty; each element is an object with its three fields', async () => {
  const { channel, sku } = await make.setting();
  const { items: _items, ...without } = orderOf([]);
  assertInvalid(await send(channel, without), 'items');
  for (const items of [null, [], {}, 'x', 1, true]) {
    assertInvalid(await send(channel, { ...without, items }), 'items');
  }
  for (const element of [null, 1, 'x', [], [sku, 1, 1]]) {
    assertInvalid(await send(channel, { ...without, items: [line(sku), element] }), 'items.1');
  }
  const empty = await send(channel, { ...without, items: [{}] });
  assertInvalid(empty, 'items.0.sku', 'items.0.quantity', 'items.0.unit_price');
  const nulls = { sku: null, quantity: null, unit_price: null };
  assertInvalid(
    await send(channel, { ...without, items: [line(sku), nulls] }),
    'items.1.sku',
    'items.1.quantity',
    'items.1.unit_price',
  );
});

test('contract 8.7a: a SKU has at most 100 characters: 100 are looked up, 101 are invalid', async () => {
  const { channel, variant } = await make.setting();
  const longest = '😀'.repeat(100);
  await make.map(channel, variant, longest);
  assert.equal((await send(channel, orderOf([line(longest)]))).status, 201);
  assertInvalid(await send(channel, orderOf([line(`${longest}x`)])), 'items.0.sku');
  for (const sku of ['', ' ', 'a\0', '\ud800'])
    assertInvalid(await send(channel, orderOf([line(sku)])), 'items.0.sku');
});

test('contract 8.7a: 1,000 lines are accepted, 1,001 are invalid', async () => {
  const { channel, variant, sku } = await make.setting(2_000);
  const lines = Array.from({ length: 1_000 }, (_, index) => line(sku, 1, index));
  const data = await must(send(channel, orderOf(lines)), 201);
  assert.equal(data.items.length, 1_000);
  assert.deepEqual(
    data.items.map((item: { unit_price: string }) => item.unit_price),
    lines.map(({ unit_price }) => `${unit_price}.00`),
  );
  assert.equal((await make.stock(variant)).unshipped, 1_000);
  assertInvalid(await withoutTrace(() => send(channel, orderOf([...lines, line(sku)]))), 'items');
});

test('contract 8.8, 8.8a: quantity is an integer from 1 to 2147483647', async () => {
  const { channel, sku } = await make.setting(5);
  for (const quantity of [0, -1, 1.5, 2147483648, 2 ** 53, 1e300, '3', '', true, null, [1]]) {
    const order = { ...orderOf([]), items: [{ sku, quantity, unit_price: 1 }] };
    assertInvalid(await withoutTrace(() => send(channel, order)), 'items.0.quantity');
  }
  assertRefused(await send(channel, orderOf([line(sku, 2147483647)])), 422, sku, 2147483647, 5);
  const body = JSON.stringify(orderOf([line(sku, 3)])).replace('"quantity":3', '"quantity":3.0');
  assert.equal((await send(channel, body)).status, 201, '3.0 is an integer');
});

test('contract 8.8a: sums beyond 32 bits are exact', async () => {
  const { channel, variant, sku } = await make.setting(2147483647);
  const twice = [line(sku, 2147483647), line(sku, 2147483647)];
  assertRefused(await send(channel, orderOf(twice)), 422, sku, 4294967294, 2147483647);
  const order = orderOf(twice, { is_backorder: true });
  await must(send(channel, order), 201);
  assert.equal((await make.stock(variant)).backordered, 4294967294);
  const short = await report(channel, order.order_number, { status: 3, tracking_number: 'T' });
  assert.equal(short.json.code, 'insufficient_stock');
  await must(report(channel, order.order_number, { status: 88 }), 200);
  assert.equal((await make.stock(variant)).backordered, 0);
});

test('contract 7.13a: a refusal for too little stock names at most five SKUs', async () => {
  const { channel, variant, sku } = await make.setting(1);
  const aliases = Array.from({ length: 11 }, (_, index) => `${sku}-${index}`);
  for (const alias of aliases) await make.map(channel, variant, alias);
  const all = [sku, ...aliases].map((each) => line(each));
  const text = `SKU ${sku} (with ${aliases.slice(0, 4).join(', ')} and 7 more): requested 12,`;
  assertRefused(await send(channel, orderOf(all)), 422, text);
  assertRefused(await send(channel, orderOf(all.slice(0, 5))), 422, `${sku}-3): requested 5,`);
  await make.allocate(channel, variant, 0, 1);
  assertRefused(await send(channel, orderOf(all, { is_backorder: true })), 422, 'and 7 more');
});

/** The price as JSON text, because a JavaScript number would rewrite it. */
const withPrice = (sku: string, price: string) =>
  JSON.stringify(orderOf([line(sku)])).replace('"unit_price":1', `"unit_price":${price}`);

test('contract 2.5.5, 8.9a: unit_price may be any spelling of a number, and is stored exactly as received', async () => {
  const { channel, sku } = await make.setting(1_000);
  const accepted: [string, string][] = [
    ['0', '0'],
    ['-0', '0'],
    ['0.0', '0'],
    ['0.1', '0.1'],
    ['1.10', '1.1'],
    ['1e3', '1000'],
    ['1E+3', '1000'],
    ['1000e-3', '1'],
    ['1.5e-3', '0.0015'],
    ['1e-7', '0.0000001'],
    ['1.00000000000000000000', '1'],
    ['99999999999999.9', '99999999999999.9'],
    ['0.123456789012345', '0.123456789012345'],
    ['999999999999999', '999999999999999'],
    ['1e14', '100000000000000'],
    ['1.5E2', '150'],
    ['0.1e1', '1'],
    ['33.333333333333336', '33.333333333333336'],
    ['33.333333333333333333', '33.333333333333333333'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1234567890123456e-2', '12345678901234.56'],
    ['999999999999999.999999999999999999999999999999', '999999999999999.999999999999999999999999999999'],
    ['1e-30', `0.${'0'.repeat(29)}1`],
    [`1.${'0'.repeat(40)}`, '1'],
    [`2.5${'0'.repeat(40)}`, '2.5'],
    [`123456789012345678${'0'.repeat(400)}e-417`, '1.23456789012345678'],
    [`0.${'0'.repeat(400)}5e400`, '0.5'],
    ['0e999999999', '0'],
    [`-0.${'0'.repeat(400)}`, '0'],
    [`0.${'0'.repeat(400)}e-5`, '0'],
  ];
  for (const [price, exact] of accepted) {
    const answer = await send(channel, withPrice(sku, price));
    assert.equal(answer.status, 201, `${price}: ${answer.text}`);
    const whole = await stored(answer.json.data.id);
    assert.equal(whole.items[0].local_unit_price, exact, price);
    assert.equal(whole.local_total_amount, exact, price);
    assert.match(answer.json.data.total_amount, /^\d+\.\d\d$/);
  }
});

test('contract 2.6.3a: nothing is rounded before the multiplication, and stored amounts have no trailing zeros', async () => {
  const { channel, sku } = await make.setting(1_000);
  const third = withPrice(sku, '33.333333333333333335').replace('"quantity":1', '"quantity":300');
  const data = await must(send(channel, third), 201);
  assert.deepEqual([data.total_amount, data.items[0].unit_price], ['10000.00', '33.33']);
  assert.equal((await stored(data.id)).local_total_amount, '10000.0000000000000005');
  const whole = await must(send(channel, orderOf([line(sku, 16, 1.5)])), 201);
  assert.equal((await stored(whole.id)).local_total_amount, '24');
});

test('contract 8.9, 8.9a: unit_price is a number from 0, below 10^15, of at most 30 decimals', async () => {
  const { channel, sku } = await make.setting();
  const refused = [
    '-1 -0.01 -1e-7',
    `1e15 1000000000000000 1e16 1e300 1e400 1e999999999 ${'9'.repeat(400)}`,
    '1234567890123456 9007199254740993 1234567890123456.7 -0.30000000000000000001',
    `1e-31 1e-400 1e-999999999 0.${'0'.repeat(30)}1 1.1234567890123456789012345678901`,
    '"1" "1.5" "" null true [] [1] {} "33.333333333333333333" {"a":33.333333333333333333}',
  ].flatMap((prices) => prices.split(' '));
  for (const price of refused) {
    const answer = await withoutTrace(() => send(channel, withPrice(sku, price)));
    assertInvalid(answer, 'items.0.unit_price');
  }
  for (const price of ['NaN', 'Infinity', '+1', '.5', '1.', '0x10', '01', '1_000', '1,5', '１']) {
    assertInvalid(await withoutTrace(() => send(channel, withPrice(sku, price))));
  }
});

test('contract 7.1a: every fault is listed under its dotted path; the message is the first fault and counts the others', async () => {
  const { channel, sku } = await make.setting();
  const answer = await send(channel, {
    order_number: `${'x'.repeat(101)}\0`, // two faults
    recipient_phone: 5,
    status: 2,
    is_backorder: 'no',
    items: [line(sku), { sku: '', quantity: 0, unit_price: -1 }],
  });
  assertInvalid(
    answer,
    'order_number',
    'recipient_name',
    'recipient_phone',
    'shipping_address',
    'status',
    'is_backorder',
    'items.1.sku',
    'items.1.quantity',
    'items.1.unit_price',
  );
  assert.match(answer.json.message, / \(and 9 more errors\)$/);
  const two = await send(channel, orderOf([line(sku, 0)], { status: 5 }));
  assert.match(two.json.message, / \(and 1 more error\)$/);
  const one = await send(channel, orderOf([line(sku, 0)]));
  assert.equal(one.json.message, one.json.errors['items.0.quantity'][0]);
});

test('contract 4.3.9a: the body is validated before SKU and stock are checked', async () => {
  const { channel, sku } = await make.setting(0);
  const answer = await send(channel, orderOf([line('GONE'), line(sku, 5)], { status: 7 }));
  assertInvalid(answer, 'status');
});

test('contract 7.1b: unknown fields are ignored at every level', async () => {
  const { channel, sku } = await make.setting();
  const order = {
    ...orderOf([]),
    id: 5,
    total_amount: '0.01',
    channel_id: 999,
    created_at: 'yesterday',
    exchange_rate: 7,
    history: [],
    items: [{ ...line(sku, 2, 10), from_allocation: 2, cancelled_quantity: 2, local_unit_price: 0, line: 9 }],
  };
  const data = await must(send(channel, order), 201);
  assert.equal(data.total_amount, '20.00');
  const whole = await stored(data.id);
  assert.equal(whole.channel_id, channel.id);
  assert.equal(whole.items[0].from_allocation, 0);
  assert.equal(whole.items[0].cancelled_quantity, 0);
});

test('contract 4.4.1: any order number can be used in a report, percent-encoded', async () => {
  const { channel, sku } = await make.setting();
  const tail = unique('');
  const numbers = [
    'a/b',
    'a%2Fb',
    '100%',
    'a b',
    'a+b',
    'a?b#c',
    '주문-1',
    '😀',
    'status',
    '/status',
    '__proto__',
  ];
  for (const order_number of numbers.map((number) => number + tail)) {
    await must(send(channel, orderOf([line(sku)], { order_number })), 201);
    const data = await must(report(channel, order_number, { status: 2 }), 200);
    assert.deepEqual([data.order_number, data.status], [order_number, 2]);
  }
});

test('contract 4.3.9: the intake decides, not an earlier read: of two concurrent orders for the last unit, one is accepted', async () => {
  const { channel, sku } = await make.setting(1);
  assert.equal(await make.available(channel, sku), 1);
  const answers = await Promise.all([1, 2].map(() => send(channel, orderOf([line(sku)]))));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 422]));
  for (const answer of answers) if (answer.status === 422) assertRefused(answer, 422, sku, 1, 0);
});
