// A row locked by another transaction delays only the commands that need it. The tests check which commands are answered
// while the row is locked; they measure no time.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { Command } from '../src/core/rules/commands.ts';
import { SCORE_MAX } from '../src/core/rules/contended-rows.ts';
import { Overloaded } from '../src/platform/queues/coalescer.ts';
import { DatabaseUnavailable } from '../src/platform/database/failures.ts';
import { until } from '../verify/kit/until.ts';
import { connect, query } from '../verify/kit/connection.ts';
import { unique } from '../verify/kit/fixtures.ts';
import { backendOf, GATE_NAME, openGate, orderFrom, settler, startGround } from './kit/ground.ts';
import { startProxy, type Strike } from '../verify/kit/proxy.ts';
import { intake, report } from './kit/batch-state.ts';
import { untilWaiting } from './kit/adverse.ts';

const ground = await startGround();
const make = settler(ground);
const proxy = await startProxy(ground.database.url);
after(() => proxy.close());

const STOCK = 'select from stock where variant_id = any($1::int[])';
const ORDERS = 'select from orders where id = any($1::bigint[])';
const ALLOCATION = 'select from allocation where variant_id = any($1::int[])';

const holders = new Set<() => Promise<void>>();
// Releases the locks of a failed test, which would block the next test.
afterEach(() => Promise.all([...holders].map((release) => release())));

/** Locks rows in another transaction until the returned function is called. */
async function hold(ids: readonly number[], rows = STOCK): Promise<() => Promise<void>> {
  const client = await connect(ground.database.url);
  await client.query('begin');
  const { rowCount } = await client.query(`${rows} for update`, [ids]);
  assert.equal(rowCount, ids.length);
  const release = async (): Promise<void> => {
    holders.delete(release);
    await client.query('rollback');
    await client.end();
  };
  holders.add(release);
  return release;
}

const isFree = async (variant: number): Promise<boolean> =>
  (await ground.rows(`${STOCK} for update skip locked`, [[variant]])).length === 1;

/** Asks the lock manager, so that a connection that has just got its lock does not count as waiting. */
const untilBlocked = (): Promise<void> =>
  until(async () => {
    const blocked = await ground.rows(
      `select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return blocked.length === 1;
  }, 'one connection waits for a lock');

/** Counts the outcomes that have arrived. */
function watched<T>(answers: readonly Promise<T>[]): { count: () => number; all: Promise<T[]> } {
  let count = 0;
  for (const answer of answers) answer.then(() => (count += 1)).catch(() => {});
  return { count: () => count, all: Promise.all(answers) };
}

const kinds = (outcomes: readonly { kind: string }[]): string[] => outcomes.map(({ kind }) => kind);
const times = (count: number, make1: () => Command): Command[] => Array.from({ length: count }, make1);
const created = (count: number): string[] => Array<string>(count).fill('created');

test('a held stock row: orders for other SKUs do not wait; orders for the row are decided later in order of arrival', async () => {
  const [held, other] = [await make.setting(4), await make.setting(1_000)];
  const { gate, seen, all } = openGate(ground);
  const known = orderFrom(held.channel, held.sku);
  await all([known]);
  const release = await hold([held.variant]);
  const first = [2, 1, 1].map((quantity) =>
    gate.submit(intake([[held.sku, quantity]], { channel_id: held.channel, order_number: unique('G') })),
  );
  const waiting = watched(first);
  for (let round = 0; round < 5; round++) {
    const orders = times(8, () => orderFrom(other.channel, other.sku));
    assert.deepEqual(kinds(await all(orders)), created(8));
  }
  const later = watched([gate.submit(orderFrom(held.channel, held.sku))]);
  assert.deepEqual(kinds(await all([known])), ['resent'], 'a resend needs no stock');
  assert.deepEqual(kinds(await all([orderFrom(held.channel, 'nowhere')])), ['sku_unmapped']);
  assert.equal(waiting.count() + later.count(), 0);
  await untilWaiting(ground.database.url, 1);
  assert.deepEqual([gate.waiting, gate.held], [4, 4]);
  await release();
  assert.deepEqual(kinds(await waiting.all), ['created', 'created', 'stock_insufficient']);
  assert.deepEqual(kinds(await later.all), ['stock_insufficient']);
  assert.deepEqual([seen.failures, seen.retries, gate.waiting], [[], [], 0]);
  assert.deepEqual(kinds(await all([orderFrom(other.channel, other.sku)])), ['created']);
});

test('a held order row does not delay reports on other orders or new orders for the same SKU', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const { gate, all } = openGate(ground);
  const orders = [orderFrom(channel, sku), orderFrom(channel, sku)];
  const stored = await all(orders);
  const [held, free] = stored.map((one) => ('order' in one ? one.order : null));
  assert.ok(held && free);
  const target = { channel_id: channel, order_number: held.order_number };
  const release = await hold([held.id], ORDERS);
  const waiting = watched([
    gate.submit(report(2, { target })),
    gate.submit(report(88, { target: { order_id: held.id } })),
  ]);
  const others = await all([report(88, { target: { order_id: free.id } }), orderFrom(channel, sku)]);
  assert.deepEqual(kinds(others), ['reported', 'created']);
  assert.equal(waiting.count(), 0);
  await untilWaiting(ground.database.url, 1);
  await release();
  const reported = await waiting.all;
  assert.deepEqual(
    reported.map((one) => one.kind === 'reported' && [one.order.status, one.changed]),
    [
      [2, true],
      [88, true],
    ],
  );
  assert.equal((await make.stock(variant))?.unshipped, 1);
});

test('an order for a held and a free row waits without locking the free row', async () => {
  const channel = await make.channel();
  // The free row comes first in lock order.
  const [free, held] = [await make.variant(100), await make.variant(100)];
  const [freeSku, heldSku] = [await make.map(channel, free), await make.map(channel, held)];
  const { gate, session, all } = openGate(ground);
  const release = await hold([held]);
  const both = intake(
    [
      [freeSku, 1],
      [heldSku, 1],
    ],
    { channel_id: channel, order_number: unique('G') },
  );
  const waiting = watched([gate.submit(both)]);
  await untilWaiting(ground.database.url, 1);
  // This query runs after the ROLLBACK of the batch that had locked the free row and then set the order aside.
  await backendOf(session);
  assert.equal(await isFree(free), true);
  assert.deepEqual(kinds(await all([orderFrom(channel, freeSku)])), ['created']);
  assert.equal(waiting.count(), 0);
  // When the lane gets its row, the free row is held as well: the order then waits for that row.
  const releaseFree = await hold([free]);
  await release();
  await until(() => isFree(held), 'the lane has released its row');
  await untilWaiting(ground.database.url, 1);
  await releaseFree();
  assert.deepEqual(kinds(await waiting.all), ['created']);
  assert.deepEqual([(await make.stock(free))?.unshipped, (await make.stock(held))?.unshipped], [2, 1]);
});

test('an order that repeatedly finds one of its rows held finally keeps its locks while it waits for the other row', async () => {
  const channel = await make.channel();
  const [first, second] = [await make.variant(10), await make.variant(10)];
  const lines: [string, number][] = [
    [await make.map(channel, first), 1],
    [await make.map(channel, second), 1],
  ];
  const { gate, session } = openGate(ground);
  let release = await hold([first]);
  const waiting = watched([gate.submit(intake(lines, { channel_id: channel, order_number: unique('G') }))]);
  // Each time the lane gets the row that it waited for, the other row is held.
  for (const next of [second, first, second]) {
    await untilBlocked();
    // This query runs after the ROLLBACK of the batch that set the order aside.
    await backendOf(session);
    assert.equal(await isFree(next), true, 'the order locks no row while it waits for the other one');
    const releaseNext = await hold([next]);
    await release();
    release = releaseNext;
  }
  await untilBlocked();
  assert.equal(await isFree(first), false, 'the order keeps the first row while it waits for the second');
  assert.equal(waiting.count(), 0);
  await release();
  assert.deepEqual(kinds(await waiting.all), ['created']);
  assert.deepEqual([(await make.stock(first))?.unshipped, (await make.stock(second))?.unshipped], [1, 1]);
});

test('two gates wait for one row: both accept orders for other SKUs, and each unit of the row is sold once', async () => {
  const [held, other] = [await make.setting(10), await make.setting(1_000)];
  const gates = [openGate(ground), openGate(ground)];
  const release = await hold([held.variant]);
  const waiting = watched(
    gates.flatMap(({ gate }) =>
      times(8, () => orderFrom(held.channel, held.sku)).map((one) => gate.submit(one)),
    ),
  );
  for (const { all } of gates) {
    const orders = times(20, () => orderFrom(other.channel, other.sku));
    assert.deepEqual(kinds(await all(orders)), created(20));
  }
  assert.equal(waiting.count(), 0);
  await untilWaiting(ground.database.url, 2);
  await release();
  const sold = kinds(await waiting.all).filter((kind) => kind === 'created');
  assert.equal(sold.length, 10);
  for (const { seen } of gates) assert.deepEqual(seen.failures, []);
});

test('more held rows than lanes: each order is decided when its row is released, in any sequence of releases', async () => {
  const channel = await make.channel();
  const variants: number[] = [];
  const skus: string[] = [];
  for (let item = 0; item < 7; item++) {
    const variant = await make.variant(10);
    variants.push(variant);
    skus.push(await make.map(channel, variant));
  }
  const { gate, seen } = openGate(ground);
  const releases = await Promise.all(variants.map((variant) => hold([variant])));
  const waiting = skus.map((sku) => watched([gate.submit(orderFrom(channel, sku))]));
  await untilWaiting(ground.database.url, 4);
  for (const index of [6, 0, 5, 3, 1, 4, 2]) {
    await releases[index]?.();
    assert.deepEqual(kinds((await waiting[index]?.all) ?? []), ['created'], `row ${index}`);
  }
  assert.deepEqual([seen.failures, gate.waiting], [[], 0]);
  await gate.idle();
});

/** Occupies all lanes with four held rows, and the sweep with an order that has its row and waits for an allocation. */
async function occupy({ gate }: ReturnType<typeof openGate>): Promise<() => Promise<void>> {
  const channel = await make.channel();
  const variants: number[] = [];
  for (let item = 0; item < 5; item++) variants.push(await make.variant(10));
  const skus = await Promise.all(variants.map((variant) => make.map(channel, variant)));
  const [swept] = variants.slice(4);
  assert.ok(swept);
  await make.allocate(channel, swept, 0, 5);
  const releaseLanes = await hold(variants.slice(0, 4));
  const releaseSwept = await hold([swept]);
  const releaseSweep = await hold([swept], ALLOCATION);
  const answers: Promise<{ kind: string }>[] = [];
  for (const [index, sku] of skus.entries()) {
    answers.push(gate.submit(orderFrom(channel, sku, { is_backorder: index === 4 })));
    if (index < 4) await untilWaiting(ground.database.url, index + 1);
  }
  // Set aside first; otherwise the gate's own batch, not the sweep, could get the row and wait for the allocation.
  await until(() => gate.held === 5, 'the fifth order is set aside');
  await releaseSwept();
  await untilWaiting(ground.database.url, 5);
  return async () => {
    await releaseSweep();
    await releaseLanes();
    assert.deepEqual(kinds(await Promise.all(answers)), created(5));
  };
}

test('when a held row is released, waiting commands are decided before later ones', async () => {
  const last = await make.setting(1);
  const opened = openGate(ground);
  const { gate } = opened;
  const end = await occupy(opened);
  const before = gate.held;
  const release = await hold([last.variant]);
  const earlier = watched([gate.submit(orderFrom(last.channel, last.sku))]);
  await until(() => gate.held === before + 1, 'the earlier order is set aside');
  // The row is free now, but neither a lane nor the sweep tries it at this moment.
  await release();
  const later = watched([gate.submit(orderFrom(last.channel, last.sku))]);
  await until(
    () => gate.held === before + 2 || later.count() === 1,
    'the later order is set aside or answered',
  );
  await end();
  assert.deepEqual(kinds([...(await earlier.all), ...(await later.all)]), ['created', 'stock_insufficient']);
});

test('more commands without a lane than fit into one sweep: held rows do not starve a released one', async () => {
  const channel = await make.channel();
  const variants: number[] = [];
  for (let item = 0; item < 6; item++) variants.push(await make.variant(10));
  const skus = await Promise.all(variants.map((variant) => make.map(channel, variant)));
  const { gate } = openGate(ground, {
    limits: { queue_items_max: 32, batch_items_max: 2, batch_weight_max: 10 },
  });
  const [heldSku = '', freeSku = ''] = skus.slice(4);
  const release = await hold(variants.slice(0, 5));
  const releaseFree = await hold(variants.slice(5));
  const answers: Promise<{ kind: string }>[] = [];
  for (const sku of [...skus.slice(0, 4), heldSku, heldSku]) {
    answers.push(gate.submit(orderFrom(channel, sku)));
    await until(() => gate.held === answers.length, `${answers.length} orders are set aside`);
  }
  const free = watched([gate.submit(orderFrom(channel, freeSku))]);
  await until(() => gate.held === answers.length + 1, 'the last order is set aside');
  await releaseFree();
  await until(() => free.count() === 1, 'the order for the free row is answered');
  await release();
  assert.deepEqual(kinds([...(await Promise.all(answers)), ...(await free.all)]), created(7));
});

test('commands on held rows use at most half of the queue; the other half stays available to other commands', async () => {
  const [held, other] = [await make.setting(10), await make.setting(10)];
  const { gate, all } = openGate(ground, {
    // A channel may take two of the four places for held rows.
    limits: { queue_items_max: 8, batch_items_max: 10, batch_weight_max: 10 },
  });
  const release = await hold([held.variant]);
  const waiting = [];
  for (let count = 1; count <= 2; count++) {
    waiting.push(gate.submit(orderFrom(held.channel, held.sku)));
    await until(() => gate.held === count, `${count} orders are set aside`);
  }
  await assert.rejects(all([orderFrom(held.channel, held.sku)]), Overloaded);
  assert.deepEqual([gate.waiting, gate.isFull], [2, false]);
  const neighbours = times(2, () => orderFrom(other.channel, other.sku));
  assert.deepEqual(kinds(await all(neighbours)), created(2));
  const idle = gate.idle();
  await release();
  await idle;
  assert.deepEqual(kinds(await Promise.all(waiting)), created(2));
});

test('a row stays held: its commands fail after their patience, with or without a lane', async () => {
  const channel = await make.channel();
  const variants: number[] = [];
  for (let item = 0; item < 6; item++) variants.push(await make.variant(10));
  const skus = await Promise.all(variants.map((variant) => make.map(channel, variant)));
  const other = await make.setting(10);
  const { gate, seen, all } = openGate(ground, { patience_ms: 200, lock_ms: 100 });
  const release = await hold(variants);
  const waiting = skus.map((sku) => gate.submit(orderFrom(channel, sku)));
  for (const { status, reason } of (await Promise.allSettled(waiting)) as PromiseRejectedResult[])
    assert.deepEqual([status, reason instanceof DatabaseUnavailable], ['rejected', true]);
  assert.equal(seen.failures.length, 6);
  assert.deepEqual(kinds(await all([orderFrom(other.channel, other.sku)])), ['created']);
  await release();
  await gate.idle();
  assert.equal(gate.waiting, 0);
  assert.deepEqual(kinds(await all([orderFrom(channel, skus[0] ?? '')])), ['created']);
});

test('a row stays held: an order that came to it meanwhile is not answered with the timeout of the one that waited', async () => {
  const [held, other] = [await make.setting(10), await make.setting(10)];
  const both = intake(
    [
      [held.sku, 1],
      [await make.map(held.channel, other.variant), 1],
    ],
    { channel_id: held.channel, order_number: unique('G') },
  );
  const { gate, seen } = openGate(ground, { patience_ms: 3_000, lock_ms: 500 });
  const releaseOther = await hold([other.variant]);
  const newcomer = watched([gate.submit(both)]);
  await untilWaiting(ground.database.url, 1);
  const release = await hold([held.variant]);
  const waiting = gate.submit(orderFrom(held.channel, held.sku));
  const timedOut = assert.rejects(waiting, DatabaseUnavailable);
  await untilWaiting(ground.database.url, 2);
  // Its lane gets the row that it waited for, finds the other one held, and puts it in front of the order there.
  await releaseOther();
  await timedOut;
  assert.equal(newcomer.count(), 0);
  await release();
  assert.deepEqual(kinds(await newcomer.all), ['created']);
  assert.equal(seen.failures.length, 1);
  assert.deepEqual([(await make.stock(held.variant))?.unshipped, gate.waiting], [1, 0]);
});

const atCommit = (fault: Strike['fault'], message: Strike['message']): Promise<void> =>
  proxy.strike({
    connection: GATE_NAME,
    statement: 'commit',
    message,
    share: 'none',
    fault,
    hold_ms: 900,
  });

test('a COMMIT without a response beside a held row: the retry waits for it, and never mistakes its locks for a held row', async () => {
  const [held, other] = [await make.setting(10), await make.setting(10)];
  const known = orderFrom(other.channel, other.sku, { status: 0 });
  const target = { channel_id: other.channel, order_number: known.order_number };
  const { gate, seen, all } = openGate(ground, { url: proxy.url, answer_ms: 300 });
  await all([known]);
  for (const [index, [fault, message]] of (
    [
      ['cut', 'CommandComplete'],
      ['cut', 'Execute'],
      // The first attempt commits after it has timed out, while the second attempt runs.
      ['late', 'Execute'],
    ] as const
  ).entries()) {
    const release = await hold([held.variant]);
    const struck = atCommit(fault, message);
    const waiting = watched([gate.submit(orderFrom(held.channel, held.sku))]);
    const status = ([1, 2, 9] as const)[index] ?? 9;
    const outcomes = await all([orderFrom(other.channel, other.sku), report(status, { target })]);
    await struck;
    assert.deepEqual(
      outcomes.map((one) => [one.kind, 'changed' in one && one.changed]),
      [
        ['created', false],
        ['reported', true],
      ],
      `${fault} at ${message}`,
    );
    assert.equal(waiting.count(), 0);
    await release();
    assert.deepEqual(kinds(await waiting.all), ['created']);
    assert.equal((await make.stock(other.variant))?.unshipped, 2 + index);
    assert.equal((await make.stock(held.variant))?.unshipped, 1 + index);
  }
  assert.deepEqual(seen.failures, []);
});

test('a COMMIT without a response in a lane: the lane itself finds out whether it was committed', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { gate } = openGate(ground, { url: proxy.url, answer_ms: 2_000 });
  for (const [index, message] of (['CommandComplete', 'Execute'] as const).entries()) {
    const release = await hold([variant]);
    const answer = gate.submit(orderFrom(channel, sku));
    await untilWaiting(ground.database.url, 1);
    const struck = atCommit('cut', message);
    await release();
    assert.equal((await answer).kind, 'created', message);
    await struck;
    assert.equal((await make.stock(variant))?.unshipped, 1 + index);
  }
});

const asOwner = (sql: string) => query(ground.database.adminUrl, sql);

test('a COMMIT without a response, then a failure that splits the batch: each command gets its committed outcome', async () => {
  const [{ channel, variant, sku }, held] = [await make.setting(10), await make.setting(10)];
  const { gate, seen, all } = openGate(ground, { url: proxy.url });
  const known = [orderFrom(channel, sku, { status: 0 }), orderFrom(channel, sku)];
  await all(known);
  const [walked, shipped] = known.map(({ order_number }) => ({
    target: { channel_id: channel, order_number },
  }));
  const release = await hold([held.variant]);
  const struck = atCommit('cut', 'CommandComplete').then(() => proxy.cut());
  const aside = watched([gate.submit(orderFrom(held.channel, held.sku))]);
  const answers = Promise.allSettled(
    [
      orderFrom(channel, sku),
      report(1, walked),
      report(2, walked),
      report(3, { ...shipped, courier_code: 'POISON' }),
      orderFrom(channel, sku),
    ].map((command) => gate.submit(command)),
  );
  await struck;
  // Only batches with a courier read this table.
  await asOwner('alter table common_code rename to common_code_away');
  proxy.restore();
  const settled = await answers;
  await asOwner('alter table common_code_away rename to common_code');
  assert.ok(seen.retries.includes('split'));
  assert.equal(aside.count(), 0);
  assert.deepEqual(
    settled.map((one) =>
      one.status === 'rejected'
        ? 'failed'
        : `${one.value.kind}${'changed' in one.value ? ` ${one.value.changed}` : ''}`,
    ),
    ['created', 'reported true', 'reported true', 'failed', 'created'],
  );
  await release();
  assert.deepEqual(kinds(await aside.all), ['created']);
  assert.equal((await make.stock(variant))?.unshipped, 3);
  assert.equal((await make.stock(held.variant))?.unshipped, 1);
});

test('several workers: orders for a contended row wait for it from the start, until it is no longer contended', async () => {
  const [hot, other] = [await make.setting(1_000), await make.setting(1_000)];
  const { gate, all } = openGate(ground, { has_rivals: true });
  const order = (): Command => orderFrom(hot.channel, hot.sku);
  /** True if the order is set aside before the gate has queried the database. */
  const waitsAtOnce = async (): Promise<boolean> => {
    const taken = gate.submit(order());
    const waits = gate.held === 1;
    assert.equal((await taken).kind, 'created');
    return waits;
  };
  assert.equal(await waitsAtOnce(), false);
  let release = await hold([hot.variant]);
  const first = watched(times(SCORE_MAX, order).map((command) => gate.submit(command)));
  await until(() => gate.held === SCORE_MAX, 'the orders are set aside');
  await release();
  assert.deepEqual(kinds(await first.all), created(SCORE_MAX));
  release = await hold([hot.variant]);
  const later = watched([gate.submit(order()), gate.submit(order())]);
  assert.equal(gate.held, 2);
  assert.deepEqual(kinds(await all([orderFrom(other.channel, other.sku)])), ['created']);
  await untilWaiting(ground.database.url, 1);
  assert.equal(later.count(), 0);
  await release();
  assert.deepEqual(kinds(await later.all), created(2));
  for (let free = 0; free < SCORE_MAX; free++) assert.equal(await waitsAtOnce(), true);
  assert.equal(await waitsAtOnce(), false);
  const taken = 2 * SCORE_MAX + 4;
  const [stock] = await ground.rows<{ unshipped: number }>(
    'select unshipped from stock where variant_id = $1',
    [hot.variant],
  );
  assert.equal(Number(stock?.unshipped), taken);
});

test('one worker: orders for a repeatedly held row are always tried before they are set aside', async () => {
  const { channel, sku, variant } = await make.setting(1_000);
  const { gate } = openGate(ground);
  for (let round = 0; round < 2; round++) {
    const release = await hold([variant]);
    const orders = watched(times(SCORE_MAX, () => orderFrom(channel, sku)).map((one) => gate.submit(one)));
    assert.equal(gate.held, 0);
    await until(() => gate.held === SCORE_MAX, 'the orders are set aside');
    await release();
    assert.deepEqual(kinds(await orders.all), created(SCORE_MAX));
  }
});
