// Everything that a batch writes to the database, column by column, and the responses to resends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSON } from '../verify/kit/canaries.ts';
import { openGate, settler, startGround } from './kit/ground.ts';
import { intake, report } from './kit/batch-state.ts';

const ground = await startGround();
const make = settler(ground);
const { rows } = ground;
const { all } = openGate(ground);

const [seoul, tokyo] = [await make.channel('KRW'), await make.channel('JPY')];
const [lens, box] = [await make.variant(100, 'P-lens'), await make.variant(10, 'P-box')];
for (const channel of [seoul, tokyo]) {
  await make.map(channel, lens, 'lens');
  await make.map(channel, box, 'box');
}
await make.allocate(tokyo, box, 6, 50);
await rows(
  `insert into exchange_rate (currency_code, rate, effective_at) values
     ('JPY', 8, now() - interval '2 days'), ('JPY', 9.5, now() - interval '1 day'), ('JPY', 7, now() + interval '1 day')`,
);
await rows(
  `insert into common_code values ('DELIVERY_COMPANY', 'CJ', 'CJ Logistics'), ('OTHER', 'HANJIN', 'No')`,
);

/** Rows as arrays of their columns, by default in the order in which they were written. */
const written = async (table: string, columns: string, order = 'ctid'): Promise<unknown[][]> =>
  (await rows(`select ${columns} from ${table} order by ${order}`)).map((row) => Object.values(row));

const ORDER_COLUMNS = `id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
  shipping_address, tracking_number, courier_code, courier_name, cancel_reason, local_currency_code,
  local_total_amount, total_amount, exchange_rate`;
const MOVED_COLUMNS = 'id, status, tracking_number, courier_code, courier_name, cancel_reason';
const ITEM_COLUMNS = `order_id, line, variant_id, sku, quantity, cancelled_quantity, from_allocation,
  local_unit_price, unit_price`;
const HISTORY_COLUMNS = 'order_id, from_status, to_status, source';
const STOCK_COLUMNS = 'variant_id, quantity, unshipped, allocated, backordered';
const ALLOCATION_COLUMNS = 'channel_id, variant_id, allocated_qty, reserve_quota, backordered_qty';

const { recipient_name: kim, recipient_phone: phone, shipping_address: address } = PERSON;
const foreign = intake(
  [
    ['lens', 2, '1.5'],
    ['box', 4, '2.25'],
    ['box', 3, '2.2'],
  ],
  { channel_id: tokyo, order_number: 'N2', status: 0, recipient_name: 'Sato' },
);
const awaited = intake([['lens', 5]], {
  channel_id: seoul,
  order_number: 'N1',
  is_backorder: true,
  recipient_phone: '02-1',
  shipping_address: 'Busan',
  tracking_number: 'T0',
});
const plain = intake([['lens', 1]], { channel_id: seoul, order_number: 'N3' });
const taken = await all([foreign, awaited, plain]);
const [first, second, third] = taken.map((outcome) => ('order' in outcome ? outcome.order.id : 0));
assert.ok(first && second && third);

const item = (line: number, variant_id: number, fields: object) => ({
  line,
  variant_id,
  sku: variant_id === lens ? 'lens' : 'box',
  product_code: variant_id === lens ? 'P-lens' : 'P-box',
  product_name: variant_id === lens ? 'Name of P-lens' : 'Name of P-box',
  cancelled_quantity: 0,
  from_allocation: 0,
  ...fields,
});
const ITEMS = {
  N1: [item(0, lens, { quantity: 5, local_unit_price: '10', unit_price: '10.00' })],
  N2: [
    item(0, lens, { quantity: 2, local_unit_price: '1.5', unit_price: '14.25' }),
    item(1, box, { quantity: 4, local_unit_price: '2.25', unit_price: '21.38' }),
    item(2, box, { quantity: 3, local_unit_price: '2.2', unit_price: '20.90', from_allocation: 3 }),
  ],
  N3: [item(0, lens, { quantity: 1, local_unit_price: '10', unit_price: '10.00' })],
};

test('accepted orders: every column of orders, lines and first history steps, sorted by order number', async () => {
  assert.deepEqual(await written('orders', ORDER_COLUMNS), [
    [second, seoul, 'N1', 1, true, kim, '02-1', 'Busan', 'T0', null, null, null, 'KRW', '50', '50.00', '1'],
    [
      first,
      tokyo,
      'N2',
      0,
      false,
      'Sato',
      phone,
      address,
      null,
      null,
      null,
      null,
      'JPY',
      '18.6',
      '176.70',
      '9.5',
    ],
    [third, seoul, 'N3', 1, false, kim, phone, address, null, null, null, null, 'KRW', '10', '10.00', '1'],
  ]);
  assert.deepEqual(await written('order_item', ITEM_COLUMNS), [
    [first, 0, lens, 'lens', 2, 0, 0, '1.5', '14.25'],
    [first, 1, box, 'box', 4, 0, 0, '2.25', '21.38'],
    [first, 2, box, 'box', 3, 0, 3, '2.2', '20.90'],
    [second, 0, lens, 'lens', 5, 0, 0, '10', '10.00'],
    [third, 0, lens, 'lens', 1, 0, 0, '10', '10.00'],
  ]);
  assert.deepEqual(await written('order_history', HISTORY_COLUMNS), [
    [first, null, 0, 'channel'],
    [second, null, 1, 'channel'],
    [third, null, 1, 'channel'],
  ]);
});

test('accepted orders: the counters of stock and allocations, and one row of the journal', async () => {
  assert.deepEqual(await written('stock', STOCK_COLUMNS, 'variant_id'), [
    [lens, 100, 3, 0, 5],
    [box, 10, 7, 3, 0],
  ]);
  assert.deepEqual(await written('allocation', ALLOCATION_COLUMNS, 'channel_id'), [
    [seoul, lens, 0, 0, 5],
    [tokyo, box, 3, 50, 0],
  ]);
  assert.deepEqual(
    await written('change_journal', 'batch is not null, variant_ids, only_quantities, channel_ids'),
    [[true, [lens, box], true, []]],
  );
});

test('the response contains the stored order, and so does the response to a resend', async () => {
  const created = await rows<{ order_number: string; created_at: Date }>(
    'select order_number, created_at from orders',
  );
  const again = await all([foreign, awaited, plain]);
  for (const [index, number] of (['N2', 'N1', 'N3'] as const).entries()) {
    const expected = {
      id: [first, second, third][index],
      order_number: number,
      status: number === 'N2' ? 0 : 1,
      total_amount: { N1: '50.00', N2: '176.70', N3: '10.00' }[number],
      recipient_name: number === 'N2' ? 'Sato' : kim,
      items: ITEMS[number],
      created_at: created.find((row) => row.order_number === number)?.created_at,
    };
    assert.partialDeepStrictEqual(taken[index], { kind: 'created', order: expected });
    assert.partialDeepStrictEqual(again[index], { kind: 'resent', order: expected });
  }
});

test('reported orders: cancellation, shipment, history and audit are stored; other orders do not change', async () => {
  await all([
    report(88, {
      target: { order_id: first },
      source: 'back_office',
      actor: 'desk',
      request_id: 'R1',
      reason: 'changed their mind',
    }),
    report(3, {
      target: { channel_id: seoul, order_number: 'N1' },
      tracking_number: 'T9',
      courier_code: 'CJ',
    }),
  ]);
  assert.deepEqual(await written('orders', MOVED_COLUMNS, 'id'), [
    [first, 88, null, null, null, 'changed their mind'],
    [second, 3, 'T9', 'CJ', 'CJ Logistics', null],
    [third, 1, null, null, null, null],
  ]);
  assert.deepEqual(await written('order_item', 'order_id, quantity, cancelled_quantity', 'order_id, line'), [
    [first, 2, 2],
    [first, 4, 4],
    [first, 3, 3],
    [second, 5, 0],
    [third, 1, 0],
  ]);
  assert.deepEqual((await written('order_history', HISTORY_COLUMNS)).slice(3), [
    [first, 0, 88, 'back_office'],
    [second, 1, 2, 'channel'],
    [second, 2, 3, 'channel'],
  ]);
  assert.deepEqual(await written('stock', STOCK_COLUMNS, 'variant_id'), [
    [lens, 95, 1, 0, 0],
    [box, 10, 0, 6, 0],
  ]);
  assert.deepEqual(await written('allocation', ALLOCATION_COLUMNS, 'channel_id'), [
    [seoul, lens, 0, 0, 0],
    [tokyo, box, 6, 50, 0],
  ]);
  assert.deepEqual(await written('audit', 'actor, action, subject, before, after, request_id'), [
    ['desk', 'order.status', `order:${first}`, { status: 0 }, { status: 88 }, 'R1'],
  ]);
});

test('a shipment of several items has one ledger entry per item; an unknown courier is not stored', async () => {
  const order = intake(
    [
      ['box', 2],
      ['lens', 3],
    ],
    { channel_id: seoul, order_number: 'N4', tracking_number: 'T4' },
  );
  const [outcome] = await all([order]);
  assert.ok(outcome?.kind === 'created');
  const { id } = outcome.order;
  const target = { channel_id: seoul, order_number: 'N4' };
  await all([report(2, { target })]);
  await all([report(3, { target, tracking_number: 'T5', courier_code: 'HANJIN', actor: 'channel:9' })]);
  assert.deepEqual(await written('orders', MOVED_COLUMNS, 'id desc limit 1'), [
    [id, 3, 'T5', null, null, null],
  ]);
  const columns = 'variant_id, delta, quantity_after, kind, order_id, actor, reason';
  assert.deepEqual((await written('stock_movement', columns, 'id')).slice(-3), [
    [lens, -5, 95, 'shipment', second, 'channel:1', null],
    [box, -2, 8, 'shipment', id, 'channel:9', null],
    [lens, -3, 92, 'shipment', id, 'channel:9', null],
  ]);
});

test('orders that are accepted and reported in one batch are stored with their final status', async () => {
  const numbers = ['N5', 'N6', 'N7'];
  const orders = numbers.map((order_number) =>
    intake([['lens', 1]], { channel_id: seoul, order_number, status: 0 }),
  );
  const to = (order_number: string, status: 1 | 3 | 88) =>
    report(status, { target: { channel_id: seoul, order_number } });
  await all([...orders, to('N5', 1), to('N6', 3), to('N7', 88)]);
  const columns = 'order_number, status, tracking_number';
  assert.deepEqual((await written('orders', columns, 'order_number')).slice(-3), [
    ['N5', 1, null],
    ['N6', 3, 'T1'],
    ['N7', 88, null],
  ]);
  assert.deepEqual(await make.stock(lens), { quantity: 91, unshipped: 2, allocated: 0, backordered: 0 });
});
