// What is held for the readers of stock lists: a page counts once, as long as anybody is being sent it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Outbox } from '../src/http/channel/outbox.ts';

const PAGES = Array.from({ length: 8 }, (_, index) => Buffer.alloc(10 + index));
const bytesOf = (lists: Iterable<readonly Buffer[]>): number =>
  [...new Set([...lists].flat())].reduce((sum, page) => sum + page.length, 0);

const list = fc.uniqueArray(fc.constantFrom(...PAGES), { minLength: 1 });
const step = fc.oneof(fc.record({ take: list }), fc.record({ release: fc.nat() }));

test('the bytes are those of the pages on their way, each once, never above the bound, none in the end', () => {
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 20, max: 200 }), (steps, bytesMax) => {
      const outbox = new Outbox(bytesMax);
      const held: Buffer[][] = [];
      for (const one of steps) {
        if ('take' in one) {
          const fits = held.length === 0 || bytesOf([...held, one.take]) <= bytesMax;
          assert.equal(outbox.take(one.take), fits);
          if (fits) held.push(one.take);
        } else {
          for (const taken of held.splice(one.release % (held.length || 1), 1)) outbox.release(taken);
        }
        assert.equal(outbox.bytes, bytesOf(held));
      }
      for (const taken of held) outbox.release(taken);
      assert.equal(outbox.bytes, 0);
    }),
  );
});
