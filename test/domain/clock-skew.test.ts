import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockSkew } from '../../src/platform/values/clock-skew.ts';

test('a difference of clocks counts only as far as the round trip cannot explain it', () => {
  const query = { sent_ms: 10_000, received_ms: 18_000 };
  for (const [database_ms, skew_ms] of [
    [10_000, 0],
    [14_000, 0],
    [18_000, 0],
    [4_000, 6_000],
    [24_000, -6_000],
  ] as const)
    assert.equal(clockSkew(query, database_ms), skew_ms);
});
