// The gate on a real database: batching, retries, splitting, reports and clean-up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, Outcome } from '../src/core/rules/commands.ts';
import { Overloaded } from '../src/platform/queues/coalescer.ts';
import type { Gate } from '../src/core/gate/gate.ts';
import { query } from '../verify/kit/connection.ts';
import { unique } from '../verify/kit/fixtures.ts';
import { until } from '../verify/kit/until.ts';
import { backendOf, openGate, orderFrom, settler, startGround, untilIdle } from './kit/ground.ts';
import { intake, report } from './kit/batch-state.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';

const ground = await startGround();
const make = settler(ground);
const { pool, database } = ground;

/** Locks rows in another transaction. */
const hold = (table: 'stock' | 'allocation', column: string, id: number) =>
  openTransaction(database.url, `select from ${table} where ${column} = ${id} for update`);

/** Blocks every batch with orders, not only the commands for one row. */
const holdTable = () => openTransaction(database.url, 'lock table stock in exclusive mode');

test('one poisonous command fails alone, and the connection is kept', async () => {
  const { channel, sku } = await make.setting(100);
  const { session, seen, gate } = openGate(ground);
  const before = await backendOf(session);
  const good = Array.from({ length: 7 }, () => orderFrom(channel, sku));
  const settled = await Promise.allSettled(
    [orderFrom(channel, sku, { recipient_name: 'no text may hold \u0000' }), ...good].map((command) =>
      gate.submit(command),
    ),
  );
  const [poisoned, ...rest] = settled;
  assert.ok(poisoned?.status === 'rejected');
  assert.match(String(poisoned.reason), /invalid byte sequence/);
  assert.deepEqual(
    rest.map((one) => one.status === 'fulfilled' && 'order' in one.value && one.value.order.order_number),
    good.map(({ order_number }) => order_number),
    'each command gets its own outcome',
  );
  assert.deepEqual(seen.retries, ['split', 'split', 'split'], 'the batch is split in halves: 8, 4, 2, 1');
  assert.deepEqual(seen.outcomes, Array(7).fill('created'));
  assert.deepEqual(seen.failures, [poisoned.reason]);
  assert.equal(seen.batches.length, 1);
  assert.equal(seen.batches[0]?.size, 8);
  assert.equal(await backendOf(session), before);
});

test('a command that fails in the first round trip does not affect the next command on the connection', async () => {
  const { channel, sku } = await make.setting(10);
  const { session, all } = openGate(ground);
  const before = await backendOf(session);
  await assert.rejects(all([orderFrom(channel, sku, { order_number: 'no \u0000 number' })]), /invalid byte/);
  assert.equal((await all([orderFrom(channel, sku)]))[0]?.kind, 'created');
  assert.equal(await backendOf(session), before);
});

test('a batch reports its size and its duration, including the wait for locks', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const { seen, all } = openGate(ground);
  const held = await hold('stock', 'variant_id', variant);
  const started = performance.now();
  const answers = all([orderFrom(channel, sku), orderFrom(channel, sku)]);
  await untilWaiting(database.url, 1);
  // The duration is the subject.
  await sleep(300);
  await held.end();
  await answers;
  const [batch] = seen.batches;
  assert.equal(batch?.size, 2);
  const took = (performance.now() - started) / 1000;
  assert.ok(batch.seconds > 0.3 && batch.seconds <= took, `${batch.seconds} s of ${took} s`);
});

test('a batch has at most 256 commands and 4,096 lines; a report counts as one line', async () => {
  const { channel } = await make.setting(0);
  const { gate, seen, all } = openGate(ground);
  assert.equal(gate.capacity, 1_024);
  await all(Array.from({ length: 600 }, () => orderFrom(channel, 'nowhere')));
  const heavy = Array.from({ length: 4 }, () =>
    intake(
      Array.from({ length: 1_020 }, () => ['nowhere', 1] as const),
      { channel_id: channel, order_number: unique('G') },
    ),
  );
  const unknown = { target: { channel_id: channel, order_number: unique('G') } };
  const light = Array.from({ length: 17 }, () => report(2, unknown));
  await all([...heavy, ...light]);
  assert.deepEqual(
    seen.batches.map(({ size }) => size),
    [256, 256, 88, 20, 1],
  );
});

test('channels take turns: orders of one channel are in the first batch beside a flood, and the orders of a channel keep their sequence', async () => {
  const [flooder, other] = [await make.setting(1_000), await make.setting(10)];
  const { gate, seen } = openGate(ground);
  const held = await holdTable();
  const first = gate.submit(orderFrom(flooder.channel, flooder.sku));
  await untilWaiting(database.url, 1);
  const flood = Array.from({ length: 600 }, () => gate.submit(orderFrom(flooder.channel, flooder.sku)));
  const single = [1, 2].map(() => gate.submit(orderFrom(other.channel, other.sku)));
  await held.end();
  const idsOf = async (answers: Promise<Outcome>[]): Promise<number[]> =>
    (await Promise.all(answers)).map((outcome) => ('order' in outcome ? outcome.order.id : Number.NaN));
  const [floodIds, ids] = [await idsOf([first, ...flood]), await idsOf(single)];
  // In the sequence of decisions: of the flood only what is in the same batch comes before.
  const before = ids.map((id) => floodIds.filter((one) => one < id).length);
  const sizes = seen.batches.map(({ size }) => size);
  assert.ok(Math.max(...before) <= (sizes[0] ?? 0) + (sizes[1] ?? 0), `${before.join()} of ${sizes.join()}`);
  assert.ok(Math.max(...before) < flood.length);
  for (const own of [floodIds, ids])
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    );
  assert.ok(seen.batches.length > 2);
});

/** The number of orders that a gate takes before it refuses one. */
async function takenOf(gate: Gate, order: () => Command, answers: Promise<unknown>[]): Promise<number> {
  for (let count = 0; ; count++) {
    const before = gate.waiting;
    const answer = gate.submit(order());
    let isRefused = false;
    answer.catch((error: unknown) => (isRefused = error instanceof Overloaded));
    await until(() => isRefused || gate.waiting > before);
    if (isRefused) return count;
    answers.push(answer);
  }
}

const SMALL = { limits: { queue_items_max: 30, batch_items_max: 10, batch_weight_max: 10 } };

test('one channel cannot take all places of the queue: there is room for another channel', async () => {
  const [greedy, other] = [await make.setting(), await make.setting()];
  const { gate } = openGate(ground, SMALL);
  const table = await holdTable();
  const answers: Promise<unknown>[] = [gate.submit(orderFrom(greedy.channel, greedy.sku))];
  await untilWaiting(database.url, 1);
  assert.equal(await takenOf(gate, () => orderFrom(greedy.channel, greedy.sku), answers), 20);
  assert.deepEqual(
    [gate.isFull, gate.isFullFor(greedy.channel), gate.isFullFor(other.channel)],
    [false, true, false],
  );
  answers.push(gate.submit(orderFrom(other.channel, other.sku)));
  await table.end();
  assert.equal((await Promise.all(answers)).length, 22);
});

test('one channel cannot take all places for commands on held rows', async () => {
  const [greedy, other] = [await make.setting(), await make.setting()];
  const { gate } = openGate(ground, SMALL);
  const row = await hold('stock', 'variant_id', greedy.variant);
  const otherRow = await hold('stock', 'variant_id', other.variant);
  const answers: Promise<unknown>[] = [];
  for (let taken = 0; taken < 10; taken++) {
    answers.push(gate.submit(orderFrom(greedy.channel, greedy.sku)));
    await until(() => gate.held === answers.length, 'the order is set aside');
  }
  await assert.rejects(gate.submit(orderFrom(greedy.channel, greedy.sku)), Overloaded);
  answers.push(gate.submit(orderFrom(other.channel, other.sku)));
  await until(() => gate.held === answers.length, 'the order of the other channel is set aside');
  assert.deepEqual([gate.waitingOf(greedy.channel), gate.waitingOf(other.channel)], [10, 1]);
  await Promise.all([row.end(), otherRow.end()]);
  assert.equal((await Promise.all(answers)).length, 11);
});

test('waiting commands are counted and limited, and idle() waits for them', async () => {
  const { channel, sku } = await make.setting(100);
  const { gate, seen } = openGate(ground, {
    limits: { queue_items_max: 4, batch_items_max: 10, batch_weight_max: 10 },
  });
  assert.equal(gate.capacity, 4);
  const held = await holdTable();
  const first = gate.submit(orderFrom(channel, sku));
  await untilWaiting(database.url, 1);
  assert.deepEqual([gate.waiting, gate.isFull], [0, false]);
  const more = [gate.submit(orderFrom(channel, sku)), gate.submit(orderFrom(channel, sku))];
  assert.deepEqual([gate.waiting, gate.isFullFor(channel)], [2, true]);
  await assert.rejects(gate.submit(orderFrom(channel, sku)), Overloaded);
  const idle = gate.idle().then(() => seen.outcomes.length);
  await held.end();
  assert.equal(await idle, 3);
  await Promise.all([first, ...more]);
});

test('a batch without changes leaves no lock and no open transaction', async () => {
  const { channel, variant, sku } = await make.setting(1);
  const { session, all } = openGate(ground);
  const order = orderFrom(channel, sku);
  await all([order]);
  const pid = await backendOf(session);
  const writes = await pool.query('select from change_journal');
  for (const command of [order, orderFrom(channel, sku)]) {
    const [outcome] = await all([command]);
    assert.ok(outcome?.kind === 'resent' || outcome?.kind === 'stock_insufficient');
    await untilIdle(ground, pid);
  }
  const { rows } = await pool.query('select from stock where variant_id = $1 for update nowait', [variant]);
  assert.equal(rows.length, 1);
  assert.equal((await pool.query('select from change_journal')).rowCount, writes.rowCount);
});

test('consecutive batches without changes: each sends the ROLLBACK of the previous one in its own round trip', async () => {
  const { channel, sku } = await make.setting(0);
  const { gate, session, seen, all } = openGate(ground, {
    limits: { queue_items_max: 100, batch_items_max: 4, batch_weight_max: 100 },
  });
  const pid = await backendOf(session);
  const client = await session.get();
  // The first batch on a connection also waits for the standbys.
  await gate.submit(orderFrom(channel, sku));
  await untilIdle(ground, pid);
  let writes = 0;
  const { stream } = client.connection;
  const uncork = stream.uncork.bind(stream);
  stream.uncork = () => {
    writes += 1;
    uncork();
  };
  await all(Array.from({ length: 12 }, () => orderFrom(channel, sku)));
  await untilIdle(ground, pid);
  assert.deepEqual(
    seen.batches.slice(1).map(({ size }) => size),
    [4, 4, 4],
  );
  assert.equal(writes, 4, 'one write per batch, and one for the last ROLLBACK');

  // Submitted in a later turn of the event loop, as by a client that sends its next order after the response. Repeated
  // up to 20 times, because on a busy machine a turn may take longer than the ROLLBACK is delayed.
  const counts: number[] = [];
  while (counts.length < 20 && counts.at(-1) !== 4) {
    writes = 0;
    for (let sent = 0; sent < 3; sent += 1) {
      await all([orderFrom(channel, sku)]);
      await new Promise(setImmediate);
    }
    await untilIdle(ground, pid);
    counts.push(writes);
  }
  assert.equal(
    counts.at(-1),
    4,
    `the ROLLBACK is delayed and sent with the next batch: ${counts.join(', ')}`,
  );
});

test('after a lost connection the batch runs again on a new one, and the only retry reason is connection', async () => {
  const { channel, sku } = await make.setting(10);
  const { session, seen, all } = openGate(ground);
  const pid = await backendOf(session);
  const held = await holdTable();
  const answers = all([orderFrom(channel, sku)]);
  await untilWaiting(database.url, 1);
  await query(database.adminUrl, 'select pg_terminate_backend($1)', [pid]);
  await held.end();
  assert.deepEqual(
    (await answers).map(({ kind }) => kind),
    ['created'],
  );
  assert.deepEqual(new Set(seen.retries), new Set(['connection']));
  assert.notEqual(await backendOf(session), pid);
});

test('another process stores the same order number first: the batch runs again and finds that order', async () => {
  const [a, b] = [await make.setting(10), await make.setting(10)];
  await make.allocate(a.channel, a.variant, 0, 5);
  const [slow, fast] = [openGate(ground), openGate(ground)];
  const number = unique('G');
  // The first batch has written its order and waits for the allocation. The second then waits for the first.
  const held = await hold('allocation', 'channel_id', a.channel);
  const taken = slow.all([orderFrom(a.channel, a.sku, { order_number: number, is_backorder: true })]);
  await untilWaiting(database.url, 1);
  const clash = fast.all([
    orderFrom(b.channel, b.sku, { order_number: number }),
    orderFrom(b.channel, b.sku),
  ]);
  await untilWaiting(database.url, 2);
  await held.end();
  assert.deepEqual(
    (await taken).map(({ kind }) => kind),
    ['created'],
  );
  assert.deepEqual(
    (await clash).map(({ kind }) => kind),
    ['order_number_taken', 'created'],
  );
  assert.deepEqual([slow.seen.retries, fast.seen.retries], [[], ['order_number']]);
});

test('a SKU that is remapped while its old variant is locked is sold from the new variant', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(5);
  const { seen, all } = openGate(ground);
  const held = await hold('stock', 'variant_id', variant);
  const answers = all([intake([[sku, 5]], { channel_id: channel, order_number: unique('G') })]);
  await untilWaiting(database.url, 1);
  await make.map(channel, other, sku);
  await held.end();
  assert.deepEqual(
    (await answers).map(({ kind }) => kind),
    ['created'],
  );
  assert.deepEqual(seen.retries, []);
  assert.equal((await make.stock(other))?.unshipped, 5);
  assert.equal((await make.stock(variant))?.unshipped, 0);
});

test('a report that moves no stock does not wait for a held stock row; a report that moves stock does', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const { all } = openGate(ground);
  const orders = [orderFrom(channel, sku), orderFrom(channel, sku)];
  await all(orders);
  const [first, second] = orders.map(({ order_number }) => ({ channel_id: channel, order_number }));
  assert.ok(first && second);
  const held = await hold('stock', 'variant_id', variant);
  const prepared = await all([report(2, { target: first }), report(9, { target: second })]);
  assert.deepEqual(
    prepared.map(({ kind }) => kind),
    ['reported', 'reported'],
  );
  const moved = all([report(3, { target: first }), report(88, { target: second })]);
  await untilWaiting(database.url, 1);
  await held.end();
  assert.deepEqual(
    (await moved).map(({ kind }) => kind),
    ['reported', 'reported'],
  );
});
