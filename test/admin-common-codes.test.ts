import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { desk, fieldsRefused, ODD_TEXTS, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, pages } = desk(service);
const at = (group: string, code: string) =>
  `/common-codes/${encodeURIComponent(group)}/${encodeURIComponent(code)}`;

test('a code is added, renamed, listed and removed; each change is audited', async () => {
  const group = unique('G');
  assert.deepEqual(await must(admin('PUT', at(group, 'CJ'), { name: 'CJ' }), 200), {
    code: 'CJ',
    name: 'CJ',
    tracking_url: null,
    aliases: [],
  });
  await must(admin('PUT', at(group, 'CJ'), { name: 'CJ Logistics' }), 200);
  assert.deepEqual(await pages(`/common-codes/${group}`, 500), [
    { code: 'CJ', name: 'CJ Logistics', tracking_url: null, aliases: [] },
  ]);
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

test('a courier added to DELIVERY_COMPANY is used by the next shipment', async () => {
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

test('groups are separate, special characters are preserved, and pages of any size are complete', async () => {
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

test('a code and its name are required, not blank, and at most 100 characters long', async () => {
  const put = (path: string, body: unknown) => fieldsRefused(admin('PUT', path, body));
  assert.deepEqual(await put(at('G', 'c'), {}), ['name']);
  assert.deepEqual(await put(at('G', 'c'), { name: ' ' }), ['name']);
  assert.deepEqual(await put(at('G', 'c'), { name: 'x'.repeat(101) }), ['name']);
  assert.deepEqual(await put(at('G', ' '), { name: 'n' }), ['code']);
  assert.deepEqual(await put(at('G', 'x'.repeat(101)), { name: 'n' }), ['code']);
  assert.deepEqual(await put('/common-codes/G/a%00', { name: 'n' }), ['code']);
  await refusal(admin('DELETE', at('G', 'x'.repeat(101))), 404);
});

test('a courier with a tracking URL: shipped orders contain a link to the parcel', async () => {
  const url = 'https://trace.example.com/parcel/{tracking_number}?n={tracking_number}';
  const { channel, sku } = await make.setting(5);
  const courier = unique('TRACE');
  const put = (body: object) => must(admin('PUT', at('DELIVERY_COMPANY', courier), body), 200);
  assert.deepEqual(await put({ name: 'Trace', tracking_url: url }), {
    code: courier,
    name: 'Trace',
    tracking_url: url,
    aliases: [],
  });
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  const links = async () => [
    (await must(admin('GET', `/orders/${id}`), 200)).tracking_link,
    (await must(admin('GET', `/orders?order_number=${order.order_number}`), 200))[0].tracking_link,
  ];
  assert.deepEqual(await links(), [null, null]);
  const report = { status: 3, tracking_number: 'T/1 &$&', courier_code: courier };
  await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
  const link = 'https://trace.example.com/parcel/T%2F1%20%26%24%26?n=T%2F1%20%26%24%26';
  assert.deepEqual(await links(), [link, link]);
  await put({ name: 'Renamed' });
  assert.deepEqual(await links(), [link, link], 'renaming keeps the URL');
  await put({ name: 'Renamed', tracking_url: null });
  assert.deepEqual(await links(), [null, null]);
  assert.deepEqual(
    (await audits(`common_code:DELIVERY_COMPANY/${courier}`)).map(({ before, after }) => [before, after]),
    [
      [null, { name: 'Trace', tracking_url: url }],
      [
        { name: 'Trace', tracking_url: url },
        { name: 'Renamed', tracking_url: url },
      ],
      [{ name: 'Renamed', tracking_url: url }, { name: 'Renamed' }],
    ],
  );
});

test('a change and an import without the tracking URL keep the one that another transaction is just storing', async () => {
  const url = 'https://trace.example.com/{tracking_number}';
  const csv = (group: string) => `group,code,name\n${group},C,Renamed`;
  const changes = {
    put: (group: string) => admin('PUT', at(group, 'C'), { name: 'Renamed' }),
    import: (group: string) => admin('POST', '/common-codes/import', { csv: csv(group) }),
  };
  for (const [way, change] of Object.entries(changes)) {
    const group = unique('G');
    const values = `values ('${group}', 'C', 'Named', '${url}')`;
    const insert = `insert into common_code (code_group, code, name, tracking_url) ${values}`;
    const other = await openTransaction(service.database.url, insert);
    const changed = change(group);
    await untilWaiting(service.database.url, 1);
    await other.end('commit');
    await must(changed, 200);
    const code = { code: 'C', name: 'Renamed', tracking_url: url, aliases: [] };
    assert.deepEqual(await pages(`/common-codes/${group}`, 500), [code], way);
  }
});

test('a tracking URL is http or https, contains the placeholder, and not in the host', async () => {
  const bad = {
    'javascript:alert({tracking_number})': 'not_http',
    'ftp://a.test/{tracking_number}': 'not_http',
    'https://a.test/': 'placeholder_missing',
    'https://a.test/{number}': 'placeholder_missing',
    'https://{tracking_number}.a.test/': 'not_an_address',
    'https://{tracking_number}/': 'not_an_address',
    'https://a.test:{tracking_number}/': 'not_an_address',
    'https://user:pass@a.test/{tracking_number}': 'has_credentials',
    'https://a.test/ {tracking_number}': 'has_blanks',
  };
  for (const [tracking_url, code] of Object.entries(bad)) {
    const no = await refusal(admin('PUT', at('G', 'c'), { name: 'n', tracking_url }), 422);
    assert.deepEqual(
      no.details.faults.map((fault: { field: string; code: string }) => [fault.field, fault.code]),
      [['tracking_url', code]],
      tracking_url,
    );
  }
});
