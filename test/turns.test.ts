// Owners take turns: a flood of one of them delays the others by one item each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Coalescer, Overloaded } from '../src/platform/queues/coalescer.ts';
import { FairQueue } from '../src/platform/queues/fair-queue.ts';
import { ClientGone, Turns } from '../src/platform/queues/turns.ts';
import { until } from '../verify/kit/until.ts';

test('owners take turns, and the items of one owner keep their order', () => {
  const queue = new FairQueue<string>(100);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) assert.ok(queue.push(item[0] ?? '', item));
  const taken: (string | undefined)[] = [];
  while (queue.length > 0) taken.push(queue.shift());
  assert.deepEqual(taken, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  assert.equal(queue.shift(), undefined);
});

test('whatever is queued, an item waits for at most one item of each other owner for each of its own', () => {
  const owners = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(owners, (pushed) => {
      const queue = new FairQueue<{ owner: number; index: number }>(1_000);
      const counts = new Map<number, number>();
      for (const owner of pushed) {
        const index = counts.get(owner) ?? 0;
        counts.set(owner, index + 1);
        assert.ok(queue.push(owner, { owner, index }));
      }
      for (let before = 0, next = queue.shift(); next; next = queue.shift(), before++) {
        const { owner, index } = next;
        const limit = [...counts].reduce(
          (sum, [other, count]) => sum + (other === owner ? index : Math.min(count, index + 1)),
          0,
        );
        assert.ok(before <= limit, `${before} items before item ${index} of ${owner}, at most ${limit}`);
      }
    }),
  );
});

test('one owner cannot fill the queue: there is room for another one, and items without an owner may use all of it', () => {
  const queue = new FairQueue<number>(90);
  let taken = 0;
  while (queue.push('greedy', taken)) taken += 1;
  assert.equal(taken, 60);
  assert.ok(queue.push('another', 1));
  const shared = new FairQueue<number>(90);
  for (let index = 0; index < 90; index++) assert.ok(shared.push(null, index));
  assert.ok(!shared.push(null, 90) && shared.isFull);
});

test('owners take turns for the places of a batch; in it their items keep the order of arrival', async () => {
  const batches: string[][] = [];
  const release: (() => void)[] = [];
  const coalescer = new Coalescer<string, string>(
    async (items) => {
      batches.push(items);
      await new Promise<void>((resolve) => void release.push(resolve));
      return items.map((result) => ({ result }));
    },
    { queue_items_max: 100, batch_items_max: 4, batch_weight_max: 100 },
    () => 1,
    (item) => item[0] ?? '',
  );
  const flood = Array.from({ length: 20 }, (_, index) => coalescer.submit(`a${index}`));
  await until(() => batches.length === 1);
  const other = coalescer.submit('b0');
  release[0]?.();
  await until(() => batches.length === 2);
  assert.deepEqual(batches[1], ['a4', 'a5', 'a6', 'b0']);
  release[1]?.();
  assert.equal(await other, 'b0');
  for (let next = 2; next < 6; next++) {
    await until(() => release.length > next);
    release[next]?.();
  }
  assert.equal((await Promise.all(flood)).length, 20);
});

/** Work that ends on demand. */
function manual() {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => (): Promise<void> => {
    began.push(name);
    return new Promise((resolve) => void ends.set(name, resolve));
  };
  return { began, work, end: (name: string) => ends.get(name)?.() };
}

const LIMITS = { at_once_max: 2, waiting_max: 100 };

test('no more than the limit runs at a time, and owners take turns', async () => {
  const turns = new Turns(LIMITS);
  const { began, work, end } = manual();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => turns.run(name[0] ?? '', work(name)));
  await until(() => began.length === 2);
  assert.deepEqual([turns.running, turns.waiting], [2, 3]);
  end('a1');
  await until(() => began.length === 3);
  end('a2');
  await until(() => began.length === 4);
  assert.deepEqual(began, ['a1', 'a2', 'a3', 'b1']);
  for (const name of ['a3', 'b1']) end(name);
  await until(() => began.length === 5);
  end('a4');
  await Promise.all(all);
  assert.deepEqual([turns.running, turns.waiting], [0, 0]);
});

test('an owner at its own limit leaves the other turns free', async () => {
  const turns = new Turns({ ...LIMITS, at_once_per_owner_max: 1 });
  const { began, work, end } = manual();
  const all = ['a1', 'a2', 'b1'].map((name) => turns.run(name[0] ?? '', work(name)));
  await until(() => began.length === 2);
  assert.deepEqual(began, ['a1', 'b1']);
  for (const name of ['a1', 'b1']) end(name);
  await until(() => began.length === 3);
  end('a2');
  await Promise.all(all);
});

test('work that fails ends its turn', async () => {
  const turns = new Turns({ ...LIMITS, at_once_max: 1 });
  await assert.rejects(
    turns.run('a', () => Promise.reject(new Error('no'))),
    /^Error: no$/,
  );
  assert.equal(await turns.run('a', async () => 'next'), 'next');
});

test('a client that goes away gives its place back and runs nothing', async () => {
  const turns = new Turns({ ...LIMITS, at_once_max: 1 });
  const { began, work, end } = manual();
  const first = turns.run('a', work('first'));
  const client = new AbortController();
  const left = turns.run('a', work('left'), client.signal);
  const last = turns.run('a', work('last'));
  client.abort();
  await assert.rejects(left, ClientGone);
  assert.equal(turns.waiting, 1);
  await assert.rejects(turns.run('a', work('late'), client.signal), ClientGone);
  end('first');
  await until(() => began.includes('last'));
  end('last');
  await Promise.all([first, last]);
  assert.deepEqual(began, ['first', 'last']);
});

test('a full queue and a wait that is too long are an overload', async () => {
  const turns = new Turns({ at_once_max: 1, waiting_max: 1, wait_ms_max: 20 });
  const { work, end } = manual();
  const first = turns.run('a', work('first'));
  const waiting = turns.run('b', work('waiting'));
  await assert.rejects(turns.run('c', work('beyond')), Overloaded);
  await assert.rejects(waiting, Overloaded);
  assert.equal(turns.waiting, 0);
  end('first');
  await first;
});
