import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideCount, decideUndo, type MovementKind } from '../../src/core/rules/stock-count.ts';

const LARGEST = 2_147_483_647;
const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 15, 9, minute));

test('a count of the present moment sets the quantity, regardless of earlier movements and counts', () => {
  const moved = [{ kind: 'shipment', delta: -4 }] as const;
  assert.deepEqual(
    decideCount({ quantity: 10, counted_at: at(9), moved }, { quantity: 7, counted_at: null }),
    {
      kind: 'change',
      delta: -3,
      quantity_after: 7,
      moved_since: 0,
    },
  );
});

test('movements of goods since the count are added; corrections of the books are not', () => {
  const moved: { kind: MovementKind; delta: number }[] = [
    { kind: 'shipment', delta: -4 },
    { kind: 'return', delta: 1 },
    { kind: 'adjustment', delta: 10 },
    { kind: 'set', delta: 100 },
    { kind: 'import', delta: -30 },
  ];
  const books = { quantity: 50, counted_at: null, moved };
  assert.deepEqual(decideCount(books, { quantity: 20, counted_at: at(1) }), {
    kind: 'change',
    delta: -23,
    quantity_after: 27,
    moved_since: 7,
  });
});

test('a count older than the latest one is outdated; a count of the same moment is accepted', () => {
  const books = { quantity: 5, counted_at: at(2), moved: [] };
  assert.deepEqual(decideCount(books, { quantity: 9, counted_at: at(1) }), {
    kind: 'count_outdated',
    counted_at: at(2),
  });
  assert.equal(decideCount(books, { quantity: 9, counted_at: at(2) }).kind, 'change');
  assert.equal(decideCount(books, { quantity: 9, counted_at: at(3) }).kind, 'change');
});

test('the result of a count stays between 0 and the largest 32-bit integer', () => {
  const after = (delta: number, quantity: number) =>
    decideCount(
      { quantity: 0, counted_at: null, moved: [{ kind: 'adjustment', delta }] },
      { quantity, counted_at: at(1) },
    ).kind;
  assert.equal(after(-3, 3), 'change');
  assert.equal(after(-4, 3), 'count_below_zero');
  assert.equal(after(1, LARGEST - 1), 'change');
  assert.equal(after(1, LARGEST), 'count_beyond_limit');
});

// A model of a warehouse: the goods on the shelf, and the books. Goods vanish without an entry; every other movement is
// booked when it happens. A count of the shelf is written on a sheet; sheets are entered later, in any order, or twice.
const event = fc.oneof(
  fc.record({ what: fc.constant('move' as const), delta: fc.integer({ min: -5, max: 9 }) }),
  fc.record({ what: fc.constant('vanish' as const), lost: fc.nat(3) }),
  fc.record({ what: fc.constant('count' as const) }),
  fc.record({ what: fc.constant('enter' as const), sheet: fc.nat(20) }),
);

test('whenever a count is entered, the books equal the shelf plus the goods that vanished since it was counted', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let shelf = 20;
      let book = 20;
      let vanished = 0;
      let latest: Date | null = null;
      const ledger: { kind: MovementKind; delta: number; minute: number }[] = [];
      const sheets: { quantity: number; minute: number; vanished: number }[] = [];
      for (const [minute, one] of events.entries()) {
        if (one.what === 'move') {
          // A shipment is refused if the books or the shelf have too little.
          if (shelf + one.delta < 0 || book + one.delta < 0) continue;
          shelf += one.delta;
          book += one.delta;
          ledger.push({ kind: one.delta < 0 ? 'shipment' : 'adjustment', delta: one.delta, minute });
        } else if (one.what === 'vanish') {
          const lost = Math.min(one.lost, shelf);
          shelf -= lost;
          vanished += lost;
        } else if (one.what === 'count') {
          sheets.push({ quantity: shelf, minute, vanished });
        } else {
          const sheet = sheets[one.sheet % Math.max(1, sheets.length)];
          if (!sheet) continue;
          const counted_at = at(sheet.minute);
          const moved = ledger.filter((entry) => entry.minute > sheet.minute);
          const decision = decideCount(
            { quantity: book, counted_at: latest, moved },
            { quantity: sheet.quantity, counted_at },
          );
          if (latest !== null && latest > counted_at) {
            assert.deepEqual(decision, { kind: 'count_outdated', counted_at: latest });
            continue;
          }
          if (decision.kind !== 'change') {
            // The books, which are the shelf plus the vanished goods, cannot become negative.
            assert.fail(decision.kind);
          }
          book += decision.delta;
          latest = counted_at;
          if (decision.delta !== 0) ledger.push({ kind: 'set', delta: decision.delta, minute });
          assert.equal(book, shelf + (vanished - sheet.vanished));
          assert.equal(decision.quantity_after, book);
        }
      }
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 500) },
  );
});

test('undoing a count restores the quantity without it; a later count or too little stock refuses the undo', () => {
  const moves = fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 8 });
  const quantity = fc.nat(12);
  fc.assert(
    fc.property(quantity, quantity, moves, fc.boolean(), (before, counted, since, isCountedAgain) => {
      const count = decideCount(
        { quantity: before, counted_at: null, moved: [] },
        { quantity: counted, counted_at: null },
      );
      assert.ok(count.kind === 'change');
      const moved = since.reduce((sum, delta) => sum + delta, 0);
      const now = count.quantity_after + moved;
      fc.pre(now >= 0);
      const books = { quantity: now, counted_at: at(1), entries: isCountedAgain ? 4 : 3 };
      const undo = decideUndo(books, { delta: count.delta, entered_at: at(1), entries: 3 });
      const without = before + moved;
      if (isCountedAgain) assert.deepEqual(undo, { kind: 'counted_again' });
      else if (without < 0) assert.deepEqual(undo, { kind: 'below_zero', quantity: now });
      else assert.deepEqual(undo, { kind: 'change', delta: -count.delta, quantity_after: without });
    }),
  );
});

test('a delivery cannot be undone after a count of a later moment; a count of an earlier moment allows it', () => {
  const undo = (counted_at: Date | null) =>
    decideUndo({ quantity: 12, counted_at, entries: 5 }, { delta: 5, entered_at: at(2), entries: null }).kind;
  assert.equal(undo(null), 'change');
  assert.equal(undo(at(1)), 'change');
  assert.equal(undo(at(3)), 'counted_again');
});
