import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocationKey, type Changes, type IntakeCommand } from '../../src/core/rules/commands.ts';
import { decide, hasNoChanges } from '../../src/core/rules/decide.ts';
import { allocate, CASE, decideOne, intake, LENS, SEOUL, smallState, TOKYO } from '../kit/batch-state.ts';
import { PERSON } from '../../verify/kit/canaries.ts';

const NOTHING: Changes = {
  created: [],
  moved: new Map(),
  history: [],
  movements: [],
  stock: new Map(),
  allocations: new Map(),
  audits: [],
};

const item = (line: number, sku: string, quantity: number, more: object = {}) => ({
  line,
  variant_id: LENS,
  sku,
  product_code: 'LENS',
  product_name: 'Lens',
  quantity,
  cancelled_quantity: 0,
  from_allocation: 0,
  local_unit_price: '10',
  unit_price: '10.00',
  ...more,
});

test('an accepted order has every amount in both currencies, and holds its stock', () => {
  const state = smallState();
  const command = intake([['lens', 3, '1050.5']], { channel_id: TOKYO, status: 0 });
  const { outcome, changes } = decideOne(state, command);
  const items = [item(0, 'lens', 3, { local_unit_price: '1050.5', unit_price: '9580.56' })];
  const order = {
    id: 501,
    channel_id: TOKYO,
    order_number: 'N1',
    status: 0,
    is_backorder: false,
    recipient_name: PERSON.recipient_name,
    total_amount: '28741.68',
    created_at: new Date('2026-11-15T00:30:00Z'),
    items,
  };
  const { channel_id: _, is_backorder: __, ...view } = order;
  assert.deepEqual(outcome, { kind: 'created', order: view });
  assert.deepEqual(changes, {
    ...NOTHING,
    created: [
      {
        order,
        command,
        product_version_ids: [7],
        local_currency_code: 'JPY',
        local_total_amount: '3151.5',
        exchange_rate: '9.12',
      },
    ],
    history: [{ order_id: 501, from: null, to: 0, source: 'channel' }],
    stock: new Map([[LENS, { quantity: 0, unshipped: 3, allocated: 0, backordered: 0 }]]),
  });
  assert.deepEqual(state.orders, new Map([['N1', order]]));
  assert.deepEqual(state.stock.get(LENS), { quantity: 100, unshipped: 3, allocated: 0, backordered: 0 });
  assert.equal(hasNoChanges(changes), false);
});

test('the base currency needs no rate; a missing rate makes the converted amounts 0', () => {
  const state = smallState();
  state.rates = new Map([['KRW', { units: 7n, scale: 0 }]]);
  const { changes } = decide(
    [intake([['lens', 2]]), intake([['lens', 2]], { channel_id: TOKYO, order_number: 'N2' })],
    state,
  );
  assert.deepEqual(
    changes.created.map(({ order, exchange_rate, local_total_amount }) => [
      exchange_rate,
      local_total_amount,
      order.total_amount,
      order.items[0]?.unit_price,
    ]),
    [
      ['1', '20', '20.00', '10.00'],
      ['0', '20', '0.00', '0.00'],
    ],
  );
});

test('contract 4.3.1 to 4.3.3: a resend returns the stored order; another channel learns only that the number is taken', () => {
  const state = smallState();
  const { outcome } = decideOne(state, intake([['lens', 3]]));
  assert.equal(outcome.kind, 'created');
  const again = decideOne(state, intake([['nowhere', 900]]));
  assert.deepEqual(again, { outcome: { ...outcome, kind: 'resent' }, changes: NOTHING });
  const taken = decideOne(state, intake([['lens', 1]], { channel_id: TOKYO }));
  assert.deepEqual(taken, { outcome: { kind: 'order_number_taken' }, changes: NOTHING });
  assert.equal(hasNoChanges(taken.changes), true);
});

test('contract 4.3.3b: whether another channel has used a number shows only where the order would be accepted', () => {
  const state = smallState();
  allocate(state, TOKYO, LENS, 0, 4);
  decideOne(state, intake([['lens', 3]], { order_number: 'TAKEN' }));
  const refusals: IntakeCommand[] = [
    intake([['nowhere', 1]]),
    intake([['lens', 98]]),
    intake([['lens', 5]], { is_backorder: true }),
  ];
  for (const { lines, is_backorder } of refusals) {
    const [free, taken] = ['FREE', 'TAKEN'].map((order_number) =>
      decideOne(state, intake([], { channel_id: TOKYO, order_number, lines, is_backorder })),
    );
    assert.match(free?.outcome.kind ?? '', /^(sku_unmapped|stock_insufficient|quota_insufficient)$/);
    assert.deepEqual(taken, free);
  }
});

test('contract 10.13: a number with the prefix of another channel is refused before the goods; a resend is not', () => {
  const state = smallState();
  const reserved = (order_number: string, sku = 'lens') =>
    decideOne(state, intake([[sku, 1]], { channel_id: TOKYO, order_number, is_number_reserved: true }));
  decideOne(state, intake([['lens', 1]], { channel_id: SEOUL, order_number: 'SEL-1' }));
  decideOne(state, intake([['lens', 1]], { channel_id: TOKYO, order_number: 'SEL-2' }));
  for (const number of ['SEL-1', 'SEL-3'])
    for (const sku of ['lens', 'nowhere'])
      assert.deepEqual(reserved(number, sku), { outcome: { kind: 'number_reserved' }, changes: NOTHING });
  assert.equal(reserved('SEL-2').outcome.kind, 'resent');
});

test('an inactive channel, an unmapped SKU and a missing stock row: the first failing line is named', () => {
  const refused = (command: ReturnType<typeof intake>) => {
    const { outcome, changes } = decideOne(smallState(), command);
    assert.deepEqual(changes, NOTHING);
    return outcome;
  };
  assert.deepEqual(refused(intake([['lens', 1]], { channel_id: 3 })), { kind: 'channel_inactive' });
  const lines = [
    ['lens', 1],
    ['nowhere', 1],
    ['bare', 1],
  ] as const;
  assert.deepEqual(refused(intake(lines)), { kind: 'sku_unmapped', sku: 'nowhere' });
  assert.deepEqual(refused(intake(lines.toReversed())), { kind: 'stock_missing', sku: 'bare' });
});

test('contract 4.3.5, 4.3.6: SKUs of one variant are summed, and a refusal names each of them once', () => {
  const state = smallState();
  const lines = [
    ['case', 1],
    ['lens', 60],
    ['lens-2', 20],
    ['lens', 21],
  ] as const;
  assert.deepEqual(decideOne(state, intake(lines)), {
    outcome: { kind: 'stock_insufficient', skus: ['lens', 'lens-2'], requested: 101, available: 100 },
    changes: NOTHING,
  });
  allocate(state, SEOUL, LENS, 1);
  assert.equal(
    decideOne(state, intake(lines)).outcome.kind,
    'stock_insufficient',
    'the allocation is part of the same 100',
  );
  const stock = state.stock.get(LENS);
  assert.ok(stock);
  stock.quantity += 1;
  assert.equal(decideOne(state, intake(lines)).outcome.kind, 'created');
});

test('contract 2.3.2a: common stock is used first, and the last lines of the variant draw from the allocation', () => {
  const state = smallState();
  allocate(state, SEOUL, LENS, 30);
  const { changes } = decideOne(
    state,
    intake([
      ['lens', 70],
      ['lens-2', 8],
      ['case', 1],
      ['lens', 7],
    ]),
  );
  const [created] = changes.created;
  assert.deepEqual(
    created?.order.items.map(({ sku, from_allocation }) => [sku, from_allocation]),
    [
      ['lens', 0],
      ['lens-2', 8],
      ['case', 0],
      ['lens', 7],
    ],
  );
  assert.deepEqual(changes.stock.get(LENS), { quantity: 0, unshipped: 85, allocated: -15, backordered: 0 });
  assert.deepEqual(
    changes.allocations,
    new Map([
      [
        allocationKey(SEOUL, LENS),
        { channel_id: SEOUL, variant_id: LENS, allocated_qty: -15, backordered_qty: 0 },
      ],
    ]),
  );
});

test('an order that the common stock covers changes no allocation', () => {
  const state = smallState();
  allocate(state, SEOUL, LENS, 30);
  assert.equal(decideOne(state, intake([['lens', 70]])).changes.allocations.size, 0);
});

test('contract 4.3.7, 4.3.8: a backorder uses quota, but no stock', () => {
  const state = smallState();
  allocate(state, SEOUL, CASE, 2, 40);
  const backorder = (number: string, quantity: number) =>
    decideOne(state, intake([['case', quantity]], { order_number: number, is_backorder: true }));
  const { outcome, changes } = backorder('N1', 30);
  assert.equal(outcome.kind, 'created');
  assert.equal(changes.created[0]?.order.is_backorder, true);
  assert.deepEqual(
    changes.stock,
    new Map([[CASE, { quantity: 0, unshipped: 0, allocated: 0, backordered: 30 }]]),
  );
  assert.deepEqual(
    changes.allocations,
    new Map([
      [
        allocationKey(SEOUL, CASE),
        { channel_id: SEOUL, variant_id: CASE, allocated_qty: 0, backordered_qty: 30 },
      ],
    ]),
  );
  assert.deepEqual(backorder('N2', 11), {
    outcome: { kind: 'quota_insufficient', skus: ['case'], requested: 11, remaining: 10 },
    changes: NOTHING,
  });
  assert.equal(backorder('N3', 10).outcome.kind, 'created');
});

test('the first backorder creates the allocation that counts it', () => {
  const state = smallState();
  decideOne(state, intake([['lens', 400]], { is_backorder: true }));
  assert.deepEqual(
    state.allocations,
    new Map([[allocationKey(SEOUL, LENS), { allocated_qty: 0, reserve_quota: 0, backordered_qty: 400 }]]),
  );
});
