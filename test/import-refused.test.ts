// A file with one fault among valid rows is refused, and the whole database is as before: every import, by the API and by
// the command line. Without the fault the same file is accepted, and changes the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { Random } from '../verify/kit/random.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import { cliBench } from './cli-run.ts';
import { desk } from './kit/desk.ts';

const bench = await cliBench();
const service = await startTestService({ database: bench.database, env: { SLUICE_JOBS: '0' } });
const make = fixtures(service);
const { admin } = desk(service);
const RUNS = Math.max(1, Math.floor(Number(process.env['PROPERTY_RUNS'] ?? 2)));
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

const shop = await make.channel({ name: 'Seoul mall' });
const stocked = await Promise.all([30, 20, 10].map((quantity) => make.variant(quantity)));
const unstocked = await Promise.all([0, 1].map(() => make.variant(null)));
const variants = [...stocked, ...unstocked];
const skus = await Promise.all(stocked.map((variant) => make.map(shop, variant)));
await must(admin('POST', '/exchange-rates', { currency_code: 'USD', rate: '1300' }), 201);

// Written in the background: the search index and what is known of requests.
const OBSERVED = ['order_search', 'order_search_progress', 'channel_request'];
/** Rows of the journal that name no change only prove that a transaction was committed, those in the background too. */
const PARTS: Record<string, string> = { change_journal: "where variant_ids <> '{}' or channel_ids <> '{}'" };
const tables: string[] = (
  await bench.rows(`select tablename as name from pg_tables where schemaname = 'public' order by 1`)
)
  .map(({ name }) => name)
  .filter((name) => !OBSERVED.includes(name));
const SNAPSHOT = tables
  .map(
    (name) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as content from ${name} t ${PARTS[name] ?? ''}`,
  )
  .join(' union all ');
const contents = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await bench.rows(SNAPSHOT)).map(({ name, content }) => [name, content]));

/** The tables whose contents differ. */
async function changedSince(before: Record<string, string>): Promise<string[]> {
  const now = await contents();
  return tables.filter((name) => now[name] !== before[name]);
}

type Row = (string | number)[];

interface Kind {
  header: string;
  /** A valid row that changes something, each time for something else. */
  row(random: Random, index: number): Row;
  /** Rows that are refused beside any valid row. */
  faults: readonly Row[];
  rows?: number;
  api?: (csv: string) => Promise<HttpAnswer>;
  command?: readonly string[];
}

const inApi =
  (path: string, fields: object = {}) =>
  (csv: string): Promise<HttpAnswer> =>
    admin('POST', path, { csv, ...fields });
const codeOf = (index: number): string => variants[index % variants.length]?.code ?? '';
const stockedCode = (index: number): string => stocked[index % stocked.length]?.code ?? '';
const stockRows = {
  header: 'variant_code,quantity',
  row: (random: Random, index: number): Row => [codeOf(index), random.between(1, 9)],
  rows: variants.length,
};
const notANumber: Row = ['nothing-of-this-name', 'many'];
const unknownVariant: Row = ['nothing-of-this-name', 1];
const stockFile = (mode: string): Kind => ({
  ...stockRows,
  faults: [notANumber, unknownVariant],
  api: inApi('/stock/import', { mode, reason: 'test' }),
});
const order = (number: string, fields: Row): Row => [shop.id, number, ...fields, 'Kim', '010', 'Seoul'];
const ORDER_HEADER =
  'channel_id,order_number,status,created_at,sku,quantity,local_unit_price,recipient_name,recipient_phone,shipping_address';
const AT = '2026-01-01T00:00:00+09:00';

const KINDS: Record<string, Kind> = {
  channels: {
    header: 'name,api_key,country_code',
    row: () => [unique('channel'), unique('an-old-key-of-some-length'), 'JP'],
    faults: [
      [unique('channel'), unique('key'), 'XX'],
      ['Seoul mall', unique('key'), 'KR'],
    ],
    api: inApi('/channels/import'),
    command: ['import', 'channels'],
  },
  products: {
    header: 'product_code,product_name,variant_code',
    row: () => [unique('P'), 'new', unique('V')],
    faults: [
      [unique('P'), 'taken', stockedCode(0)],
      [unique('P'), '', unique('V')],
    ],
    api: inApi('/products/import'),
    command: ['import', 'products'],
  },
  mappings: {
    header: 'sku,variant_code',
    row: (random) => [unique('SKU'), codeOf(random.below(5))],
    faults: [
      [unique('SKU'), 'nothing-of-this-name'],
      ['', stockedCode(0)],
    ],
    api: inApi(`/channels/${shop.id}/mappings/import`),
    command: ['import', 'mappings', '--channel', `${shop.id}`],
  },
  'mappings of channels': {
    header: 'channel,sku,variant_code',
    row: (random) => ['Seoul mall', unique('SKU'), codeOf(random.below(5))],
    faults: [
      ['no such mall', unique('SKU'), stockedCode(0)],
      ['Seoul mall', unique('SKU'), 'nothing-of-this-name'],
    ],
    command: ['import', 'mappings'],
  },
  'stock of the command line': {
    ...stockRows,
    row: (random, index) => [codeOf(index), random.between(100, 2_000_000)],
    faults: [notANumber, unknownVariant],
    command: ['import', 'stock'],
  },
  'stock set': stockFile('set'),
  'stock add': stockFile('add'),
  'stock subtract': {
    ...stockFile('subtract'),
    row: (_random, index) => [codeOf(index), index < stocked.length ? 1 : 0],
    faults: [notANumber, unknownVariant, ...variants.map(({ code }): Row => [code, 2_000_000_000])],
  },
  allocations: {
    header: 'channel_id,variant_code,allocated_qty,reserve_quota',
    row: (random, index) => [shop.id, stockedCode(index), random.between(1, 1_000_000), random.between(1, 9)],
    faults: [
      [shop.id, 'nothing-of-this-name', 1, 0],
      [999_999, stockedCode(0), 1, 0],
      [shop.id, stockedCode(0), -1, 0],
    ],
    rows: stocked.length,
    api: inApi('/allocations/import'),
    command: ['import', 'allocations'],
  },
  rates: {
    header: 'currency_code,rate,effective_at',
    row: (_random, index) => ['JPY', '9.1', new Date(Date.now() - index * 1000).toISOString()],
    faults: [
      ['QQQQ', 1, AT],
      ['EUR', 'much', AT],
    ],
    api: inApi('/exchange-rates/import'),
    command: ['import', 'rates'],
  },
  codes: {
    header: 'group,code,name,tracking_url',
    row: () => ['DELIVERY_COMPANY', unique('C'), 'Courier', ''],
    faults: [
      ['DELIVERY_COMPANY', unique('C'), '', ''],
      ['DELIVERY_COMPANY', unique('C'), 'x', 'no url'],
    ],
    api: inApi('/common-codes/import'),
    command: ['import', 'codes'],
  },
  orders: {
    header: ORDER_HEADER,
    row: (random, index) =>
      order(unique('OLD'), [random.pick([0, 1, 2, 3, 88]), AT, skus[index % 3] ?? '', 1, '1.5']),
    faults: [
      order(unique('OLD'), [1, AT, 'unmapped', 1, '1.5']),
      order(unique('OLD'), [7, AT, skus[0] ?? '', 1, '1.5']),
      order(unique('OLD'), [1, '2999-01-01T00:00:00Z', skus[0] ?? '', 1, '1.5']),
    ],
    api: inApi('/orders/import'),
    command: ['import', 'orders'],
  },
};

const textOf = (header: string, rows: readonly Row[]): string =>
  [header, ...rows.map((row) => row.join(','))].join('\n') + '\n';

type Ways = { way: string; sent: (csv: string) => Promise<boolean> }[];
function waysOf(kind: Kind): Ways {
  const ways: Ways = [];
  const { api, command } = kind;
  if (api) ways.push({ way: 'API', sent: async (csv) => (await api(csv)).status === 200 });
  if (command)
    ways.push({
      way: 'command line',
      sent: async (csv) => {
        const path = await bench.file('refused.csv', csv);
        const [word = '', what = '', ...rest] = command;
        return (await bench.run([word, what, path, ...rest])).code === 0;
      },
    });
  return ways;
}

for (const [name, kind] of Object.entries(KINDS))
  for (const { way, sent } of waysOf(kind))
    test(`a refused file changes nothing: ${name}, ${way}`, async () => {
      const random = new Random(seed);
      for (let run = 0; run < RUNS; run++) {
        const count = random.between(1, kind.rows ?? 5);
        const rows = Array.from({ length: count }, (_, index) => kind.row(random, index));
        for (const fault of kind.faults) {
          const with_fault = rows.toSpliced(random.below(count + 1), 0, fault);
          const before = await contents();
          const accepted = await sent(textOf(kind.header, with_fault));
          assert.deepEqual(await changedSince(before), [], `seed ${seed}: ${fault.join()}`);
          assert.equal(accepted, false, `seed ${seed}: ${fault.join()}`);
        }
        const before = await contents();
        assert.ok(await sent(textOf(kind.header, rows)), `seed ${seed}: without the fault`);
        assert.notDeepEqual(await changedSince(before), [], `seed ${seed}: without the fault`);
      }
    });

test('a refused undo, bulk status or list of shipments changes nothing', async () => {
  const variant = await make.variant(null);
  const csv = textOf('variant_code,quantity', [[variant.code, 5]]);
  const { import_id } = await must(
    admin('POST', '/stock/import', { csv, mode: 'add', reason: 'delivery' }),
    200,
  );
  const sku = await make.map(shop, variant);
  const taken = orderOf([{ sku, quantity: 3, unit_price: 1 }]);
  const { id } = await must(shop.call('POST', '/orders', taken), 201);
  await must(
    shop.call('POST', `/orders/${taken.order_number}/status`, { status: 3, tracking_number: 'T' }),
    200,
  );
  const before = await contents();
  const undo = await admin('POST', `/stock/imports/${import_id}/undo`, { reason: 'wrong' });
  assert.equal(undo.json.code, 'below_zero');
  const changes = [
    { id, status: 88 },
    { id, status: 2 },
  ];
  assert.equal((await admin('POST', '/orders/bulk-status', { changes })).status, 422);
  const shipments = [{ order_number: taken.order_number, tracking_number: 'T', courier_code: 7 }];
  await admin('POST', '/orders/shipments', { shipments });
  assert.deepEqual(await changedSince(before), []);
});
