// Import of a delivery or a count of many variants as a file: a dry run with before and after, all rows or none, counts
// in the order of their times, concurrent shipments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolClient } from 'pg';
import { desk, fieldsRefused, ODD_TEXTS, refusal } from './kit/desk.ts';
import { longLists } from './kit/long-lists.ts';
import {
  fixtures,
  must,
  orderOf,
  unique,
  type TestChannel,
  type TestVariant,
} from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, journaled, pages, token } = desk(service);
const { pool } = service.service.services;
const long = longLists(service);

const csvOf = (...rows: readonly (readonly [TestVariant, number | string])[]): string =>
  ['variant_code,quantity', ...rows.map(([{ code }, quantity]) => `${code},${quantity}`)].join('\n');
const send = (csv: unknown, fields: object = {}) =>
  admin('POST', '/stock/import', { csv, mode: 'set', reason: 'test', ...fields });
const ledger = (variant: TestVariant): Promise<any[]> =>
  pages(`/stock/${encodeURIComponent(variant.code)}/movements`, 500);
const quantityOf = async (variant: TestVariant): Promise<number> => (await make.stock(variant)).quantity;
/** Problem codes by line. */
const problemsOf = async (answer: ReturnType<typeof send>): Promise<[number, string][]> => {
  const { data, code } = (await refusal(answer, 422)) as any;
  assert.equal(code, 'invalid_file');
  assert.equal(data.count, 0);
  return data.problems.map((problem: any) => [problem.line, problem.code]);
};
/** A time with the offset of the configured zone. */
const IN_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/;
/** Current time of the database, as in the ledger; at least 3 ms after earlier and before later movements. */
async function now(): Promise<string> {
  await pool.query('select pg_sleep(0.003)');
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  await pool.query('select pg_sleep(0.003)');
  return rows[0]!.now.toISOString();
}

async function ship(channel: TestChannel, sku: string, quantity: number): Promise<void> {
  const order = orderOf([{ sku, quantity, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const report = { status: 3, tracking_number: 'T1' };
  await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
}

test('a dry run shows before and after and changes nothing; the import writes stock, ledger, audit log and journal', async () => {
  const [a, b, c] = [await make.variant(10), await make.variant(null), await make.variant(7)];
  const csv = csvOf([a, 4], [b, 0], [c, 7]);
  const rows = [
    { line: 2, variant_code: a.code, before: 10, after: 4, moved_since: 0, overcommitted_by: 0 },
    { line: 3, variant_code: b.code, before: null, after: 0, moved_since: 0, overcommitted_by: 0 },
    { line: 4, variant_code: c.code, before: 7, after: 7, moved_since: 0, overcommitted_by: 0 },
  ];
  const clean = { count: 3, problems: [], problem_count: 0 };
  const trail = (await audits('stock')).length;
  assert.deepEqual(await must(send(csv, { dry_run: true }), 200), { ...clean, rows });
  await refusal(admin('GET', `/stock/${b.code}`), 404);
  assert.equal(await quantityOf(a), 10);
  assert.equal((await audits('stock')).length, trail);

  const { variants } = await must(admin('GET', `/products/${a.product}`), 200);
  const journal = await journaled('variant_ids', variants[0].id);
  const { import_id, ...report } = await must(send(csv, { reason: 'yearly count' }), 200);
  assert.deepEqual(report, clean);
  assert.deepEqual([await quantityOf(a), await quantityOf(b), await quantityOf(c)], [4, 0, 7]);
  const [entry] = await ledger(a);
  assert.deepEqual(
    [entry.delta, entry.quantity_after, entry.kind, entry.reason, entry.actor],
    [-6, 4, 'set', 'yearly count', 'environment'],
  );
  assert.equal((await ledger(c)).length, 1, 'an unchanged quantity writes no movement');
  assert.equal(await journaled('variant_ids', variants[0].id), journal + 1);
  const last = (await audits('stock')).at(-1);
  assert.deepEqual(
    [last?.action, last?.before, last?.after],
    [
      'stock.import',
      null,
      {
        mode: 'set',
        reason: 'yearly count',
        rows: 3,
        quantities_changed: 1,
        units_added: 0,
        units_removed: 6,
        import_id,
      },
    ],
  );
});

test('a delivery is added to the stock, also for a variant without a stock record', async () => {
  const [a, b] = [await make.variant(10), await make.variant(null)];
  const csv = csvOf([a, 5], [b, 8]);
  const report = await must(send(csv, { mode: 'add', dry_run: true }), 200);
  assert.deepEqual(
    report.rows.map((row: any) => [row.before, row.after]),
    [
      [10, 15],
      [null, 8],
    ],
  );
  await must(send(csv, { mode: 'add', reason: 'delivery 7' }), 200);
  await must(send(csv, { mode: 'add', reason: 'delivery 8' }), 200);
  assert.deepEqual([await quantityOf(a), await quantityOf(b)], [20, 16]);
  assert.deepEqual(
    (await ledger(b)).map((row) => [row.delta, row.kind, row.reason]),
    [
      [8, 'adjustment', 'delivery 8'],
      [8, 'adjustment', 'delivery 7'],
    ],
  );
});

test('a list is subtracted from the stock, all rows or none, never below zero', async () => {
  const [a, b] = [await make.variant(10), await make.variant(4)];
  assert.deepEqual(await problemsOf(send(csvOf([a, 3], [b, 5]), { mode: 'subtract' })), [[3, 'below_zero']]);
  assert.deepEqual([await quantityOf(a), await quantityOf(b)], [10, 4]);
  await must(send(csvOf([a, 3], [b, 4]), { mode: 'subtract', reason: 'broken' }), 200);
  assert.deepEqual([await quantityOf(a), await quantityOf(b)], [7, 0]);
  const [last] = await ledger(b);
  assert.deepEqual([last?.delta, last?.kind, last?.reason], [-4, 'adjustment', 'broken']);
});

test('quantities near the largest integer are counted, delivered, removed and undone', async () => {
  const most = 2_147_483_647;
  const variant = await make.variant(most - 1);
  const { import_id } = await must(send(csvOf([variant, most])), 200);
  assert.equal(await quantityOf(variant), most);
  assert.deepEqual(await problemsOf(send(csvOf([variant, 1]), { mode: 'add' })), [[2, 'beyond_limit']]);
  await must(undo(import_id), 200);
  assert.equal(await quantityOf(variant), most - 1);
  await must(send(csvOf([variant, 1]), { mode: 'add' }), 200);
  await must(send(csvOf([variant, 1]), { mode: 'subtract' }), 200);
  assert.equal(await quantityOf(variant), most - 1);
});

test('every invalid row is reported with line and code, and no row is written', async () => {
  const a = await make.variant(10);
  const full = await make.variant(2_147_483_647);
  const csv = [
    'variant_code,quantity',
    `${a.code},3`,
    'nothing,1',
    `${full.code},12.5`,
    `${full.code},-5`,
    `${full.code},1e3`,
    `${full.code},１２`,
    `${full.code},`,
    ',4',
    `${a.code},4`,
    a.code,
  ].join('\n');
  const expected = [
    [3, 'variant_unknown'],
    [4, 'not_a_quantity'],
    [5, 'not_a_quantity'],
    [6, 'not_a_quantity'],
    [7, 'not_a_quantity'],
    [8, 'not_a_quantity'],
    [9, 'value_missing'],
    [10, 'variant_code_repeated'],
    [11, 'wrong_field_count'],
  ];
  assert.deepEqual(await problemsOf(send(csv)), expected);
  const dry = await must(send(csv, { dry_run: true }), 200);
  assert.deepEqual(
    dry.problems.map(({ line, code }: any) => [line, code]),
    expected,
  );
  for (const { text } of dry.problems) assert.match(text, /\.$/);
  assert.deepEqual(await problemsOf(send(csvOf([a, 3], [full, 1]), { mode: 'add' })), [[3, 'beyond_limit']]);
  assert.equal(await quantityOf(a), 10);
  assert.deepEqual(await problemsOf(send('')), [[1, 'file_empty']]);
  assert.deepEqual(await problemsOf(send('code,n\na,1')), [[1, 'wrong_header']]);
});

test('an import request with an invalid field, an insufficient role or a future time is refused', async () => {
  const csv = 'variant_code,quantity\n';
  assert.deepEqual(await fieldsRefused(admin('POST', '/stock/import', {})), ['csv', 'mode', 'reason']);
  assert.deepEqual(await fieldsRefused(send(csv, { mode: 'replace' })), ['mode']);
  assert.deepEqual(await fieldsRefused(send(csv, { reason: ' ' })), ['reason']);
  assert.deepEqual(await fieldsRefused(send(csv, { counted_at: 'yesterday' })), ['counted_at']);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const future = await refusal(send(csv, { counted_at: tomorrow }), 422);
  assert.equal(future.details.faults[0].code, 'in_future');
  const add = { mode: 'add', counted_at: '2026-01-01T00:00:00Z' };
  assert.deepEqual(await fieldsRefused(send(csv, add)), ['counted_at']);
  const viewer = await token('viewer');
  await refusal(admin('POST', '/stock/import', { csv, mode: 'set', reason: 'x' }, viewer), 403);
  const nothing = { count: 0, problems: [], problem_count: 0, import_id: null };
  assert.deepEqual(await must(send(csv), 200), nothing);
});

test('movements since a count are added to it; entering the same count twice changes nothing', async () => {
  const { channel, variant, sku } = await make.setting(20);
  await ship(channel, sku, 1);
  const counted_at = await now();
  await ship(channel, sku, 3);
  await must(send(csvOf([variant, 10]), { mode: 'add', reason: 'delivery' }), 200);
  // At the time of the count 19 were recorded and 17 on the shelf; since then 3 were shipped and 10 delivered.
  const csv = csvOf([variant, 17]);
  const dry = await must(send(csv, { counted_at, dry_run: true }), 200);
  assert.deepEqual(dry.rows, [
    { line: 2, variant_code: variant.code, before: 26, after: 24, moved_since: 7, overcommitted_by: 0 },
  ]);
  for (let times = 0; times < 2; times++) {
    await must(send(csv, { counted_at }), 200);
    assert.equal(await quantityOf(variant), 24);
  }
  const entry = (await audits('stock')).at(-1);
  assert.deepEqual({ counted_at, ...entry?.after }, entry?.after);
  // The correction by an earlier count is not a movement for a later count.
  await must(send(csvOf([variant, 23]), { counted_at: await now() }), 200);
  assert.equal(await quantityOf(variant), 23);
});

test('a dry run says by how much a list leaves less than unshipped orders and pre-allocations need', async () => {
  const { channel, variant, sku } = await make.setting(20);
  await make.allocate(channel, variant, 6);
  const order = orderOf([{ sku, quantity: 3, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const fresh = await make.variant(null);
  for (const [quantity, by] of [
    [8, 1],
    [9, 0],
    [0, 9],
  ] as const) {
    const { rows } = await must(send(csvOf([variant, quantity], [fresh, 0]), { dry_run: true }), 200);
    assert.deepEqual(
      rows.map((row: { overcommitted_by: number }) => row.overcommitted_by),
      [by, 0],
    );
  }
  const taken = { mode: 'subtract', dry_run: true };
  const [row] = (await must(send(csvOf([variant, 14]), taken), 200)).rows;
  assert.deepEqual([row.after, row.overcommitted_by], [6, 3]);
  await must(send(csvOf([variant, 8])), 200);
  assert.equal((await make.stock(variant)).overcommitted_by, 1, 'as the stock says afterwards');
});

test('a count of a single variant with its time follows the same rules', async () => {
  const { channel, variant, sku } = await make.setting(20);
  const put = (body: object) => admin('PUT', `/stock/${variant.code}`, { reason: 'shelf', ...body });
  const counted_at = await now();
  await ship(channel, sku, 3);
  const { quantity } = await must(put({ quantity: 18, counted_at }), 200);
  assert.equal(quantity, 15, '18 were counted, 3 were shipped since');
  assert.deepEqual((await audits(`variant:${variant.code}`)).at(-1)?.after, {
    quantity: 15,
    reason: 'shelf',
    counted_at,
  });
  const short = await refusal(put({ quantity: 2, counted_at }), 422);
  assert.deepEqual(
    [short.code, short.details],
    ['count_below_zero', { variant_code: variant.code, counted: 2, moved_since: -3 }],
  );
  const stale = await refusal(put({ quantity: 18, counted_at, expected_quantity: 18 }), 409);
  assert.equal(stale.code, 'stale', 'expected_quantity is compared with the recorded quantity');
  await must(put({ quantity: 14 }), 200);
  const late = await refusal(put({ quantity: 18, counted_at }), 409);
  assert.equal(late.code, 'count_outdated');
  assert.match(late.details.counted_at, IN_ZONE);
  assert.equal(late.error, `Variant ${variant.code} was counted later, at ${late.details.counted_at}.`);
  assert.equal(await quantityOf(variant), 14);
  assert.deepEqual(await fieldsRefused(put({ quantity: 1, counted_at: 'yesterday' })), ['counted_at']);
});

test('a count older than another count of the same variant is refused, even if that count changed nothing', async () => {
  const [a, b, c] = [await make.variant(10), await make.variant(10), await make.variant(10)];
  const earlier = await now();
  await must(send(csvOf([a, 10])), 200); // equals the recorded quantity
  await must(admin('PUT', `/stock/${b.code}`, { quantity: 10 }), 200);
  const later = await now();
  assert.deepEqual(await problemsOf(send(csvOf([a, 12], [b, 12], [c, 12]), { counted_at: earlier })), [
    [2, 'count_outdated'],
    [3, 'count_outdated'],
  ]);
  const text = (await send(csvOf([a, 12]), { counted_at: earlier })).json.data.problems[0];
  assert.equal(text.details.variant_code, a.code);
  assert.match(text.details.counted_at, IN_ZONE);
  assert.equal(text.text, `variant "${a.code}" was counted later, at ${text.details.counted_at}.`);
  assert.deepEqual([await quantityOf(a), await quantityOf(b), await quantityOf(c)], [10, 10, 10]);
  await must(send(csvOf([a, 12], [b, 12], [c, 12]), { counted_at: later }), 200);
  assert.deepEqual([await quantityOf(a), await quantityOf(b), await quantityOf(c)], [12, 12, 12]);
});

test('a row is refused if more was shipped since the count than was counted', async () => {
  const { channel, variant, sku } = await make.setting(20);
  const counted_at = await now();
  await ship(channel, sku, 5);
  assert.deepEqual(await problemsOf(send(csvOf([variant, 4]), { counted_at })), [[2, 'count_below_zero']]);
  assert.equal(await quantityOf(variant), 15);
});

const undo = (import_id: unknown, reason = 'Undone: test') =>
  admin('POST', `/stock/imports/${String(import_id)}/undo`, { reason });

test('undoing a count reverses the differences that it made; movements since then stay', async () => {
  const { channel, variant: a, sku } = await make.setting(20);
  const [b, c] = [await make.variant(5), await make.variant(null)];
  const earlier = await now();
  const { import_id } = await must(send(csvOf([a, 16], [b, 5], [c, 3]), { reason: 'wrong sheet' }), 200);
  assert.deepEqual(await problemsOf(send(csvOf([b, 6]), { counted_at: earlier })), [[2, 'count_outdated']]);
  await ship(channel, sku, 6);
  await must(send(csvOf([a, 2], [b, 1]), { mode: 'add', reason: 'delivery' }), 200);
  const { variants } = await must(admin('GET', `/products/${a.product}`), 200);
  const journal = await journaled('variant_ids', variants[0].id);
  assert.deepEqual(await must(undo(import_id), 200), { count: 2 });
  assert.deepEqual([await quantityOf(a), await quantityOf(b), await quantityOf(c)], [16, 6, 0]);
  const [entry, , shipment] = await ledger(a);
  assert.deepEqual([entry.delta, entry.kind, entry.reason], [4, 'set', 'Undone: test']);
  assert.deepEqual(
    [shipment.delta, shipment.kind, shipment.actor],
    [-6, 'shipment', `channel:${channel.id}`],
  );
  assert.equal(await journaled('variant_ids', variants[0].id), journal + 1);
  const last = (await audits('stock')).at(-1);
  assert.deepEqual(
    [last?.action, last?.after],
    [
      'stock.import_undo',
      {
        import_id,
        mode: 'set',
        reason: 'Undone: test',
        rows: 3,
        quantities_changed: 2,
        units_added: 4,
        units_removed: 3,
      },
    ],
  );
  // The undone count no longer counts as later: the right sheet of an earlier time is accepted, with the movements since.
  await must(send(csvOf([a, 18], [b, 5], [c, 0]), { counted_at: earlier, reason: 'right sheet' }), 200);
  assert.deepEqual([await quantityOf(a), await quantityOf(b), await quantityOf(c)], [14, 6, 0]);
  const again = await refusal(undo(import_id), 409);
  assert.equal(again.code, 'stock_import_undone');
  assert.match(again.details.undone_at, IN_ZONE);
  assert.equal((await must(admin('GET', '/reconcile'), 200)).ok, true);
});

test('a count cannot be undone, not even in part, if a variant was counted again or has too little stock left', async () => {
  const { channel, variant: a, sku } = await make.setting(2);
  const b = await make.variant(5);
  const counted_at = await now();
  const first = await must(send(csvOf([a, 9], [b, 4]), { counted_at }), 200);
  await ship(channel, sku, 8);
  const short = await refusal(undo(first.import_id), 422);
  assert.deepEqual([short.code, short.details], ['below_zero', { variant_code: a.code, quantity: 1 }]);
  // The same sheet again changes nothing but confirms the count.
  const second = await must(send(csvOf([b, 4]), { counted_at }), 200);
  await must(send(csvOf([a, 7]), { mode: 'add', reason: 'delivery' }), 200);
  const overtaken = await refusal(undo(first.import_id), 409);
  assert.deepEqual(
    [overtaken.code, overtaken.details],
    ['counted_again', { import_id: first.import_id, variant_code: b.code, variant_count: 1 }],
  );
  assert.deepEqual([await quantityOf(a), await quantityOf(b)], [8, 4]);
  // After the latest count is undone, the one before it can be undone.
  assert.deepEqual(await must(undo(second.import_id), 200), { count: 0 });
  assert.deepEqual(await must(undo(first.import_id), 200), { count: 2 });
  assert.deepEqual([await quantityOf(a), await quantityOf(b)], [1, 5]);
});

test('a delivery is undone likewise, but not after a count; unknown imports and those older than a day are not found', async () => {
  const a = await make.variant(10);
  const kept = await must(send(csvOf([a, 5]), { mode: 'add' }), 200);
  const undone = await must(send(csvOf([a, 7]), { mode: 'add' }), 200);
  const removed = await must(send(csvOf([a, 2]), { mode: 'subtract' }), 200);
  for (const { import_id } of [undone, removed]) await must(undo(import_id), 200);
  assert.equal(await quantityOf(a), 15);
  assert.equal((await ledger(a))[0].kind, 'adjustment');
  await must(send(csvOf([a, 11])), 200);
  assert.equal((await refusal(undo(kept.import_id), 409)).code, 'counted_again');
  assert.equal(await quantityOf(a), 11);
  for (const id of ['999999999', '0', 'x']) await refusal(undo(id), 404);
  const old = await must(send(csvOf([a, 1]), { mode: 'add' }), 200);
  await service.database.tamper(
    `update stock_import set entered_at = now() - interval '25 hours' where id = $1`,
    [old.import_id],
  );
  assert.equal((await refusal(undo(old.import_id), 404)).code, 'stock_import_unknown');
  await must(send(csvOf([a, 1]), { mode: 'add' }), 200);
  const { rows } = await pool.query('select from stock_import where id = $1', [old.import_id]);
  assert.equal(rows.length, 0, 'deleted by the next import');
});

test('importing the export changes nothing, including codes with special characters', async () => {
  const odd = [];
  for (const text of ODD_TEXTS) odd.push(await make.variant(3, { code: `${unique('odd')} ${text}, "q"` }));
  await make.variant(4, { code: `=${unique('formula')}` });
  const response = await fetch(`${service.origin}/admin/v1/stock/export`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
  const text = await response.text();
  const report = await must(send(text, { dry_run: true }), 200);
  assert.deepEqual(report.problems, []);
  assert.equal(report.count, (await pages('/stock', 500)).length);
  assert.ok(report.rows.every((row: any) => row.before === row.after));
  for (const { code } of odd)
    assert.ok(
      report.rows.some((row: any) => row.variant_code === code),
      code,
    );
});

test('concurrent imports, orders and shipments: no deadlock, no oversell, every unit accounted for', async () => {
  const channel = await make.channel();
  const items: { variant: TestVariant; sku: string }[] = [];
  for (let n = 0; n < 6; n++) {
    const variant = await make.variant(30);
    items.push({ variant, sku: await make.map(channel, variant) });
  }
  const shipped = new Map(items.map(({ sku }) => [sku, 0]));
  const added = new Map(items.map(({ sku }) => [sku, 0]));
  const deadlocks = async (): Promise<number> =>
    Number(
      (await pool.query('select deadlocks from pg_stat_database where datname = current_database()')).rows[0]
        .deadlocks,
    );
  const before = await deadlocks();
  /** Ships orders of two variants in both sequences, so that a wrong lock order would cause deadlocks. */
  const shipper = async (seed: number): Promise<void> => {
    for (let round = 0; round < 10; round++) {
      const first = (seed + round) % items.length;
      const second = (seed * 3 + round * 5 + 1) % items.length;
      const skus = [items[first]!.sku, items[second]!.sku];
      const order = orderOf(skus.map((sku) => ({ sku, quantity: 1, unit_price: 1 })));
      const answer = await channel.call('POST', '/orders', order);
      if (answer.status !== 201) {
        assert.equal(answer.status, 422, answer.text);
        continue;
      }
      const report = { status: 3, tracking_number: 'T1' };
      await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
      for (const sku of skus) shipped.set(sku, (shipped.get(sku) ?? 0) + 1);
    }
  };
  const deliverer = async (seed: number): Promise<void> => {
    for (let round = 0; round < 10; round++) {
      const turned = [...items.slice(seed), ...items.slice(0, seed)];
      await must(send(csvOf(...turned.map(({ variant }) => [variant, 1] as const)), { mode: 'add' }), 200);
      for (const { sku } of items) added.set(sku, (added.get(sku) ?? 0) + 1);
    }
  };
  /** Enters the same count, taken at the start, repeatedly: the result must include all movements since. */
  const counted_at = await now();
  const counter = async (): Promise<void> => {
    for (let round = 0; round < 10; round++)
      await must(send(csvOf(...items.map(({ variant }) => [variant, 30] as const)), { counted_at }), 200);
  };
  await Promise.all([shipper(0), shipper(1), shipper(2), deliverer(1), deliverer(4), counter()]);
  for (const { variant, sku } of items)
    assert.equal(await quantityOf(variant), 30 + (added.get(sku) ?? 0) - (shipped.get(sku) ?? 0), sku);
  assert.equal(await deadlocks(), before);
  assert.equal((await must(admin('GET', '/reconcile'), 200)).ok, true);
});

const csvOfCodes = (codes: readonly string[], quantity: number): string =>
  ['variant_code,quantity', ...codes.map((code) => `${code},${quantity}`)].join('\n');

test('a long list is entered in parts: an order waits for no row of another part, and the list is undone as a whole', async () => {
  const { channel, sku, variant } = await make.setting(5);
  const codes = [variant.code, ...(await long.items(1_099))];
  const [first = '', last = ''] = [codes[0], codes.at(-1)];
  const release = await long.hold(last);
  let isEntered = false;
  const entering = must(send(csvOfCodes(codes, 2), { mode: 'add' }), 200).finally(() => (isEntered = true));
  await until(async () => (await make.stock({ code: first } as TestVariant)).quantity === 7);
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 7, unit_price: 1 }])), 201);
  assert.equal(isEntered, false);
  await release();
  const { count, import_id } = await entering;
  assert.equal(count, 1_100);
  const entries = (await audits('stock')).filter(({ after }: any) => after.import_id === import_id);
  assert.deepEqual(
    entries.map(({ after }: any) => [after.part, after.parts, after.rows]).toSorted(([a], [b]) => a - b),
    [
      [1, 3, 500],
      [2, 3, 500],
      [3, 3, 100],
    ],
  );
  const undone = await must(admin('POST', `/stock/imports/${import_id}/undo`, { reason: 'wrong list' }), 200);
  assert.equal(undone.count, 1_100);
  assert.deepEqual(
    (
      await pool.query(
        'select distinct quantity from stock s join variant v on v.id = s.variant_id where v.code = any($1)',
        [codes.slice(1)],
      )
    ).rows,
    [{ quantity: 0 }],
  );
});

test('a long list that no longer fits is interrupted: what was entered is named and can be undone', async () => {
  const codes = await long.items(600);
  await must(send(csvOfCodes(codes, 3), { mode: 'add' }), 200);
  const [held = '', taken = ''] = codes.slice(-2);
  const release = await long.hold(held);
  const entering = send(csvOfCodes(codes, 3), { mode: 'subtract' });
  await until(async () => (await make.stock({ code: codes[1] } as TestVariant)).quantity === 0);
  // Its row is not locked yet: rows are locked in the order of their ids.
  await must(admin('POST', `/stock/${taken}/adjustments`, { delta: -1, reason: 'broken' }), 200);
  await release();
  const { code, details } = (await refusal(entering, 409)) as any;
  assert.equal(code, 'import_interrupted');
  assert.deepEqual([details.written, details.parts], [1, 2]);
  await must(admin('POST', `/stock/imports/${details.import_id}/undo`, { reason: 'interrupted' }), 200);
  assert.equal((await make.stock({ code: codes[1] } as TestVariant)).quantity, 3);
  assert.equal((await make.stock({ code: held } as TestVariant)).quantity, 3);
});

test('an export continues after a lost database connection', async () => {
  await service.database.tamper(
    `with made as (
       insert into variant (product_id, code, power)
       select min(id), 'many-' || n, null from product, generate_series(1, 6000) n group by n returning id
     ) insert into stock (variant_id) select id from made`,
  );
  let reads = 0;
  const onAcquire = (client: PoolClient): void => {
    reads += 1;
    if (reads === 2) void client.end();
  };
  pool.on('acquire', onAcquire);
  try {
    const text = await (
      await fetch(`${service.origin}/admin/v1/stock/export`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
    ).text();
    const codes = text.match(/^many-\d+,0,\r$/gm) ?? [];
    assert.deepEqual([codes.length, new Set(codes).size], [6000, 6000]);
  } finally {
    pool.off('acquire', onAcquire);
  }
  assert.ok(reads >= 3, 'a read was repeated');
});
