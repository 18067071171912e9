import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideReturn, type ReturnableLine } from '../../src/features/returns-and-notes/rules.ts';
import { SHIPPED, STATUSES } from '../../src/core/rules/transitions.ts';

const line = (number: number, shipped: number, returned = 0, variant_id = 1): ReturnableLine => ({
  line: number,
  variant_id,
  shipped,
  returned,
});

test('a return sums the lines of one variant, and the quantities of a line that is named twice', () => {
  const lines = [line(0, 3), line(1, 5), line(2, 4, 0, 2)];
  const wanted = [
    { line: 0, quantity: 1 },
    { line: 1, quantity: 5 },
    { line: 0, quantity: 2 },
  ];
  assert.deepEqual(decideReturn(SHIPPED, lines, wanted), {
    kind: 'return',
    items: [
      { line: 0, quantity: 3 },
      { line: 1, quantity: 5 },
    ],
    quantities: new Map([[1, 8]]),
  });
});

test('a return is refused for an order that is not shipped, for unknown lines, and beyond the shipped quantity', () => {
  for (const status of STATUSES.filter((each) => each !== SHIPPED))
    assert.deepEqual(decideReturn(status, [line(0, 3)], [{ line: 0, quantity: 1 }]), {
      kind: 'order_not_shipped',
      status,
    });
  const unknown = [
    { line: 0, quantity: 1 },
    { line: 7, quantity: 1 },
  ];
  assert.deepEqual(decideReturn(SHIPPED, [line(0, 3)], unknown), {
    kind: 'order_lines_unknown',
    positions: [1],
  });
  assert.deepEqual(decideReturn(SHIPPED, [line(0, 3, 2)], [{ line: 0, quantity: 2 }]), {
    kind: 'return_exceeds_shipped',
    line: 0,
    requested: 2,
    returnable: 1,
  });
});

test('after any sequence of returns, no line has returned more than was shipped, and stock has received the sum', () => {
  const shipped = fc.array(fc.record({ variant_id: fc.integer({ min: 1, max: 3 }), shipped: fc.nat(6) }), {
    minLength: 1,
    maxLength: 5,
  });
  const wanted = fc.array(
    fc.array(fc.record({ line: fc.nat(5), quantity: fc.integer({ min: 1, max: 7 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(shipped, wanted, (start, requests) => {
      let lines = start.map((one, index) => ({ ...one, line: index, returned: 0 }));
      const stock = new Map<number, number>();
      for (const items of requests) {
        const decision = decideReturn(SHIPPED, lines, items);
        const sumOf = (n: number) =>
          items.filter((item) => item.line === n).reduce((sum, item) => sum + item.quantity, 0);
        const isPossible =
          items.every((item) => item.line < lines.length) &&
          lines.every((one) => one.returned + sumOf(one.line) <= one.shipped);
        assert.equal(decision.kind === 'return', isPossible);
        if (decision.kind !== 'return') continue;
        lines = lines.map((one) => ({ ...one, returned: one.returned + sumOf(one.line) }));
        for (const [variant, quantity] of decision.quantities)
          stock.set(variant, (stock.get(variant) ?? 0) + quantity);
      }
      for (const variant of [1, 2, 3])
        assert.equal(
          stock.get(variant) ?? 0,
          lines.filter((one) => one.variant_id === variant).reduce((sum, one) => sum + one.returned, 0),
        );
    }),
  );
});
