import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PAGE_ROWS, ChannelList } from '../src/core/inventory/channel-list.ts';
import { rowQuantities, stockRow } from '../src/core/inventory/stock-row.ts';
import type { MaybeQuantities } from '../src/core/inventory/store.ts';

interface Row {
  variant_id: number;
  sku: string;
  n: number;
}

const json = ({ sku, n }: Row): string => JSON.stringify({ sku, n });
const toRow = (row: Row) => ({ variant_id: row.variant_id, json: json(row) });
const listOf = (rows: Row[]): ChannelList => {
  const list = new ChannelList();
  for (let first = 0; first < rows.length; first += 2 * PAGE_ROWS) {
    list.append(rows.slice(first, first + 2 * PAGE_ROWS).map(toRow));
  }
  return list;
};
/** The list as a client gets it. The client releases it immediately. */
function text(list: ChannelList): string {
  const { pages, release } = list.retain();
  const joined = Buffer.concat([...pages]).toString('utf8');
  release();
  return `[${joined}]`;
}

/** Quotes, backslashes and alias SKUs of one variant are difficult for the search by bytes. */
const awkward = fc.stringMatching(/^[a"\\,{}é]{0,6}$/);

test('a list keeps its rows in order through any updates, whatever characters the SKUs contain', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(awkward, fc.integer({ min: 1, max: 30 })), {
        selector: ([sku]) => sku,
        maxLength: 700,
        size: 'max',
      }),
      fc.array(fc.tuple(fc.nat(), fc.nat(99)), { maxLength: 40 }),
      (skus, updates) => {
        const rows: Row[] = skus.map(([sku, variant_id]) => ({ variant_id, sku, n: 0 }));
        const list = listOf(rows);
        assert.deepEqual(
          JSON.parse(text(list)),
          rows.map(({ sku, n }) => ({ sku, n })),
        );
        for (const [position, n] of rows.length > 0 ? updates : []) {
          const row = rows[position % rows.length] as Row;
          row.n = n;
          assert.equal(list.update([toRow(row)]), true);
        }
        assert.deepEqual(
          JSON.parse(text(list)),
          rows.map(({ sku, n }) => ({ sku, n })),
        );
        assert.equal(list.bytes, text(list).length - 2 + (Buffer.byteLength(text(list)) - text(list).length));
        // The fingerprint depends only on the content, not on the updates that led to it.
        assert.equal(list.fingerprint, listOf(rows).fingerprint);
      },
    ),
    { numRuns: 60 },
  );
});

const NO_QUANTITIES: MaybeQuantities = {
  quantity: null,
  unshipped: null,
  allocated: null,
  backordered: null,
  allocated_qty: null,
  reserve_quota: null,
  backordered_qty: null,
};

test('new quantities of a variant are in all its rows, which keep their names, whatever characters these contain', () => {
  const name = fc.oneof(awkward, fc.constantFrom('"quantity":7,', '\\"quantity":7}', '"quantity":'));
  const line = fc.record({ variant_id: fc.integer({ min: 1, max: 30 }), sku: awkward, product_name: name });
  const quantities = fc.record({
    quantity: fc.nat(2 ** 31 - 1),
    unshipped: fc.nat(1_000),
    allocated: fc.nat(1_000),
    backordered: fc.nat(1_000),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(line, { selector: ({ sku }) => sku, maxLength: 400, size: 'max' }),
      fc.array(fc.dictionary(fc.integer({ min: 1, max: 31 }).map(String), quantities), { maxLength: 5 }),
      (lines, updates) => {
        let rows = lines.map((one) => ({ ...NO_QUANTITIES, ...one, product_code: 'P' }));
        const listNow = (): ChannelList => {
          const list = new ChannelList();
          const made = rows.map((row) => ({ variant_id: row.variant_id, json: stockRow(row) }));
          for (let first = 0; first < made.length; first += PAGE_ROWS)
            list.append(made.slice(first, first + PAGE_ROWS));
          return list;
        };
        const list = listNow();
        for (const update of updates) {
          rows = rows.map((row) => ({ ...row, ...update[row.variant_id] }));
          const texts = Object.entries(update).map(([id, numbers]): [number, string] => [
            Number(id),
            rowQuantities({ ...NO_QUANTITIES, ...numbers }),
          ]);
          list.updateQuantities(new Map(texts));
        }
        const expected = listNow();
        assert.equal(text(list), text(expected));
        assert.deepEqual([list.fingerprint, list.bytes], [expected.fingerprint, expected.bytes]);
      },
    ),
    { numRuns: 60 },
  );
});

test('an update with an unknown row is refused as a whole', () => {
  const list = listOf([{ variant_id: 1, sku: 'a', n: 1 }]);
  const before = text(list);
  const unknown = [toRow({ variant_id: 1, sku: 'a', n: 2 }), toRow({ variant_id: 1, sku: 'b', n: 2 })];
  assert.equal(list.update(unknown), false);
  assert.equal(text(list), before);
});

test('pages that were handed out never change', () => {
  const rows = Array.from({ length: 600 }, (_, n) => ({ variant_id: n, sku: `S${n}`, n: 0 }));
  const list = listOf(rows);
  const { pages: handed } = list.retain();
  const copy = Buffer.concat([...handed]);
  list.update([toRow({ variant_id: 300, sku: 'S300', n: 7 })]);
  assert.deepEqual(Buffer.concat([...handed]), copy);
  const changed = list.retain().pages.filter((page, index) => page !== handed[index]);
  assert.equal(changed.length, 1, 'an update of one row replaces one page');
});

test('replaced pages stay unchanged for the clients that hold them, and are released with the last of these clients', () => {
  const SKUS = 3 * PAGE_ROWS;
  const step = fc.oneof(
    fc.constant({ kind: 'hold' } as const),
    fc.record({ kind: fc.constant('release'), which: fc.nat() } as const),
    fc.record({ kind: fc.constant('update'), rows: fc.array(fc.nat(SKUS - 1), { maxLength: 3 }) } as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const rows: Row[] = Array.from({ length: SKUS }, (_, n) => ({ variant_id: n, sku: `S${n}`, n: 0 }));
      const list = listOf(rows);
      const held: { pages: readonly Buffer[]; copy: string; release: () => void }[] = [];
      const seen = new Set<Buffer>();
      let n = 0;
      for (const one of steps) {
        if (one.kind === 'hold') {
          const { pages, release } = list.retain();
          held.push({ pages, release, copy: Buffer.concat([...pages]).toString('utf8') });
        } else if (one.kind === 'release') {
          const [done] = held.splice(one.which % (held.length || 1), 1);
          done?.release();
          // A second release of the same hold has no effect on other holds.
          done?.release();
        } else {
          const changed = one.rows.map((variant_id) => ({ variant_id, sku: `S${variant_id}`, n: ++n }));
          assert.equal(list.update(changed.map(toRow)), true);
        }
        for (const { pages, copy } of held) assert.equal(Buffer.concat([...pages]).toString('utf8'), copy);
        const current = list.retain();
        const alive = new Set([current.pages, ...held.map(({ pages }) => pages)].flat());
        current.release();
        for (const page of alive) seen.add(page);
        for (const page of seen) assert.equal(page.length > 0, alive.has(page));
      }
    }),
    { numRuns: 300 },
  );
});

test('lists that differ in one number, or have two numbers swapped, have different fingerprints', () => {
  const seen = new Map<string, string>();
  for (let n = 0; n < 60; n++) {
    for (let m = 0; m < 60; m++) {
      const rows = [
        { variant_id: 1, sku: 'A', n },
        { variant_id: 2, sku: 'B', n: m },
      ];
      const { fingerprint } = listOf(rows);
      assert.equal(seen.get(fingerprint), undefined, `${n}, ${m} and ${seen.get(fingerprint)}`);
      seen.set(fingerprint, `${n}, ${m}`);
    }
  }
});

test('twenty thousand SKUs of one variant are changed in linear, not quadratic time', () => {
  const rows: Row[] = Array.from({ length: 20_000 }, (_, index) => ({
    variant_id: 1,
    sku: `S-${String(index).padStart(6, '0')}`,
    n: 0,
  }));
  const list = listOf(rows);
  const changed = rows.map((row) => ({ ...row, n: 1 }));
  const started = process.cpuUsage();
  assert.equal(list.update(changed.map(toRow)), true);
  const { user } = process.cpuUsage(started);
  assert.ok(user < 5_000_000, `${user} µs`);
  assert.equal(text(list), `[${changed.map(json).join(',')}]`);
  assert.equal(list.update([toRow({ variant_id: 1, sku: 'other', n: 0 })]), false);
});
