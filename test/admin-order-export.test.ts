// Export of orders: values that a spreadsheet would calculate or reformat survive a round trip. Exports are streamed,
// audited, and masked for viewers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { unprotectCell } from '../src/platform/csv/cell-rules.ts';
import { EXPORT_HEADINGS } from '../src/features/order-export/words.ts';
import { ADMIN_TOKEN } from '../verify/kit/canaries.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { collectGarbage } from './kit/collect-garbage.ts';
import { desk, fieldsRefused } from './kit/desk.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, token } = desk(service);
const { pool, orderIndexer } = service.service.services;

const COLUMNS = Object.keys(EXPORT_HEADINGS);

async function download(query: string, bearer = ADMIN_TOKEN): Promise<{ bytes: Buffer; headers: Headers }> {
  const answer = await fetch(`${service.origin}/admin/v1/orders/export?${query}`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  assert.equal(answer.status, 200);
  return { bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
}

type Row = Record<string, string | number | null | undefined>;
const keyed = (rows: readonly (readonly unknown[])[]): Row[] =>
  rows.map((row) => Object.fromEntries(COLUMNS.map((column, index) => [column, row[index] as Row[string]])));

async function readCsv(query: string, bearer?: string): Promise<Row[]> {
  const { bytes } = await download(`format=csv&${query}`, bearer);
  const [heading, ...rows] = parse(bytes, { bom: true });
  assert.deepEqual(heading, COLUMNS);
  return keyed(rows.map((row) => row.map(unprotectCell)));
}

async function readExcel(query: string): Promise<Row[]> {
  const { bytes } = await download(`format=xlsx&${query}`);
  const { sheets } = await readXlsx(bytes);
  const [heading, ...rows] = sheets[0]?.rows ?? [];
  assert.deepEqual(heading, COLUMNS);
  return keyed(rows);
}

/** The content of the first file of a ZIP archive: the sheet. */
const firstEntry = (zip: Buffer): string =>
  inflateRawSync(zip.subarray(30 + zip.readUInt16LE(26) + zip.readUInt16LE(28))).toString();

/** Values that a spreadsheet would calculate, reformat or split. */
const ODD = {
  skus: ['=1+1', '90.750', '007', '1E5', '+82', '@sum', '3-1', 'a,"b";\tc', '가나다'],
  recipient_name: '=HYPERLINK("http://x")',
  recipient_phone: '01012345678',
  shipping_address: 'line 1\nline, "2"',
};

test('CSV and Excel exports contain every line of every order as it was sent', async () => {
  const channel = await make.channel();
  const variant = await make.variant(1_000);
  const prefix = unique('x');
  const { skus } = ODD;
  for (const sku of skus) await make.map(channel, variant, sku);
  const { recipient_name, recipient_phone, shipping_address } = ODD;
  const body = orderOf(
    skus.map((sku, n) => ({ sku, quantity: n + 1, unit_price: 1234.5 })),
    { order_number: `${prefix}-0042`, recipient_name, recipient_phone, shipping_address },
  );
  const { id } = await must(channel.call('POST', '/orders', body), 201);
  await must(admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: '000123456789' }), 200);
  const second = orderOf([{ sku: '90.750', quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', second), 201);

  const query = `channel_id=${channel.id}`;
  const [csv, excel] = [await readCsv(query), await readExcel(query)];
  assert.deepEqual(
    excel.map(({ order_number, line, sku }) => [order_number, line, sku]),
    [[second.order_number, 1, '90.750'], ...skus.map((sku, n) => [body.order_number, n + 1, sku])],
  );
  for (const row of excel.slice(1)) {
    assert.deepEqual(
      [row['recipient_name'], row['recipient_phone'], row['shipping_address'], row['tracking_number']],
      [recipient_name, recipient_phone, shipping_address, '000123456789'],
    );
    assert.deepEqual([row['unit_price'], row['status'], row['variant_code']], [1234.5, 3, variant.code]);
  }
  const texts = (row: Row) => COLUMNS.map((column) => String(row[column] ?? ''));
  assert.deepEqual(csv.map(texts), excel.map(texts));

  await orderIndexer.catchUp();
  assert.equal((await readCsv(`${query}&search=0042&status=3`)).length, skus.length);
  assert.equal((await readCsv(`${query}&status=88`)).length, 0);
  const { bytes, headers } = await download(`format=csv&language=ko&${query}`);
  assert.match(bytes.toString(), /^\u{feff}"?주문 번호"?,.*\r\n/u);
  assert.match(bytes.toString(), /출고/);
  assert.match(headers.get('content-disposition') ?? '', /filename="orders\.csv"/);
});

test('texts that XML cannot contain, or that Excel would decode, stay as they are in the Excel file', async () => {
  const { channel, sku } = await make.setting(10);
  const names = [
    'a\u{fffe}b\u{ffff}',
    '_x0041_ _xZZZZ_ _x00e9_x',
    'c\u{1}\u{1f}d',
    ' e\r\nf\tg ',
    '\u{1ffff}<&>',
  ];
  for (const recipient_name of names)
    await must(
      channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }], { recipient_name })),
      201,
    );
  const { bytes } = await download(`format=xlsx&channel_id=${channel.id}`);
  assert.ok(!/[\u{fffe}\u{ffff}]/u.test(firstEntry(bytes)), 'valid XML');
  const rows = await readExcel(`channel_id=${channel.id}`);
  assert.deepEqual(
    rows.map((row) => row['recipient_name']),
    names.toReversed(),
  );
});

test('viewers get masked personal data; every export is in the audit log, without the search text', async () => {
  const { channel, sku } = await make.setting(10);
  const person = {
    recipient_name: '황보라미',
    recipient_phone: '010-1357-2468',
    shipping_address: '서울 강남구 테헤란로 1',
  };
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }], person)), 201);
  const [row] = await readCsv(`channel_id=${channel.id}`, await token('viewer'));
  assert.deepEqual(
    [row?.['recipient_name'], row?.['recipient_phone'], row?.['shipping_address']],
    ['황**미', '***-****-2468', '서울 강남구 ***'],
  );
  await readCsv('search=황보라미&status=1,2');
  await readCsv('order_number=none&from=2026-01-01');
  const entries = (await audits('orders')).slice(-3);
  assert.deepEqual(
    entries.map(({ action, after }) => [action, after]),
    [
      ['order.export', { format: 'csv', personal_data: false, filter: { channel_id: channel.id } }],
      ['order.export', { format: 'csv', personal_data: true, filter: { search: '…', status: '1,2' } }],
      [
        'order.export',
        { format: 'csv', personal_data: true, filter: { order_number: 'none', from: '2026-01-01' } },
      ],
    ],
  );
  for (const query of [
    '',
    'format=pdf',
    'format=csv&status=7',
    'format=csv&search=a',
    'format=csv&language=de',
  ])
    assert.equal((await fieldsRefused(admin('GET', `/orders/export?${query}`))).length, 1, query);
});

test('HEAD has the headers of an export, and neither reads nor records one', async () => {
  const recorded = (await audits('orders')).length;
  const { channel } = await make.setting(1);
  for (const [path, type, file] of [
    ['orders/export?format=csv', 'text/csv; charset=utf-8', 'orders.csv'],
    ['orders/export?format=xlsx', /spreadsheetml/, 'orders.xlsx'],
    ['stock/export', 'text/csv; charset=utf-8', 'stock.csv'],
    [`channels/${channel.id}/mappings/export`, 'text/csv; charset=utf-8', 'mappings-channel'],
    ['allocations/export', 'text/csv; charset=utf-8', 'allocations.csv'],
  ] as const) {
    const { status, headers } = await admin('HEAD', `/${path}`);
    assert.equal(status, 200, path);
    assert.match(headers.get('content-type') ?? '', new RegExp(type));
    assert.match(headers.get('content-disposition') ?? '', new RegExp(file));
    assert.equal(headers.get('content-length'), null, 'the length is unknown');
  }
  assert.equal((await audits('orders')).length, recorded);
  assert.equal((await admin('HEAD', '/orders/export?format=pdf')).status, 422);
});

/** Adds copies of the order for an export of many pages, and deletes them after `work`. */
async function withCopies(id: number, count: number, work: () => Promise<void>): Promise<void> {
  const far = 1_000_000_000;
  const client = service.database;
  try {
    await client.tamper(
      `insert into orders select ${far} + n, channel_id, order_number || n, status, is_backorder, recipient_name, recipient_phone,
         repeat('서울 ', 200) || n, tracking_number, courier_code, courier_name, cancel_reason, local_currency_code,
         local_total_amount, total_amount, exchange_rate, created_at from orders, generate_series(1, ${count}) n where id = $1`,
      [id],
    );
    await client.tamper(
      `insert into order_item select ${far} + n, line, variant_id, sku, quantity, 0, from_allocation, local_unit_price, unit_price,
         product_version_id from order_item, generate_series(1, ${count}) n where order_id = $1`,
      [id],
    );
    await work();
  } finally {
    await client.tamper(`delete from orders where id >= ${far}`);
    await client.tamper(`delete from order_item where order_id >= ${far}`);
  }
}

/** Calls `onRead` at each read of the database with the number of reads so far. */
async function countingReads<T>(
  onRead: (reads: number) => void,
  work: (reads: () => number) => Promise<T>,
): Promise<T> {
  let reads = 0;
  const count = (): void => onRead((reads += 1));
  pool.on('acquire', count);
  try {
    return await work(() => reads);
  } finally {
    pool.off('acquire', count);
  }
}

async function startDownload(
  format: string,
  channel_id: number,
): Promise<{ response: IncomingMessage; end: () => void }> {
  const url = `${service.origin}/admin/v1/orders/export?format=${format}&channel_id=${channel_id}`;
  const request = get(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  return { response, end: () => request.destroy() };
}

const COPIES = 20_000;
/** A complete export of the copies: 40 pages of orders and of their lines. */
const READS_OF_ALL = 80;
/**
 * Reads at which memory is measured: three times from each on, and the minimum counts, because the number of pages in
 * flight differs. Each measurement is a full garbage collection of this process.
 */
const EARLY_READ = 10;
const LATE_READ = 70;
const LOOKS = 3;
/** 30 pages of 500 orders are read in between: 6 MB if they stay in memory; the measured difference is below 1 MB. */
const KEPT_BYTES_MAX = 3_000_000;

/** Memory of this process after a full garbage collection. */
function liveBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test(
  'backpressure: a client that stops reading pauses the export, an aborted download ends it, and no row stays in memory',
  LONG_ONLY,
  async (t) => {
    const { channel, sku } = await make.setting(100);
    const { id } = await must(
      channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
      201,
    );
    await withCopies(id, COPIES, async () => {
      /** Number of reads of the database for a client that aborts or pauses after the first bytes. */
      const readsOf = (format: string, isAborted: boolean): Promise<number> =>
        countingReads(
          () => {},
          async (reads) => {
            const { response, end } = await startDownload(format, channel.id);
            await once(response, 'readable');
            if (isAborted) end();
            let seen = -1;
            await until(() => {
              const isQuiet = seen === reads();
              seen = reads();
              return isQuiet && pool.idleCount === pool.totalCount;
            });
            end();
            return reads();
          },
        );
      for (const [format, isAborted] of [
        ['csv', false],
        ['csv', true],
        ['xlsx', true],
      ] as const) {
        const reads = await readsOf(format, isAborted);
        assert.ok(reads < (READS_OF_ALL * 2) / 3, `${format}: ${reads} reads`);
      }

      for (const format of ['csv', 'xlsx']) {
        // Live memory early and late in one download.
        const memory = new Map<number, number>();
        const look = (reads: number): void => {
          const from = [LATE_READ, EARLY_READ].find((first) => reads >= first && reads < first + LOOKS);
          if (from !== undefined) memory.set(from, Math.min(memory.get(from) ?? Infinity, liveBytes()));
        };
        await countingReads(look, async (reads) => {
          const { response, end } = await startDownload(format, channel.id);
          response.resume();
          await until(() => reads() > LATE_READ + LOOKS);
          end();
          await until(() => pool.idleCount === pool.totalCount);
        });
        const grown = (memory.get(LATE_READ) ?? Number.NaN) - (memory.get(EARLY_READ) ?? Number.NaN);
        t.diagnostic(`${format}: ${(grown / 1024 / 1024).toFixed(1)} MiB more after 15,000 orders`);
        assert.ok(grown < KEPT_BYTES_MAX, `${format}: ${grown} bytes more`);
      }
    });
  },
);
