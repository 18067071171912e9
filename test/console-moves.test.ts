// The console's own copies of business rules, compared with the rules of the service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canMove, isFinal, isMixed, MOVES, movesOf } from '../console/src/screens/orders/moves.ts';
import { shortageOf } from '../console/src/screens/orders/shortage.ts';
import { isFarOff, isRate, statesOf } from '../console/src/screens/exchange-rates/rate.ts';
import { isUnshipped, pathBetween, STATUSES } from '../src/core/rules/transitions.ts';
import type { Outcome } from '../src/core/rules/commands.ts';
import { factsOf } from '../src/core/orders/status-report.ts';

test('a status change has a button exactly where the service allows it', () => {
  for (const from of STATUSES) {
    assert.equal(isFinal(from), !isUnshipped(from));
    for (const to of STATUSES) {
      const steps = pathBetween(from, to)?.length ?? 0;
      assert.equal(canMove(from, to), steps > 0, `${from} to ${to}`);
    }
  }
});

test('for several orders, only status changes that each of them allows are offered', () => {
  assert.deepEqual(movesOf([]), []);
  assert.deepEqual(movesOf([0]), [...MOVES]);
  assert.deepEqual(movesOf([0, 1]), [2, 9, 3, 88]);
  assert.deepEqual(movesOf([0, 2, 9]), [3, 88]);
  assert.deepEqual(movesOf([1, 3]), []);
  assert.equal(isMixed([0, 1]), true);
  assert.equal(isMixed([1, 1]), false);
  assert.equal(isMixed([]), false);
});

test('the numbers of a shortage come from the details that the service sends', () => {
  const refused: Outcome = {
    kind: 'shipment_short',
    sku: 'A: B, available 1',
    requested: 5,
    available: 3,
    current_status: 1,
    requested_status: 3,
  };
  const details = JSON.parse(JSON.stringify(factsOf(refused))) as Record<string, unknown>;
  assert.deepEqual(shortageOf(details), { sku: 'A: B, available 1', available: 3, requested: 5 });
  assert.equal(shortageOf(null), null);
  assert.equal(shortageOf({ current_status: 1 }), null);
});

test('exchange rates: the console accepts the format of the API, and knows which rate applies at a given time', () => {
  for (const good of ['9.45', '0.000000000001', '999999999.5', '1']) assert.equal(isRate(good), true, good);
  for (const bad of ['', '0', '0.00', '-1', '1e3', '1,385.5', '1000000000', '1.', '.5', '0.0000000000001']) {
    assert.equal(isRate(bad), false, bad);
  }
  assert.equal(isFarOff('945', '9.45'), true);
  assert.equal(isFarOff('9.6', '9.45'), false);
  const rate = (id: number, effective_at: string) => ({
    id,
    currency_code: 'JPY',
    rate: '9',
    effective_at,
    created_at: effective_at,
  });
  const rates = [
    rate(4, '2026-11-17T00:00:00+09:00'),
    rate(3, '2026-11-15T00:00:00+09:00'),
    rate(2, '2026-11-15T00:00:00+09:00'),
    rate(1, '2026-11-01T00:00:00+09:00'),
  ];
  assert.deepEqual(statesOf(rates, Date.parse('2026-11-16T00:00:00Z')), [
    'scheduled',
    'current',
    'overruled',
    'past',
  ]);
});
