// The demo data of seed, and the result of reconcile for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey } from '../src/platform/secrets/keys.ts';
import { CHANGES } from '../verify/kit/fixtures.ts';
import { cliBench } from './cli-run.ts';

const bench = await cliBench();
const TABLES = ['product', 'variant', 'channel', 'mapping', 'stock', 'stock_movement', 'allocation'];
const MORE = ['allocation_movement', 'exchange_rate', 'common_code', 'audit', CHANGES];

const snapshot = async (): Promise<number[]> =>
  Promise.all([...TABLES, ...MORE].map((table) => bench.count(table)));

test('reconcile on an empty database: no drift', async () => {
  assert.match((await bench.ok(['reconcile'])).stdout, /No drift: 0 values checked/);
});

test('seed fills an empty database, prints the keys of its channels, and the counters agree', async () => {
  const { stdout } = await bench.ok(['seed']);
  const keys = stdout.match(/sluice_[0-9a-f-]{36}/g) ?? [];
  assert.equal(keys.length, 3);
  const channels = await bench.rows('select country_code, key_hash from channel order by id');
  assert.deepEqual(
    channels.map(({ country_code }) => country_code),
    ['KR', 'JP', 'US'],
  );
  for (const [index, key] of keys.entries()) assert.deepEqual(channels[index].key_hash, hashKey(key));
  for (const count of await snapshot()) assert.ok(count > 0);
  const [korean] = await bench.rows(
    `select count(*) as n from product where name ~ '[가-힣]' and name ~ '[A-Z]'`,
  );
  assert.ok(Number(korean.n) > 5);
  const rates = await bench.rows('select currency_code from exchange_rate order by 1');
  assert.deepEqual(rates, [{ currency_code: 'JPY' }, { currency_code: 'USD' }]);
  await bench.ok(['reconcile']);
});

test('a second seed adds nothing, says so, and keeps changes made since', async () => {
  await bench.rows(`update product set name = 'renamed' where code = 'CASE'`);
  const before = await snapshot();
  assert.match((await bench.ok(['seed'])).stdout, /nothing was added/);
  assert.deepEqual(await snapshot(), before);
  const [product] = await bench.rows(`select name from product where code = 'CASE'`);
  assert.equal(product.name, 'renamed');
  const again = (await bench.ok(['seed', '--json'])).json();
  assert.deepEqual(again.channels, []);
});

test('reconcile with drift: names the counter with its stored and computed value, exit 1', async () => {
  await bench.rows(
    `update stock set allocated = allocated + 3 where variant_id = (select id from variant where code = 'AQUA1D--1.00')`,
  );
  const { code, stdout, stderr } = await bench.run(['reconcile']);
  assert.equal(code, 1);
  assert.match(stdout, /stock\.allocated +AQUA1D--1\.00 .* 13 +10$/m);
  assert.match(stderr, /drift: 1 of /);
  const report = await bench.run(['reconcile', '--json']);
  assert.equal(report.code, 1);
  assert.equal(report.json().ok, false);
  assert.equal(report.json().drift[0].counter, 'stock.allocated');
  await bench.rows(
    `update stock set allocated = allocated - 3 where variant_id = (select id from variant where code = 'AQUA1D--1.00')`,
  );
  await bench.ok(['reconcile']);
});

test('seed refuses a database where real channels have orders, unless forced', async () => {
  const other = (await bench.ok(['channel', 'create', '--name', 'Real', '--json'])).json();
  await bench.rows(
    `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
       shipping_address, local_currency_code, local_total_amount, total_amount, exchange_rate)
     values (1, $1, 'R-1', 1, false, 'a', 'b', 'c', 'KRW', 0, 0, 1)`,
    [other.id],
  );
  const refused = await bench.run(['seed']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /orders of real channels.*--force/);
  await bench.ok(['seed', '--force']);
});
