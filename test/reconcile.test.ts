// Most tests tamper inside a transaction that is rolled back: reconcile runs on the same connection and sees the changes,
// other connections do not. The tests of GET /admin/v1/reconcile change the database and undo it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type pg from 'pg';
import { reconcile, type Drift } from '../src/core/reconcile/store.ts';
import { connect } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf, type TestChannel, type TestVariant } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

let channel: TestChannel;
let variant: TestVariant;
let sku: string;
const orders = { open: '', unpaid: '', drawn: '', returned: '', backorder: '', shipped: '', cancelled: '' };
let tamperer: pg.Client;

/** Stock 20, of which 10 are pre-allocated: four orders use up the common stock, the next two draw on the pre-allocation. */
before(async () => {
  ({ channel, variant, sku } = await make.setting(20));
  await make.allocate(channel, variant, 10, 50);
  const send = async (quantity: number, fields: object = {}): Promise<string> => {
    const body = orderOf([{ sku, quantity, unit_price: 10.5 }], fields);
    await must(channel.call('POST', '/orders', body), 201);
    return body.order_number;
  };
  const report = (number: string, body: object) =>
    must(channel.call('POST', `/orders/${number}/status`, body), 200);
  orders.open = await send(3);
  orders.unpaid = await send(2, { status: 0 });
  orders.shipped = await send(4);
  orders.cancelled = await send(1);
  orders.drawn = await send(5); // the common stock of 10 is used up by 3 + 2 + 4 + 1
  orders.returned = await send(4);
  orders.backorder = await send(7, { is_backorder: true });
  await report(orders.open, { status: 9 });
  await report(orders.shipped, { status: 3, tracking_number: 'T-1' });
  await report(orders.cancelled, { status: 88 });
  await report(orders.returned, { status: 88 }); // its draw returns to the pre-allocation
  tamperer = await connect(service.database.tamperUrl);
});
after(() => tamperer.end());

/** The drift after these statements, which run with triggers and foreign keys disabled. */
async function driftAfter(...statements: string[]): Promise<Drift[]> {
  await tamperer.query('begin');
  try {
    await tamperer.query(`set local session_replication_role = 'replica'`);
    for (const sql of statements) await tamperer.query(sql);
    const { ok, drift, drift_count } = await reconcile(tamperer);
    assert.equal(drift_count, drift.length);
    assert.equal(ok, drift.length === 0);
    return drift;
  } finally {
    await tamperer.query('rollback');
  }
}

const idOf = (number: string): string => `(select id from orders where order_number = '${number}')`;
const thisVariant = (): string => `(select id from variant where code = '${variant.code}')`;

test('unchanged counters agree, and the report counts the checked values', async () => {
  const report = await reconcile(service.service.services.pool);
  assert.deepEqual(report, { ok: true, checked: 4 + 2 + 7, drift: [], drift_count: 0 });
});

describe('a changed counter is reported', () => {
  for (const [column, stored, computed] of [
    ['unshipped', 11, 10],
    ['backordered', 8, 7],
    ['allocated', 6, 5],
    ['quantity', 17, 16],
  ] as const) {
    test(`stock.${column}`, async () => {
      const drift = await driftAfter(
        `update stock set ${column} = ${column} + 1 where variant_id = ${thisVariant()}`,
      );
      assert.deepEqual(drift, [{ counter: `stock.${column}`, variant_code: variant.code, stored, computed }]);
    });
  }

  test('allocation.allocated_qty, and with it the sum in stock.allocated', async () => {
    const where = { variant_code: variant.code };
    assert.deepEqual(await driftAfter('update allocation set allocated_qty = allocated_qty - 1'), [
      { counter: 'allocation.allocated_qty', ...where, channel_id: channel.id, stored: 4, computed: 5 },
      { counter: 'stock.allocated', ...where, stored: 5, computed: 4 },
    ]);
  });

  test('allocation.backordered_qty', async () => {
    assert.deepEqual(await driftAfter('update allocation set backordered_qty = 0'), [
      {
        counter: 'allocation.backordered_qty',
        variant_code: variant.code,
        channel_id: channel.id,
        stored: 0,
        computed: 7,
      },
    ]);
  });

  test('a grant that is missing from the ledger of allocations', async () => {
    const [drift, ...others] = await driftAfter('delete from allocation_movement');
    assert.deepEqual(others, []);
    assert.equal(drift?.counter, 'allocation.allocated_qty');
    assert.equal(drift?.computed, -5);
  });

  test('a draw on the pre-allocation that is missing in the order line', async () => {
    const drift = await driftAfter(
      `update order_item set from_allocation = 0 where order_id = ${idOf(orders.drawn)}`,
    );
    assert.deepEqual(
      drift.map(({ counter, stored, computed }) => [counter, stored, computed]),
      [['allocation.allocated_qty', 5, 10]],
    );
  });

  test('a wrong last quantity in the ledger of physical stock', async () => {
    assert.deepEqual(
      await driftAfter(
        'update stock_movement set quantity_after = 99 where id = (select max(id) from stock_movement)',
      ),
      [{ counter: 'stock_movement.quantity_after', variant_code: variant.code, stored: 99, computed: 16 }],
    );
  });
});

describe('shipments', () => {
  const onlyShipment = `kind = 'shipment'`;
  const names = (drift: Drift[]) =>
    drift.map((one) => [one.counter, one.order_number, one.stored, one.computed]);

  test('a shipped order without its movement', async () => {
    assert.deepEqual(
      names(
        await driftAfter(
          `update stock_movement set kind = 'adjustment', order_id = null where ${onlyShipment}`,
        ),
      ),
      [['shipment.movements', orders.shipped, 0, 1]],
    );
  });

  test('a shipment movement of an order that is not shipped', async () => {
    assert.deepEqual(
      names(
        await driftAfter(`update stock_movement set order_id = ${idOf(orders.open)} where ${onlyShipment}`),
      ),
      [
        ['shipment.movements', orders.open, 1, 0],
        ['shipment.movements', orders.shipped, 0, 1],
      ],
    );
  });

  test('an order that was deducted twice', async () => {
    const twice = `insert into stock_movement (variant_id, delta, quantity_after, kind, order_id, actor)
      select variant_id, delta, quantity_after + delta, kind, order_id, actor from stock_movement where ${onlyShipment}`;
    assert.deepEqual(names(await driftAfter(twice, 'update stock set quantity = quantity - 4')), [
      ['shipment.delta', orders.shipped, -8, -4],
      ['shipment.movements', orders.shipped, 2, 1],
    ]);
  });

  test('a deduction whose quantity differs from the order', async () => {
    const less = `update stock_movement set delta = -3, quantity_after = 17 where ${onlyShipment}`;
    assert.deepEqual(names(await driftAfter(less, 'update stock set quantity = 17')), [
      ['shipment.delta', orders.shipped, -3, -4],
    ]);
  });
});

describe('orders', () => {
  const found = async (...statements: string[]) =>
    (await driftAfter(...statements)).map((one) => [one.counter, one.order_number, one.stored, one.computed]);

  test('a status that its history does not lead to', async () => {
    assert.deepEqual(await found(`update orders set status = 2 where order_number = '${orders.open}'`), [
      ['order.status', orders.open, 2, 9],
    ]);
  });

  test('a history that does not begin with the intake', async () => {
    assert.deepEqual(
      await found(`update order_history set from_status = 0 where order_id = ${idOf(orders.drawn)}`),
      [['order_history.starts', orders.drawn, 0, 1]],
    );
  });

  test('a step that the transition table does not allow', async () => {
    assert.deepEqual(
      await found(
        `insert into order_history (order_id, from_status, to_status, source) values (${idOf(orders.unpaid)}, 0, 3, 'x')`,
        `update orders set status = 3 where order_number = '${orders.unpaid}'`,
      ).then((drift) => drift.filter(([counter]) => String(counter).startsWith('order_history'))),
      [['order_history.illegal_steps', orders.unpaid, 1, 0]],
    );
  });

  test('a history that forks', async () => {
    assert.deepEqual(
      await found(
        `insert into order_history (order_id, from_status, to_status, source) values (${idOf(orders.open)}, 1, 2, 'x')`,
      ),
      [['order.status', orders.open, 9, null]],
    );
  });

  test('a history without its order, and an order without its history', async () => {
    const drift = await found(
      `update order_history set order_id = 987654 where order_id = ${idOf(orders.drawn)}`,
    );
    assert.deepEqual(drift, [
      ['order.status', orders.drawn, 1, null],
      ['order_history.order_id', undefined, 987654, null],
      ['order_history.starts', orders.drawn, 0, 1],
    ]);
  });

  test('a cancelled order with a line that is not cancelled', async () => {
    assert.deepEqual(
      await found(`update order_item set cancelled_quantity = 0 where order_id = ${idOf(orders.cancelled)}`),
      [['order.cancelled_quantity', orders.cancelled, 0, 1]],
    );
  });

  test('an open order with a line that is cancelled', async () => {
    const drift = await found(
      `update order_item set cancelled_quantity = 1 where order_id = ${idOf(orders.open)}`,
    );
    assert.deepEqual(drift, [
      ['order.cancelled_quantity', orders.open, 1, 0],
      ['stock.unshipped', undefined, 10, 9],
    ]);
  });

  test('an order without lines, and lines without an order', async () => {
    const drift = await found(
      `update order_item set order_id = 987654 where order_id = ${idOf(orders.cancelled)}`,
    );
    assert.deepEqual(drift, [
      ['order.lines', orders.cancelled, 0, 1],
      ['order_item.order_id', undefined, 987654, null],
    ]);
  });

  test('a wrong local total, and a wrong conversion of it', async () => {
    assert.deepEqual(
      await found(`update orders set local_total_amount = 1 where order_number = '${orders.open}'`),
      [
        ['order.local_total_amount', orders.open, '1', '31.5'],
        ['order.total_amount', orders.open, '31.50', '1.00'],
      ],
    );
    assert.deepEqual(
      await found(`update orders set total_amount = 31.49 where order_number = '${orders.open}'`),
      [['order.total_amount', orders.open, '31.49', '31.50']],
    );
  });
});

describe('references', () => {
  test('an order of a channel that does not exist', async () => {
    const drift = await driftAfter(`update orders set channel_id = 987654`);
    assert.ok(
      drift.some(
        (one) => one.counter === 'orders.channel_id' && one.stored === 987_654 && one.computed === null,
      ),
    );
  });

  test('a line and a movement of a variant that does not exist', async () => {
    const drift = await driftAfter(
      `update order_item set variant_id = 987654 where order_id = ${idOf(orders.cancelled)}`,
      `insert into stock_movement (variant_id, delta, quantity_after, kind, actor) values (987654, 1, 1, 'set', 'x')`,
    );
    assert.deepEqual(
      drift.map((one) => [one.counter, one.stored, one.computed]),
      [
        ['order_item.variant_id', 987_654, null],
        ['stock.backordered', null, 0],
        ['stock.quantity', null, 1],
        ['stock.unshipped', null, 0],
        ['stock_movement.variant_id', 987_654, null],
      ],
    );
  });

  test('a line with a version of its product that does not exist', async () => {
    const drift = await driftAfter(
      `update order_item set product_version_id = 987654 where order_id = ${idOf(orders.cancelled)}`,
    );
    assert.deepEqual(
      drift.map((one) => [one.counter, one.stored, one.computed]),
      [['order_item.product_version_id', 987_654, null]],
    );
  });

  test('orders of a variant without a stock row', async () => {
    const drift = await driftAfter(`delete from stock where variant_id = ${thisVariant()}`);
    assert.deepEqual(
      drift.map((one) => [one.counter, one.variant_code, one.stored, one.computed]),
      [
        ['stock.allocated', variant.code, null, 5],
        ['stock.backordered', variant.code, null, 7],
        ['stock.quantity', variant.code, null, 16],
        ['stock.unshipped', variant.code, null, 10],
      ],
    );
  });

  test('draws and backorders of a channel without an allocation row', async () => {
    const drift = await driftAfter('delete from allocation');
    assert.deepEqual(
      drift.map((one) => [one.counter, one.stored, one.computed]),
      [
        ['allocation.allocated_qty', null, 5],
        ['allocation.backordered_qty', null, 7],
        ['stock.allocated', 5, 0],
      ],
    );
  });
});

describe('GET /admin/v1/reconcile', () => {
  test('the gauge is absent before the first run, and 0 after a run without drift', async () => {
    const unmeasured = await (await fetch(`${service.origin}/metrics`)).text();
    assert.doesNotMatch(unmeasured, /^sluice_reconcile_(drift|last_success_timestamp_seconds) /m);
    const report = await must(service.admin('GET', '/reconcile'), 200);
    assert.deepEqual(report, { ok: true, checked: 13, drift: [], drift_count: 0 });
    const text = await (await fetch(`${service.origin}/metrics`)).text();
    assert.match(text, /^sluice_reconcile_drift 0$/m);
    const [, ended] = /^sluice_reconcile_last_success_timestamp_seconds (\S+)$/m.exec(text) ?? [];
    assert.ok(Math.abs(Number(ended) - Date.now() / 1000) < 60);
  });

  test('a run that fails is counted and logged', async () => {
    await tamperer.query('alter table stock rename to stock_away');
    try {
      assert.equal((await service.admin('GET', '/reconcile')).status, 500);
    } finally {
      await tamperer.query('alter table stock_away rename to stock');
    }
    const text = await (await fetch(`${service.origin}/metrics`)).text();
    assert.match(text, /^sluice_reconcile_failures_total 1$/m);
    assert.ok(service.log.some(({ msg }) => msg === 'the counters could not be reconciled'));
  });

  test('the drift is reported and counted by the gauge', async () => {
    await tamperer.query('update stock set unshipped = unshipped + 1');
    try {
      const reports = await Promise.all([1, 2, 3].map(() => must(service.admin('GET', '/reconcile'), 200)));
      for (const report of reports) {
        assert.equal(report.ok, false);
        assert.equal(report.drift_count, 1);
        assert.deepEqual(report.drift, [
          { counter: 'stock.unshipped', variant_code: variant.code, stored: 11, computed: 10 },
        ]);
      }
      const metrics = await fetch(`${service.origin}/metrics`);
      assert.match(await metrics.text(), /^sluice_reconcile_drift 1$/m);
    } finally {
      await tamperer.query('update stock set unshipped = unshipped - 1');
    }
  });
});
