// The bytes held for readers of stock lists: a page counts once, as long as any response sends it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteBudget } from '../src/platform/http/byte-budget.ts';
import { UnsentListBudget } from '../src/core/channel-api/unsent-lists.ts';

const PAGES = Array.from({ length: 8 }, (_, index) => Buffer.alloc(10 + index));
const bytesOf = (lists: Iterable<readonly Buffer[]>): number =>
  [...new Set([...lists].flat())].reduce((sum, page) => sum + page.length, 0);

const list = fc.uniqueArray(fc.constantFrom(...PAGES), { minLength: 1 });
const step = fc.oneof(fc.record({ take: list }), fc.record({ release: fc.nat() }));

test('the held bytes are those of the pages in flight, each counted once, never above the limit, and 0 in the end', () => {
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 20, max: 200 }), (steps, bytesMax) => {
      const unsentLists = new UnsentListBudget(bytesMax);
      const held: Buffer[][] = [];
      for (const one of steps) {
        if ('take' in one) {
          const total = bytesOf([...held, one.take]);
          const fits = held.length === 0 || (total <= bytesMax && total <= 2 * (bytesMax - total));
          assert.equal(unsentLists.take('a', one.take), fits);
          if (fits) held.push(one.take);
        } else {
          for (const taken of held.splice(one.release % (held.length || 1), 1)) unsentLists.release(taken);
        }
        assert.equal(unsentLists.bytes, bytesOf(held));
      }
      for (const taken of held) unsentLists.release(taken);
      assert.equal(unsentLists.bytes, 0);
    }),
  );
});

test('a page shared by two holders is released for the holder for which it was counted', () => {
  const unsentLists = new UnsentListBudget(1_000);
  const [shared, own] = [Buffer.alloc(10), Buffer.alloc(20)];
  assert.ok(unsentLists.take('a', [shared]) && unsentLists.take('b', [shared, own]));
  unsentLists.release([shared]);
  unsentLists.release([shared, own]);
  assert.equal(unsentLists.bytes, 0);
});

test('with any number of greedy holders, a new holder finds room, and all bytes are released in the end', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (holders) => {
      const bytesMax = 10_000;
      const budget = new ByteBudget(bytesMax);
      const held = holders.map(() => 0);
      for (let round = 0; round < 200; round++) {
        for (const [index, sizes] of holders.entries()) {
          const size = sizes[round % sizes.length] ?? 1;
          if (budget.take(String(index), size)) held[index] = (held[index] ?? 0) + size;
        }
      }
      assert.equal(
        budget.bytes,
        held.reduce((sum, bytes) => sum + bytes, 0),
      );
      assert.ok(budget.bytes < bytesMax && held.every((bytes) => bytes <= (2 / 3) * bytesMax));
      assert.ok(budget.hasRoom('new') && budget.take('new', 50));
      budget.release('new', 50);
      for (const [index, bytes] of held.entries()) if (bytes > 0) budget.release(String(index), bytes);
      assert.equal(budget.bytes, 0);
    }),
  );
});
