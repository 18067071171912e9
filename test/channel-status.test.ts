// Contract 3 and 4.4: the status reports of a channel, and their effects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCareful, assertConflict, assertInvalid, assertRefused } from './kit/answers.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { sendRaw } from './kit/raw-http.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

const STATUSES = [0, 1, 2, 9, 3, 88] as const;
type Status = (typeof STATUSES)[number];

/** Contract 3.2.11a in full: the steps from each state to each other one; null is a 409. */
const WALKS: Record<Status, Record<Status, readonly Status[] | null>> = {
  0: { 0: [], 1: [1], 2: [1, 2], 9: [1, 9], 3: [1, 2, 3], 88: [88] },
  1: { 0: null, 1: [], 2: [2], 9: [9], 3: [2, 3], 88: [88] },
  2: { 0: null, 1: null, 2: [], 9: [9], 3: [3], 88: [88] },
  9: { 0: null, 1: null, 2: null, 9: [], 3: [3], 88: [88] },
  3: { 0: null, 1: null, 2: null, 9: null, 3: [], 88: null },
  88: { 0: null, 1: null, 2: null, 9: null, 3: null, 88: [] },
};
const UNSHIPPED = new Set<Status>([0, 1, 2, 9]);

const stored = (id: number) => must(service.admin('GET', `/orders/${id}`), 200);
const line = (sku: string, quantity = 1) => ({ sku, quantity, unit_price: 10 });
const reportOn = (channel: TestChannel, number: string) => (body: unknown) =>
  channel.call('POST', `/orders/${encodeURIComponent(number)}/status`, body);
const statusBody = (status: number) => (status === 3 ? { status, tracking_number: 'TRACK-1' } : { status });

async function accepted(channel: TestChannel, items: ReturnType<typeof line>[], fields: object = {}) {
  const order = orderOf(items, fields);
  const data = await must(channel.call('POST', '/orders', order), 201);
  return {
    id: data.id as number,
    number: order.order_number,
    report: reportOn(channel, order.order_number),
    data,
  };
}

/** A new order of `quantity` in the given state. */
async function orderIn(channel: TestChannel, sku: string, state: Status, quantity = 1) {
  const order = await accepted(channel, [line(sku, quantity)], { status: state === 0 ? 0 : 1 });
  if (state !== 0 && state !== 1) await must(order.report(statusBody(state)), 200);
  return order;
}

interface Step {
  from: number | null;
  to: number;
  source: string;
  at: string;
}
const stepsOf = (order: { history: Step[] }) => order.history.map(({ from, to }) => [from, to]);

async function ledger(code: string) {
  const movements = await must(service.admin('GET', `/stock/${encodeURIComponent(code)}/movements`), 200);
  return movements as {
    delta: number;
    quantity_after: number;
    kind: string;
    order_number?: string;
    actor: string;
  }[];
}

for (const from of STATUSES) {
  for (const to of STATUSES) {
    const walk = WALKS[from][to];
    const title =
      walk === null ? '409' : walk.length === 0 ? '200, unchanged' : `200, by way of ${walk.join(' → ')}`;
    test(`contract 3.2.11a: ${from} → ${to}: ${title}`, async () => {
      const { channel, variant, sku } = await make.setting(10);
      const { id, data, report } = await orderIn(channel, sku, from, 4);
      const before = await stored(id);
      const answer = await report(statusBody(to));
      const after = await stored(id);
      if (walk === null) {
        assertConflict(answer, 'invalid_transition', from, to);
        assert.deepEqual(after, before);
        assertConflict(await report(statusBody(to)), 'invalid_transition', from, to);
      } else {
        assert.equal(answer.status, 200, answer.text);
        assertCareful(answer);
        assert.deepEqual(answer.json, { data: { ...data, status: to } });
        assert.deepEqual(Object.keys(answer.json.data), Object.keys(data));
        const last = stepsOf(before);
        const path = [from, ...walk];
        assert.deepEqual(stepsOf(after), [...last, ...walk.map((step, index) => [path[index], step])]);
        for (const { source } of after.history as Step[]) assert.equal(source, 'channel');
      }
      const now = walk === null ? from : to;
      const stock = await make.stock(variant);
      assert.equal(stock.quantity, now === 3 ? 6 : 10, 'physical stock');
      assert.equal(stock.unshipped, UNSHIPPED.has(now) ? 4 : 0, 'held');
      assert.equal(after.items[0].cancelled_quantity, now === 88 ? 4 : 0);
    });
  }
}

test('contract 3.2.9: a repeated report of any state is 200 and adds nothing, however often', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { id, report } = await accepted(channel, [line(sku, 4)]);
  for (const status of [2, 9, 3]) {
    await must(report(statusBody(status)), 200);
    const before = await stored(id);
    for (let turn = 0; turn < 3; turn++) await must(report(statusBody(status)), 200);
    assert.deepEqual(await stored(id), before);
  }
  assert.equal((await make.stock(variant)).quantity, 6);
});

test('contract 3.2.9a: concurrent identical reports are all 200, and one of them moves the order', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { id, report } = await accepted(channel, [line(sku, 4)]);
  const answers = await Promise.all(Array.from({ length: 12 }, () => report(statusBody(3))));
  for (const { status } of answers) assert.equal(status, 200);
  assert.deepEqual(stepsOf(await stored(id)), [
    [null, 1],
    [1, 2],
    [2, 3],
  ]);
  assert.equal((await make.stock(variant)).quantity, 6);
});

test('contract 3.2.9a: if the back office was faster, the report of the channel is 200 and changes nothing', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { id, report } = await accepted(channel, [line(sku, 4)]);
  await must(
    service.admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: 'FROM-THE-DESK' }),
    200,
  );
  const before = await stored(id);
  await must(report({ status: 3, tracking_number: 'FROM-THE-CHANNEL' }), 200);
  assert.deepEqual(await stored(id), before);
  assert.deepEqual(
    before.history.map(({ source }: Step) => source),
    ['channel', 'back_office', 'back_office'],
  );
  assert.equal((await make.stock(variant)).quantity, 6);
});

test('contract 3.2.11a: the history keeps every step with its time, in order', async () => {
  const { channel, sku } = await make.setting();
  const { id, report } = await accepted(channel, [line(sku)], { status: 0 });
  await must(report({ status: 9 }), 200);
  await must(report(statusBody(3)), 200);
  const { history } = (await stored(id)) as { history: Step[] };
  assert.deepEqual(
    history.map(({ from, to }) => [from, to]),
    [
      [null, 0],
      [0, 1],
      [1, 9],
      [9, 3],
    ],
  );
  for (const { at } of history) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+09:00$/);
  assert.deepEqual(
    history.map(({ at }) => at),
    history.map(({ at }) => at).toSorted(),
  );
});

test('contract 4.4.1, 7.16: an unknown order is 404 with its number; another channel’s order is unknown', async () => {
  const a = await make.setting();
  const b = await make.setting();
  const { id, number } = await accepted(a.channel, [line(a.sku)]);
  for (const name of ['NO-SUCH', number.toLowerCase(), `${number} `, 'x'.repeat(101), '__proto__']) {
    assertRefused(await reportOn(a.channel, name)({ status: 2 }), 404, name);
  }
  const before = await stored(id);
  for (const status of STATUSES)
    assertRefused(await reportOn(b.channel, number)(statusBody(status)), 404, number);
  assert.deepEqual(await stored(id), before);
  assertRefused(await reportOn(a.channel, String(id))({ status: 2 }), 404, id);
});

test('contract 7.19: a status that is not reportable is 422 in the validation shape', async () => {
  const { channel, sku } = await make.setting();
  const { id, report } = await accepted(channel, [line(sku)]);
  const before = await stored(id);
  for (const status of [4, 5, 8, 10, 87, 89, -1, 99, 1.5, '3', '88', true, [], {}, null, 1e300]) {
    assertInvalid(await report({ status, tracking_number: 'T' }), 'status');
  }
  assertInvalid(await report({}), 'status');
  assert.deepEqual(await stored(id), before);
});

test('contract 7.1b: 2.0 is the integer 2', async () => {
  const { channel, sku } = await make.setting();
  const { report } = await accepted(channel, [line(sku)]);
  const answer = await report('{"status": 2.0}');
  assert.deepEqual([answer.status, answer.json.data.status], [200, 2]);
});

test('contract 4.4.3: tracking_number is required for status 3: missing, null or blank is 422', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { id, report } = await accepted(channel, [line(sku)], { tracking_number: 'FROM-INTAKE' });
  const before = await stored(id);
  for (const fields of [{}, { tracking_number: null }, { tracking_number: '' }, { tracking_number: '  ' }]) {
    assertInvalid(await report({ status: 3, ...fields }), 'tracking_number');
  }
  for (const fields of [{}, { tracking_number: null }])
    assert.equal((await report({ status: 3, ...fields })).json.message, 'tracking_number is required.');
  for (const tracking_number of [5, true, [], {}, 'a\0', '\ud800']) {
    assertInvalid(await report({ status: 3, tracking_number }), 'tracking_number');
  }
  assert.deepEqual(await stored(id), before);
  assert.equal((await make.stock(variant)).quantity, 10);
});

test('contract 4.4.3: for every other status tracking_number is optional, null counts as absent', async () => {
  const { channel, sku } = await make.setting();
  for (const status of [1, 2, 9, 88]) {
    const { report } = await accepted(channel, [line(sku)]);
    await must(report({ status, tracking_number: null, courier_code: null, reason: null }), 200);
  }
});

test('contract 8.5, 8.6: tracking_number up to 100 characters, reason up to 255, counted as Unicode characters', async () => {
  const { channel, sku } = await make.setting();
  const shipped = await accepted(channel, [line(sku)]);
  assertInvalid(await shipped.report({ status: 3, tracking_number: '😀'.repeat(101) }), 'tracking_number');
  assertInvalid(await shipped.report({ status: 2, tracking_number: 'x'.repeat(101) }), 'tracking_number');
  await must(shipped.report({ status: 3, tracking_number: '😀'.repeat(100) }), 200);
  assert.equal((await stored(shipped.id)).tracking_number, '😀'.repeat(100));
  const cancelled = await accepted(channel, [line(sku)]);
  assertInvalid(await cancelled.report({ status: 88, reason: '😀'.repeat(256) }), 'reason');
  await must(cancelled.report({ status: 88, reason: '😀'.repeat(255) }), 200);
  assert.equal((await stored(cancelled.id)).cancel_reason, '😀'.repeat(255));
});

test('contract 4.4.5: reason and courier_code are text; faults of all fields are listed together', async () => {
  const { channel, sku } = await make.setting();
  const { report } = await accepted(channel, [line(sku)]);
  for (const value of [5, true, [], {}, 'a\0', '\udfff']) {
    assertInvalid(await report({ status: 88, reason: value }), 'reason');
    assertInvalid(await report({ status: 2, courier_code: value }), 'courier_code');
  }
  const answer = await report({ status: 3, courier_code: 1, reason: 2 });
  assertInvalid(answer, 'tracking_number', 'courier_code', 'reason');
});

test('contract 3.2.4: shipping records tracking number and courier, and deducts physical stock once', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const code = unique('CJ');
  await must(
    service.admin('PUT', `/common-codes/DELIVERY_COMPANY/${code}`, { name: 'CJ 대한통운' }),
    200,
    201,
  );
  const { id, number, report } = await accepted(channel, [line(sku, 4)], { tracking_number: 'FROM-INTAKE' });
  const answer = await report({ status: 3, tracking_number: ' T-1 ', courier_code: code });
  assert.equal(answer.status, 200);
  assert.ok(
    !answer.text.includes('T-1') && !answer.text.includes(code),
    'contract 2.4.12: never in the answer',
  );
  const whole = await stored(id);
  assert.deepEqual(
    [whole.tracking_number, whole.courier_code, whole.courier_name],
    [' T-1 ', code, 'CJ 대한통운'],
  );
  const { quantity, unshipped, common_available } = await make.stock(variant);
  assert.deepEqual(
    { quantity, unshipped, common_available },
    { quantity: 6, unshipped: 0, common_available: 6 },
  );
  const shipments = (await ledger(variant.code)).filter(({ kind }) => kind === 'shipment');
  assert.equal(shipments.length, 1);
  const [shipment] = shipments;
  assert.deepEqual([shipment?.delta, shipment?.quantity_after, shipment?.order_number], [-4, 6, number]);
});

test('contract 3.2.9b: a repeated status 3 changes neither tracking number nor courier', async () => {
  const { channel, sku } = await make.setting(10);
  const code = unique('HANJIN');
  await must(service.admin('PUT', `/common-codes/DELIVERY_COMPANY/${code}`, { name: 'Hanjin' }), 200, 201);
  const { id, report } = await accepted(channel, [line(sku)]);
  await must(report({ status: 3, tracking_number: 'FIRST' }), 200);
  await must(report({ status: 3, tracking_number: 'SECOND', courier_code: code }), 200);
  const { tracking_number, courier_code } = await stored(id);
  assert.deepEqual([tracking_number, courier_code], ['FIRST', null]);
});

test('contract 4.4.4: an unknown courier_code is not an error: only the tracking number is stored', async () => {
  const { channel, sku } = await make.setting(100);
  const known = unique('Post');
  await must(service.admin('PUT', `/common-codes/DELIVERY_COMPANY/${known}`, { name: 'Post' }), 200, 201);
  await must(service.admin('PUT', `/common-codes/ANOTHER_GROUP/OTHER`, { name: 'Other' }), 200, 201);
  for (const courier_code of [
    'NOPE',
    'OTHER',
    known.toLowerCase(),
    'Post',
    '',
    'x'.repeat(101),
    'x'.repeat(500),
  ]) {
    const { id, report } = await accepted(channel, [line(sku)]);
    await must(report({ status: 3, tracking_number: 'T', courier_code }), 200);
    const whole = await stored(id);
    assert.deepEqual([whole.tracking_number, whole.courier_code, whole.courier_name], ['T', null, null]);
  }
});

test('contract 3.2.5: a cancellation records the quantity per item and the reason, and releases the held stock', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(10);
  const otherSku = await make.map(channel, other);
  const { id, report } = await accepted(channel, [line(sku, 4), line(otherSku, 3), line(sku, 1)]);
  await must(report({ status: 88, reason: ' changed mind 변심 😀 ' }), 200);
  const whole = await stored(id);
  assert.equal(whole.cancel_reason, ' changed mind 변심 😀 ');
  assert.deepEqual(
    whole.items.map((item: { quantity: number; cancelled_quantity: number }) => [
      item.quantity,
      item.cancelled_quantity,
    ]),
    [
      [4, 4],
      [3, 3],
      [1, 1],
    ],
  );
  assert.equal(await make.available(channel, sku), 10);
  assert.equal(await make.available(channel, otherSku), 10);
  assert.equal((await ledger(variant.code)).length, 1, 'cancelling moves no physical stock');
});

test('contract 3.2.9b: a cancellation needs no reason, and a repeated one does not add or change it', async () => {
  const { channel, sku } = await make.setting(10);
  const { id, report } = await accepted(channel, [line(sku)]);
  await must(report({ status: 88 }), 200);
  await must(report({ status: 88, reason: 'too late' }), 200);
  assert.equal((await stored(id)).cancel_reason, null);
});

test('contract 2.3.2a: cancelling returns the drawn quantity to the pre-allocation, shipping consumes it', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 8);
  const share = async () => {
    const { channels, allocated, quantity } = await make.stock(variant);
    return { allocated_qty: channels[0].allocated_qty, allocated, quantity };
  };
  const first = await accepted(channel, [line(sku, 3), line(sku, 2)]);
  assert.deepEqual(await share(), { allocated_qty: 5, allocated: 5, quantity: 10 });
  await must(first.report({ status: 88 }), 200);
  assert.deepEqual(await share(), { allocated_qty: 8, allocated: 8, quantity: 10 });
  const second = await accepted(channel, [line(sku, 3), line(sku, 2)]);
  await must(second.report(statusBody(3)), 200);
  assert.deepEqual(await share(), { allocated_qty: 5, allocated: 5, quantity: 5 });
  assert.equal(await make.available(channel, sku), 5);
});

test('contract 2.3.2a: a cancellation returns the drawn quantity even if the allocation was changed meanwhile', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 10);
  const { report } = await accepted(channel, [line(sku, 4)]);
  await make.allocate(channel, variant, 0);
  await must(report({ status: 88 }), 200);
  const { channels, common_available } = await make.stock(variant);
  assert.deepEqual([channels[0].allocated_qty, common_available], [4, 6]);
});

test('contract 4.3.7a: cancelling and shipping a backorder lower backordered_qty', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 0, 20);
  const cancelled = await accepted(channel, [line(sku, 6)], { is_backorder: true });
  const shipped = await accepted(channel, [line(sku, 4), line(sku, 1)], { is_backorder: true });
  await must(cancelled.report({ status: 88 }), 200);
  let stock = await make.stock(variant);
  assert.deepEqual([stock.backordered, stock.channels[0].backordered_qty, stock.quantity], [5, 5, 10]);
  await must(shipped.report(statusBody(3)), 200);
  stock = await make.stock(variant);
  assert.deepEqual([stock.backordered, stock.channels[0].backordered_qty, stock.quantity], [0, 0, 5]);
  assert.equal(stock.unshipped, 0);
  assert.equal((await ledger(variant.code)).filter(({ kind }) => kind === 'shipment').length, 1);
});

test('contract 3.2.12, 7.18: too little physical stock is 409 with both quantities, and nothing changes: no step, no ledger entry', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { id, report } = await accepted(channel, [line(sku, 4)], { status: 0 });
  await make.setStock(variant, 3);
  const [before, rows] = [await stored(id), await ledger(variant.code)];
  for (let turn = 0; turn < 2; turn++)
    assertConflict(await report(statusBody(3)), 'insufficient_stock', 0, 3, 'available 3', 'requested 4');
  assert.deepEqual(await stored(id), before);
  assert.deepEqual(await ledger(variant.code), rows);
  const { quantity, unshipped } = await make.stock(variant);
  assert.deepEqual({ quantity, unshipped }, { quantity: 3, unshipped: 4 });
});

test('contract 7.4: the same report succeeds once stock has been added', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { id, report } = await accepted(channel, [line(sku, 4)]);
  await make.setStock(variant, 3);
  assertConflict(await report(statusBody(3)), 'insufficient_stock', 1, 3);
  await must(
    service.admin('POST', `/stock/${variant.code}/adjustments`, { delta: 1, reason: 'goods in' }),
    200,
    201,
  );
  await must(report(statusBody(3)), 200);
  assert.equal((await make.stock(variant)).quantity, 0);
  assert.deepEqual(stepsOf(await stored(id)), [
    [null, 1],
    [1, 2],
    [2, 3],
  ]);
});

test('contract 4.4.6a: the demand of one internal SKU is summed over lines and aliases', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const alias = await make.map(channel, variant);
  const { report } = await accepted(channel, [line(sku, 3), line(alias, 2), line(sku, 1)]);
  await make.setStock(variant, 5);
  assertConflict(await report(statusBody(3)), 'insufficient_stock', 1, 3, 'available 5', 'requested 6');
  await make.setStock(variant, 6);
  await must(report(statusBody(3)), 200);
  const shipments = (await ledger(variant.code)).filter(({ kind }) => kind === 'shipment');
  assert.deepEqual(
    shipments.map(({ delta, quantity_after }) => [delta, quantity_after]),
    [[-6, 0]],
  );
});

test('contract 4.4.6a: one short item stops the whole order: no other item is shipped', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(10);
  const otherSku = await make.map(channel, other);
  const { id, report } = await accepted(channel, [line(sku, 2), line(otherSku, 5)]);
  await make.setStock(other, 4);
  const before = await stored(id);
  assertConflict(
    await report(statusBody(3)),
    'insufficient_stock',
    1,
    3,
    otherSku,
    'available 4',
    'requested 5',
  );
  assert.deepEqual(await stored(id), before);
  assert.equal((await make.stock(variant)).quantity, 10);
});

test('contract 4.4.6a: shipping checks only physical stock, not the quantities of other orders', async () => {
  const { channel: a, variant, sku } = await make.setting(10);
  const b = await make.channel();
  const skuB = await make.map(b, variant);
  const first = await accepted(a, [line(sku, 6)]);
  const second = await accepted(b, [line(skuB, 4)]);
  const back = await accepted(b, [line(skuB, 5)], { is_backorder: true });
  await must(back.report(statusBody(3)), 200);
  await must(second.report(statusBody(3)), 200);
  assertConflict(await first.report(statusBody(3)), 'insufficient_stock', 1, 3, 'available 1', 'requested 6');
  await must(first.report({ status: 88 }), 200);
  assert.equal((await make.stock(variant)).quantity, 1);
});

test('contract 4.4.8a: the path is checked before stock: a final order is invalid_transition, never insufficient_stock', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { report } = await accepted(channel, [line(sku, 4)]);
  await must(report({ status: 88 }), 200);
  await make.setStock(variant, 0);
  assertConflict(await report(statusBody(3)), 'invalid_transition', 88, 3);
});

test('contract 2.2.1a: after a remapping, the internal SKU that was accepted is shipped', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { report } = await accepted(channel, [line(sku, 4)]);
  const other = await make.variant(50);
  await make.map(channel, other, sku);
  await must(report(statusBody(3)), 200);
  assert.deepEqual([(await make.stock(variant)).quantity, (await make.stock(other)).quantity], [6, 50]);
});

test('contract 4.4.3a: a tracking number or reason with a status that records none is accepted and not stored', async () => {
  const { channel, sku } = await make.setting();
  const sent = { tracking_number: 'EARLY', reason: 'why not' };
  for (const [status, stores] of [
    [2, {}],
    [3, { tracking_number: 'EARLY' }],
    [88, { cancel_reason: 'why not' }],
  ] as const) {
    const { id, report } = await accepted(channel, [line(sku)], { tracking_number: 'FROM-INTAKE' });
    assertInvalid(await report({ ...sent, status, tracking_number: 'x'.repeat(101) }), 'tracking_number');
    assertInvalid(await report({ ...sent, status, reason: 'x'.repeat(256) }), 'reason');
    await must(report({ ...sent, status }), 200);
    const { tracking_number, cancel_reason } = await stored(id);
    const expected = { tracking_number: 'FROM-INTAKE', cancel_reason: null, ...stores };
    assert.deepEqual({ tracking_number, cancel_reason }, expected, `status ${status}`);
  }
});

test('contract 4.4.8a: the body is validated before the order is looked up', async () => {
  const { channel } = await make.setting();
  const answer = await reportOn(channel, 'NO-SUCH')({ status: 7 });
  assertInvalid(answer, 'status');
});

test('contract 4.4.1a: order numbers and SKUs of one or two dots are found if the request line arrives as sent, escaped or not', async () => {
  const { channel, sku } = await make.setting();
  const body = JSON.stringify({ status: 1 });
  const raw = (method: string, path: string, content = '') =>
    sendRaw(
      service.origin,
      `${method} /api/v1${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${channel.api_key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${content.length}\r\nConnection: close\r\n\r\n${content}`,
    );
  for (const number of ['.', '..']) {
    const { data } = (await channel.call('POST', '/orders', orderOf([line(sku)], { order_number: number })))
      .json;
    assert.equal(data.order_number, number);
    for (const segment of [number, number.replaceAll('.', '%2E'), number.replaceAll('.', '%2e')]) {
      const answer = await raw('POST', `/orders/${segment}/status`, body);
      assert.deepEqual([answer?.status, answer?.json.data.order_number], [200, number], segment);
      const lookup = await raw('GET', `/inventory/${segment}`);
      assert.equal(lookup?.headers.get('sluice-error'), 'sku_unmapped', segment);
    }
    // A client that follows the URL standard removes the segment before it sends the request.
    assert.equal(
      (await channel.call('POST', `/orders/${encodeURIComponent(number)}/status`, body)).status,
      404,
    );
  }
});
