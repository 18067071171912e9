// Statements stay fast when the tables grow, even if they were planned while the tables were empty or small.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CONDITIONS } from '../src/features/alerts/conditions-store.ts';
import { exportAllocations } from '../src/core/allocations/store.ts';
import { listAudit } from '../src/platform/audit/store.ts';
import type { Tx } from '../src/platform/database/database.ts';
import { findStock, lockOrders, lockStock, readMappings, readOrders } from '../src/core/gate/reads-store.ts';
import { listChanged, listInventory, listTouched, lookUpSkus } from '../src/core/inventory/store.ts';
import { readChanges, readMoment } from '../src/core/journal/changes-store.ts';
import { readJournal } from '../src/core/journal/since-store.ts';
import { createCommandPool } from '../src/platform/command-database/command-line.ts';
import { createPool } from '../src/platform/database/connections.ts';
import { lookUpMappings } from '../src/core/products/import-store.ts';
import { listLateReports } from '../src/features/observations/late-reports-store.ts';
import { indexOrders, isSearchBehind } from '../src/core/orders/search-index-store.ts';
import { listVariantLines } from '../src/core/products/store.ts';
import { listRefusedOrders } from '../src/features/observations/refused-orders-store.ts';
import { listDeliveries, trimDeliveries } from '../src/features/webhooks/deliveries-store.ts';
import { PipelinedConnection } from '../src/platform/database/pipelined-connection.ts';
import { connected, query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { eventually } from '../verify/kit/until.ts';

const PLANS_KEPT_MS = 50;

const database = await createDatabase();
const session = new PipelinedConnection(database.url, 'sluice-plans', { plans_kept_ms: PLANS_KEPT_MS });
const client = await session.get();
after(async () => {
  await session.close();
  await database.drop();
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Tables that always stay small: sequential scans are allowed. */
const SMALL = new Set(['channel', 'exchange_rate', 'allocation', 'journal_era', 'journal_trim']);

const scansOf = (plan: Plan): Plan[] => [
  ...(plan['Node Type'].includes('Scan') && plan['Relation Name'] !== undefined ? [plan] : []),
  ...(plan.Plans ?? []).flatMap(scansOf),
];

const pairs = { channel_ids: [1], skus: ['none'] };
const noPairs = { channel_ids: [], skus: [] };
const targets = { channel_ids: [], order_numbers: [], order_ids: [] };
const reported = { channel_ids: [1], order_numbers: ['none'], order_ids: [] };
const named = { ...reported, order_ids: [1] };
const NOTHING_SKIPPED = { order_ids: [], variant_ids: [] };
/** Hot statements by the name of their prepared statement, with valid parameters. */
const HOT: Record<string, { run: (tx: Tx) => Promise<unknown>; parameters: string }> = {
  gate_lock_orders_by_number: {
    run: (tx) => lockOrders(tx, reported, NOTHING_SKIPPED),
    parameters: `'{1}', '{N1}', '{}'`,
  },
  gate_wait_for_orders_by_number: {
    run: (tx) => lockOrders(tx, reported, 'wait'),
    parameters: `'{1}', '{N1}'`,
  },
  gate_lock_orders: {
    run: (tx) => lockOrders(tx, named, NOTHING_SKIPPED),
    parameters: `'{1}', '{N1}', '{}', '{}'`,
  },
  gate_wait_for_orders: {
    run: (tx) => lockOrders(tx, named, 'wait'),
    parameters: `'{1}', '{N1}', '{}'`,
  },
  gate_lock_stock_of_skus: {
    run: (tx) => lockStock(tx, pairs, targets, NOTHING_SKIPPED),
    parameters: `'{1}', '{S1}', '{}'`,
  },
  gate_wait_for_stock_of_skus: {
    run: (tx) => lockStock(tx, pairs, targets, 'wait'),
    parameters: `'{1}', '{S1}'`,
  },
  gate_lock_stock: {
    run: (tx) => lockStock(tx, pairs, reported, NOTHING_SKIPPED),
    parameters: `'{1}', '{S1}', '{1}', '{N1}', '{}', '{}'`,
  },
  gate_wait_for_stock: {
    run: (tx) => lockStock(tx, pairs, reported, 'wait'),
    parameters: `'{1}', '{S1}', '{1}', '{N1}', '{}'`,
  },
  gate_lock_stock_of_orders: {
    run: (tx) => lockStock(tx, noPairs, reported, NOTHING_SKIPPED),
    parameters: `'{1}', '{N1}', '{}', '{}'`,
  },
  gate_wait_for_stock_of_orders: {
    run: (tx) => lockStock(tx, noPairs, reported, 'wait'),
    parameters: `'{1}', '{N1}', '{}'`,
  },
  gate_read_mappings: { run: (tx) => readMappings(tx, pairs), parameters: `'{1}', '{S1}'` },
  gate_find_stock: { run: (tx) => findStock(tx, [1]), parameters: `'{1}'` },
  gate_read_orders: { run: (tx) => readOrders(tx, [], []), parameters: `'{N1}'` },
  gate_read_orders_by_id: { run: (tx) => readOrders(tx, [], [1]), parameters: `'{1}', '{}'` },
  inventory_lookup: { run: (tx) => lookUpSkus(tx, [], []), parameters: `'{1}', '{S1}'` },
  inventory_list: { run: (tx) => listInventory(tx, 1, '', 100), parameters: `1, 'S1', 100` },
  inventory_list_touched: { run: (tx) => listTouched(tx, [], []), parameters: `'{1}', '{1}'` },
  inventory_list_changed: {
    run: (tx) => listChanged(tx, 1, { variant_ids: [], skus: [] }, '', 100),
    parameters: `1, '{1}', '{S1}', '', 100`,
  },
  journal_read: { run: (tx) => readJournal(tx, null), parameters: `'1:1:'` },
  journal_changes: {
    run: async (tx) => readChanges(tx, 1, await readMoment(tx)),
    parameters: `'1:1:', '', 1`,
  },
};

/** The worst case: statistics of empty tables, and plans based on them. */
async function planOnEmptyTables(): Promise<void> {
  await query(database.adminUrl, 'analyze');
  for (const { run } of Object.values(HOT)) await run(client);
}

async function fillTables(): Promise<void> {
  for (const sql of [
    `insert into channel (name, currency_code, key_hash, key_sealed) values ('A', 'KRW', '', '')`,
    `insert into product (code, name) select 'P' || n, 'P' from generate_series(1, 20000) n`,
    `insert into variant (product_id, code) select id, code || '-V' from product`,
    `insert into stock (variant_id) select id from variant`,
    `insert into mapping select 1, 'S' || id, id from variant`,
    `insert into change_journal (xid, variant_ids) select id::text::xid8, array[id] from variant`,
    `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
       shipping_address, local_currency_code, local_total_amount, total_amount, exchange_rate)
     select n, 1, 'N' || n, 1, false, '', '', '', 'KRW', 1, 1, 1 from generate_series(1, 20000) n`,
    `insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price)
     select n, 0, 1 + n % 20000, 'S', 1, 0, 1, 1 from generate_series(1, 20000) n`,
  ]) {
    await database.tamper(sql);
  }
}

test('plans made for empty tables are replaced as the tables grow, without waiting for new statistics', async () => {
  await planOnEmptyTables();
  await fillTables();
  await session.get();
  for (const [name, { parameters }] of Object.entries(HOT))
    await eventually(() => assertByKey(name, parameters));
});

async function assertByKey(name: string, parameters: string): Promise<void> {
  const { rows } = await client.query(`explain (format json) execute ${name}(${parameters})`);
  const plan = rows[0]['QUERY PLAN'][0].Plan as Plan;
  const scans = scansOf(plan).filter((scan) => !SMALL.has(scan['Relation Name'] ?? ''));
  assert.ok(scans.length > 0, name);
  for (const scan of scans) {
    const isByKey = scan['Index Cond'] !== undefined || scan['Node Type'] === 'Bitmap Heap Scan';
    assert.ok(isByKey, `${name} reads all of ${scan['Relation Name']}:\n${JSON.stringify(plan, null, 1)}`);
  }
}

test('statements are not compiled, even if the server compiles expensive ones', async () => {
  await query(database.adminUrl, `alter database ${new URL(database.url).pathname.slice(1)} set jit = on`);
  const hot = new PipelinedConnection(database.url, 'sluice-plans');
  const pools = [createPool(database.url, 1), createCommandPool(database.url)];
  try {
    for (const connection of [await hot.get(), ...pools]) {
      const { rows } = await connection.query('show jit');
      assert.deepEqual(rows, [{ jit: 'off' }]);
    }
  } finally {
    await hot.close();
    await Promise.all(pools.map((pool) => pool.end()));
  }
});

/** The rows of tables that statements read, also rows that a filter discards. */
function rowsRead(plan: Plan): number {
  const scanned = plan['Relation Name'] !== undefined && plan['Node Type'] !== 'ModifyTable';
  const discarded = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const here = scanned ? (plan['Actual Rows'] + discarded) * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), here);
}

/**
 * Limits the rows that the statements of `work` read. Each is explained with its values before it runs, all in one
 * transaction.
 */
async function assertReads(url: string, rows_max: number, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const pool = createPool(url, 1);
  let read = 0;
  try {
    const connection = await pool.connect();
    await connection.query('begin');
    await work({
      async query({ text, values = [] }) {
        await connection.query('savepoint explained');
        const { rows } = await connection.query(`explain (analyze, timing off, format json) ${text}`, values);
        await connection.query('rollback to explained');
        read += rowsRead(rows[0]['QUERY PLAN'][0].Plan);
        return connection.query(text, values);
      },
    });
    await connection.query('commit');
    connection.release();
  } finally {
    await pool.end();
  }
  assert.ok(read <= rows_max, `${read} rows were read, at most ${rows_max} are needed`);
}

const LARGE_ROWS = 50_000;
/** For statements that need one page of rows, or none. */
const PAGE = 50;
const PAGE_ROWS = 2_000;

const large = [
  `insert into channel (name, currency_code, key_hash, key_sealed)
   select 'C' || n, 'KRW', n::text::bytea, '' from generate_series(1, 3) n`,
  `insert into product (code, name) select 'P' || n, 'P' from generate_series(1, 100) n`,
  `insert into variant (product_id, code, low_stock_at) select 1 + n % 100, 'V' || n, 5 from generate_series(1, ${LARGE_ROWS}) n`,
  `insert into stock (variant_id, quantity) select id, 10 from variant`,
  `insert into mapping select c.id, 'S' || v.id, v.id from channel c, variant v`,
  `insert into allocation (variant_id, channel_id) select id, 1 from variant where id % 10 = 0`,
  `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
     shipping_address, local_currency_code, local_total_amount, total_amount, exchange_rate)
   select n, 1, 'N' || n, 88, false, '', '', '', 'KRW', 1, 1, 1 from generate_series(1, ${LARGE_ROWS}) n`,
  // Each step by a transaction of its own, all of them before those of the search index.
  `insert into order_history (order_id, to_status, source, xid)
   select n, 88, 'channel', n - ${LARGE_ROWS} from generate_series(1, ${LARGE_ROWS}) n`,
  `insert into late_report (channel_id, order_number, kind, request_id, count, first_at, last_at)
   select 1, 'N' || n, 'cancel_after_ship', '', 1, now(), now() from generate_series(1, ${LARGE_ROWS}) n`,
  `insert into refused_order (channel_id, order_number, reason, is_backorder, request_id, count, first_at, last_at)
   select 1, 'R' || n, 'invalid', false, '', 1, now(), now() from generate_series(1, ${LARGE_ROWS}) n`,
  `insert into audit (actor, action, subject)
   select chr(65 + n % 3), case n when 1 then 'rare.action' else 'order.status' end, '' from generate_series(1, ${LARGE_ROWS}) n`,
  `insert into webhook (url, events) values ('', '{}')`,
  `insert into webhook_delivery (webhook_id, type, at, state)
   select 1, '', now(), 'delivered' from generate_series(1, ${LARGE_ROWS}) n`,
];

const ALL_REFUSED = { channel_id: null, reason: null, search: null, from: null, to: null, after: null };
const ALL_ENTRIES = { subject: null, actor: null, action: null, from: null, to: null, beforeId: null };
const lowStock = { kind: 'low_stock', enabled: true, settings: {} } as const;
const READS: Record<string, { rows_max: number; work: (tx: Tx) => Promise<unknown> }> = {
  'poll for orders that are not searchable yet': { rows_max: LARGE_ROWS / 5, work: isSearchBehind },
  'chunk of the export of allocations': {
    rows_max: PAGE_ROWS,
    work: async (tx) => exportAllocations(tx, (await exportAllocations(tx, null, PAGE)).at(-1) ?? null, PAGE),
  },
  'page of late reports': {
    rows_max: PAGE_ROWS,
    work: (tx) =>
      listLateReports(tx, { channel_id: null, kind: null, search: null, after: null, limit: PAGE }),
  },
  'page of refused orders that were not accepted since': {
    rows_max: PAGE_ROWS,
    work: (tx) => listRefusedOrders(tx, { ...ALL_REFUSED, accepted: false, limit: PAGE }),
  },
  'page of a rare action of an actor with many entries': {
    rows_max: PAGE_ROWS,
    work: (tx) => listAudit(tx, { ...ALL_ENTRIES, actor: 'B', action: 'rare', limit: PAGE }),
  },
  'page of variants': {
    rows_max: PAGE_ROWS,
    work: (tx) =>
      listVariantLines(tx, { after: null, search: null, archived: false, without_stock: null, limit: PAGE }),
  },
  'page of failed deliveries, of which there are none': {
    rows_max: PAGE_ROWS,
    work: (tx) => listDeliveries(tx, 1, { state: 'failed', before: null, limit: PAGE }),
  },
  'clean-up of young webhook deliveries': { rows_max: PAGE_ROWS, work: trimDeliveries },
  // Every variant and every stock row once.
  'check for low stock': { rows_max: 2.5 * LARGE_ROWS, work: (tx) => CONDITIONS.low_stock(tx, lowStock, {}) },
};

test('lists and background jobs read only the rows that they need of large tables', async (t) => {
  const grown = await createDatabase();
  try {
    await connected(grown.url, async (tx) => {
      while ((await indexOrders(tx)).outcome !== 'done');
    });
    for (const sql of large) await grown.tamper(sql);
    await query(grown.adminUrl, 'vacuum analyze');
    for (const [name, { rows_max, work }] of Object.entries(READS))
      await t.test(name, () => assertReads(grown.url, rows_max, work));
    await grown.tamper('update order_history set xid = null');
    await query(grown.adminUrl, 'vacuum full analyze order_history');
    await t.test(
      'poll for orders that are not searchable yet, after an upgrade from a version without transactions',
      () => assertReads(grown.url, PAGE_ROWS, isSearchBehind),
    );
  } finally {
    await grown.drop();
  }
});

test('the codes of a file are looked up in a table that has grown since the last import, without scanning it for each code', async () => {
  const grown = await createDatabase();
  const pool = createPool(grown.url, 1);
  const connection = await pool.connect();
  try {
    await grown.tamper(
      `insert into channel (name, currency_code, key_hash, key_sealed) values ('A', 'KRW', '', '')`,
    );
    await grown.tamper(`insert into product (code, name) values ('P', 'P')`);
    await grown.tamper(`insert into variant (product_id, code) values (1, 'V')`);
    await grown.tamper(`insert into mapping values (1, 'S0', 1)`);
    await query(grown.adminUrl, 'vacuum analyze mapping');
    const skus = Array.from({ length: 5_000 }, (_, n) => `S${n}`);
    // From the sixth run on, PostgreSQL may keep a plan.
    for (let runs = 0; runs < 10; runs++) assert.equal((await lookUpMappings(connection, 1, skus)).length, 1);
    await connection.query(`insert into mapping select 1, 'S' || n, 1 from generate_series(1, 30000) n`);
    // 10 ms are enough; comparing 30,000 rows with 5,000 codes takes seconds.
    await connection.query('set statement_timeout = 1000');
    assert.equal((await lookUpMappings(connection, 1, skus)).length, 5_000);
  } finally {
    connection.release();
    await pool.end();
    await grown.drop();
  }
});
