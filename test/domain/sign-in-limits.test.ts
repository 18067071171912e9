// Locks that slow down password guessing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  afterFailure,
  isAudited,
  lockedSeconds,
  SIGN_IN_LIMITS,
  withoutLastFailure,
  type FailureCounter,
} from '../../src/platform/accounts/sign-in-limits-rules.ts';

const NONE: FailureCounter = { level: 0, failures: 0, at_ms: 0, locked_until_ms: 0 };
const { account_and_place } = SIGN_IN_LIMITS;
const QUARTER_MS = 15 * 60_000;

test('five failures lock for 15 seconds, each further failure twice as long, up to 15 minutes', () => {
  let state = NONE;
  const locks: number[] = [];
  for (let failure = 1; failure <= 13; failure++) {
    state = afterFailure(state, 0, account_and_place);
    locks.push(lockedSeconds(state, 0));
  }
  assert.deepEqual(locks, [0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900]);
  assert.equal(lockedSeconds(state, 899_001), 1);
  assert.equal(lockedSeconds(state, 900_000), 0);
  assert.equal(lockedSeconds(state, 903_000), 0);
  assert.equal(lockedSeconds({ ...NONE, locked_until_ms: 500_500 }, 0), 501, 'rounded up to whole seconds');
  const later = afterFailure(state, 14 * QUARTER_MS, account_and_place);
  assert.equal(lockedSeconds(later, 14 * QUARTER_MS), 0, 'the failures have expired');
});

test('when the clock is set back, no lock lasts longer than the longest lock', () => {
  let state = NONE;
  for (let failure = 1; failure <= 20; failure++) state = afterFailure(state, 10 ** 9, account_and_place);
  assert.equal(lockedSeconds(state, 0), 900);
  assert.equal(afterFailure(state, 0, account_and_place).level, state.level + 1, 'no failure expires');
});

test('taking back the last failure restores the counter', () => {
  const times = fc.array(fc.integer({ min: 0, max: 30 * 60_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(times, fc.constantFrom(...Object.values(SIGN_IN_LIMITS)), (pauses, limit) => {
      let now = 0;
      let state = NONE;
      for (const pause of pauses) state = afterFailure(state, (now += pause), limit);
      const undone = withoutLastFailure(afterFailure(state, now, limit), limit);
      assert.ok(Math.abs(undone.level - state.level) < 1e-9);
      assert.equal(undone.failures, state.failures);
      assert.ok(undone.level >= 0);
    }),
  );
});

test('limits: 5 failures of an account from one place, 20 of an address, 50 of an account; counting alone never locks', () => {
  const failuresUntilLocked = (limit: (typeof SIGN_IN_LIMITS)[keyof typeof SIGN_IN_LIMITS]): number => {
    let state = NONE;
    for (let count = 1; count <= 100; count++) {
      state = afterFailure(state, 0, limit);
      if (lockedSeconds(state, 0) > 0) return count;
    }
    return Infinity;
  };
  assert.deepEqual(
    Object.entries(SIGN_IN_LIMITS).map(([name, limit]) => [name, failuresUntilLocked(limit)]),
    [
      ['account_and_place', 5],
      ['account', 50],
      ['address', 20],
      ['none', Infinity],
    ],
  );
  assert.equal(afterFailure(NONE, 7, SIGN_IN_LIMITS.none).locked_until_ms, 7);
});

test('failures expire gradually, one per forget_ms, and the level never falls below 0', () => {
  for (const [name, minutes] of [
    ['account_and_place', 15],
    ['account', 5],
    ['address', 15],
    ['none', 15],
  ] as const) {
    const limit = SIGN_IN_LIMITS[name];
    const twice = afterFailure(afterFailure(NONE, 0, limit), 0, limit);
    assert.equal(twice.level, 2);
    assert.equal(afterFailure(twice, minutes * 60_000, limit).level, 2, name);
    assert.equal(afterFailure(twice, minutes * 30_000, limit).level, 2.5, name);
    assert.equal(afterFailure(twice, minutes * 600_000, limit).level, 1, name);
  }
});

test('taking back a failure removes the lock that it caused, and no other', () => {
  let state = NONE;
  for (let failure = 1; failure <= 6; failure++) state = afterFailure(state, 0, account_and_place);
  const five = withoutLastFailure(state, account_and_place);
  assert.deepEqual(
    [five.level, five.failures, five.locked_until_ms],
    [5, 5, 30_000],
    'five failures still lock',
  );
  const four = withoutLastFailure(five, account_and_place);
  assert.deepEqual([four.level, four.failures, four.locked_until_ms], [4, 4, 0]);
  assert.deepEqual(withoutLastFailure(NONE, account_and_place), NONE, 'never below 0');
});

test('the 1st, 5th, 25th, 125th, … failure is written to the audit log', () => {
  const told = Array.from({ length: 700 }, (_, at) => at + 1).filter(isAudited);
  assert.deepEqual(told, [1, 5, 25, 125, 625]);
});
