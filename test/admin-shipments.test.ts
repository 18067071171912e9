import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused } from './kit/desk.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, token } = desk(service);

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

test('each row has its outcome; a dry run says the same and changes nothing', async () => {
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

test('a dry run decides each row on what the rows before it would leave, as the gate does', async () => {
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

test('more rows than the gate takes at once are shipped without a refusal', async () => {
  const { channel, variant, sku } = await make.setting(300);
  const orders = await Promise.all(Array.from({ length: 250 }, () => place(channel, sku)));
  const rows = orders.map(({ number }) => ({ order_number: number, tracking_number: `T-${number}` }));
  const { counts } = await must(send(rows), 200);
  assert.equal(counts.shipped, 250);
  assert.equal((await make.stock(variant)).quantity, 50);
});

test('a request without rows, with too many, or of a viewer is refused as a whole', async () => {
  assert.deepEqual(await fieldsRefused(send([])), ['shipments']);
  assert.deepEqual(await fieldsRefused(send(Array.from({ length: 2_001 }, () => 1))), ['shipments']);
  assert.deepEqual(await fieldsRefused(send([1], { dry_run: 'yes' })), ['dry_run']);
  const refused = await service.admin('POST', '/orders/shipments', { shipments: [1] }, await token('viewer'));
  assert.equal(refused.status, 403);
});
