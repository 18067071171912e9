import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, pages, token } = desk(service);

interface Result {
  order_number: string | null;
  outcome: string;
  order_id: number | null;
  details: object | null;
  errors: Record<string, string[]> | null;
}

const send = (shipments: unknown[], more: object = {}) =>
  admin('POST', '/orders/shipments', { shipments, ...more });
const outcomes = (results: Result[]) => results.map(({ outcome }) => outcome);

async function place(channel: TestChannel, sku: string, quantity = 1, fields: object = {}) {
  const order = orderOf([{ sku, quantity, unit_price: 1 }], fields);
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  return { id: id as number, number: order.order_number };
}

test('each row gets its outcome; a dry run returns the same outcomes and changes nothing', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', { name: 'CJ Logistics' }), 200);
  const [open, shipped, cancelled, twice, elsewhere] = [
    await place(channel, sku, 2),
    await place(channel, sku),
    await place(channel, sku),
    await place(channel, sku),
    await place(channel, sku),
  ];
  await must(admin('POST', `/orders/${shipped.id}/status`, { status: 3, tracking_number: 'EARLIER' }), 200);
  await must(admin('POST', `/orders/${cancelled.id}/status`, { status: 88 }), 200);
  const rows = [
    { order_number: open.number, tracking_number: 'T-1', courier_code: 'CJ', channel_id: channel.id },
    { order_number: shipped.number, tracking_number: 'T-2' },
    { order_number: cancelled.number, tracking_number: 'T-3' },
    { order_number: 'nobody', tracking_number: 'T-4' },
    { order_number: twice.number, tracking_number: 'T-5' },
    { order_number: twice.number, tracking_number: 'T-6' },
    { order_number: elsewhere.number, tracking_number: 'T-7', channel_id: channel.id + 1 },
    { order_number: open.number.repeat(30), tracking_number: ' ' },
    'rubbish',
  ];
  const expected = [
    'shipped',
    'already_shipped',
    'invalid_transition',
    'unknown',
    'ambiguous',
    'ambiguous',
    'unknown',
    'invalid',
    'invalid',
  ];
  const dry = await must(send(rows, { dry_run: true }), 200);
  assert.deepEqual(outcomes(dry.results), expected);
  assert.equal((await must(admin('GET', `/orders/${open.id}`), 200)).status, 1);
  const done = await must(send(rows), 200);
  assert.deepEqual(done, dry);
  assert.deepEqual(done.counts, {
    shipped: 1,
    already_shipped: 1,
    unknown: 2,
    ambiguous: 2,
    invalid_transition: 1,
    insufficient_stock: 0,
    invalid: 2,
    unavailable: 0,
    unauthorized: 0,
  });
  const results = done.results as Result[];
  assert.deepEqual(results[2]?.details, { current_status: 88 });
  assert.deepEqual(Object.keys(results[7]?.errors ?? {}), [
    'shipments.7.order_number',
    'shipments.7.tracking_number',
  ]);
  assert.deepEqual(Object.keys(results[8]?.errors ?? {}), ['shipments.8']);
  const after = await must(admin('GET', `/orders/${open.id}`), 200);
  assert.deepEqual([after.status, after.tracking_number, after.courier_name], [3, 'T-1', 'CJ Logistics']);
  const before = await must(admin('GET', `/orders/${shipped.id}`), 200);
  assert.equal(before.tracking_number, 'EARLIER');
  assert.equal((await make.stock(variant)).quantity, 7);
});

test('a dry run decides each row on the stock that the previous rows would leave, as the gate does', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const orders = [await place(channel, sku, 4), await place(channel, sku, 4), await place(channel, sku, 2)];
  await make.setStock(variant, 7);
  const rows = orders.map(({ number }, n) => ({ order_number: number, tracking_number: `T-${n}` }));
  const dry = await must(send(rows, { dry_run: true }), 200);
  assert.deepEqual(outcomes(dry.results), ['shipped', 'insufficient_stock', 'shipped']);
  assert.deepEqual(dry.results[1].details, { sku, requested: 4, available: 3 });
  assert.equal((await make.stock(variant)).quantity, 7);
  assert.deepEqual(await must(send(rows), 200), dry);
  assert.equal((await make.stock(variant)).quantity, 1);
});

test('250 shipments in one request, more than the gate takes at a time, are all accepted', async () => {
  const { channel, variant, sku } = await make.setting(300);
  const orders = await Promise.all(Array.from({ length: 250 }, () => place(channel, sku)));
  const rows = orders.map(({ number }) => ({ order_number: number, tracking_number: `T-${number}` }));
  const { counts } = await must(send(rows), 200);
  assert.equal(counts.shipped, 250);
  assert.equal((await make.stock(variant)).quantity, 50);
});

test('a request with no rows, with too many rows, or from a viewer is refused as a whole', async () => {
  assert.deepEqual(await fieldsRefused(send([])), ['shipments']);
  assert.deepEqual(await fieldsRefused(send(Array.from({ length: 2_001 }, () => 1))), ['shipments']);
  assert.deepEqual(await fieldsRefused(send([1], { dry_run: 'yes' })), ['dry_run']);
  const refused = await service.admin('POST', '/orders/shipments', { shipments: [1] }, await token('viewer'));
  assert.equal(refused.status, 403);
});

test('the result of a row contains recipient and items, also in a dry run', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { number } = await place(channel, sku, 2, { recipient_name: '김민지' });
  const rows = [
    { order_number: number, tracking_number: 'T' },
    { order_number: 'nobody', tracking_number: 'T' },
  ];
  const { results } = await must(send(rows, { dry_run: true }), 200);
  const [found, unknown] = results;
  const items = [{ variant_code: variant.code, product_name: `Product ${variant.product}`, quantity: 2 }];
  assert.deepEqual([found.recipient_name, found.item_count, found.items], ['김민지', 1, items]);
  assert.deepEqual([unknown.recipient_name, unknown.item_count, unknown.items], [null, null, []]);
});

test('viewers cannot ship, not even as a dry run, and a dry run writes no audit entry', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { id, number } = await place(channel, sku);
  const rows = [{ order_number: number, tracking_number: 'T' }];
  await must(send(rows, { dry_run: true }), 200);
  assert.deepEqual(await audits(`order:${id}`), []);
  const path = '/orders/shipments';
  const refused = await service.admin(
    'POST',
    path,
    { shipments: rows, dry_run: true },
    await token('viewer'),
  );
  assert.equal(refused.status, 403);
  assert.equal((await service.admin('POST', path, { shipments: rows }, await token('viewer'))).status, 403);
  await must(service.admin('POST', path, { shipments: rows }, await token('operator')), 200);
  assert.equal((await make.stock(variant)).quantity, 9);
});

describe('GET /orders/packing', () => {
  test('returns the items of each order, and the pick list of the unshipped orders summed by variant', async () => {
    const { channel, variant, sku } = await make.setting(10);
    const other = await make.variant(4);
    const otherSku = await make.map(channel, other);
    const first = await place(channel, sku, 2);
    const order = orderOf([
      { sku: otherSku, quantity: 1, unit_price: 1 },
      { sku, quantity: 3, unit_price: 1 },
      { sku, quantity: 1, unit_price: 1 },
    ]);
    const { id } = await must(channel.call('POST', '/orders', order), 201);
    const shipped = await place(channel, sku, 1);
    const cancelled = await place(channel, sku, 1);
    await must(admin('POST', `/orders/${shipped.id}/status`, { status: 3, tracking_number: 'T' }), 200);
    await must(admin('POST', `/orders/${cancelled.id}/status`, { status: 88 }), 200);
    const ids = [id, cancelled.id, first.id, shipped.id, id];
    const { orders, picks } = await must(admin('GET', `/orders/packing?ids=${ids.join(',')}`), 200);
    assert.deepEqual(
      orders.map((one: { id: number; items: { quantity: number }[] }) => [
        one.id,
        one.items.map(({ quantity }) => quantity),
      ]),
      [
        [id, [1, 3, 1]],
        [cancelled.id, [0]],
        [first.id, [2]],
        [shipped.id, [1]],
      ],
    );
    assert.equal(orders[0].shipping_address, order.shipping_address);
    const expected = [
      { code: variant.code, quantity: 6, orders: 2, physical_stock: 9 },
      { code: other.code, quantity: 1, orders: 1, physical_stock: 4 },
    ];
    const found = picks.map(({ variant_code: code, quantity, orders: n, physical_stock }: any) => ({
      code,
      quantity,
      orders: n,
      physical_stock,
    }));
    assert.deepEqual(
      found,
      expected.toSorted((a, b) => (a.code < b.code ? -1 : 1)),
    );
  });

  test('unknown orders, invalid or too long lists of ids, and viewers are refused', async () => {
    await refusal(admin('GET', '/orders/packing?ids=999999999'), 404);
    for (const ids of [
      '',
      'x',
      '1,',
      '0',
      '1.5',
      '9'.repeat(17),
      Array.from({ length: 201 }, (_, n) => n + 1),
    ])
      assert.deepEqual(await fieldsRefused(admin('GET', `/orders/packing?ids=${String(ids)}`)), ['ids']);
    const viewer = await token('viewer');
    for (const path of ['/orders/packing?ids=1', '/orders/parcels'])
      assert.equal((await service.admin('GET', path, undefined, viewer)).status, 403);
  });
});

describe('GET /orders/parcels', () => {
  test('groups paid, unshipped orders of one recipient, regardless of the notation of name, phone and address', async () => {
    const { channel, sku } = await make.setting(50);
    const elsewhere = await make.setting(50);
    const person = {
      recipient_name: 'Kim  Minji',
      recipient_phone: '010-1234-5678',
      shipping_address: '서울시 강남구 테헤란로 1, 101호',
    };
    const same = [
      person,
      { ...person, recipient_name: 'ＫＩＭ MINJI', recipient_phone: '+82 10 1234 5678' },
      {
        ...person,
        shipping_address: '서울시  강남구 테헤란로 1 (101호)',
        recipient_phone: '+82 (0)10-12345678',
      },
    ];
    const placed = [];
    for (const [n, fields] of same.entries())
      placed.push(
        await place(n === 2 ? elsewhere.channel : channel, n === 2 ? elsewhere.sku : sku, 1, fields),
      );
    const others = [
      { ...person, recipient_name: 'Kim Minjeong' },
      { ...person, recipient_phone: '010-1234-5679' },
      { ...person, shipping_address: '서울시 강남구 테헤란로 11, 01호' },
      { ...person, status: 0 },
    ];
    for (const fields of others) await place(channel, sku, 1, fields);
    const cancelled = await place(channel, sku, 1, person);
    await must(admin('POST', `/orders/${cancelled.id}/status`, { status: 88 }), 200);
    const of = async (id: number) => {
      const found = await must(admin('GET', `/orders/parcels?order_id=${id}`), 200);
      return found.map(({ count, orders }: any) => [count, orders.map((order: any) => order.id)]);
    };
    const ids = placed.map(({ id }) => id);
    assert.deepEqual(await of(ids[0] ?? 0), [[3, ids.toReversed()]]);
    assert.deepEqual(await of(cancelled.id), []);
    const several = `/orders/parcels?order_ids=${ids[0]},${cancelled.id},${ids[2]}`;
    assert.equal((await must(admin('GET', several), 200)).length, 1, 'one parcel of both');
    assert.deepEqual(await fieldsRefused(admin('GET', '/orders/parcels?order_ids=1,x')), ['order_ids']);
    await must(admin('POST', `/orders/${ids[1]}/status`, { status: 3, tracking_number: 'T' }), 200);
    assert.deepEqual(await of(ids[2] ?? 0), [[2, [ids[2], ids[0]]]]);
    assert.deepEqual(await of(ids[1] ?? 0), []);
    const pair = { ...person, recipient_name: 'Lee' };
    await place(channel, sku, 1, pair);
    await place(channel, sku, 1, pair);
    const all = await pages('/orders/parcels', 500);
    assert.ok(all.length >= 2);
    assert.deepEqual(await pages('/orders/parcels', 1), all);
  });
});

describe('PATCH /orders/{id}/shipment', () => {
  const call: typeof service.admin = (...given) => service.admin(...given);
  const correct = (id: number, body: object, as?: string) =>
    call('PATCH', `/orders/${id}/shipment`, body, as);

  async function shipped() {
    const { channel, variant, sku } = await make.setting(10);
    await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', { name: 'CJ Logistics' }), 200);
    const hanjin = { name: 'Hanjin', aliases: ['한진택배'] };
    await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/HJ', hanjin), 200);
    const order = await place(channel, sku);
    const report = { status: 3, tracking_number: `WRONG-${order.id}`, courier_code: 'CJ' };
    await must(channel.call('POST', `/orders/${order.number}/status`, report), 200);
    return { ...order, channel, variant, report };
  }
  const shipmentOf = ({ tracking_number, courier_code, courier_name, status }: any) => [
    status,
    tracking_number,
    courier_code,
    courier_name,
  ];

  test('the back office corrects a shipped order: order, history, audit, search; stock and channels do not change it', async () => {
    const { id, number, channel, variant, report } = await shipped();
    const stock = await make.stock(variant);
    const after = await must(correct(id, { tracking_number: `RIGHT-${id}`, courier_code: 'hanjin' }), 200);
    assert.deepEqual(shipmentOf(after), [3, `RIGHT-${id}`, 'HJ', 'Hanjin']);
    assert.deepEqual(await must(admin('GET', `/orders/${id}`), 200), after);
    const { from, to, source, correction } = after.history.at(-1);
    assert.deepEqual([from, to, source], [3, 3, 'back_office']);
    assert.deepEqual(correction, {
      tracking_changed: true,
      courier_code_before: 'CJ',
      courier_code_after: 'HJ',
    });
    assert.equal(after.history.at(-2).correction, null);
    const entry = (await audits(`order:${id}`)).at(-1);
    assert.equal(entry?.action, 'order.shipment');
    assert.equal(entry?.actor, after.history.at(-1).actor);
    assert.ok(!JSON.stringify(entry).includes('RIGHT'), 'tracking numbers are personal data');
    const found = async (search: string) =>
      (await must(admin('GET', `/orders?search=${search}`), 200)).map((one: { id: number }) => one.id);
    assert.deepEqual(await found(`RIGHT-${id}`), [id]);
    await service.service.services.orderIndexer.catchUp();
    assert.deepEqual(await found(`RIGHT-${id}`), [id]);
    assert.deepEqual(await found(`WRONG-${id}`), []);
    assert.deepEqual(await make.stock(variant), stock);
    // contract 3.2.9b: a repeated report does not change it.
    await must(channel.call('POST', `/orders/${number}/status`, report), 200);
    assert.deepEqual(shipmentOf(await must(admin('GET', `/orders/${id}`), 200)), shipmentOf(after));
  });

  test('contract 10.20a: each correction is in the order feeds once, also across pages, and the last one wins', async () => {
    const { id, channel } = await shipped();
    const start = (await call('GET', '/orders/changes?since=now')).json.next as string;
    const own = (await channel.call('GET', '/orders?changes_since=')).json;
    for (const courier_code of ['HJ', null, 'CJ']) await must(correct(id, { courier_code }), 200);
    const steps: unknown[] = [];
    let since = start;
    for (let more = true; more;) {
      const { json } = await call('GET', `/orders/changes?since=${since}&limit=1`);
      for (const one of json.data) steps.push([one.id, one.previous_status, one.status, one.source]);
      ({ next: since, has_more: more } = json);
    }
    assert.deepEqual(
      steps,
      Array.from({ length: 3 }, () => [id, 3, 3, 'back_office']),
    );
    const { json } = await channel.call('GET', `/orders?changes_since=${own.changes_since ?? ''}`);
    assert.deepEqual(
      json.changes.map((one: any) => [one.status, one.courier_code]),
      [[3, 'CJ']],
    );
  });

  test('a field that is not named stays, null removes the courier, and the same values record nothing', async () => {
    const { id, report } = await shipped();
    const first = await must(correct(id, { courier_code: null }), 200);
    assert.deepEqual(shipmentOf(first), [3, report.tracking_number, null, null]);
    const second = await must(correct(id, { tracking_number: 'OTHER' }), 200);
    assert.deepEqual(shipmentOf(second), [3, 'OTHER', null, null]);
    const same = await must(correct(id, { tracking_number: 'OTHER', courier_code: null }), 200);
    assert.deepEqual(same, second);
    assert.deepEqual(await must(correct(id, {}), 200), second);
  });

  test('refused: an order that is not shipped, an erased or unknown one, wrong fields, an unknown courier, a viewer', async () => {
    const { channel, sku } = await make.setting(10);
    const open = await place(channel, sku);
    const not = await refusal(correct(open.id, { tracking_number: 'T' }), 409);
    assert.deepEqual([not.code, not.details], ['order_not_shipped', { order: open.id, status: 1 }]);
    await refusal(correct(999_999_999, { tracking_number: 'T' }), 404);
    const { id } = await shipped();
    assert.deepEqual(await fieldsRefused(correct(id, { tracking_number: ' ' })), ['tracking_number']);
    assert.deepEqual(await fieldsRefused(correct(id, { tracking_number: null, courier_code: 1 })), [
      'tracking_number',
      'courier_code',
    ]);
    const unknown = await refusal(correct(id, { courier_code: 'Hanjn' }), 422);
    assert.deepEqual(unknown.details.faults[0].details.nearest, [{ code: 'HJ', name: 'Hanjin' }]);
    assert.equal((await correct(id, { courier_code: 'HJ' }, await token('viewer'))).status, 403);
    await must(correct(id, { courier_code: 'HJ' }, await token('operator')), 200);
  });
});

test('a courier is found by code, name or alias in any case; an unknown one is a fault of its row and ships nothing', async () => {
  const { channel, sku } = await make.setting(20);
  const put = (code: string, body: object) =>
    must(admin('PUT', `/common-codes/DELIVERY_COMPANY/${code}`, body), 200);
  await put('EXP1', { name: 'Express One', aliases: ['E1', '익스프레스'] });
  // Aliases stay when they are not named.
  assert.deepEqual((await put('EXP1', { name: 'Express One' })).aliases, ['E1', '익스프레스']);
  const given = ['EXP1', 'exp1', 'express  ONE', 'e1', '익스프레스', 'Unknown Express', 'Expres One'];
  const rows: object[] = [];
  const ids: number[] = [];
  for (const courier_code of given) {
    const { id, number } = await place(channel, sku);
    ids.push(id);
    rows.push({ order_number: number, tracking_number: 'T', courier_code });
  }
  const dry = await must(send(rows, { dry_run: true }), 200);
  const expected = [...Array.from({ length: 5 }, () => 'shipped'), 'invalid', 'invalid'];
  assert.deepEqual(outcomes(dry.results), expected);
  assert.deepEqual(Object.keys(dry.results[5].errors), ['shipments.5.courier_code']);
  const [{ code, details }] = dry.results[6].details.faults;
  assert.deepEqual([code, details.nearest], ['courier_unknown', [{ code: 'EXP1', name: 'Express One' }]]);
  assert.deepEqual(await must(send(rows), 200), dry);
  const orders = await Promise.all(ids.map((id) => must(admin('GET', `/orders/${id}`), 200)));
  assert.deepEqual(
    orders.map(({ status, courier_code }) => [status, courier_code]),
    [...Array.from({ length: 5 }, () => [3, 'EXP1']), [1, null], [1, null]],
  );
});
