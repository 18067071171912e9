import assert from 'node:assert/strict';
import { after, before, mock, test, type TestContext } from 'node:test';
import { Coalescer, Overloaded, type Settled } from '../src/platform/queues/coalescer.ts';

const limits = { queue_items_max: 100, batch_items_max: 10, batch_weight_max: 20 };
const WIDE = { queue_items_max: 100, batch_items_max: 100, batch_weight_max: 100 };

// The clock stands still unless a test advances it: the duration of a turn must not decide which items join a batch.
const stopped = performance.now();
before(() => mock.method(performance, 'now', () => stopped));
after(() => mock.restoreAll());

/** Runs batches only on demand, and records them. */
function manual() {
  const batches: number[][] = [];
  const release: (() => void)[] = [];
  const run = async (items: number[]): Promise<Settled<number>[]> => {
    batches.push(items);
    await new Promise<void>((resolve) => {
      release.push(resolve);
    });
    return items.map((item) => (item < 0 ? { error: new Error(`no ${item}`) } : { result: item * 2 }));
  };
  return { batches, release, run };
}

const turn = () =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });

test('items that arrive while a batch is in flight form the next batch, in order of arrival', async () => {
  const { batches, release, run } = manual();
  const coalescer = new Coalescer(run, limits);
  const first = coalescer.submit(1);
  await turn();
  const rest = Promise.all([coalescer.submit(2), coalescer.submit(3), coalescer.submit(4)]);
  await turn();
  assert.deepEqual(batches, [[1]]);
  release[0]?.();
  assert.equal(await first, 2);
  await turn();
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
  release[1]?.();
  assert.deepEqual(await rest, [4, 6, 8]);
  await coalescer.idle();
});

test('clients that were answered together form one batch again, even if their items arrive over several turns', async () => {
  const batches: number[][] = [];
  const run = async (items: number[]) => {
    batches.push(items);
    return items.map((result) => ({ result }));
  };
  const coalescer = new Coalescer(run, limits);
  /** Submits one more item in each turn of the event loop, as when sockets become readable. */
  const trickle = () =>
    new Promise<void>((resolve, reject) => {
      const answers: Promise<number>[] = [];
      const submit = (item: number) => {
        if (item < 5) setImmediate(() => submit(item + 1));
        answers.push(coalescer.submit(item));
        if (item === 5) Promise.all(answers).then(() => resolve(), reject);
      };
      submit(1);
    });
  await trickle();
  await trickle();
  assert.deepEqual(batches, [
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5],
  ]);
});

test('items that waited behind a batch are sent together with those of the clients that it answered', async () => {
  const { batches, release, run } = manual();
  const coalescer = new Coalescer(run, limits);
  const first = coalescer.submit(1).then(() => coalescer.submit(3));
  await turn();
  const second = coalescer.submit(2);
  release[0]?.();
  await turn();
  await turn();
  assert.deepEqual(batches, [[1], [2, 3]]);
  release[1]?.();
  assert.deepEqual(await Promise.all([first, second]), [6, 4]);
});

/** A coalescer with its own clock, which only `run` and the test advance. */
function timed(t: TestContext) {
  const clock = { now: 1_000, batch_ms: 200 };
  t.mock.method(performance, 'now', () => clock.now);
  const batches: number[][] = [];
  const coalescer = new Coalescer<number, number>(async (items) => {
    batches.push(items);
    clock.now += clock.batch_ms;
    return items.map((result) => ({ result }));
  }, limits);
  const all = (items: number[]) => Promise.all(items.map((item) => coalescer.submit(item)));
  /** The batches sent so far. */
  const left = async () => {
    for (let turns = 0; turns < 10; turns++) await turn();
    return batches.splice(0);
  };
  return { clock, coalescer, all, left };
}

test('a batch waits for clients just answered for a tenth of the last batch duration, at most 20 ms', async (t) => {
  const { clock, coalescer, all, left } = timed(t);
  for (const [batch_ms, patience_ms] of [
    [100, 10],
    [200, 20],
    [1_000, 20],
  ] as const) {
    clock.batch_ms = batch_ms;
    await all([1, 2, 3]);
    assert.deepEqual(await left(), [[1, 2, 3]]);
    const two = [coalescer.submit(4), coalescer.submit(5)];
    assert.deepEqual(await left(), []);
    clock.now += patience_ms - 1;
    assert.deepEqual(await left(), []);
    clock.now += 1;
    assert.deepEqual(await left(), [[4, 5]]);
    await Promise.all(two);
    clock.now += batch_ms;
  }
});

test('a batch does not wait once all clients are back, for a lone client, or for clients away for a batch duration', async (t) => {
  const { clock, coalescer, all, left } = timed(t);
  await all([1, 2, 3]);
  const back = [coalescer.submit(4), coalescer.submit(5)];
  await left();
  back.push(coalescer.submit(6));
  assert.deepEqual(await left(), [[4, 5, 6]]);
  clock.now += 199;
  const late = coalescer.submit(7);
  assert.deepEqual(await left(), [], 'the other clients could still return');
  clock.now += 20;
  assert.deepEqual(await left(), [[7]]);
  const alone = coalescer.submit(8);
  assert.deepEqual(await left(), [[8]]);
  await all([9, 10]);
  clock.now += 200;
  await left();
  const later = coalescer.submit(11);
  assert.deepEqual(await left(), [[11]], 'the other client did not return within one batch duration');
  await Promise.all([...back, late, alone, later]);
});

test('with many clients, half of them are served while the other half are answered and return', async () => {
  const { batches, release, run } = manual();
  const coalescer = new Coalescer(run, WIDE);
  const events: string[] = [];
  /** A client that submits again as soon as it is answered. */
  const client = async (n: number): Promise<void> => {
    for (let times = 0; times < 4; times++) {
      await coalescer.submit(n);
      events.push(`answer ${batches.length}`);
    }
  };
  const clients = Promise.all(Array.from({ length: 40 }, (_, n) => client(n)));
  const sizes: number[] = [];
  for (let n = 0; n < 8; n++) {
    while (batches.length <= n) await turn();
    sizes.push(batches[n]?.length ?? 0);
    release[n]?.();
  }
  await clients;
  assert.deepEqual(sizes, [20, 20, 20, 20, 20, 20, 20, 20]);
  // Each answer except those of the last batch was given after the next batch was sent.
  assert.deepEqual(
    events,
    [2, 3, 4, 5, 6, 7, 8, 8].flatMap((left) => Array.from({ length: 20 }, () => `answer ${left}`)),
  );
});

test('answers are sent immediately when no other item is waiting; idle resolves after all answers', async () => {
  const { release, run } = manual();
  const alone = new Coalescer(run, WIDE);
  let answered = 0;
  const count = () => (answered += 1);
  const one = alone.submit(1).then(count);
  await turn();
  release[0]?.();
  // Within the same turn of the event loop.
  for (let n = 0; n < 20; n++) await Promise.resolve();
  assert.equal(answered, 1);
  await one;
  const many = new Coalescer<number, number>(async (items) => items.map((result) => ({ result })), WIDE);
  const answers = Array.from({ length: 40 }, (_, n) => many.submit(n).then(count));
  await many.idle();
  assert.equal(answered, 41);
  await Promise.all(answers);
});

test('fewer than 16 clients are served in one batch, 16 or more in two halves', async () => {
  for (const [count, first] of [
    [15, 15],
    [16, 8],
    [17, 9],
  ] as const) {
    const { batches, release, run } = manual();
    const coalescer = new Coalescer(run, WIDE);
    const answers = Promise.all(Array.from({ length: count }, (_, n) => coalescer.submit(n)));
    await turn();
    assert.deepEqual([batches.length, batches[0]?.length], [1, first]);
    release[0]?.();
    await turn();
    release[1]?.();
    await answers;
  }
});

test('a batch starts with half of the clients, even if each turn brings more items', async () => {
  const { batches, release, run } = manual();
  const coalescer = new Coalescer(run, WIDE);
  const answers = Array.from({ length: 15 }, () => coalescer.submit(1));
  await turn();
  answers.push(...Array.from({ length: 11 }, () => coalescer.submit(2)));
  release[0]?.();
  let isOver = false;
  const trickle = () => {
    if (isOver) return;
    answers.push(coalescer.submit(3));
    setImmediate(trickle);
  };
  trickle();
  while (batches.length < 2) await turn();
  isOver = true;
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [15, 14],
  );
  release[1]?.();
  while (batches.length < 3) await turn();
  release[2]?.();
  await Promise.all(answers);
});

test('a batch is limited by items and by weight, but one heavy item always fits', async () => {
  const batches: number[][] = [];
  const run = async (items: number[]) => {
    batches.push(items);
    return items.map((result) => ({ result }));
  };
  const coalescer = new Coalescer(run, limits, (item) => item);
  await Promise.all([25, 1, 15, 5, 1, 1].map((item) => coalescer.submit(item)));
  assert.deepEqual(batches, [[25], [1, 15], [5, 1, 1]]);
  batches.length = 0;
  await Promise.all(Array.from({ length: 23 }, () => coalescer.submit(0)));
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [10, 10, 3],
  );
});

test('if the queue is full, submit rejects immediately, and waiting items are still served', async () => {
  const { release, run } = manual();
  const coalescer = new Coalescer(run, { ...limits, queue_items_max: 2 });
  const first = coalescer.submit(1);
  await turn();
  const waiting = [coalescer.submit(2), coalescer.submit(3)];
  await assert.rejects(coalescer.submit(4), Overloaded);
  release[0]?.();
  await turn();
  release[1]?.();
  assert.deepEqual(await Promise.all([first, ...waiting]), [2, 4, 6]);
});

test('one failed item fails alone; a failed batch fails all of its items, and the next batch runs', async () => {
  const { release, run } = manual();
  const coalescer = new Coalescer(run, limits);
  const mixed = [coalescer.submit(1), coalescer.submit(-5)];
  await turn();
  release[0]?.();
  assert.equal(await mixed[0], 2);
  await assert.rejects(mixed[1] as Promise<number>, /no -5/);

  let calls = 0;
  const broken = new Coalescer<number, number>(async (items) => {
    calls += 1;
    if (calls === 1) throw new Error('all of it');
    return items.map((result) => ({ result }));
  }, limits);
  await assert.rejects(broken.submit(1), /all of it/);
  assert.equal(await broken.submit(2), 2);
});

test('a run that does not return a result for each of its items fails all of them', async () => {
  const coalescer = new Coalescer<number, number>(async () => [{ result: 1 }], limits);
  const answers = await Promise.allSettled([coalescer.submit(1), coalescer.submit(2)]);
  for (const one of answers) {
    assert.ok(one.status === 'rejected');
    assert.match(String(one.reason), /must return one result per item/);
  }
});

test('the default weight of an item is 1', async () => {
  const sizes: number[] = [];
  const run = async (items: number[]) => {
    sizes.push(items.length);
    return items.map((result) => ({ result }));
  };
  const coalescer = new Coalescer(run, { ...limits, batch_weight_max: 3 });
  await Promise.all(Array.from({ length: 7 }, (_, item) => coalescer.submit(item)));
  assert.deepEqual(sizes, [3, 3, 1]);
});

test('waiting items do not include those in flight, and idle resolves after both', async () => {
  const { batches, release, run } = manual();
  const coalescer = new Coalescer(run, { ...limits, queue_items_max: 2 });
  await coalescer.idle();
  const answers = [coalescer.submit(1)];
  assert.deepEqual([coalescer.waiting, coalescer.isFull], [1, false]);
  await turn();
  assert.deepEqual([coalescer.waiting, coalescer.isFull], [0, false]);
  answers.push(coalescer.submit(2), coalescer.submit(3));
  assert.deepEqual([coalescer.waiting, coalescer.isFull], [2, true]);
  let isIdle = false;
  const idle = coalescer.idle().then(() => (isIdle = true));
  release[0]?.();
  await turn();
  await turn();
  assert.deepEqual([isIdle, batches.length], [false, 2]);
  release[1]?.();
  await idle;
  assert.equal(coalescer.waiting, 0);
  assert.deepEqual(await Promise.all(answers), [2, 4, 6]);
});

/** Calls `arrive` in each turn of the event loop, before what else waits for that turn. */
function inEachTurn(count: number, arrive: (index: number) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const next = (index: number): void => {
    if (index + 1 < count) setImmediate(next, index + 1);
    else setImmediate(resolve);
    arrive(index);
  };
  next(0);
  return promise;
}

test('a batch that is full by weight does not wait for items that later turns bring', async () => {
  const { batches, release, run } = manual();
  const coalescer = new Coalescer(run, { ...WIDE, batch_weight_max: 3 });
  const answers: Promise<number>[] = [];
  await inEachTurn(10, (item) => void answers.push(coalescer.submit(item)));
  assert.deepEqual(batches[0], [0, 1, 2]);
  for (let next = 0; next < 4; next++) {
    await turn();
    release[next]?.();
    await turn();
  }
  assert.equal((await Promise.all(answers)).length, 10);
});

test('a batch waits for a limited time while each turn brings another item', async (t) => {
  let now = stopped;
  t.mock.method(performance, 'now', () => now);
  const { batches, release, run } = manual();
  const coalescer = new Coalescer(run, WIDE);
  const answers: Promise<number>[] = [];
  await inEachTurn(14, (item) => {
    answers.push(coalescer.submit(item));
    // As long as it takes to parse a large body.
    now += 5;
  });
  assert.deepEqual(batches[0], [0, 1, 2, 3]);
  for (const expected of [1, 2]) {
    await turn();
    assert.equal(release.length, expected);
    release[expected - 1]?.();
    await turn();
  }
  assert.equal((await Promise.all(answers)).length, 14);
});
