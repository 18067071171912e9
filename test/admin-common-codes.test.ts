import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused, ODD_TEXTS, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, pages } = desk(service);
const at = (group: string, code: string) =>
  `/common-codes/${encodeURIComponent(group)}/${encodeURIComponent(code)}`;

test('a code is added, renamed, listed and removed, each of it audited', async () => {
  const group = unique('G');
  assert.deepEqual(await must(admin('PUT', at(group, 'CJ'), { name: 'CJ' }), 200), {
    code: 'CJ',
    name: 'CJ',
  });
  await must(admin('PUT', at(group, 'CJ'), { name: 'CJ Logistics' }), 200);
  assert.deepEqual(await pages(`/common-codes/${group}`, 500), [{ code: 'CJ', name: 'CJ Logistics' }]);
  const gone = await admin('DELETE', at(group, 'CJ'));
  assert.deepEqual([gone.status, gone.text], [204, '']);
  await refusal(admin('DELETE', at(group, 'CJ')), 404);
  assert.deepEqual(await pages(`/common-codes/${group}`, 500), []);
  assert.deepEqual(
    (await audits(`common_code:${group}/CJ`)).map((entry) => [entry.action, entry.before, entry.after]),
    [
      ['common_code.put', null, { name: 'CJ' }],
      ['common_code.put', { name: 'CJ' }, { name: 'CJ Logistics' }],
      ['common_code.delete', { name: 'CJ Logistics' }, null],
    ],
  );
});

test('a courier of DELIVERY_COMPANY is known to the next shipment', async () => {
  await must(admin('PUT', at('DELIVERY_COMPANY', '한진'), { name: 'Hanjin' }), 200);
  const { channel, sku } = await make.setting(5);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const report = { status: 3, tracking_number: 'T', courier_code: '한진' };
  await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
  const sql = 'select courier_code, courier_name from orders where order_number = $1';
  const { rows } = await service.service.services.pool.query(sql, [order.order_number]);
  assert.deepEqual(rows, [{ courier_code: '한진', courier_name: 'Hanjin' }]);
});

test('groups are apart, odd characters are kept, pages of any size are complete', async () => {
  const group = unique('a/b %');
  for (const code of ODD_TEXTS) await must(admin('PUT', at(group, code), { name: `n ${code}` }), 200);
  await must(admin('PUT', at(unique('G'), 'X'), { name: 'elsewhere' }), 200);
  const path = `/common-codes/${encodeURIComponent(group)}`;
  const all = await pages(path, 500);
  assert.deepEqual(new Set(all.map((row) => row.code)), new Set(ODD_TEXTS));
  assert.deepEqual(await pages(path, 1), all);
  for (const code of ODD_TEXTS) assert.equal((await admin('DELETE', at(group, code))).status, 204, code);
  assert.deepEqual(await pages(path, 500), []);
});

test('a code has a name, and neither is blank or endless', async () => {
  const put = (path: string, body: unknown) => fieldsRefused(admin('PUT', path, body));
  assert.deepEqual(await put(at('G', 'c'), {}), ['name']);
  assert.deepEqual(await put(at('G', 'c'), { name: ' ' }), ['name']);
  assert.deepEqual(await put(at('G', 'c'), { name: 'x'.repeat(101) }), ['name']);
  assert.deepEqual(await put(at('G', ' '), { name: 'n' }), ['code']);
  assert.deepEqual(await put(at('G', 'x'.repeat(101)), { name: 'n' }), ['code']);
  assert.deepEqual(await put('/common-codes/G/a%00', { name: 'n' }), ['code']);
  await refusal(admin('DELETE', at('G', 'x'.repeat(101))), 404);
});
