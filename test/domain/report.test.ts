import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocationKey, type BatchState } from '../../src/core/rules/commands.ts';
import { decide, hasNoChanges } from '../../src/core/rules/decide.ts';
import { orderOf } from '../../src/core/rules/report.ts';
import { STATUSES } from '../../src/core/rules/transitions.ts';
import {
  allocate,
  CASE,
  decideOne,
  intake,
  LENS,
  SEOUL,
  smallState,
  TOKYO,
  report,
} from '../kit/batch-state.ts';

/** A state with the order N1 (id 501) of SEOUL, which holds 70 of the common stock and 15 of the pre-allocation. */
function stateWithOrder(status: 0 | 1 = 1): BatchState {
  const state = smallState();
  allocate(state, SEOUL, LENS, 30);
  const { outcome } = decideOne(
    state,
    intake(
      [
        ['lens', 75],
        ['lens-2', 10],
        ['case', 4],
      ],
      { status },
    ),
  );
  assert.equal(outcome.kind, 'created');
  return state;
}

const backOffice = { source: 'back_office', actor: 'user:7', request_id: 'r1' } as const;

test('contract 3.2.9: a report of the current status changes nothing, in any status', () => {
  for (const status of STATUSES) {
    const state = stateWithOrder(status === 0 ? 0 : 1);
    decideOne(state, report(status));
    const stock = structuredClone(state.stock);
    const { outcome, changes } = decideOne(state, report(status, { ...backOffice, reason: 'again' }));
    assert.ok(outcome.kind === 'reported');
    assert.deepEqual([outcome.changed, outcome.order.id, outcome.order.status], [false, 501, status]);
    assert.deepEqual([changes.stock.size, changes.moved.size, changes.audits], [0, 0, []], String(status));
    assert.equal(hasNoChanges(changes), true);
    assert.deepEqual(state.stock, stock);
  }
});

test('a channel names its order by number, the back office by id', () => {
  const state = stateWithOrder();
  decideOne(state, intake([['lens', 1]], { channel_id: TOKYO, order_number: 'N2', is_backorder: true }));
  const order = state.orders.get('N1');
  const idOf = (target: Parameters<typeof report>[1]) => orderOf(report(1, target), state.orders)?.id;
  assert.equal(orderOf(report(1), state.orders), order);
  assert.equal(idOf({ target: { order_id: 501 } }), 501);
  assert.equal(idOf({ target: { order_id: 502 } }), 502);
  assert.deepEqual(
    [
      report(3, { target: { channel_id: TOKYO, order_number: 'N1' } }),
      report(3, { target: { channel_id: SEOUL, order_number: 'N9' } }),
      report(3, { target: { order_id: 503 } }),
    ].map((command) => decideOne(state, command).outcome),
    [
      { kind: 'order_unknown', order_number: 'N1' },
      { kind: 'order_unknown', order_number: 'N9' },
      { kind: 'order_unknown', order_number: '503' },
    ],
  );
  assert.equal(orderOf(report(1, { target: { order_id: 503 } }), state.orders), null);
});

test('a transition without a path is refused with both statuses and changes nothing', () => {
  const state = stateWithOrder();
  const before = structuredClone(state.stock);
  const { outcome, changes } = decideOne(state, report(0));
  assert.deepEqual(outcome, { kind: 'invalid_transition', current_status: 1, requested_status: 0 });
  assert.equal(hasNoChanges(changes), true);
  assert.deepEqual(state.stock, before);
});

test('a report of preparation records the step and moves no stock; from the back office it writes an audit entry', () => {
  const { outcome, changes } = decideOne(stateWithOrder(), report(9, backOffice));
  assert.ok(outcome.kind === 'reported');
  assert.deepEqual([outcome.changed, outcome.order.status], [true, 9]);
  assert.deepEqual(changes, {
    created: [],
    moved: new Map([[501, { status: 9, shipment: null, cancel_reason: null }]]),
    history: [{ order_id: 501, from: 1, to: 9, source: 'back_office' }],
    movements: [],
    stock: new Map(),
    allocations: new Map(),
    audits: [{ actor: 'user:7', order_id: 501, before: 1, after: 9, request_id: 'r1' }],
  });
});

test('a shipment deducts the stock of each item, and what it drew from the allocation is used up', () => {
  const state = stateWithOrder();
  const { outcome, changes } = decideOne(
    state,
    report(3, { tracking_number: 'T7', courier_code: 'CJ', reason: 'none of its business' }),
  );
  assert.ok(outcome.kind === 'reported');
  assert.deepEqual([outcome.changed, outcome.order.status], [true, 3]);
  assert.deepEqual(changes, {
    created: [],
    moved: new Map([
      [
        501,
        {
          status: 3,
          shipment: { tracking_number: 'T7', courier_code: 'CJ', courier_name: 'CJ Logistics' },
          cancel_reason: null,
        },
      ],
    ]),
    history: [
      { order_id: 501, from: 1, to: 2, source: 'channel' },
      { order_id: 501, from: 2, to: 3, source: 'channel' },
    ],
    movements: [
      { variant_id: LENS, delta: -85, quantity_after: 15, order_id: 501, actor: 'channel:1' },
      { variant_id: CASE, delta: -4, quantity_after: 6, order_id: 501, actor: 'channel:1' },
    ],
    stock: new Map([
      [LENS, { quantity: -85, unshipped: -85, allocated: 0, backordered: 0 }],
      [CASE, { quantity: -4, unshipped: -4, allocated: 0, backordered: 0 }],
    ]),
    allocations: new Map(),
    audits: [],
  });
});

test('an unknown or missing courier is stored as none, and the tracking number is still stored', () => {
  for (const courier_code of ['nobody', null]) {
    const { changes } = decideOne(stateWithOrder(), report(3, { courier_code }));
    assert.deepEqual(changes.moved.get(501)?.shipment, {
      tracking_number: 'T1',
      courier_code: null,
      courier_name: null,
    });
  }
});

test('a shipment without a tracking number is a bug', () => {
  const command = report(3, { tracking_number: null });
  assert.throws(() => decideOne(stateWithOrder(), command), /without a tracking number/);
});

test('contract 4.4.6a: missing stock is reported with the SKU of the first line of the item and the sum of its lines', () => {
  const state = stateWithOrder();
  const stock = state.stock.get(LENS);
  assert.ok(stock);
  stock.quantity = 84;
  const { outcome, changes } = decideOne(state, report(3));
  assert.deepEqual(outcome, {
    kind: 'shipment_short',
    current_status: 1,
    requested_status: 3,
    sku: 'lens',
    requested: 85,
    available: 84,
  });
  assert.equal(hasNoChanges(changes), true);
  stock.quantity = 85;
  assert.equal(decideOne(state, report(3)).outcome.kind, 'reported');
  assert.equal(stock.quantity, 0);
});

test('a stock row that was not locked is a bug, never zero stock', () => {
  const state = stateWithOrder();
  state.stock.delete(LENS);
  assert.throws(() => decideOne(state, report(3)), RangeError);
});

test('the cancelled quantity of a line is neither shipped nor released again', () => {
  const state = smallState();
  decideOne(state, intake([['case', 6]]));
  const [line] = state.orders.get('N1')?.items ?? [];
  assert.ok(line);
  line.cancelled_quantity = 2;
  const { changes } = decideOne(state, report(3));
  assert.deepEqual(changes.stock.get(CASE), { quantity: -4, unshipped: -4, allocated: 0, backordered: 0 });
});

test('a cancellation returns even a single drawn unit to the allocation', () => {
  const state = smallState();
  allocate(state, SEOUL, LENS, 30);
  decideOne(state, intake([['lens', 71]]));
  const { changes } = decideOne(state, report(88));
  assert.equal(changes.allocations.get(allocationKey(SEOUL, LENS))?.allocated_qty, 1);
});

test('a cancellation releases the stock that the order holds and returns drawn units to the pre-allocation', () => {
  const state = stateWithOrder();
  const { changes } = decideOne(state, report(88, { reason: 'changed their mind', courier_code: 'CJ' }));
  assert.deepEqual(
    changes.moved,
    new Map([[501, { status: 88, shipment: null, cancel_reason: 'changed their mind' }]]),
  );
  assert.deepEqual(changes.movements, []);
  assert.deepEqual(
    changes.stock,
    new Map([
      [LENS, { quantity: 0, unshipped: -85, allocated: 15, backordered: 0 }],
      [CASE, { quantity: 0, unshipped: -4, allocated: 0, backordered: 0 }],
    ]),
  );
  assert.deepEqual(
    changes.allocations,
    new Map([
      [
        allocationKey(SEOUL, LENS),
        { channel_id: SEOUL, variant_id: LENS, allocated_qty: 15, backordered_qty: 0 },
      ],
    ]),
  );
  assert.deepEqual(
    state.orders
      .get('N1')
      ?.items.map(({ sku, quantity, cancelled_quantity }) => [sku, quantity, cancelled_quantity]),
    [
      ['lens', 75, 75],
      ['lens-2', 10, 10],
      ['case', 4, 4],
    ],
  );
});

test('a backorder releases its quota when shipped, which deducts stock, and when cancelled, which does not', () => {
  for (const [status, quantity] of [
    [3, -6],
    [88, 0],
  ] as const) {
    const state = smallState();
    const { outcomes } = decide([intake([['case', 6]], { is_backorder: true })], state);
    assert.equal(outcomes[0]?.kind, 'created');
    const { changes } = decideOne(state, report(status));
    assert.deepEqual(
      changes.stock,
      new Map([[CASE, { quantity, unshipped: 0, allocated: 0, backordered: -6 }]]),
    );
    assert.deepEqual(
      changes.allocations,
      new Map([
        [
          allocationKey(SEOUL, CASE),
          { channel_id: SEOUL, variant_id: CASE, allocated_qty: 0, backordered_qty: -6 },
        ],
      ]),
    );
  }
});

test('an outcome shows the order as of its own command, whatever follows in the batch', () => {
  const { outcomes } = decide([intake([['lens', 1]]), report(2), report(88)], smallState());
  const shown = outcomes.map((outcome) =>
    'order' in outcome ? [outcome.order.status, outcome.order.items[0]?.cancelled_quantity] : outcome.kind,
  );
  assert.deepEqual(shown, [
    [1, 0],
    [2, 0],
    [88, 1],
  ]);
});
