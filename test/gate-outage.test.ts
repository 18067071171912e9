// The gate during a database outage, through a proxy that breaks the connection at chosen points.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../src/platform/database/failures.ts';
import { pauseMs } from '../src/platform/database/patience.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { until } from '../verify/kit/until.ts';
import { backendOf, GATE_NAME, openGate, orderFrom, settler, startGround, untilIdle } from './kit/ground.ts';

import { startProxy, type Strike } from '../verify/kit/proxy.ts';
import { report } from './kit/batch-state.ts';

const ground = await startGround();
const make = settler(ground);
const proxy = await startProxy(ground.database.url);
after(() => proxy.close());
const { url } = proxy;

/** Long enough for several attempts on a busy machine. */
const PATIENCE_MS = 700;

const at = (statement: string, message: Strike['message'], fault: Strike['fault'] = 'cut'): Promise<void> =>
  proxy.strike({ connection: GATE_NAME, statement, message, share: 'none', fault, hold_ms: 1 });

test('the retry pause doubles with each failure up to 250 ms, with random jitter from 0 to the full pause', () => {
  assert.deepEqual(
    [1, 2, 3, 7, 8, 100].map((failures) => pauseMs(failures, 1)),
    [2, 4, 8, 128, 250, 250],
  );
  assert.deepEqual([pauseMs(3, 0.5), pauseMs(3, 0)], [4, 0]);
  const drawn = new Set(Array.from({ length: 100 }, () => pauseMs(8)));
  assert.ok(drawn.size > 1 && [...drawn].every((ms) => ms >= 0 && ms < 250));
});

test('COMMIT gets no response: a committed batch returns its outcomes, a batch that was not committed runs again', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const { seen, session, all } = openGate(ground, { url });
  const order = orderFrom(channel, sku, { status: 0 });
  await all([order]);
  const target = { channel_id: channel, order_number: order.order_number };
  for (const [index, message] of (['Execute', 'CommandComplete'] as const).entries()) {
    const commands = [orderFrom(channel, sku), report(index === 0 ? 1 : 2, { target })];
    const [outcomes] = await Promise.all([all(commands), at('commit', message)]);
    assert.deepEqual(
      outcomes.map((one) => [one.kind, 'changed' in one && one.changed]),
      [
        ['created', false],
        ['reported', true],
      ],
    );
    assert.deepEqual(seen.retries.splice(0), ['connection']);
    assert.equal((await make.stock(variant))?.unshipped, 2 + index);
    await untilIdle(ground, await backendOf(session));
  }
  assert.deepEqual(seen.failures, []);
});

test('a batch fails when its patience is over; later batches are retried only once, until one succeeds', async () => {
  const { channel, sku } = await make.setting(10);
  const { seen, all } = openGate(ground, { url, patience_ms: PATIENCE_MS });
  const order = orderFrom(channel, sku);
  await all([order]);
  for (let outage = 0; outage < 2; outage++) {
    proxy.cut();
    const started = performance.now();
    await assert.rejects(all([orderFrom(channel, sku)]), DatabaseUnavailable);
    assert.ok(performance.now() - started >= PATIENCE_MS);
    const retries = seen.retries.splice(0);
    assert.deepEqual(new Set(retries), new Set(['connection']));
    assert.ok(
      retries.length > 1 && retries.length < 100,
      `${retries.length} retries, with pauses between them`,
    );
    const behind = await Promise.allSettled([orderFrom(channel, sku), order].map((one) => all([one])));
    assert.deepEqual(
      behind.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(
      seen.retries.splice(0),
      ['connection'],
      'one retry for both commands, because the batch is not split',
    );
    assert.equal(seen.failures.splice(0).length, 3);
    proxy.restore();
    assert.equal((await all([order]))[0]?.kind, 'resent');
  }
});

test('a batch that failed because of another process, not of an outage, leaves the next batch its full patience', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 0, 5);
  const other = await make.setting(10);
  const [slow, { seen, all }] = [openGate(ground), openGate(ground, { url, patience_ms: PATIENCE_MS })];
  const holder = await openTransaction(
    ground.database.url,
    `select from allocation where channel_id = ${channel} for update`,
  );
  // The first batch has written its order and waits for the allocation. The second waits for the same order number.
  const backorder = orderFrom(channel, sku, { is_backorder: true });
  const taken = slow.all([backorder]);
  await untilWaiting(ground.database.url, 1);
  const clash = orderFrom(other.channel, other.sku, { order_number: backorder.order_number });
  const refused = assert.rejects(all([clash]), DatabaseUnavailable);
  await untilWaiting(ground.database.url, 2);
  // That the patience has run out is the subject.
  await sleep(PATIENCE_MS + 50);
  await holder.end();
  await Promise.all([taken, refused]);
  assert.deepEqual(seen.retries.splice(0), ['order_number']);
  proxy.cut();
  await assert.rejects(all([orderFrom(channel, sku)]), DatabaseUnavailable);
  proxy.restore();
  assert.ok(seen.retries.length > 1, 'the next batch is retried');
});

test('only the first batch on a connection waits for the standbys', async () => {
  const { channel, sku } = await make.setting(10);
  const { all } = openGate(ground, { url });
  let waits = 0;
  const countNext = () => void at('write_ahead', 'Bind', 'delay').then(() => (waits += 1));
  countNext();
  await all([orderFrom(channel, sku)]);
  assert.equal(waits, 1);
  countNext();
  await all([orderFrom(channel, sku)]);
  assert.equal(waits, 1, 'the second batch does not wait');
  proxy.drop(GATE_NAME);
  await all([orderFrom(channel, sku)]);
  assert.equal(waits, 2, 'the first batch on the new connection waits');
});

test('a connection that stops responding is replaced, in a batch or in the ROLLBACK after a batch without changes', async () => {
  const { channel, sku } = await make.setting(1);
  const { seen, session, all } = openGate(ground, { url, answer_ms: 1_000 });
  const order = orderFrom(channel, sku);
  const [outcomes] = await Promise.all([all([order]), at('gate_lock_stock_of_skus', 'Bind', 'stall')]);
  assert.equal(outcomes[0]?.kind, 'created');
  assert.deepEqual(seen.retries, ['connection'], 'the retry uses a new connection');
  const client = await session.get();
  await Promise.all([all([order]), at('rollback', 'Bind', 'stall')]);
  await until(async () => (await session.get()) !== client, 'the silent connection is replaced');
});
