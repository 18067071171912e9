// Contract 2.3, 4.1 and 4.2: the stock that a channel may sell, as its list and lookups show it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCareful, assertRefused } from './kit/answers.ts';
import {
  fixtures,
  must,
  orderOf,
  unique,
  type TestChannel,
  type TestVariant,
} from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

const lookup = (channel: TestChannel, sku: string) =>
  channel.call('GET', `/inventory/${encodeURIComponent(sku)}`);

interface Row {
  sku: string;
  product_code: string;
  product_name: string;
  quantity: number;
  allocated: number;
  available: number;
  reserve_remaining: number;
}

/** Reads the whole list and compares each row with the single lookup (contract 4.1.3a). */
async function list(channel: TestChannel): Promise<Row[]> {
  const answer = await channel.call('GET', '/inventory');
  assert.equal(answer.status, 200, answer.text);
  assertCareful(answer);
  assert.deepEqual(Object.keys(answer.json), ['data']);
  const rows = answer.json.data as Row[];
  for (const { sku, available, reserve_remaining } of rows) {
    const single = await lookup(channel, sku);
    assert.deepEqual(single.json, { sku, available, reserve_remaining });
  }
  return rows;
}

async function rowOf(channel: TestChannel, sku: string): Promise<Row> {
  const row = (await list(channel)).find((one) => one.sku === sku);
  assert.ok(row, `${sku} is not in the list`);
  return row;
}

async function take(
  channel: TestChannel,
  sku: string,
  quantity: number,
  fields: object = {},
): Promise<string> {
  const order = orderOf([{ sku, quantity, unit_price: 1 }], fields);
  await must(channel.call('POST', '/orders', order), 201);
  return order.order_number;
}

const report = (channel: TestChannel, number: string, body: object) =>
  must(channel.call('POST', `/orders/${encodeURIComponent(number)}/status`, body), 200);

test('contract 4.1.3: the list is an object with a data array, and each row has the fields in the order of the table', async () => {
  const channel = await make.channel();
  const other = await make.channel();
  const variant = await make.variant(100, { name: 'Lens "Ünï" 렌즈 \\ 😀' });
  const sku = await make.map(channel, variant);
  await make.allocate(channel, variant, 30, 9);
  await make.allocate(other, variant, 20);
  const { text } = await channel.call('GET', '/inventory');
  assert.equal(
    text,
    `{"data":[{"sku":"${sku}","product_code":"${variant.code}",` +
      `"product_name":${JSON.stringify('Lens "Ünï" 렌즈 \\ 😀')},` +
      `"quantity":100,"allocated":50,"available":80,"reserve_remaining":9}]}`,
  );
});

test('contract 4.2.2: the lookup is a flat object with the fields in the order of the contract', async () => {
  const { channel, sku } = await make.setting(7);
  const answer = await lookup(channel, sku);
  assert.equal(answer.status, 200);
  assertCareful(answer);
  assert.equal(answer.text, `{"sku":"${sku}","available":7,"reserve_remaining":0}`);
});

test('contract 4.1.2: a channel without mappings reads an empty list', async () => {
  const channel = await make.channel();
  assert.equal((await channel.call('GET', '/inventory')).text, '{"data":[]}');
});

test('contract 4.1.5: product_code is the variant code, not the product code; product_name follows a renaming', async () => {
  const { channel, variant, sku } = await make.setting(1);
  assert.equal((await rowOf(channel, sku)).product_code, variant.code);
  assert.notEqual(variant.code, variant.product);
  await must(service.admin('PATCH', `/products/${variant.product}`, { name: 'Renamed' }), 200);
  assert.equal((await rowOf(channel, sku)).product_name, 'Renamed');
});

test('contract 4.1.1: without paging parameters there is no pagination: all mapped products are in one answer', async () => {
  const channel = await make.channel();
  const variant = await make.variant(3);
  const mappings = Array.from({ length: 750 }, (_, index) => ({
    sku: `N${String(index).padStart(4, '0')}`,
    variant_code: variant.code,
  }));
  await must(service.admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);
  const { json } = await channel.call('GET', '/inventory?page=3&per_page=2&offset=x&page=%ff');
  assert.deepEqual(
    json.data.map((row: Row) => row.sku),
    mappings.map(({ sku }) => sku),
  );
});

test('contract 2.3.10: physical 100, 30 for A and 20 for B leaves 50 shared', async () => {
  const a = await make.setting(100);
  const b = await make.channel();
  const skuB = await make.map(b, a.variant);
  await make.allocate(a.channel, a.variant, 30);
  await make.allocate(b, a.variant, 20);
  const c = await make.channel();
  const skuC = await make.map(c, a.variant);
  assert.equal((await rowOf(a.channel, a.sku)).available, 80);
  assert.equal((await rowOf(b, skuB)).available, 70);
  assert.equal(
    (await rowOf(c, skuC)).available,
    50,
    'a channel without an allocation sells the shared stock',
  );
});

test('contract 2.3.2a, the whole table: an order takes the common stock first, then the pre-allocation of its channel', async () => {
  const { channel: a, variant, sku } = await make.setting(100);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  await make.allocate(a, variant, 30);
  await make.allocate(b, variant, 20);
  const holds = async (channel: TestChannel) => {
    const { channels } = await make.stock(variant);
    return channels.find((one: { channel_id: number }) => one.channel_id === channel.id).allocated_qty;
  };
  const expectRow = async (event: string, row: Record<string, number>) => {
    const [seenByA, seenByB] = [await rowOf(a, sku), await rowOf(b, skuB)];
    const seen = {
      physical: seenByA.quantity,
      a_holds: await holds(a),
      b_holds: await holds(b),
      a: seenByA.available,
      b: seenByB.available,
      allocated: seenByA.allocated,
    };
    assert.deepEqual(seen, row, event);
    assert.equal(seenByB.allocated, seenByA.allocated, event);
    assert.equal(seenByB.quantity, seenByA.quantity, event);
  };
  await expectRow('start', { physical: 100, a_holds: 30, b_holds: 20, a: 80, b: 70, allocated: 50 });
  await take(a, sku, 10);
  await expectRow('10', { physical: 100, a_holds: 30, b_holds: 20, a: 70, b: 60, allocated: 50 });
  const second = await take(a, sku, 50);
  await expectRow('50 more', { physical: 100, a_holds: 20, b_holds: 20, a: 20, b: 20, allocated: 40 });
  await report(a, second, { status: 88 });
  await expectRow('cancelled', { physical: 100, a_holds: 30, b_holds: 20, a: 70, b: 60, allocated: 50 });
});

test('contract 2.3.2a, last row: physical 10, all of it pre-allocated, an order of 4 leaves 6', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 10);
  const number = await take(channel, sku, 4);
  const { available, allocated, quantity } = await rowOf(channel, sku);
  assert.deepEqual({ available, allocated, quantity }, { available: 6, allocated: 6, quantity: 10 });
  await report(channel, number, { status: 3, tracking_number: 'T' });
  const shipped = await rowOf(channel, sku);
  assert.deepEqual(
    { available: shipped.available, allocated: shipped.allocated, quantity: shipped.quantity },
    { available: 6, allocated: 6, quantity: 6 },
    'shipping consumes the drawn quantity',
  );
});

test('contract 2.3.2a: a pre-allocation cannot cause overselling: the sum of all orders fits the stock', async () => {
  const { channel: a, variant, sku } = await make.setting(10);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  await make.allocate(a, variant, 6);
  await take(b, skuB, 4);
  assertRefused(
    await b.call('POST', '/orders', orderOf([{ sku: skuB, quantity: 1, unit_price: 1 }])),
    422,
    skuB,
  );
  await take(a, sku, 6);
  assert.equal((await rowOf(a, sku)).available, 0);
  assertRefused(await a.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 422, sku);
  assert.equal((await make.stock(variant)).unshipped, 10);
});

test('contract 2.3.1: a negative common stock counts as 0, and the pre-allocation of the channel is added to that 0', async () => {
  const { channel: a, variant, sku } = await make.setting(8);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  await make.allocate(a, variant, 8);
  await take(b, skuB, 4, { is_backorder: true });
  assert.equal((await rowOf(a, sku)).available, 8);
  assert.equal((await rowOf(b, skuB)).available, 0);
  await take(a, sku, 3);
  assert.deepEqual([(await rowOf(a, sku)).available, (await rowOf(b, skuB)).available], [5, 0]);
});

/** The list, the lookups, a page, the back office and the refusal of an order for one more all show the same number. */
async function assertSellable(
  channel: TestChannel,
  variant: TestVariant,
  sku: string,
  available: number,
): Promise<void> {
  assert.equal((await rowOf(channel, sku)).available, available);
  const bulk = await must(channel.call('POST', '/inventory/lookup', { skus: [sku] }), 200);
  assert.equal(bulk[0].available, available);
  const page = await must(channel.call('GET', '/inventory?limit=10'), 200);
  assert.equal(page.find((row: Row) => row.sku === sku).available, available);
  const { channels } = await make.stock(variant);
  assert.equal(channels.find((one: any) => one.channel_id === channel.id).available, available);
  const tooMany = orderOf([{ sku, quantity: available + 1, unit_price: 1 }]);
  const refusal = await channel.call('POST', '/orders', tooMany);
  assertRefused(refusal, 422, sku);
  assert.match(refusal.json.error, new RegExp(`requested ${available + 1}, available ${available}\\.$`));
}

test('contract 2.3.2b: a backorder that ships first reduces what a pre-allocation can sell', async () => {
  const { channel: a, variant, sku } = await make.setting(10);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  await make.allocate(a, variant, 10);
  const ahead = await take(b, skuB, 10, { is_backorder: true });
  const held = await take(a, sku, 3);
  await assertSellable(a, variant, sku, 7);
  await report(b, ahead, { status: 3, tracking_number: 'T1' });
  await assertSellable(a, variant, sku, 0);
  const short = await a.call('POST', `/orders/${held}/status`, { status: 3, tracking_number: 'T2' });
  assert.deepEqual([short.status, short.json.code], [409, 'insufficient_stock']);
});

test('contract 2.3.2b: a pre-allocation larger than the stock sells only the stock, and more after a delivery', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 2_147_483_647);
  await assertSellable(channel, variant, sku, 10);
  const number = await take(channel, sku, 10);
  await assertSellable(channel, variant, sku, 0);
  await make.setStock(variant, 14);
  await assertSellable(channel, variant, sku, 4);
  await report(channel, number, { status: 88 });
  await assertSellable(channel, variant, sku, 14);
  assert.equal(
    (await make.stock(variant)).allocated,
    2_147_483_647,
    'cancelling gives back all that was drawn',
  );
});

test('contract 2.3.2b: a count that lowers the stock lowers what a pre-allocation can sell', async () => {
  const { channel, variant, sku } = await make.setting(20);
  await make.allocate(channel, variant, 10);
  const number = await take(channel, sku, 2);
  await make.setStock(variant, 3);
  await assertSellable(channel, variant, sku, 1);
  await make.setStock(variant, 1);
  await assertSellable(channel, variant, sku, 0);
  // The accepted order lacks physical stock too. It can ship once more stock is there.
  const short = await channel.call('POST', `/orders/${number}/status`, { status: 3, tracking_number: 'T1' });
  assert.deepEqual([short.status, short.json.code], [409, 'insufficient_stock']);
});

test('contract 2.3.1a: shown values are clamped, stored values are not: new stock has to fill a deficit first', async () => {
  const { channel, variant, sku } = await make.setting(2);
  await take(channel, sku, 6, { is_backorder: true });
  assert.equal((await rowOf(channel, sku)).available, 0);
  await make.setStock(variant, 5);
  assert.equal((await rowOf(channel, sku)).available, 0, '5 − 6 is still negative');
  await make.setStock(variant, 9);
  assert.equal((await rowOf(channel, sku)).available, 3);
});

test('contract 2.3.1: the accepted backorders of every channel lower the common stock of every channel', async () => {
  const { channel: a, variant, sku } = await make.setting(50);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  await make.allocate(a, variant, 10, 100);
  await take(a, sku, 4, { is_backorder: true });
  await take(b, skuB, 5, { is_backorder: true });
  assert.equal((await rowOf(a, sku)).available, 50 - 10 - 9 + 10);
  assert.equal((await rowOf(b, skuB)).available, 50 - 10 - 9);
  assert.equal(
    (await rowOf(a, sku)).allocated,
    10,
    'contract 4.3.7a: a backorder never draws on a pre-allocation',
  );
});

test('contract 2.3.4: orders in the states 0, 1, 2 and 9 count as unshipped, orders in 3 and 88 do not', async () => {
  const { channel, sku } = await make.setting(100);
  const number = await take(channel, sku, 10, { status: 0 });
  const seen = async () => {
    const { quantity, available } = await rowOf(channel, sku);
    return { quantity, available };
  };
  assert.deepEqual(await seen(), { quantity: 100, available: 90 }, 'state 0');
  for (const status of [1, 2, 9]) {
    await report(channel, number, { status });
    assert.deepEqual(await seen(), { quantity: 100, available: 90 }, `state ${status}`);
  }
  await report(channel, number, { status: 3, tracking_number: 'T' });
  assert.deepEqual(await seen(), { quantity: 90, available: 90 }, 'state 3');
  const other = await take(channel, sku, 10);
  assert.deepEqual(await seen(), { quantity: 90, available: 80 });
  await report(channel, other, { status: 88 });
  assert.deepEqual(await seen(), { quantity: 90, available: 90 }, 'state 88');
});

test('contract 2.3.3, 2.3.3a: reserve_remaining is quota − open backorders, never below 0', async () => {
  const { channel, variant, sku } = await make.setting(0);
  const remaining = async () => (await rowOf(channel, sku)).reserve_remaining;
  assert.equal(await remaining(), 0, 'no allocation');
  await take(channel, sku, 3, { is_backorder: true });
  assert.equal(await remaining(), 0, 'unlimited, with open backorders');
  await make.allocate(channel, variant, 0, 10);
  assert.equal(await remaining(), 7, 'backorders from before the quota count');
  await make.allocate(channel, variant, 0, 2);
  assert.equal(await remaining(), 0, 'quota below the open backorders');
  await make.allocate(channel, variant, 5, 0);
  assert.equal(await remaining(), 0, 'quota 0: unlimited');
});

test('contract 4.3.7a: backordered_qty counts open backorders: cancelling and shipping both give the quota back', async () => {
  const { channel, variant, sku } = await make.setting(20);
  await make.allocate(channel, variant, 0, 10);
  const first = await take(channel, sku, 4, { is_backorder: true });
  const second = await take(channel, sku, 5, { is_backorder: true });
  assert.equal((await rowOf(channel, sku)).reserve_remaining, 1);
  await report(channel, first, { status: 88 });
  assert.equal((await rowOf(channel, sku)).reserve_remaining, 6 - 1);
  await report(channel, second, { status: 3, tracking_number: 'T' });
  const { quantity, available, reserve_remaining } = await rowOf(channel, sku);
  assert.deepEqual(
    { quantity, available, reserve_remaining },
    { quantity: 15, available: 15, reserve_remaining: 10 },
  );
});

test("contract 2.3.3: one channel's backorders do not touch another channel's quota", async () => {
  const { channel: a, variant, sku } = await make.setting(0);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  await make.allocate(a, variant, 0, 10);
  await make.allocate(b, variant, 0, 10);
  await take(a, sku, 10, { is_backorder: true });
  assert.equal((await rowOf(a, sku)).reserve_remaining, 0);
  assert.equal((await rowOf(b, skuB)).reserve_remaining, 10);
});

test('contract 2.3.5, 2.3.5a: without a stock row the lookup is 200 with zeros, the list shows four zeros', async () => {
  const { channel, variant, sku } = await make.setting(null);
  const answer = await lookup(channel, sku);
  assert.equal(answer.status, 200);
  assert.equal(answer.text, `{"sku":"${sku}","available":0,"reserve_remaining":0}`);
  const row = await rowOf(channel, sku);
  assert.deepEqual(row, {
    sku,
    product_code: variant.code,
    product_name: row.product_name,
    quantity: 0,
    allocated: 0,
    available: 0,
    reserve_remaining: 0,
  });
  await make.setStock(variant, 4);
  assert.equal((await rowOf(channel, sku)).available, 4);
});

test('contract 4.1.3a: the list is ordered by sku, by code point and not by language or UTF-16 unit', async () => {
  const channel = await make.channel();
  const variant = await make.variant(1);
  // U+FF21 is below U+1F600, although the latter starts with the smaller UTF-16 unit.
  const skus = [
    '10',
    '9',
    'A',
    'B',
    'Z',
    '_',
    'a',
    'a b',
    'a-b',
    'aB',
    'ab',
    'b',
    'z',
    'é',
    '가',
    'Ａ',
    '😀',
  ];
  const sorted = skus.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
  for (const sku of skus.toReversed()) await make.map(channel, variant, sku);
  assert.deepEqual(
    (await list(channel)).map((row) => row.sku),
    sorted,
  );
});

test('contract 2.2.1: several channel SKUs of one internal variant show the same numbers, and an order for one changes all', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const alias = await make.map(channel, variant);
  await take(channel, alias, 4);
  for (const name of [sku, alias]) assert.equal((await rowOf(channel, name)).available, 6);
  assert.deepEqual(new Set((await list(channel)).map((row) => row.product_code)), new Set([variant.code]));
});

test("contract 4.0.2: another channel's mapping is invisible, in the list and in the lookup", async () => {
  const a = await make.setting(10);
  const b = await make.setting(20);
  assert.deepEqual(
    (await list(a.channel)).map((row) => row.sku),
    [a.sku],
  );
  assertRefused(await lookup(a.channel, b.sku), 404, b.sku);
  // The same SKU in both channels: each reads its own product.
  await make.map(a.channel, b.variant, 'SHARED-NAME');
  await make.map(b.channel, a.variant, 'SHARED-NAME');
  assert.equal((await rowOf(a.channel, 'SHARED-NAME')).quantity, 20);
  assert.equal((await rowOf(b.channel, 'SHARED-NAME')).quantity, 10);
});

test('contract 2.3.7: the pre-allocation of an inactive channel is still part of the sum over all channels', async () => {
  const { channel: a, variant, sku } = await make.setting(100);
  const b = await make.channel();
  await make.allocate(b, variant, 30);
  await make.allocate(b, variant, 20);
  await must(service.admin('PATCH', `/channels/${b.id}`, { is_active: false }), 200);
  const { available, allocated } = await rowOf(a, sku);
  assert.deepEqual({ available, allocated }, { available: 80, allocated: 20 });
});

test('contract 4.2.3: an unmapped SKU is 404 with an error; a removed mapping is unmapped; a changed mapping shows the new item', async () => {
  const { channel, sku } = await make.setting(10);
  assertRefused(await lookup(channel, 'NOPE'), 404, 'NOPE');
  const other = await make.variant(77);
  await make.map(channel, other, sku);
  assert.equal((await rowOf(channel, sku)).quantity, 77);
  await must(service.admin('DELETE', `/channels/${channel.id}/mappings/${sku}`), 204);
  assertRefused(await lookup(channel, sku), 404, sku);
  assert.deepEqual(await list(channel), []);
});

test('contract 4.2.1: SKUs are compared character by character: case, spaces and accents count', async () => {
  const channel = await make.channel();
  const variant = await make.variant(1);
  await make.map(channel, variant, 'Lens-É');
  for (const near of ['lens-É', 'LENS-É', 'Lens-É ', ' Lens-É', 'Lens-E\u0301', 'Lens-E', 'Lens-']) {
    assertRefused(await lookup(channel, near), 404);
  }
  assert.equal((await lookup(channel, 'Lens-É')).status, 200);
});

test('contract 4.2.1: any SKU can be looked up percent-encoded: reserved characters, spaces, percent signs, emoji', async () => {
  const channel = await make.channel();
  const variant = await make.variant(5);
  const skus = [
    'a/b',
    'a%2Fb',
    'a%b',
    '100%',
    'a%25b',
    'a+b',
    'a b',
    'a;b=c',
    'a?b=c',
    'a#b',
    'a&b',
    'a:b@c',
    '렌즈-1.00',
    '😀👩‍👩‍👧',
    '"quoted"',
    "it's",
    '\\back',
    '-1.00',
    'status',
    'null',
    '__proto__',
    'constructor',
    'a\u2028b',
    'x'.repeat(100),
    '😀'.repeat(100),
  ];
  for (const sku of skus) await make.map(channel, variant, sku);
  for (const sku of skus) {
    const answer = await lookup(channel, sku);
    assert.deepEqual(
      [answer.status, answer.json],
      [200, { sku, available: 5, reserve_remaining: 0 }],
      `${sku}: ${answer.text}`,
    );
  }
  assert.deepEqual(
    new Set((await list(channel)).map((row) => row.sku)),
    new Set(skus),
    'the list has exactly these SKUs',
  );
  // Characters that need no encoding in a path segment may be sent unencoded.
  for (const sku of ['a+b', 'a;b=c', 'a&b', 'a:b@c', "it's"]) {
    assert.equal((await channel.call('GET', `/inventory/${sku}`)).json.sku, sku);
  }
});

test('contract 8.8a: quantities reach 2147483647 and sums beyond it are exact', async () => {
  const { channel, variant, sku } = await make.setting(2147483647);
  assert.equal((await rowOf(channel, sku)).available, 2147483647);
  const other = await make.channel();
  await make.allocate(channel, variant, 2147483647);
  await make.allocate(other, variant, 2147483647);
  const row = await rowOf(channel, sku);
  assert.equal(row.allocated, 4294967294);
  assert.equal(row.available, 2147483647);
});

test('contract 2.3: the formulas hold exactly for the live numbers after any sequence of events', async () => {
  const variant = await make.variant(60);
  const channels = await Promise.all([make.channel(), make.channel(), make.channel()]);
  const skus = await Promise.all(channels.map((channel) => make.map(channel, variant)));
  await make.allocate(channels[0], variant, 12, 8);
  await make.allocate(channels[1], variant, 7, 0);
  const open: { channel: TestChannel; number: string }[] = [];
  let seed = 20261115;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let step = 0; step < 60; step++) {
    const index = next(3);
    const channel = channels[index] as TestChannel;
    const sku = skus[index] as string;
    if (next(5) < 3 || open.length === 0) {
      const order = orderOf([{ sku, quantity: 1 + next(9), unit_price: 1 }], { is_backorder: next(4) === 0 });
      const { status } = await channel.call('POST', '/orders', order);
      assert.ok(status === 201 || status === 422);
      if (status === 201) open.push({ channel, number: order.order_number });
    } else {
      const [done] = open.splice(next(open.length), 1);
      assert.ok(done);
      const body = next(2) === 0 ? { status: 88 } : { status: 3, tracking_number: unique('T') };
      await done.channel.call('POST', `/orders/${done.number}/status`, body);
    }
    await assertFormulas(variant, channels, skus);
  }
  await make.allocate(channels[0], variant, 100, 8);
  await assertFormulas(variant, channels, skus);
});

async function assertFormulas(
  variant: TestVariant,
  channels: readonly TestChannel[],
  skus: readonly string[],
): Promise<void> {
  const stock = await make.stock(variant);
  const sum = (field: string) =>
    stock.channels.reduce((total: number, one: Record<string, number>) => total + (one[field] ?? 0), 0);
  const allocated = sum('allocated_qty');
  const common = Math.max(0, stock.quantity - stock.unshipped - allocated - sum('backordered_qty'));
  for (const [index, channel] of channels.entries()) {
    const own = stock.channels.find((one: { channel_id: number }) => one.channel_id === channel.id);
    const { json } = await lookup(channel, skus[index] as string);
    // Contract 2.3.2b: at most the physical stock that no normal order holds.
    const sellable = Math.min(
      common + (own?.allocated_qty ?? 0),
      Math.max(0, stock.quantity - stock.unshipped),
    );
    assert.equal(json.available, sellable);
    assert.equal(
      json.reserve_remaining,
      Math.max(0, (own?.reserve_quota ?? 0) - (own?.backordered_qty ?? 0)),
    );
  }
}
