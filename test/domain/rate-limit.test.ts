// The token bucket, tested with random sequences of requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RATE_LIMIT_MAX, take, type Bucket, type RateLimit } from '../../src/core/rules/rate-limit.ts';

const limits = fc.oneof(
  fc.record({
    requests_per_minute: fc.integer({ min: 1, max: 10_000 }),
    burst: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({
    requests_per_minute: fc.integer({ min: 1, max: RATE_LIMIT_MAX }),
    burst: fc.integer({ min: 1, max: RATE_LIMIT_MAX }),
  }),
);
/** Milliseconds between requests: mostly zero or short, sometimes long. */
const pauses = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 200 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 10_000_000 }) },
  ),
  { minLength: 1, maxLength: 120 },
);
/** Milliseconds that the process has run, including fractions, as a monotonic clock returns them. */
const starts = fc.double({ min: 0, max: 1e10, noNaN: true });

function* requests(limit: RateLimit, start: number, waits: readonly number[]) {
  let bucket: Bucket | undefined;
  let now = start;
  for (const wait of waits) {
    now += wait;
    const taken = take(limit, bucket, now);
    bucket = taken.bucket;
    yield { ...taken, now };
  }
}

test('no interval allows more requests than the burst plus the tokens added meanwhile', () => {
  fc.assert(
    fc.property(limits, starts, pauses, (limit, start, waits) => {
      const allowed = [...requests(limit, start, waits)].filter(({ isTaken }) => isTaken);
      for (let from = 0; from < allowed.length; from++) {
        for (let to = from; to < allowed.length; to++) {
          // The clock is read in whole milliseconds.
          const ms = Math.floor(allowed[to]?.now ?? 0) - Math.floor(allowed[from]?.now ?? 0);
          const most = BigInt(limit.burst) * 60_000n + BigInt(ms) * BigInt(limit.requests_per_minute);
          assert.ok(BigInt(to - from + 1) * 60_000n <= most, `${to - from + 1} in ${ms} ms`);
        }
      }
    }),
  );
});

test('requests within the limit are never refused, and a client that waits for retry_after_s is accepted', () => {
  fc.assert(
    fc.property(limits, starts, pauses, (limit, start, waits) => {
      for (const { isTaken, retry_after_s, bucket, remaining, now } of requests(limit, start, waits)) {
        assert.equal(
          take(limit, bucket, now).isTaken,
          remaining > 0,
          'remaining requests are allowed immediately',
        );
        if (!isTaken) {
          assert.ok(retry_after_s > 0);
          // A second less is not enough: the wait is only rounded up.
          if (retry_after_s > 1)
            assert.equal(take(limit, bucket, now + (retry_after_s - 1) * 1000 - 1).isTaken, false);
        }
        assert.equal(take(limit, bucket, now + retry_after_s * 1000 + 1).isTaken, true);
      }
    }),
  );
});

test('the bucket is full after reset_s and never holds more than the burst, however long the channel is idle', () => {
  fc.assert(
    fc.property(limits, starts, pauses, fc.integer({ min: 0, max: 1e12 }), (limit, start, waits, idle) => {
      for (const { bucket, reset_s, remaining, now } of requests(limit, start, waits)) {
        assert.ok(remaining >= 0 && remaining < limit.burst);
        const rested = take(limit, bucket, now + reset_s * 1000 + 1 + idle);
        assert.equal(rested.remaining, limit.burst - 1);
      }
    }),
  );
});

test('a sequence of requests gets the expected remaining, reset_s and retry_after_s', () => {
  const limit = { requests_per_minute: 120, burst: 3 };
  let bucket: Bucket | undefined;
  const told = [0, 0, 0, 0, 400, 500, 500, 2_000].map((now) => {
    const taken = take(limit, bucket, now);
    bucket = taken.bucket;
    return [now, taken.isTaken, taken.remaining, taken.reset_s, taken.retry_after_s];
  });
  assert.deepEqual(told, [
    [0, true, 2, 1, 0],
    [0, true, 1, 1, 0],
    [0, true, 0, 2, 1],
    [0, false, 0, 2, 1],
    [400, false, 0, 2, 1],
    [500, true, 0, 2, 1],
    [500, false, 0, 2, 1],
    [2_000, true, 2, 1, 0],
  ]);
  assert.equal(RATE_LIMIT_MAX, 1_000_000);
});

test('a lowered limit applies immediately; a clock that stands still or goes back adds no tokens', () => {
  const { bucket } = take({ requests_per_minute: 60, burst: 100 }, undefined, 1_000);
  assert.equal(take({ requests_per_minute: 60, burst: 2 }, bucket, 1_000).remaining, 1);
  const single = { requests_per_minute: 60, burst: 1 };
  const first = take(single, undefined, 1_000);
  assert.deepEqual([first.isTaken, first.remaining, first.reset_s, first.retry_after_s], [true, 0, 1, 1]);
  for (const now of [1_000, 0, 1_999]) assert.equal(take(single, first.bucket, now).isTaken, false);
  assert.equal(take(single, first.bucket, 2_000).isTaken, true);
});
