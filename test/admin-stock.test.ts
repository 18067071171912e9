import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { desk, fieldsRefused, ODD_TEXTS, refusal, statusesOf } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const INT32_MAX = 2_147_483_647;

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, journaled, pages, token } = desk(service);
const at = (code: string) => `/stock/${encodeURIComponent(code)}`;
const put = (code: string, body: unknown) => admin('PUT', at(code), body);
const adjust = (code: string, delta: unknown, reason: unknown = 'count') =>
  admin('POST', `${at(code)}/adjustments`, { delta, reason });
const variantId = async (product: string) =>
  (await must(admin('GET', `/products/${encodeURIComponent(product)}`), 200)).variants[0].id as number;

test('the first PUT creates the stock row and returns it, with the fields in the documented order', async () => {
  const { code, product } = await make.variant(null);
  await refusal(admin('GET', at(code)), 404);
  const row = await must(put(code, { quantity: 100, reason: 'first count' }), 200);
  assert.deepEqual(row, {
    variant_code: code,
    quantity: 100,
    unshipped: 0,
    allocated: 0,
    backordered: 0,
    common_available: 100,
    overcommitted_by: 0,
    channels: [],
    product_code: product,
    product_name: `Product ${product}`,
    power: null,
    barcode: null,
    attributes: {},
    low_stock_at: null,
    archived: false,
    skus: [],
  });
  assert.deepEqual(Object.keys(row), [
    'variant_code',
    'quantity',
    'unshipped',
    'allocated',
    'backordered',
    'common_available',
    'overcommitted_by',
    'channels',
    'product_code',
    'product_name',
    'power',
    'barcode',
    'attributes',
    'low_stock_at',
    'archived',
    'skus',
  ]);
  assert.deepEqual(await must(admin('GET', at(code)), 200), row);
  const [entry] = await audits(`variant:${code}`);
  assert.deepEqual(
    [entry?.action, entry?.actor, entry?.before, entry?.after],
    ['stock.set', 'environment', null, { quantity: 100, reason: 'first count' }],
  );
});

test('setting 0 first creates the stock row too: the SKU is then sold out instead of without a stock record', async () => {
  const { channel, variant, sku } = await make.setting(null);
  const order = () => channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  assert.match((await order()).json.error, /no stock record/);
  await must(put(variant.code, { quantity: 0 }), 200);
  assert.match((await order()).json.error, /available 0/);
  assert.deepEqual(await pages(`${at(variant.code)}/movements`, 50), []);
});

test('every set and adjustment is in the ledger, newest first, with actor and reason', async () => {
  const { code, product } = await make.variant(null);
  const operator = await token('operator');
  await must(put(code, { quantity: 10 }), 200);
  await must(admin('PUT', at(code), { quantity: 7, reason: 'count' }, operator), 200);
  await must(adjust(code, 5, 'goods in'), 200);
  await must(adjust(code, -12, 'lost'), 200);
  const ledger = await pages(`${at(code)}/movements`, 500);
  assert.deepEqual(
    ledger.map((row) => [row.delta, row.quantity_after, row.kind, row.reason, row.order_number]),
    [
      [-12, 0, 'adjustment', 'lost', null],
      [5, 12, 'adjustment', 'goods in', null],
      [-3, 7, 'set', 'count', null],
      [10, 10, 'set', null, null],
    ],
  );
  assert.equal(ledger[0].actor, 'environment');
  assert.match(ledger[2].actor, /^token:operator-/);
  assert.match(ledger[0].at, /\+09:00$/);
  assert.deepEqual(await pages(`${at(code)}/movements`, 1), ledger);
  assert.equal(await journaled('variant_ids', await variantId(product)), 4);
  assert.deepEqual(
    (await audits(`variant:${code}`)).map((entry) => [entry.action, entry.before, entry.after]),
    [
      ['stock.set', null, { quantity: 10 }],
      ['stock.set', { quantity: 10 }, { quantity: 7, reason: 'count' }],
      ['stock.adjust', { quantity: 7 }, { quantity: 12, reason: 'goods in' }],
      ['stock.adjust', { quantity: 12 }, { quantity: 0, reason: 'lost' }],
    ],
  );
});

test('a shipment is in the ledger with its order number', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const report = { status: 3, tracking_number: 'T1' };
  await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
  const [last] = await pages(`${at(variant.code)}/movements`, 500);
  assert.deepEqual(
    [last.delta, last.quantity_after, last.kind, last.order_number, last.actor],
    [-4, 6, 'shipment', order.order_number, `channel:${channel.id}`],
  );
});

test('setting an unchanged quantity writes no movement but is audited', async () => {
  const variant = await make.variant(8);
  const row = await must(put(variant.code, { quantity: 8, reason: 'counted again' }), 200);
  assert.equal(row.quantity, 8);
  assert.equal((await pages(`${at(variant.code)}/movements`, 500)).length, 1);
  const last = (await audits(`variant:${variant.code}`)).at(-1);
  assert.deepEqual([last?.before, last?.after], [{ quantity: 8 }, { quantity: 8, reason: 'counted again' }]);
});

test('a stale expected_quantity is a conflict that names the current quantity', async () => {
  const { code } = await make.variant(8);
  const conflict = await refusal(put(code, { quantity: 1, expected_quantity: 9 }), 409);
  assert.match(conflict.error ?? '', /\b8\b/);
  assert.equal((await put(code, { quantity: 1, expected_quantity: 9 })).json.code, 'stale');
  assert.equal((await must(put(code, { quantity: 1, expected_quantity: 8 }), 200)).quantity, 1);
  assert.equal((await must(put(code, { quantity: 2, expected_quantity: null }), 200)).quantity, 2);
});

test('an expected_quantity without a stock row is a conflict and creates no row', async () => {
  const { code } = await make.variant(null);
  await refusal(put(code, { quantity: 1, expected_quantity: 0 }), 409);
  await refusal(admin('GET', at(code)), 404);
  assert.deepEqual(await audits(`variant:${code}`), []);
});

test('two concurrent PUTs with the same expected_quantity: one succeeds, the other is a conflict', async () => {
  for (let round = 0; round < 10; round++) {
    const { code } = await make.variant(10);
    const answers = await Promise.all(
      [11, 12].map((quantity) => put(code, { quantity, expected_quantity: 10 })),
    );
    assert.deepEqual(statusesOf(answers), [200, 409]);
    const winner = answers.find((answer) => answer.status === 200);
    assert.equal((await make.stock({ code, product: '' })).quantity, winner?.json.data.quantity);
  }
});

test('many concurrent first PUTs create one row, with a ledger that adds up', async () => {
  const { code } = await make.variant(null);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => put(code, { quantity: n + 1, reason: `${n}` })),
  );
  assert.ok(answers.every((answer) => answer.status === 200));
  const ledger = await pages(`${at(code)}/movements`, 500);
  const sum = ledger.reduce((total, row) => total + (row.delta as number), 0);
  assert.equal((await must(admin('GET', at(code)), 200)).quantity, sum);
  const befores = (await audits(`variant:${code}`)).filter((entry) => entry.before === null);
  assert.equal(befores.length, 1, 'only one of them created the row');
});

test('concurrent adjustments and orders: the quantity is the sum of the adjustments', async () => {
  const { channel, variant, sku } = await make.setting(1_000);
  const order = () => channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  const deltas = Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? n + 1 : -n));
  const answers = await Promise.all([
    ...deltas.map((delta) => adjust(variant.code, delta)),
    ...Array.from({ length: 24 }, order),
  ]);
  assert.ok(answers.every((answer) => answer.status < 300));
  const row = await make.stock(variant);
  assert.equal(
    row.quantity,
    deltas.reduce((sum, delta) => sum + delta, 1_000),
  );
  assert.equal(row.unshipped, 24);
});

test('concurrent adjustments that together exceed the stock: only those that fit succeed', async () => {
  const { code } = await make.variant(10);
  const answers = await Promise.all(Array.from({ length: 8 }, () => adjust(code, -3)));
  const statuses = statusesOf(answers);
  assert.deepEqual(statuses, [200, 200, 200, 422, 422, 422, 422, 422]);
});

test('physical stock stays between 0 and the largest 32-bit number', async () => {
  const { code } = await make.variant(5);
  const below = await refusal(adjust(code, -6), 422);
  assert.match(below.error ?? '', /5.*below 0/);
  await must(adjust(code, -5), 200);
  await must(put(code, { quantity: INT32_MAX }), 200);
  const above = await refusal(adjust(code, 1), 422);
  assert.match(above.error ?? '', /2147483647/);
  assert.equal((await must(adjust(code, -INT32_MAX), 200)).quantity, 0);
  await refusal(adjust(code, -INT32_MAX - 1), 422);
  assert.equal((await must(adjust(code, INT32_MAX), 200)).quantity, INT32_MAX);
});

test('stock can be set below the unshipped quantity: common available is then 0, not negative', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 8, unit_price: 1 }])), 201);
  const row = await must(put(variant.code, { quantity: 3 }), 200);
  assert.deepEqual([row.quantity, row.unshipped, row.common_available], [3, 8, 0]);
  assert.equal(await make.available(channel, sku), 0);
});

test('an adjustment without a stock row is refused; an unknown variant is not found', async () => {
  const { code } = await make.variant(null);
  const missing = await refusal(adjust(code, 1), 422);
  assert.match(missing.error ?? '', new RegExp(code));
  await refusal(adjust('nope', 1), 404);
  await refusal(put('nope', { quantity: 1 }), 404);
  await refusal(admin('GET', at('nope')), 404);
  await refusal(admin('GET', `${at('nope')}/movements`), 404);
});

test('an invalid request is refused with an error for each invalid field', async () => {
  const { code } = await make.variant(1);
  for (const quantity of [-1, 1.5, '3', null, INT32_MAX + 1, undefined])
    assert.deepEqual(await fieldsRefused(put(code, { quantity })), ['quantity']);
  for (const expected_quantity of [-1, 1.5, '1', INT32_MAX + 1])
    assert.deepEqual(await fieldsRefused(put(code, { quantity: 1, expected_quantity })), [
      'expected_quantity',
    ]);
  assert.deepEqual(await fieldsRefused(put(code, { quantity: 1, reason: 'x'.repeat(256) })), ['reason']);
  for (const delta of [0, 0.5, '1', null, INT32_MAX + 1, -INT32_MAX - 2])
    assert.deepEqual(await fieldsRefused(adjust(code, delta)), ['delta']);
  for (const reason of [null, '', '  ', 5, 'x'.repeat(256)])
    assert.deepEqual(await fieldsRefused(adjust(code, 1, reason)), ['reason']);
  assert.equal((await must(admin('GET', at(code)), 200)).quantity, 1);
});

test('the row contains each channel that maps the variant or has an allocation of it', async () => {
  const variant = await make.variant(100);
  const [mapped, holder, stranger] = [await make.channel(), await make.channel(), await make.channel()];
  const skus = [await make.map(mapped, variant), await make.map(mapped, variant)];
  await make.allocate(holder, variant, 30, 5);
  await make.map(stranger, await make.variant(1));
  const row = await make.stock(variant);
  assert.equal(row.allocated, 30);
  assert.equal(row.common_available, 70);
  assert.deepEqual(
    row.skus,
    skus.toSorted().map((sku) => ({ channel_id: mapped.id, sku })),
  );
  assert.deepEqual(
    row.channels.map((channel: Record<string, unknown>) => ({ ...channel, name: typeof channel['name'] })),
    [
      {
        channel_id: mapped.id,
        name: 'string',
        allocated_qty: 0,
        reserve_quota: 0,
        backordered_qty: 0,
        available: 70,
        reserve_remaining: 0,
      },
      {
        channel_id: holder.id,
        name: 'string',
        allocated_qty: 30,
        reserve_quota: 5,
        backordered_qty: 0,
        available: 100,
        reserve_remaining: 5,
      },
    ],
  );
});

test('the list contains every term of the formula and is complete in pages of any size', async () => {
  const { channel, variant, sku } = await make.setting(20);
  await make.allocate(channel, variant, 6, 9);
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 3, unit_price: 1 }])), 201);
  const backorder = orderOf([{ sku, quantity: 2, unit_price: 1 }], { is_backorder: true });
  await must(channel.call('POST', '/orders', backorder), 201);
  const without = await make.variant(null);

  const all = await pages('/stock', 500);
  assert.deepEqual(await pages('/stock', 3), all);
  const codes = all.map((row) => row.variant_code as string);
  assert.equal(new Set(codes).size, codes.length);
  assert.ok(!codes.includes(without.code), 'a variant that never had stock has no row');
  assert.deepEqual(
    all.find((row) => row.variant_code === variant.code),
    {
      variant_code: variant.code,
      product_code: variant.product,
      product_name: `Product ${variant.product}`,
      power: null,
      barcode: null,
      attributes: {},
      low_stock_at: null,
      archived: false,
      quantity: 20,
      unshipped: 3,
      allocated: 6,
      backordered: 2,
      common_available: 9,
      overcommitted_by: 0,
    },
  );
});

test('search in the list is literal, and below filters by common stock', async () => {
  const tag = unique('Tag');
  const variant = await make.variant(4, { code: `${tag}_%`, name: `Ölige ${tag}` });
  const other = await make.variant(9, { code: `${tag}xx` });
  const found = async (query: string) =>
    (await pages(`/stock?${query}`, 500)).map((row) => row.variant_code as string);
  const search = (text: string) => found(`search=${encodeURIComponent(text)}`);
  assert.deepEqual(await search(`${tag.toLowerCase()}_`), [variant.code]);
  assert.deepEqual(await search(`LIGE ${tag.toUpperCase()}`), [variant.code]);
  assert.deepEqual(await search(other.product), [other.code]);
  assert.deepEqual(await found(`search=${tag}&below=9`), [variant.code]);
  assert.deepEqual(await found(`search=${tag}&below=10`), [variant.code, other.code].toSorted());
  assert.deepEqual(await found(`search=${tag}&below=0`), []);
  const low = await found('below=9');
  assert.ok(low.includes(variant.code) && !low.includes(other.code));
  const backslash = await make.variant(1, { code: `${tag}\\n` });
  assert.deepEqual(await search(`${tag}\\`), [backslash.code]);
  for (const below of ['x', '-1', '1.5', '2147483648', '0x10', '1e2', '%2B5'])
    assert.deepEqual(await fieldsRefused(admin('GET', `/stock?below=${below}`)), ['below']);
  assert.deepEqual(await fieldsRefused(admin('GET', '/stock?search=a%00b')), ['search']);
});

test('the list can be filtered to variants whose common stock is at or below their threshold', async () => {
  const tag = unique('Low');
  const make1 = async (quantity: number, low_stock_at: number | null) => {
    const variant = await make.variant(quantity, { code: unique(tag) });
    await must(admin('PATCH', `/variants/${variant.code}`, { low_stock_at }), 200);
    return variant;
  };
  const at5 = await make1(5, 5);
  await make1(6, 5);
  await make1(0, null);
  const at0 = await make1(0, 0);
  const found = async (query: string) =>
    (await pages(`/stock?search=${tag}&${query}`, 500)).map((row) => row.variant_code as string);
  assert.deepEqual(await found('low=true'), [at5.code, at0.code].toSorted());
  assert.equal((await found('low=false')).length, 4);
  assert.deepEqual(await found('low=true&below=5'), [at0.code]);
  assert.deepEqual(await found('low=true&below=0'), []);
  // The common stock counts, not the physical stock.
  const channel = await make.channel();
  await make.allocate(channel, at5, 9);
  assert.deepEqual(await found('low=true&overcommitted=true'), [at5.code]);
  const unsearched = (await pages('/stock?low=true', 500)).map((row) => row.variant_code as string);
  assert.deepEqual(
    unsearched.filter((code) => code.startsWith(tag)),
    [at5.code, at0.code].toSorted(),
  );
  assert.deepEqual(await fieldsRefused(admin('GET', '/stock?low=2')), ['low']);
});

test('overcommitted_by is the same in all responses, and the list can be filtered to overcommitted variants', async () => {
  const tag = unique('Over');
  const make4 = (code: string) => make.variant(4, { code: `${tag}-${code}` });
  const [fits, granted, held, ahead] = [
    await make4('fits'),
    await make4('granted'),
    await make4('held'),
    await make4('ahead'),
  ];
  const channel = await make.channel();
  const sell = async (variant: typeof fits, quantity: number, is_backorder = false) => {
    const sku = await make.map(channel, variant);
    const order = orderOf([{ sku, quantity, unit_price: 1 }], { is_backorder });
    await must(channel.call('POST', '/orders', order), 201);
  };
  await make.allocate(channel, fits, 4);
  await make.allocate(channel, granted, 9);
  await sell(held, 3);
  await make.setStock(held, 1);
  await sell(ahead, 50, true);

  const rows = await pages(`/stock?search=${tag}`, 500);
  const by = new Map(rows.map((row) => [row.variant_code, row.overcommitted_by]));
  assert.deepEqual(
    [fits, granted, held, ahead].map(({ code }) => by.get(code)),
    [0, 5, 2, 0],
  );
  for (const [code, overcommitted_by] of by)
    assert.equal((await must(admin('GET', at(String(code))), 200)).overcommitted_by, overcommitted_by);

  // The SQL condition agrees with the numbers in the responses, per variant and in total.
  const codes = async (query: string) => (await pages(`/stock?${query}`, 500)).map((row) => row.variant_code);
  const all = await pages('/stock', 500);
  assert.deepEqual(
    await codes('overcommitted=true'),
    all.filter((row) => Number(row.overcommitted_by) > 0).map((row) => row.variant_code),
  );
  assert.deepEqual(await codes(`search=${tag}&overcommitted=true`), [granted.code, held.code]);
  assert.deepEqual(await codes(`search=${tag}&overcommitted=true&below=1`), [granted.code, held.code]);
  assert.deepEqual(await codes(`search=${tag}&overcommitted=true&below=0`), []);
  assert.equal((await codes(`search=${tag}&overcommitted=false`)).length, 4);
  assert.deepEqual(await fieldsRefused(admin('GET', '/stock?overcommitted=2')), ['overcommitted']);

  // The overview and the metric count them.
  const { overcommitted_count } = await must(admin('GET', '/overview?hours=7'), 200);
  assert.equal(overcommitted_count, (await codes('overcommitted=true')).length);
  const metric = async () => {
    const text = await (await fetch(`${service.origin}/metrics`)).text();
    return /^sluice_overcommitted_variants (\S+)$/m.exec(text)?.[1];
  };
  assert.equal(await metric(), String(overcommitted_count));
  // The metric is measured every minute, independently of the overview.
  await make.allocate(channel, ahead, 5);
  for (const { everyMinute } of service.service.features) await everyMinute?.(service.service.services.pool);
  assert.equal(await metric(), String(overcommitted_count + 1));
});

test('variant codes with special characters work on every path', async () => {
  for (const text of ODD_TEXTS) {
    const variant = await make.variant(1, { code: unique(text) });
    assert.equal((await must(adjust(variant.code, 1), 200)).quantity, 2, text);
    assert.equal((await make.stock(variant)).variant_code, variant.code);
    assert.equal((await pages(`${at(variant.code)}/movements`, 500)).length, 2);
  }
  assert.deepEqual(await fieldsRefused(admin('GET', '/stock/a%00b')), ['variant_code']);
});

describe('the orders that hold stock of a variant', () => {
  const holding = (code: string) => pages(`${at(code)}/orders`, 2);

  test('lists only unshipped orders, newest first, each once with its lines summed', async () => {
    const { channel, variant, sku } = await make.setting(10);
    const alias = await make.map(channel, variant);
    await make.allocate(channel, variant, 8);
    const send = async (quantities: number[], fields: object = {}) => {
      const lines = quantities.map((quantity, n) => ({ sku: n % 2 ? alias : sku, quantity, unit_price: 1 }));
      return (await must(channel.call('POST', '/orders', orderOf(lines, fields)), 201)) as {
        id: number;
        order_number: string;
      };
    };
    const unpaid = await send([1], { status: 0 });
    const twice = await send([1, 3]);
    const shipped = await send([1]);
    const cancelled = await send([1]);
    const promised = await send([5], { is_backorder: true });
    const packed = await send([1]);
    const report = (id: number, body: object) => must(admin('POST', `/orders/${id}/status`, body), 200);
    await report(shipped.id, { status: 3, tracking_number: 'T' });
    await report(cancelled.id, { status: 88 });
    await report(packed.id, { status: 9 });

    const rows = await holding(variant.code);
    assert.deepEqual(
      rows.map((row) => [row.id, row.status, row.is_backorder, row.quantity, row.from_allocation]),
      [
        [packed.id, 9, false, 1, 1],
        [promised.id, 1, true, 5, 0],
        [twice.id, 1, false, 4, 3],
        [unpaid.id, 0, false, 1, 0],
      ],
    );
    assert.deepEqual(rows, await pages(`${at(variant.code)}/orders`, 500));
    const { name } = await must(admin('GET', `/channels/${channel.id}`), 200);
    assert.equal(rows[2].channel_name, name);
    assert.equal(rows[2].channel_id, channel.id);
    assert.equal(rows[2].order_number, twice.order_number);
    assert.match(rows[2].created_at, /\+09:00$/);
    const stock = await make.stock(variant);
    const held = rows.reduce((sum, row) => sum + (row.quantity as number), 0);
    assert.equal(held, stock.unshipped + stock.backordered, 'the total equals the counters');
  });

  test('the list is empty for a variant without orders or without stock; an unknown variant is not found', async () => {
    for (const quantity of [3, null])
      assert.deepEqual(await holding((await make.variant(quantity)).code), []);
    await refusal(admin('GET', `${at('nope')}/orders`), 404);
    assert.deepEqual(await fieldsRefused(admin('GET', '/stock/a%00b/orders')), ['variant_code']);
    const { code } = await make.variant(1);
    assert.deepEqual(await fieldsRefused(admin('GET', `${at(code)}/orders?cursor=x`)), ['cursor']);
  });
});
