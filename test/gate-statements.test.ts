// The statements of a batch in its two round trips, their order, and the state that the first round trip reads, also when
// another transaction changes rows between two of its statements.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type pg from 'pg';
import { skuKey, type Command, type ReportCommand } from '../src/core/rules/commands.ts';
import { decide } from '../src/core/rules/decide.ts';
import { decimal } from '../src/platform/values/money.ts';
import { loadBatch, StaleLocks } from '../src/core/gate/load-batch.ts';
import type { Locking } from '../src/core/gate/reads-store.ts';
import { writeChanges } from '../src/core/gate/writes-store.ts';
import { connect } from '../verify/kit/connection.ts';
import { unique } from '../verify/kit/fixtures.ts';
import { openGate, settler, startGround } from './kit/ground.ts';
import { intake, report } from './kit/batch-state.ts';

const ground = await startGround();
const make = settler(ground);
const { all } = openGate(ground);
const client = await connect(ground.database.url);
after(() => client.end());

const [seoul, tokyo] = [await make.channel('KRW'), await make.channel('JPY')];
const [lens, box, bare] = [await make.variant(100), await make.variant(10), await make.variant(null)];
for (const channel of [seoul, tokyo]) await make.map(channel, lens, 'lens');
await make.map(seoul, lens, 'lens-2');
await make.map(seoul, box, 'box');
await make.map(seoul, bare, 'bare');
await make.allocate(seoul, lens, 5, 20);
await ground.rows(`insert into exchange_rate (currency_code, rate) values ('JPY', 9.5)`);
await ground.rows(`insert into common_code values ('DELIVERY_COMPANY', 'CJ', 'CJ Logistics')`);

const order = (sku: string, fields: Parameters<typeof intake>[1] = {}) =>
  intake([[sku, 1]], { channel_id: seoul, order_number: unique('N'), ...fields });

/** Stores a new order. */
async function stored(sku: string, fields: Parameters<typeof intake>[1] = {}) {
  const [outcome] = await all([order(sku, fields)]);
  assert.ok(outcome?.kind === 'created');
  const { id, order_number } = outcome.order;
  return { id, target: { channel_id: seoul, order_number } };
}

interface Sent {
  name: string;
  values: unknown[];
}

type Meanwhile = Readonly<Record<string, () => Promise<unknown>>>;

/** A connection that records the statements. `meanwhile`: what to run before the statement of that name. */
function noting(meanwhile: Meanwhile = {}) {
  const sent: Sent[] = [];
  let before: Promise<unknown> = Promise.resolve();
  const query = (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    const { name = '', values = [] } = config;
    sent.push({ name, values });
    const result = before.then(() => meanwhile[name]?.()).then(() => client.query(config));
    before = result;
    return result;
  };
  return { tx: { query }, sent };
}

/** Runs the first round trip, and rolls it back. */
async function load(
  commands: readonly Command[],
  attempts: readonly string[] = [],
  meanwhile: Meanwhile = {},
  locking: Locking = NOTHING_SKIPPED,
) {
  const { tx, sent } = noting(meanwhile);
  try {
    return { ...(await loadBatch(tx, commands, { attempts, locking })), sent };
  } finally {
    await client.query('rollback');
  }
}

const NOTHING_SKIPPED = { order_ids: [], variant_ids: [] };

const namesOf = (sent: readonly Sent[]): string[] => sent.map(({ name }) => name);

test('only statements that the commands need are sent: locks on orders, locks on stock, then the reads', async () => {
  const { id, target } = await stored('lens');
  const cases: [commands: Command[], attempts: string[], ...names: string[]][] = [
    [
      [order('lens')],
      [],
      'gate_lock_stock_of_skus',
      'gate_clock_and_ids',
      'gate_read_mappings',
      'gate_read_orders',
    ],
    [[report(2, { target })], [], 'gate_lock_orders_by_number', 'gate_read_orders'],
    [
      [report(88, { target: { order_id: id } })],
      [],
      'gate_lock_orders',
      'gate_lock_stock_of_orders',
      'gate_read_orders',
      'gate_read_orders_by_id',
    ],
    [
      [report(3, { target, courier_code: 'CJ' })],
      ['00000000-0000-4000-8000-000000000000'],
      'gate_lock_orders_by_number',
      'gate_lock_stock_of_orders',
      'journal_find_batches',
      'gate_read_orders',
      'gate_read_couriers',
    ],
    [
      [order('lens'), report(2, { target })],
      [],
      'gate_lock_orders_by_number',
      'gate_lock_stock_of_skus',
      'gate_clock_and_ids',
      'gate_read_mappings',
      'gate_read_orders',
    ],
    [
      [order('lens'), report(88, { target })],
      [],
      'gate_lock_orders_by_number',
      'gate_lock_stock',
      'gate_clock_and_ids',
      'gate_read_mappings',
      'gate_read_orders',
    ],
  ];
  for (const [commands, attempts, ...expected] of cases) {
    const { sent } = await load(commands, attempts);
    assert.deepEqual(namesOf(sent), ['begin', ...expected]);
  }
});

test('only statements for actual changes are sent: orders, reports or both, then allocations and audit entries', async () => {
  const { target } = await stored('lens');
  const desk = { source: 'back_office', actor: 'desk' } as const;
  const backordered = order('lens', { is_backorder: true });
  const cases: [commands: Command[], ...names: string[]][] = [
    [[order('lens')], 'gate_write_orders'],
    [[backordered], 'gate_write_orders', 'gate_ensure_allocations', 'gate_update_allocations'],
    [[report(2, { target })], 'gate_write_reports'],
    [[report(2, { target, ...desk })], 'gate_write_reports', 'gate_insert_order_audits'],
    [[report(2, { target }), order('lens')], 'gate_write_orders', 'gate_write_moves'],
  ];
  for (const [commands, ...expected] of cases) {
    const { tx, sent } = noting();
    const { state } = await loadBatch(tx, commands, { locking: NOTHING_SKIPPED });
    sent.length = 0;
    await Promise.all(writeChanges(tx, decide(commands, state).changes, randomUUID()));
    await client.query('rollback');
    assert.deepEqual(namesOf(sent), expected);
  }
});

test('each SKU of a channel is looked up once, however many orders contain it', async () => {
  const { sent } = await load([
    intake(
      [
        ['lens', 1],
        ['box', 1],
        ['lens', 2],
      ],
      { channel_id: seoul },
    ),
    order('lens'),
    order('lens', { channel_id: tokyo }),
  ]);
  const pairs = [`{${seoul},${seoul},${tokyo}}`, '{"lens","box","lens"}'];
  for (const name of ['gate_lock_stock_of_skus', 'gate_read_mappings'])
    assert.deepEqual(sent.find((one) => one.name === name)?.values.slice(0, 2), pairs);
});

test('reports lock their orders by number or id; only reports that move stock lock stock rows', async () => {
  const [one, two, three] = [await stored('lens'), await stored('box'), await stored('lens')];
  const { sent, state } = await load([
    report(2, { target: one.target }),
    report(88, { target: two.target }),
    report(3, { target: { order_id: three.id } }),
  ]);
  const valuesOf = (name: string) => sent.find((statement) => statement.name === name)?.values;
  const [first, second] = [one.target.order_number, two.target.order_number];
  assert.deepEqual(valuesOf('gate_lock_orders'), [
    `{${seoul}}`,
    `{"${first}","${second}"}`,
    `{${three.id}}`,
    '{}',
  ]);
  const ofMoving = [`{${seoul}}`, `{"${second}"}`, `{${three.id}}`];
  assert.deepEqual(valuesOf('gate_lock_stock_of_orders'), [...ofMoving, '{}']);
  assert.deepEqual(valuesOf('gate_read_orders'), [`{"${first}","${second}"}`]);
  assert.deepEqual(valuesOf('gate_read_orders_by_id'), [`{${three.id}}`, `{"${first}","${second}"}`]);
  assert.deepEqual([...state.stock.keys()], [lens, box]);
  assert.deepEqual(
    [...state.orders].map(([number, { id }]) => [number, id]),
    [
      [first, one.id],
      [second, two.id],
      [three.target.order_number, three.id],
    ],
  );
});

test('the state of an intake: stock, allocations, mappings, currencies, rates, time, one reserved id per order', async () => {
  const before = Date.now();
  const backorder = await stored('lens', { is_backorder: true });
  const commands = [
    order('lens'),
    order('lens-2', { order_number: backorder.target.order_number }),
    intake(
      [
        ['bare', 1],
        ['nowhere', 1],
      ],
      { channel_id: seoul, order_number: unique('N') },
    ),
    order('lens', { channel_id: tokyo }),
  ];
  const { state, committed } = await load(commands);
  const [stock] = await ground.rows(
    'select quantity, unshipped, allocated, backordered from stock where variant_id = $1',
    [lens],
  );
  assert.deepEqual(state.stock, new Map([[lens, stock]]));
  assert.deepEqual(
    state.allocations,
    new Map([[`${seoul}:${lens}`, { allocated_qty: 5, reserve_quota: 20, backordered_qty: 1 }]]),
  );
  assert.deepEqual(
    new Map([...state.mappings].map(([key, { variant_id }]) => [key, variant_id])),
    new Map([
      [skuKey(seoul, 'lens'), lens],
      [skuKey(seoul, 'lens-2'), lens],
      [skuKey(seoul, 'bare'), bare],
      [skuKey(tokyo, 'lens'), lens],
    ]),
    'an unmapped SKU has no entry',
  );
  assert.deepEqual(
    state.currencies,
    new Map([
      [seoul, 'KRW'],
      [tokyo, 'JPY'],
    ]),
  );
  assert.deepEqual(state.rates, new Map([['JPY', decimal('9.5')]]));
  assert.deepEqual(
    [...state.orders.values()].map(({ id, is_backorder }) => [id, is_backorder]),
    [[backorder.id, true]],
  );
  assert.deepEqual([state.couriers.size, committed], [0, []]);
  assert.ok(state.now.getTime() >= before - 60_000);
  const ids = commands.map(() => state.nextOrderId());
  assert.deepEqual(
    ids,
    ids.map((_, index) => Number(ids[0]) + index),
  );
  assert.throws(() => state.nextOrderId(), /more orders than reserved ids/);
});

test('the state of a report: its order with the lines, and the courier if it is known', async () => {
  const { id, target } = await stored('lens');
  const { state } = await load([
    report(3, { target, courier_code: 'CJ' }),
    report(2, { courier_code: 'none' }),
  ]);
  const found = state.orders.get(target.order_number);
  assert.partialDeepStrictEqual(found, {
    id,
    channel_id: seoul,
    order_number: target.order_number,
    status: 1,
    is_backorder: false,
    items: [{ line: 0, variant_id: lens, quantity: 1 }],
  });
  assert.equal(state.allocations.size, 0, 'the order drew nothing from the allocation');
  assert.deepEqual(state.couriers, new Map([['CJ', 'CJ Logistics']]));
  assert.throws(() => state.nextOrderId(), /more orders than reserved ids/);
});

test('a report reads the allocation of a line if the order drew from it or is a backorder', async () => {
  await make.allocate(seoul, box, 1_000, 7);
  const drawn = intake([['box', 3], ['lens', 1]], { channel_id: seoul, order_number: unique('N') }); // prettier-ignore
  const [made] = await all([drawn]);
  assert.ok(made?.kind === 'created');
  assert.deepEqual(
    made.order.items.map(({ line, from_allocation }) => [line, from_allocation > 0]),
    [
      [0, true],
      [1, false],
    ],
  );
  const { order_number } = made.order;
  const cancelled = await load([report(88, { target: { channel_id: seoul, order_number } })]);
  assert.deepEqual([...cancelled.state.allocations.keys()], [`${seoul}:${box}`]);
  const backorder = await stored('lens', { is_backorder: true });
  const shipped = await load([report(3, { target: backorder.target })]);
  assert.equal(shipped.state.allocations.get(`${seoul}:${lens}`)?.reserve_quota, 20);
});

test('the lines of an order are sorted, in whatever order PostgreSQL returns them', async () => {
  const lines = [['lens', 1], ['box', 1], ['lens', 2]] as const; // prettier-ignore
  const [made] = await all([intake(lines, { channel_id: seoul, order_number: unique('N') })]);
  assert.ok(made?.kind === 'created');
  const { order_number } = made.order;
  const { tx } = noting();
  const query = async (config: pg.QueryConfig) => {
    const result = await tx.query(config);
    return config.name === 'gate_read_orders' ? { ...result, rows: result.rows.toReversed() } : result;
  };
  try {
    const commands = [report(2, { target: { channel_id: seoul, order_number } })];
    const { state } = await loadBatch({ query }, commands, { locking: NOTHING_SKIPPED });
    const items = state.orders.get(order_number)?.items ?? [];
    assert.deepEqual(
      items.map(({ line }) => line),
      [0, 1, 2],
    );
  } finally {
    await client.query('rollback');
  }
});

test('of the earlier attempts at a batch, the committed one is returned', async () => {
  const { target } = await stored('lens');
  const [row] = await ground.rows<{ batch: string }>(
    'select batch from change_journal order by xid desc limit 1',
  );
  const other = '00000000-0000-4000-8000-000000000000';
  const { committed } = await load([report(2, { target })], [other, row?.batch ?? '']);
  assert.deepEqual(committed, [row?.batch]);
});

test('a SKU is remapped after the locks: its order must wait, unless the new variant has no stock row', async () => {
  const moved = await make.map(seoul, lens);
  const to = (variant: number) => ({ gate_read_mappings: () => make.map(seoul, variant, moved) });
  const late = order(moved);
  const { held } = await load([order('lens'), late], [], to(box));
  assert.deepEqual(held, new Map([[late, { table: 'stock', id: box, sku_key: skuKey(seoul, moved) }]]));
  await make.map(seoul, lens, moved);
  await assert.rejects(load([order('lens'), late], [], to(box), 'wait'), StaleLocks);
  const { state, held: none } = await load([order(moved)], [], to(bare));
  assert.equal(none.size, 0);
  assert.equal(state.mappings.get(skuKey(seoul, moved))?.variant_id, bare);
});

test('an order appears after a report has taken its locks: the report must wait', async () => {
  const made = order('box');
  const unmoved = await stored('box');
  const target = { channel_id: seoul, order_number: made.order_number };
  const late = report(2, { target });
  const { held } = await load([report(2, { target: unmoved.target }), late], [], {
    gate_read_orders: () => all([made]),
  });
  assert.deepEqual(
    [...held].map(([command, { table }]) => [command, table]),
    [[late, 'orders']],
  );
  const another = order('box');
  const waiting = report(2, { target: { channel_id: seoul, order_number: another.order_number } });
  await assert.rejects(load([waiting], [], { gate_read_orders: () => all([another]) }, 'wait'), StaleLocks);
  // The order exists now: a report locks it and its stock.
  const reports: ReportCommand[] = [report(3, { target }), report(2, { target: unmoved.target })];
  const { state } = await load(reports);
  assert.deepEqual([...state.stock.keys()], [box]);
});

test('a report on an order of another channel locks no stock', async () => {
  const { target } = await stored('lens');
  const { state } = await load([report(88, { target: { ...target, channel_id: tokyo } })]);
  assert.equal(state.orders.size, 1);
  assert.equal(state.stock.size, 0);
});
