// Every operation that writes, beside every other one, on the same few rows: PostgreSQL detects no deadlock. It checks after
// 20 ms instead of a second, so that a wait which ends by itself in a circle is found too, and writes both statements to
// its log.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { importAllocations } from '../src/core/allocations/import.ts';
import { parseCsvText } from '../src/platform/csv/csv.ts';
import { NO_PROGRESS, type Import } from '../src/core/imports/plan.ts';
import { Problems } from '../src/platform/csv/problems.ts';
import { importFile } from '../src/core/imports/run.ts';
import { importStock } from '../src/core/stock/import.ts';
import { doneOr } from '../src/platform/admin-api/outcome.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { query } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startOwnServer } from '../verify/kit/server.ts';
import { PATIENT, startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const server = await startOwnServer({
  deadlock_timeout: '20ms',
  log_error_verbosity: 'default',
  log_min_error_statement: 'error',
});
const { database } = server;
const env = { ...PATIENT, SLUICE_JOBS: '0' };
const one = await startTestService({ database, env });
const services = [one, await startTestService({ database, env })];
after(() => server.remove());
const make = fixtures(one);
const admin = (...asked: Parameters<typeof one.admin>): Promise<HttpAnswer> => {
  turn += 1;
  return (services[turn % 2] ?? one).admin(...asked);
};
let turn = 0;

const [shop, mall] = [await make.channel(), await make.channel()];
const items = await Promise.all([0, 1, 2].map(() => make.variant(1_000_000)));
const codes = items.map(({ code }) => code);
const [a = '', b = '', c = ''] = codes;
const skus = await Promise.all(items.map((item) => make.map(shop, item)));
const spare = await make.variant(null);
const lines = (list: readonly string[]) => list.map((sku) => ({ sku, quantity: 1, unit_price: 1 }));
const shared = (): string => `SHARED-${Math.floor(turn / 4)}`;
const through = () => (services[++turn % 2] ?? one).channel(shop.api_key);
const taken: { id: number; number: string }[] = [];
/** An order that is taken for the operations on orders. */
const some = () => taken[turn % taken.length] ?? { id: 0, number: '' };
for (let n = 0; n < 6; n++) {
  const order = orderOf(lines(skus));
  taken.push({ id: (await must(shop.call('POST', '/orders', order), 201)).id, number: order.order_number });
}

const csv = (...rows: string[]): { csv: string } => ({ csv: rows.map((row) => `${row}\n`).join('') });
async function byCommand(job: Import, text: string): Promise<void> {
  const problems = new Problems();
  await parseCsvText(text, job.shape, 1_000, problems, (row) => job.read(row, problems));
  const { pool } = (services[++turn % 2] ?? one).service.services;
  await importFile(
    async (work) =>
      doneOr(
        await inTransaction(pool, (tx) => work(tx, { actor: 'test', request_id: null })),
        ({ kind }) => new Error(kind),
      ),
    { import: job, problems, progress: NO_PROGRESS, dry_run: false, file: 'test' },
  );
}
const ORDERS =
  'channel_id,order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,variant_code,quantity,local_unit_price';
const orderRow = (number: string, code: string): string =>
  `${shop.id},${number},1,2026-01-01T00:00:00+09:00,Kim,010,Seoul,x,${code},1,1`;
const [key, name] = [unique('an-old-key-of-a-channel'), unique('imported')];
const even = (): boolean => turn % 2 === 0;
const product = items[0]?.product ?? '';

const OPERATIONS: Record<string, () => Promise<unknown>> = {
  order: () => through()('POST', '/orders', orderOf(lines(skus))),
  'order in reverse': () => through()('POST', '/orders', orderOf(lines(skus.toReversed()))),
  'order that is imported too': () =>
    through()('POST', '/orders', orderOf(lines(skus), { order_number: shared() })),
  report: () => through()('POST', `/orders/${some().number}/status`, { status: even() ? 2 : 88 }),
  'bulk status': () =>
    admin('POST', '/orders/bulk-status', { changes: taken.slice(0, 3).map(({ id }) => ({ id, status: 2 })) }),
  'import orders': () =>
    admin(
      'POST',
      '/orders/import',
      csv(ORDERS, orderRow(shared(), c), orderRow(unique('I'), b), orderRow(unique('I'), a)),
    ),
  'set stock': () => admin('PUT', `/stock/${b}`, { quantity: 1_000_000, reason: 'count' }),
  'adjust stock': () => admin('POST', `/stock/${a}/adjustments`, { delta: 1, reason: 'more' }),
  'stock file': () =>
    admin('POST', '/stock/import', {
      ...csv('variant_code,quantity', `${c},5`, `${a},6`, `${spare.code},1`),
      mode: even() ? 'add' : 'set',
      reason: 'test',
    }),
  'import stock': () =>
    byCommand(importStock(), `variant_code,quantity\n${c},${900_000 + turn}\n${a},${900_000 + turn}\n`),
  'stock file and its undo': async () => {
    const text = csv('variant_code,quantity', `${b},5`, `${a},6`);
    const { json } = await admin('POST', '/stock/import', { ...text, mode: 'add', reason: 'test' });
    return admin('POST', `/stock/imports/${json.data?.import_id}/undo`, { reason: 'test' });
  },
  allocation: () =>
    admin('PUT', `/channels/${shop.id}/allocations/${b}`, { allocated_qty: turn % 9, reserve_quota: 1 }),
  allocations: () =>
    admin('PUT', '/allocations', {
      changes: [c, a].map((variant_code) => ({
        channel_id: mall.id,
        variant_code,
        allocated_qty: turn % 9,
        reserve_quota: 0,
      })),
    }),
  transfer: () =>
    admin('POST', '/allocations/transfers', {
      variant_code: a,
      from_channel_id: mall.id,
      to_channel_id: shop.id,
      quantity: 1,
    }),
  'import allocations': () =>
    byCommand(
      importAllocations(),
      `channel_id,variant_code,allocated_qty,reserve_quota\n${mall.id},${c},${turn % 7},0\n${shop.id},${a},${turn % 7},2\n`,
    ),
  mappings: () =>
    admin('PUT', `/channels/${mall.id}/mappings`, {
      mappings: [c, spare.code].map((variant_code) => ({ sku: `M-${variant_code}`, variant_code })),
    }),
  'mapping file': () =>
    admin(
      'POST',
      `/channels/${mall.id}/mappings/import`,
      csv('sku,variant_code', `M-${c},${a}`, `M-${spare.code},${c}`),
    ),
  'remove mappings': () =>
    admin('POST', `/channels/${mall.id}/mappings/remove`, {
      skus: [c, spare.code].map((code) => `M-${code}`),
    }),
  'change a channel': () => admin('PATCH', `/channels/${mall.id}`, { country_code: even() ? 'KR' : 'JP' }),
  'archive a channel': async () => {
    await admin('PATCH', `/channels/${mall.id}`, { archived: true });
    return admin('PATCH', `/channels/${mall.id}`, { archived: false, is_active: true });
  },
  'rotate a key': () => admin('POST', `/channels/${mall.id}/rotate-key`, {}),
  'limit a channel': () =>
    admin('PUT', `/channels/${mall.id}/rate-limit`, { requests_per_minute: 1_000, burst: 100 }),
  'import channels': () =>
    admin(
      'POST',
      '/channels/import',
      csv('name,api_key,country_code', `${name},${key},${even() ? 'KR' : 'JP'}`),
    ),
  'change the imported channel': async () => {
    const found = (await admin('GET', '/channels?limit=500')).json.data.find((row: any) => row.name === name);
    return found ? admin('PATCH', `/channels/${found.id}`, { country_code: even() ? 'KR' : 'JP' }) : null;
  },
  'import products': () =>
    admin(
      'POST',
      '/products/import',
      csv('product_code,product_name,variant_code,power', `${product},Name ${turn},${a},-${turn}.00`),
    ),
  'rename a product': () => admin('PATCH', `/products/${product}`, { name: `Product ${turn}` }),
  'archive a product': async () => {
    await admin('PATCH', `/products/${spare.product}`, { archived: true });
    return admin('PATCH', `/products/${spare.product}`, { archived: false });
  },
  'archive a variant': async () => {
    await admin('PATCH', `/variants/${spare.code}`, { archived: true });
    return admin('PATCH', `/variants/${spare.code}`, { archived: false });
  },
  'change a variant': () => admin('PATCH', `/variants/${a}`, { low_stock_at: turn % 50 }),
  'add variants': () => admin('POST', `/products/${product}/variants`, { code: unique('V') }),
  'import rates': () => admin('POST', '/exchange-rates/import', csv('currency_code,rate', `JPY,9.${turn}`)),
  'add a rate': () => admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: `9.${turn}` }),
  'import codes': () =>
    admin('POST', '/common-codes/import', csv('group,code,name', `G,B,${turn}`, `G,A,${turn}`)),
  'change a code': () => admin('PUT', `/common-codes/G/${even() ? 'A' : 'B'}`, { name: `${turn}` }),
};

test('every writing operation beside every other one: no deadlock, and no answer of 5xx', async () => {
  const found: string[] = [];
  const deadlocks = async (): Promise<number> =>
    Number(
      (
        await query(database.adminUrl, `select deadlocks from pg_stat_database where datname = 'sluice'`)
      )[0]?.['deadlocks'],
    );
  const names = Object.keys(OPERATIONS);
  let calls = 0;
  for (const [index, left] of names.entries())
    for (const right of names.slice(index)) {
      const answers = await Promise.all(
        [left, right, left, right].map(async (operation) => ({
          operation,
          answer: await OPERATIONS[operation]?.(),
        })),
      );
      calls += answers.length;
      for (const { operation, answer } of answers) {
        const { status, text } = (answer ?? { status: 200 }) as HttpAnswer;
        if (status >= 500)
          found.push(`${left} beside ${right}: ${operation} was answered ${status}: ${text}`);
      }
    }
  const log = readFileSync(join(server.dataDir, 'postgres.log'), 'utf8');
  const said = log
    .split('\n')
    .flatMap((line, at, all) => (/deadlock detected/.test(line) ? all.slice(at, at + 12) : []));
  assert.deepEqual(found, []);
  assert.equal(await deadlocks(), 0, said.join('\n'));
  assert.deepEqual(said, []);
  assert.ok(calls >= names.length ** 2);
});
