// Data imported from another service: channels with their keys, rates, codes, and open orders. Each file is imported
// completely or not at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OLD_KEY, PERSON } from '../verify/kit/canaries.ts';
import { query } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { PATIENT, startTestService } from '../verify/kit/service.ts';
import { startStubChannel, stubOption, stubProduct } from '../verify/kit/stub-channel.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { desk } from './kit/desk.ts';

const service = await startTestService({ env: { ...PATIENT, SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1' } });
const make = fixtures(service);
const { admin, audits } = desk(service);

const csv = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');
const send = (what: string, text: string, dry_run = false) =>
  admin('POST', `/${what}/import`, { csv: text, dry_run });
const problemsOf = async (what: string, text: string): Promise<any[]> => {
  const answer = await send(what, text);
  assert.equal(answer.status, 422, answer.text);
  assert.equal(answer.json.code, 'invalid_file');
  return answer.json.data.problems.map((one: any) => [one.line, one.column, one.code]);
};
const sql = (text: string, values: unknown[] = []): Promise<any[]> =>
  query(service.database.url, text, values);

let keys = 0;
const oldKey = (): string => `${OLD_KEY}-${++keys}`;
const HEADER = 'name,api_key,country_code,api_url,is_active,order_number_prefix';

test('imported keys of any form work on every route; only their hash and sealed copy are stored', async () => {
  const names = ['short', 'long', 'signs', 'korean'].map(unique);
  const given = [
    OLD_KEY.slice(0, 1),
    `${OLD_KEY}${'x'.repeat(200 - OLD_KEY.length)}`,
    `${OLD_KEY} with, blanks "quotes" = and +/;:@ signs`,
    `${OLD_KEY}-열쇠-é`,
  ];
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const rows = names.map((name, index) => `${name},${quoted(given[index] ?? '')},JP,,,${name}-`);
  const report = await must(send('channels', csv(HEADER, ...rows)), 200);
  assert.deepEqual(report.counts, { rows: 4, channels_created: 4, channels_updated: 0 });
  const variant = await make.variant(10);
  for (const [index, name] of names.entries()) {
    const [stored] = await sql('select * from channel where name = $1', [name]);
    assert.equal(stored.currency_code, 'JPY');
    const channel = { id: stored.id, api_key: '', call: service.channel(undefined) };
    const sku = await make.map(channel, variant);
    // UTF-8 bytes as Latin-1 characters, because `fetch` sends no others.
    const header = Buffer.from(given[index] ?? '', 'utf8').toString('latin1');
    const call = service.channel(header);
    assert.equal((await call('GET', '/inventory')).status, 200, name);
    assert.equal((await call('GET', `/inventory/${sku}`)).json.available, 10 - index, name);
    const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number: `${name}-1` });
    assert.equal((await call('POST', '/orders', order)).status, 201, name);
    assert.equal((await call('POST', `/orders/${name}-1/status`, { status: 2 })).status, 200, name);
    const text = JSON.stringify(stored);
    assert.ok(!text.includes(OLD_KEY) && !text.includes(Buffer.from(OLD_KEY).toString('hex')), name);
  }
  // A client that sends the key in Latin-1 is accepted too.
  const latin = `${OLD_KEY}-é`;
  await must(send('channels', csv(HEADER, `${unique('latin')},${latin},,,,`)), 200);
  assert.equal((await service.channel(latin)('GET', '/inventory')).status, 200);
  assert.equal((await service.channel(`${latin}x`)('GET', '/inventory')).status, 401);
  for (const name of names) {
    const [stored] = await sql('select id from channel where name = $1', [name]);
    const trail = await audits(`channel:${stored.id}`);
    assert.equal(trail[0]?.action, 'channel.create');
    assert.ok(!JSON.stringify(trail).includes(OLD_KEY));
  }
});

test('keys, order numbers, SKUs and names with apostrophes and blanks stay as they are: keys open, resends are 200', async () => {
  const odd = [
    "'-2001",
    "'=1+1",
    ' B-1 ',
    "'",
    '1E+05',
    'NULL',
    '\\N',
    '#N/A',
    'line\nbreak',
    'quo"te',
    "''+82",
    '\ttab',
  ];
  // As Python writes it: blanks are not quoted.
  const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const name = unique("'=odd ");
  const key = `'=${oldKey()}`;
  await must(send('channels', csv('name,api_key', `${name},${key}`)), 200);
  const call = service.channel(key);
  await must(
    call('GET', '/inventory').then((answer) => ({ ...answer, json: { data: null } })),
    200,
  );
  const [{ id, name: storedName }] = await sql('select id, name from channel where name = $1', [name]);
  assert.equal(storedName, name);
  const variant = await make.variant(100);
  const map = csv('sku,variant_code', ...odd.map((sku) => `${cell(sku)},${variant.code}`));
  await must(admin('POST', `/channels/${id}/mappings/import`, { csv: map, as_written: true }), 200);
  const tag = unique('odd');
  const orders = odd.map((sku) => ({ sku, order_number: `${sku}${tag}${sku}` }));
  const rows = orders.map(({ sku, order_number }) =>
    [
      order_number,
      String(id),
      '1',
      '2026-11-01T10:00:00+09:00',
      sku,
      PERSON.recipient_phone,
      sku,
      sku,
      '1',
      '5',
    ]
      .map(cell)
      .join(','),
  );
  const header =
    'order_number,channel_id,status,created_at,recipient_name,recipient_phone,shipping_address,sku,quantity,local_unit_price';
  await must(admin('POST', '/orders/import', { csv: csv(header, ...rows), as_written: true }), 200);
  for (const { sku, order_number } of orders) {
    const resent = await call(
      'POST',
      '/orders',
      orderOf([{ sku, quantity: 1, unit_price: 5 }], { order_number }),
    );
    assert.equal(resent.status, 200, JSON.stringify(order_number));
    const [stored] = await sql(
      'select recipient_name, shipping_address from orders where order_number = $1',
      [order_number],
    );
    assert.deepEqual(stored, { recipient_name: sku, shipping_address: sku });
  }
});

test('channels: short keys and similar names are warnings; settings without a column stay as they are', async () => {
  const [name, key] = [unique('Seoul Mall'), oldKey()];
  const full = csv(HEADER, `${name},${key},JP,https://shop.example.com/info,false,SEL-${name}`);
  await must(send('channels', full), 200);
  const again = await must(send('channels', csv('name,api_key', `${name},${key}`)), 200);
  assert.equal(again.counts.channels_updated, 0);
  const warned = async (...rows: string[]): Promise<unknown[]> =>
    (await must(send('channels', csv('name,api_key', ...rows), true), 200)).warnings.map((one: any) => [
      one.line,
      one.code,
    ]);
  const [a, b] = [oldKey(), oldKey()].map((one) => `${one}-${'x'.repeat(20)}`);
  assert.deepEqual(await warned(`${name.toLowerCase()},${a}`), [[2, 'channel_name_similar']]);
  const other = unique('Busan');
  assert.deepEqual(await warned(`${other},${a}`, `${other.toUpperCase()},${b}`, `${unique('c')},k123`), [
    [3, 'looks_alike'],
    [4, 'api_key_short'],
  ]);
});

test('a key cannot be imported twice, and no problem report contains a key', async () => {
  const [name, other] = [unique('a'), unique('b')];
  const [key, second] = [oldKey(), oldKey()];
  await must(send('channels', csv('name,api_key', `${name},${key}`)), 200);
  // Importing the same file again changes nothing; other fields are updated.
  const again = await must(send('channels', csv('name,api_key,country_code', `${name},${key},KR`)), 200);
  assert.deepEqual(again.counts, { rows: 1, channels_created: 0, channels_updated: 1 });
  const answer = await send(
    'channels',
    csv(
      'name,api_key,country_code,is_active',
      `${other},${key},,`, // 2: the key of another channel
      `${name},${second},,`, // 3: the name has another key
      `${unique('c')},${second},,`, // 4: the same key as on line 3
      `${unique('d')},${'k'.repeat(201)},,`, // 5
      `${unique('e')},"${oldKey()}\nx",,`, // 6
      `${unique('f')}," ${oldKey()}",,`, // 8
      `${unique('g')},,,`, // 9
      `${unique('h')},${oldKey()},XX,`, // 10
      `${unique('i')},${oldKey()},,maybe`, // 11
    ),
  );
  assert.equal(answer.status, 422);
  assert.deepEqual(
    answer.json.data.problems.map((one: any) => [one.line, one.column, one.code]),
    [
      [2, 'api_key', 'api_key_taken'],
      [3, 'name', 'channel_name_taken'],
      [4, 'api_key', 'api_key_repeated'],
      [5, 'api_key', 'too_long'],
      [6, 'api_key', 'api_key_not_sendable'],
      [8, 'api_key', 'api_key_not_sendable'],
      [9, 'api_key', 'value_missing'],
      [10, 'country_code', 'not_a_country'],
      [11, 'is_active', 'not_listed'],
    ],
  );
  assert.ok(!answer.text.includes(OLD_KEY));
  assert.equal((await sql('select from channel where name = $1', [other])).length, 0);
  // A file without a header row: the first key is read as a column name.
  const headless = await send('channels', csv(`${name},${oldKey()}`));
  assert.equal(headless.status, 422);
  assert.ok(!headless.text.includes(OLD_KEY), headless.text);
  // A rotated key that is still accepted during the overlap counts as taken.
  const [stored] = await sql('select id from channel where name = $1', [name]);
  await must(admin('POST', `/channels/${stored.id}/rotate-key`, { overlap_seconds: 600 }), 200);
  assert.deepEqual(await problemsOf('channels', csv('name,api_key', `${other},${key}`)), [
    [2, 'api_key', 'api_key_taken'],
  ]);
});

test('every column of a channel is stored; an invalid api_url is refused', async () => {
  const name = unique('whole');
  const row = `${name},${oldKey()},JP,https://shop.example.com/goods,false,JP-`;
  await must(send('channels', csv(HEADER, row)), 200);
  const [stored] = await sql(
    'select name, country_code, currency_code, api_url, is_active, order_number_prefix from channel where name = $1',
    [name],
  );
  assert.deepEqual(stored, {
    name,
    country_code: 'JP',
    currency_code: 'JPY',
    api_url: 'https://shop.example.com/goods',
    is_active: false,
    order_number_prefix: 'JP-',
  });
  const wrong = csv(HEADER, `${unique('o')},${oldKey()},,ftp://shop.example.com,,`);
  assert.deepEqual(await problemsOf('channels', wrong), [[2, 'api_url', 'not_http']]);
});

test('channels: allowed addresses and pre-payment expiry are imported; a file without these columns keeps the stored values', async () => {
  const [name, key] = [unique('guarded'), oldKey()];
  const header = 'name,api_key,allowed_addresses,prepayment_expiry_minutes';
  const stored = async () =>
    (await must(admin('GET', '/channels?limit=500'), 200)).find((one: any) => one.name === name);
  const settings = async () => {
    const { allowed_addresses, prepayment_expiry_minutes } = await stored();
    return [allowed_addresses, prepayment_expiry_minutes];
  };
  await must(send('channels', csv(header, `${name},${key},10.0.0.0/8 ::1,90`)), 200);
  assert.deepEqual(await settings(), [['10.0.0.0/8', '::1'], 90]);
  const same = await must(send('channels', csv(header, `${name},${key},10.0.0.0/8 ::1,90`)), 200);
  assert.equal(same.counts.channels_updated, 0);
  const without = await must(send('channels', csv('name,api_key', `${name},${key}`)), 200);
  assert.equal(without.counts.channels_updated, 0);
  assert.deepEqual(await settings(), [['10.0.0.0/8', '::1'], 90]);
  await must(send('channels', csv(header, `${name},${key},,`)), 200);
  assert.deepEqual(await settings(), [[], null]);
  assert.deepEqual(
    await problemsOf(
      'channels',
      csv(
        header,
        `${unique('j')},${oldKey()},10.0.0.0/33,`,
        `${unique('k')},${oldKey()},,0`,
        `${unique('l')},${oldKey()},,527041`,
        `${unique('m')},${oldKey()},,soon`,
        `${unique('n')},${oldKey()},${'::1 '.repeat(101)},`,
      ),
    ),
    [
      [2, 'allowed_addresses', 'not_an_address_range'],
      [3, 'prepayment_expiry_minutes', 'too_small'],
      [4, 'prepayment_expiry_minutes', 'too_large'],
      [5, 'prepayment_expiry_minutes', 'not_a_quantity'],
      [6, 'allowed_addresses', 'too_many'],
    ],
  );
});

test('contract 10.13: an import of channels refuses overlapping prefixes by line, and can exchange two', async () => {
  const header = 'name,api_key,order_number_prefix';
  const [first, second, third] = ['first', 'second', 'third'].map((name): [string, string] => [
    unique(name),
    oldKey(),
  ]);
  const rows = (...prefixes: (string | null)[]) =>
    csv(
      header,
      ...[first, second, third].flatMap((one, at) =>
        typeof prefixes[at] === 'string' ? [`${one?.join()},${prefixes[at]}`] : [],
      ),
    );
  const taken = 'order_number_prefix_taken';
  assert.deepEqual(await problemsOf('channels', rows('IMP-', 'IMP-', 'IM')), [
    [2, 'order_number_prefix', taken],
    [3, 'order_number_prefix', taken],
  ]);
  await must(send('channels', rows('IMP-', 'IMQ-')), 200);
  assert.deepEqual(await problemsOf('channels', rows(null, null, 'IMP-7')), [
    [2, 'order_number_prefix', taken],
  ]);
  const exchanged = await must(send('channels', rows('IMQ-', 'IMP-', 'IMR-')), 200);
  assert.deepEqual(exchanged.counts, { rows: 3, channels_created: 1, channels_updated: 2 });
  const again = await must(send('channels', rows('IMQ-', 'IMP-', 'IMR-')), 200);
  assert.equal(again.counts.channels_updated, 0);

  // Overlapping prefixes from before the rule: the same file is no problem, and a change of either is.
  await sql(`update channel set order_number_prefix = 'IMQ-2' where name = $1`, [third?.[0]]);
  await must(send('channels', rows('IMQ-', 'IMP-', 'IMQ-2')), 200);
  assert.deepEqual(await problemsOf('channels', rows('IMQ-', 'IMP-', 'IMQ-3')), [
    [4, 'order_number_prefix', taken],
  ]);
});

test('exchange rates: two imports of a file at once add them once', async () => {
  const at = '2026-01-01T00:00:00Z';
  const insert = `insert into exchange_rate (currency_code, rate, effective_at) values ('MNT', 0.4, '${at}')`;
  const other = await openTransaction(service.database.url, insert);
  const sent = send('exchange-rates', csv('currency_code,rate,effective_at', `MNT,0.4,${at}`));
  await Promise.race([sent, untilWaiting(service.database.url, 1)]);
  await other.end('commit');
  assert.deepEqual((await must(sent, 200)).counts, { rows: 1, rates_added: 0 });
});

test('exchange rates: importing a file twice adds them once, and the next order uses them', async () => {
  const text = csv(
    'currency_code,rate,effective_at',
    'thb,38.50,2026-01-01T00:00:00Z',
    'THB,39,2026-02-01T00:00:00+09:00',
  );
  assert.deepEqual((await must(send('exchange-rates', text), 200)).counts, { rows: 2, rates_added: 2 });
  assert.deepEqual((await must(send('exchange-rates', text), 200)).counts, { rows: 2, rates_added: 0 });
  const undated = csv('currency_code,rate', 'thb,39.0');
  assert.equal((await must(send('exchange-rates', undated), 200)).counts.rates_added, 0, 'in effect already');
  assert.equal(
    (await must(send('exchange-rates', csv('currency_code,rate', 'MYR,310')), 200)).counts.rates_added,
    1,
  );
  assert.equal(
    (await must(send('exchange-rates', csv('currency_code,rate', 'MYR,310')), 200)).counts.rates_added,
    0,
  );
  assert.equal(
    (await must(send('exchange-rates', csv('currency_code,rate', 'MYR,311')), 200)).counts.rates_added,
    1,
  );
  assert.deepEqual(await problemsOf('exchange-rates', text.replace('38.50', '38.51')), [
    [2, 'rate', 'rate_differs'],
  ]);
  const { channel, sku } = await make.setting(5, { country_code: 'TH' });
  const order = await must(
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 2 }])),
    201,
  );
  assert.equal(order.total_amount, '78.00');
  const bad = csv(
    'currency_code,rate,effective_at',
    'KRW,1,',
    'XXY,1,',
    'USD,0,',
    'USD,1,yesterday',
    'EUR,1,2026-01-01T00:00:00Z',
    'EUR,2,2026-01-01T00:00:00Z',
  );
  assert.deepEqual(await problemsOf('exchange-rates', bad), [
    [2, 'currency_code', 'not_a_currency'],
    [3, 'currency_code', 'not_a_currency'],
    [4, 'rate', 'not_a_rate'],
    [5, 'effective_at', 'not_a_timestamp'],
    [7, null, 'rate_repeated'],
  ]);
});

test('common codes are added and changed; a file without the column tracking_url keeps the stored URLs', async () => {
  const link = 'https://trace.example.com/{tracking_number}';
  await must(
    send('common-codes', csv('group,code,name,tracking_url', `DELIVERY_COMPANY,CJ,CJ,${link}`)),
    200,
  );
  const report = await must(
    send(
      'common-codes',
      csv('group,code,name', 'DELIVERY_COMPANY,CJ,CJ Logistics', 'DELIVERY_COMPANY,POST,Post'),
    ),
    200,
  );
  assert.deepEqual(report.counts, { rows: 2, codes_created: 1, codes_changed: 1 });
  const stored = await must(admin('GET', '/common-codes/DELIVERY_COMPANY'), 200);
  assert.deepEqual(stored, [
    { code: 'CJ', name: 'CJ Logistics', tracking_url: link, aliases: [] },
    { code: 'POST', name: 'Post', tracking_url: null, aliases: [] },
  ]);
  assert.deepEqual(
    await problemsOf(
      'common-codes',
      csv('group,code,name,tracking_url', 'G,A,A,ftp://x', 'G,B,B,', 'G,B,B2,'),
    ),
    [
      [2, 'tracking_url', 'not_http'],
      [4, null, 'common_code_repeated'],
    ],
  );
});

test('aliases of a code: several in one field, each once; a file without the column keeps them, an empty field removes them', async () => {
  const names = csv(
    'group,code,name,aliases',
    'ALIAS,A,A,"Hanjin, 한진,,Hanjin"',
    'ALIAS,B,B,B1',
    'ALIAS,C,C,',
  );
  const imported = async (text: string) => (await must(send('common-codes', text), 200)).counts;
  const aliases = async (): Promise<string[][]> =>
    (await must(admin('GET', '/common-codes/ALIAS'), 200)).map((one: { aliases: string[] }) => one.aliases);
  assert.deepEqual(await imported(names), { rows: 3, codes_created: 3, codes_changed: 0 });
  assert.deepEqual(await aliases(), [['Hanjin', '한진'], ['B1'], []]);
  assert.deepEqual(await imported(names), { rows: 3, codes_created: 0, codes_changed: 0 });
  assert.deepEqual(await imported(csv('group,code,name', 'ALIAS,A,New name', 'ALIAS,B,B')), {
    rows: 2,
    codes_created: 0,
    codes_changed: 1,
  });
  assert.deepEqual(await aliases(), [['Hanjin', '한진'], ['B1'], []]);
  await imported(csv('group,code,name,aliases', 'ALIAS,B,B,', 'ALIAS,C,C,"""C"" {1}\\,NULL"'));
  assert.deepEqual(await aliases(), [['Hanjin', '한진'], [], ['"C" {1}\\', 'NULL']]);
  const many = Array.from({ length: 21 }, (_, n) => `alias ${n}`).join(',');
  assert.deepEqual(
    await problemsOf(
      'common-codes',
      csv('group,code,name,aliases', `ALIAS,A,A,"${many}"`, `ALIAS,B,B,${'x'.repeat(101)}`),
    ),
    [
      [2, 'aliases', 'too_many'],
      [3, 'aliases', 'too_long'],
    ],
  );
});

// Orders.
const ORDER_HEADER =
  'order_number,channel_id,status,created_at,recipient_name,recipient_phone,shipping_address,is_backorder,tracking_number,courier_code,cancel_reason,exchange_rate,sku,quantity,local_unit_price,from_allocation';
const { recipient_name, recipient_phone, shipping_address } = PERSON;

interface OrderFields {
  channel: TestChannel;
  number: string;
  status?: number;
  at?: string;
  is_backorder?: boolean;
  tracking?: string;
  courier?: string;
  reason?: string;
  rate?: string;
  sku: string;
  quantity: number;
  price?: string;
  drawn?: number;
}
const rowOf = (fields: OrderFields): string =>
  [
    fields.number,
    fields.channel.id,
    fields.status ?? 1,
    fields.at ?? '2026-10-01T10:00:00+09:00',
    recipient_name,
    recipient_phone,
    `"${shipping_address}"`,
    fields.is_backorder ?? '',
    fields.tracking ?? '',
    fields.courier ?? '',
    fields.reason ?? '',
    fields.rate ?? '',
    fields.sku,
    fields.quantity,
    fields.price ?? '1000',
    fields.drawn ?? '',
  ].join(',');
const orderId = async (number: string): Promise<number> =>
  (await must(admin('GET', `/orders?order_number=${number}`), 200))[0].id;

test('imported open orders appear everywhere: counters, responses, history, changes feed, search, stock list', async () => {
  const { channel, variant, sku } = await make.setting(100, { country_code: 'JP' });
  const other = await make.variant(50);
  const second = await make.map(channel, other);
  await make.allocate(channel, variant, 30, 40);
  const list = (await channel.call('GET', '/inventory?limit=100')).json;
  const feed = (await admin('GET', '/orders/changes')).json;
  let since = feed.next;
  while ((await admin('GET', `/orders/changes?since=${encodeURIComponent(since)}`)).json.has_more)
    since = (await admin('GET', `/orders/changes?since=${encodeURIComponent(since)}`)).json.next;
  const [a, b, c] = [unique('OLD'), unique('OLD'), unique('OLD')];
  const report = await must(
    send(
      'orders',
      csv(
        ORDER_HEADER,
        rowOf({
          channel,
          number: a,
          status: 9,
          rate: '9.155',
          sku,
          quantity: 7,
          price: '33.333333333333336',
          drawn: 4,
        }),
        `${a},,,,,,,,,,,,${second},2,10,`,
        rowOf({ channel, number: b, is_backorder: true, rate: '0', sku, quantity: 5, tracking: 'T-1' }),
        rowOf({
          channel,
          number: c,
          status: 0,
          rate: '9',
          at: '2026-09-30T23:59:59Z',
          sku: second,
          quantity: 1,
        }),
      ),
    ),
    200,
  );
  assert.deepEqual(report.counts, {
    rows: 4,
    orders_imported: 3,
    orders_updated: 0,
    orders_already_there: 0,
    units_unshipped: 10,
    units_backordered: 5,
  });
  const stock = await make.stock(variant);
  assert.deepEqual([stock.quantity, stock.unshipped, stock.allocated, stock.backordered], [100, 7, 30, 5]);
  assert.equal(stock.channels.find((one: any) => one.channel_id === channel.id).backordered_qty, 5);
  assert.equal(await make.available(channel, sku), 100 - 7 - 30 - 5 + 30);
  assert.equal(await make.available(channel, second), 47);

  // The stock list of the channel changes, and a resend gets the same response as for any order.
  const token_ = encodeURIComponent(list.changes_since);
  const changed = (await channel.call('GET', `/inventory?changes_since=${token_}`)).json;
  assert.deepEqual(changed.data.map((row: any) => row.sku).toSorted(), [sku, second].toSorted());
  const resend = await channel.call(
    'POST',
    '/orders',
    orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number: a }),
  );
  assert.equal(resend.status, 200);
  assert.equal(resend.json.data.status, 9);
  assert.equal(resend.json.data.created_at, '2026-10-01T10:00:00+09:00');
  assert.equal(resend.json.data.total_amount, '2319.27'); // (7 × 33.333333333333336 + 20) × 9.155
  assert.deepEqual(
    resend.json.data.items.map((item: any) => [item.product_code, item.quantity, item.unit_price]),
    [
      [variant.product, 7, '305.17'],
      [other.product, 2, '91.55'],
    ],
  );

  const whole = await must(admin('GET', `/orders/${await orderId(a)}`), 200);
  assert.deepEqual(
    whole.history.map(({ from, to, source, actor, at }: any) => ({ from, to, source, actor, at })),
    [{ from: null, to: 9, source: 'import', actor: 'import', at: '2026-10-01T10:00:00+09:00' }],
  );
  assert.equal(whole.local_total_amount, '253.333333333333352');
  assert.deepEqual(
    whole.items.map((item: any) => item.from_allocation),
    [4, 0],
  );
  const { data } = (await admin('GET', `/orders/changes?since=${encodeURIComponent(since)}`)).json;
  assert.deepEqual(
    new Map(data.map((one: any) => [one.order_number, [one.previous_status, one.status]])),
    new Map([
      [a, [null, 9]],
      [b, [null, 1]],
      [c, [null, 0]],
    ]),
  );
  const found = await must(admin('GET', `/orders?search=${b}`), 200);
  assert.deepEqual(
    found.map((one: any) => [one.order_number, one.tracking_number]),
    [[b, 'T-1']],
  );
  const times = await must(
    admin('GET', `/orders?channel_id=${channel.id}&from=2026-10-01&to=2026-10-01`),
    200,
  );
  // 23:59:59 UTC on 30 September is 1 October in Seoul.
  assert.deepEqual(times.map((one: any) => one.order_number).toSorted(), [a, b, c].toSorted());

  // Imported orders behave like any other: a cancellation returns what was drawn, a shipment deducts stock.
  await must(channel.call('POST', `/orders/${a}/status`, { status: 88 }), 200);
  await must(channel.call('POST', `/orders/${b}/status`, { status: 3, tracking_number: 'T-2' }), 200);
  const after = await make.stock(variant);
  assert.deepEqual([after.quantity, after.unshipped, after.allocated, after.backordered], [95, 0, 34, 0]);

  // Known orders equal to the file are skipped, changed ones are a problem.
  const [line] = [
    rowOf({ channel, number: c, status: 0, rate: '9', at: '2026-09-30T23:59:59Z', sku: second, quantity: 1 }),
  ];
  const again = await must(send('orders', csv(ORDER_HEADER, line ?? '')), 200);
  assert.deepEqual([again.counts.orders_imported, again.counts.orders_already_there], [0, 1]);
  assert.deepEqual(
    await problemsOf(
      'orders',
      csv(ORDER_HEADER, rowOf({ channel, number: a, status: 9, rate: '1', sku, quantity: 7 })),
    ),
    [
      [2, 'status', 'order_differs'],
      [2, 'exchange_rate', 'order_differs'],
      [2, 'sku', 'order_differs'],
    ],
  );
});

test('imported closed orders hold no stock, and late reports and resends get the same response as for any order', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/HANJIN', { name: 'Hanjin' }), 200);
  const [shipped, cancelled] = [unique('OLD'), unique('OLD')];
  await must(
    send(
      'orders',
      csv(
        ORDER_HEADER,
        rowOf({
          channel,
          number: shipped,
          status: 3,
          tracking: 'T-9',
          courier: 'HANJIN',
          sku,
          quantity: 4,
          drawn: 2,
        }),
        rowOf({ channel, number: cancelled, status: 88, reason: 'changed mind', sku, quantity: 3 }),
      ),
    ),
    200,
  );
  const stock = await make.stock(variant);
  assert.deepEqual([stock.quantity, stock.unshipped, stock.allocated], [10, 0, 0]);
  const order = (order_number: string) => orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number });
  assert.equal((await channel.call('POST', '/orders', order(shipped))).json.data.status, 3);
  assert.equal((await channel.call('POST', '/orders', order(cancelled))).json.data.status, 88);
  const repeated = { status: 3, tracking_number: 'T-10' };
  assert.equal((await channel.call('POST', `/orders/${shipped}/status`, repeated)).status, 200);
  assert.equal((await channel.call('POST', `/orders/${cancelled}/status`, { status: 1 })).status, 409);
  const whole = await must(admin('GET', `/orders/${await orderId(shipped)}`), 200);
  assert.deepEqual([whole.tracking_number, whole.courier_name], ['T-9', 'Hanjin']);
  const gone = await must(admin('GET', `/orders/${await orderId(cancelled)}`), 200);
  assert.deepEqual([gone.cancel_reason, gone.items[0].cancelled_quantity], ['changed mind', 3]);
  // Its items can be returned.
  const id = await orderId(shipped);
  await must(
    admin('POST', `/orders/${id}/returns`, { items: [{ line: 0, quantity: 1 }], reason: 'damaged' }),
    201,
  );
  assert.equal((await make.stock(variant)).quantity, 11);
  const books = await must(admin('GET', '/reconcile'), 200);
  assert.deepEqual(books.drift, []);
});

test('amounts given in the file are kept, even if the old service rounded differently', async () => {
  const { channel, sku } = await make.setting(10, { country_code: 'JP' });
  const number = unique('OLD');
  const header = `${ORDER_HEADER},total_amount,unit_price,local_currency_code`;
  const row = `${rowOf({ channel, number, rate: '9.1', sku, quantity: 3, price: '1.11' })},30.31,10.11,USD`;
  await must(send('orders', csv(header, row)), 200);
  const whole = await must(admin('GET', `/orders/${await orderId(number)}`), 200);
  assert.deepEqual(
    [whole.total_amount, whole.items[0].unit_price, whole.local_currency_code, whole.local_total_amount],
    ['30.31', '10.11', 'USD', '3.33'],
  );
  assert.equal((await must(admin('GET', '/reconcile'), 200)).ok, true);
});

const FULL =
  'order_number,channel_id,status,created_at,recipient_name,recipient_phone,shipping_address,is_backorder,tracking_number,courier_code,cancel_reason,exchange_rate,local_total_amount,total_amount,sku,quantity,local_unit_price,unit_price,from_allocation';

test('an order that is there already must be equal in everything; otherwise both values are named', async () => {
  const { channel, variant, sku } = await make.setting(100, { country_code: 'JP' });
  const other = await make.map(channel, await make.variant(50));
  await make.allocate(channel, variant, 10, 0);
  await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', { name: 'CJ' }), 200);
  await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/EMS', { name: 'EMS' }), 200);
  const number = unique('SAME');
  const stored: Record<string, string> = {
    order_number: number,
    channel_id: String(channel.id),
    status: '2',
    created_at: '2026-11-01T10:00:00Z',
    recipient_name,
    recipient_phone,
    shipping_address,
    is_backorder: 'false',
    tracking_number: 'T-1',
    courier_code: 'CJ',
    cancel_reason: '',
    exchange_rate: '9.10',
    local_total_amount: '300',
    total_amount: '2730.00',
    sku,
    quantity: '3',
    local_unit_price: '100',
    unit_price: '910',
    from_allocation: '1',
  };
  const file = (changes: Record<string, string>): string =>
    csv(
      FULL,
      Object.values({ ...stored, ...changes })
        .map((value) => `"${value}"`)
        .join(','),
    );
  await must(send('orders', file({})), 200);
  const same = [
    { created_at: '2026-11-01T19:00:00+09:00' },
    { exchange_rate: '9.1', local_total_amount: '300.00', quantity: ' 3 ', is_backorder: '0' },
    { total_amount: '', unit_price: '' },
  ];
  for (const changes of same)
    assert.equal((await must(send('orders', file(changes)), 200)).counts.orders_already_there, 1);
  const changed: [column: string, value: string, more?: Record<string, string>][] = [
    ['status', '9'],
    ['created_at', '2026-11-01T10:00:01Z'],
    ['recipient_name', `${recipient_name} `],
    ['recipient_phone', '1'],
    ['shipping_address', `${shipping_address}, 2`],
    ['tracking_number', 'T-2'],
    ['tracking_number', ''],
    ['courier_code', 'EMS'],
    ['cancel_reason', 'x'],
    ['exchange_rate', '9.11'],
    ['local_total_amount', '300.01'],
    ['total_amount', '2730.01'],
    ['unit_price', '910.01'],
    ['sku', other],
    ['quantity', '4', { local_total_amount: '', total_amount: '', unit_price: '' }],
    ['local_unit_price', '100.001', { local_total_amount: '', total_amount: '' }],
    ['from_allocation', '2'],
    ['from_allocation', ''],
  ];
  for (const [column, value, more = {}] of changed) {
    const answer = await send('orders', file({ [column]: value, ...more }));
    assert.equal(answer.status, 422, `${column}: ${answer.text}`);
    const found = answer.json.data.problems.find((one: any) => one.column === column);
    assert.equal(found?.code, 'order_differs', `${column}: ${answer.text}`);
    const shown = column === 'created_at' ? '2026-11-01T10:00:01.000Z' : value;
    if (['recipient_name', 'recipient_phone', 'shipping_address'].includes(column))
      assert.deepEqual(
        Object.keys(found.details),
        ['status', 'order_number'],
        'personal data is not repeated',
      );
    else
      assert.ok(
        found.text.includes(JSON.stringify(value === '' && column === 'from_allocation' ? '0' : shown)),
        found.text,
      );
  }
});

test('doubled rows, totals that contradict the lines, and absurd quantities are problems by line', async () => {
  const { channel, sku } = await make.setting(100);
  const row = (number: string, quantity: number, total = '', price = '100'): string =>
    [
      number,
      channel.id,
      1,
      '2026-11-01T10:00:00Z',
      'N',
      '1',
      'A',
      '',
      '',
      '',
      '',
      '',
      total,
      '',
      sku,
      quantity,
      price,
      '',
      '',
    ].join(',');
  const n = Array.from({ length: 8 }, () => unique('SUM'));
  const text = csv(
    FULL,
    row(n[0]!, 3), // 2
    row(n[0]!, 3), // 3: doubled
    row(n[1]!, 3, '300'), // 4: totals contradict
    row(n[1]!, 3, '300'), // 5: and doubled
    row(n[2]!, 3, '600'), // 6: two equal lines, as the total says
    row(n[2]!, 3, '600'),
    row(n[3]!, 3, '301.5'), // 8
    row(n[4]!, 3, '100', '33.335'), // 9: rounded to whole units
    row(n[5]!, 200_000), // 10: absurd
    row(n[6]!, 900), // 11: more than there is, but possible
    row(n[7]!, 3).replace('N,1,A,,', 'N,1,A,true,').replace(/,$/, ',2'), // 12: a backorder draws nothing
  );
  assert.deepEqual(await problemsOf('orders', text), [
    [3, null, 'row_doubled'],
    [4, 'local_total_amount', 'total_contradicts'],
    [5, null, 'row_doubled'],
    [8, 'local_total_amount', 'total_contradicts'],
    [10, 'quantity', 'quantity_absurd'],
    [12, 'from_allocation', 'not_equal'],
  ]);
  const rest = text.split('\n').slice(0, 11).join('\n');
  const taken = await admin('POST', '/orders/import', { csv: rest, as_written: true, dry_run: true });
  assert.equal(taken.json.data.problem_count, 0, taken.text);
  assert.equal(taken.json.data.warnings.length, 5);
});

test('one time or number of an order may be written in several ways', async () => {
  const { channel, sku } = await make.setting(100);
  const [header] = [ORDER_HEADER];
  const number = unique('SAME');
  const text = csv(
    header,
    rowOf({ channel, number, at: '2026-10-01T10:00:00Z', rate: '1', sku, quantity: 1 }),
    `${number},${channel.id},1,2026-10-01T19:00:00+09:00,,,,false,,,,1.00,${sku},2,5,`,
  );
  assert.equal((await must(send('orders', text, true), 200)).counts.orders_imported, 1);
});

test('every problem of an orders file is reported with its line, and nothing is written', async () => {
  const { channel, sku } = await make.setting(10);
  const abroad = await make.channel({ country_code: 'US', order_number_prefix: 'US-' });
  const unstocked = await make.map(channel, await make.variant(null));
  const other = await make.setting(1);
  const taken = orderOf([{ sku: other.sku, quantity: 1, unit_price: 1 }]);
  await must(other.channel.call('POST', '/orders', taken), 201);
  const good = unique('OLD');
  const before = await sql(
    'select (select count(*) from orders) as o, (select count(*) from order_item) as i',
  );
  const text = csv(
    ORDER_HEADER,
    rowOf({ channel, number: good, sku, quantity: 1 }), // 2: good
    `${good},,2,,,,,,,,,,${sku},1,1,`, // 3: another status
    rowOf({ channel, number: unique('OLD'), sku: 'unmapped', quantity: 1 }), // 4
    rowOf({ channel, number: unique('OLD'), sku: unstocked, quantity: 1 }), // 5
    rowOf({ channel, number: taken.order_number, sku, quantity: 1 }), // 6
    rowOf({ channel: abroad, number: unique('OLD'), sku, quantity: 1 }), // 7: prefix, no rate, not mapped
    rowOf({ channel, number: unique('OLD'), status: 7, sku, quantity: 0, price: '-1', drawn: 2 }), // 8
    rowOf({ channel, number: unique('OLD'), sku, quantity: 1, rate: '2' }), // 9
    rowOf({
      channel,
      number: unique('OLD'),
      at: '2099-01-01T00:00:00Z',
      courier: 'NOBODY',
      sku,
      quantity: 1,
    }), // 10
    rowOf({ channel: { ...channel, id: 999_999 }, number: unique('OLD'), sku, quantity: 1 }), // 11
    rowOf({ channel, number: '', sku, quantity: 1 }), // 12
    rowOf({ channel, number: unique('OLD'), at: '2026-10-01', sku, quantity: 1 }), // 13
  );
  assert.deepEqual(await problemsOf('orders', text), [
    [3, 'status', 'order_field_differs'],
    [4, 'sku', 'sku_unmapped'],
    [5, null, 'stock_missing'],
    [6, 'order_number', 'order_of_other_channel'],
    [7, 'order_number', 'order_number_without_prefix'],
    [7, 'exchange_rate', 'value_missing'],
    [7, 'sku', 'sku_unmapped'],
    [8, 'quantity', 'too_small'],
    [8, 'from_allocation', 'too_large'],
    [8, 'local_unit_price', 'not_a_price'],
    [8, 'status', 'not_listed'],
    [9, 'exchange_rate', 'not_equal'],
    [10, 'created_at', 'in_future'],
    [10, 'courier_code', 'courier_unknown'],
    [11, null, 'channel_unknown'],
    [12, 'order_number', 'value_missing'],
    [13, 'created_at', 'not_a_timestamp'],
  ]);
  const { json: refused } = await send('orders', text);
  const atPrice = refused.data.problems.find(({ column }: any) => column === 'local_unit_price');
  assert.match(
    atPrice.text,
    /must be a number from 0 to below 10\^15 with at most 30 decimals. Write it as 1234\.5, without/,
  );
  assert.deepEqual(
    await sql('select (select count(*) from orders) as o, (select count(*) from order_item) as i'),
    before,
  );
  const dry = await must(
    send('orders', csv(ORDER_HEADER, rowOf({ channel, number: good, sku, quantity: 1 })), true),
    200,
  );
  assert.equal(dry.counts.orders_imported, 1);
  const alike = csv(
    ORDER_HEADER,
    rowOf({ channel, number: good, sku, quantity: 1 }),
    rowOf({ channel, number: good.toLowerCase(), sku, quantity: 1 }),
  );
  assert.deepEqual(
    (await must(send('orders', alike, true), 200)).warnings.map((one: any) => [one.line, one.code]),
    [[3, 'looks_alike']],
  );
  assert.equal((await sql('select from orders where order_number = $1', [good])).length, 0);
});

test('orders: a value that no column can hold is a problem of its row, and the other orders are still checked', async () => {
  const { channel, sku } = await make.setting(10);
  const good = {
    order_number: unique('OLD'),
    channel_id: channel.id,
    status: 1,
    created_at: '2026-10-01T10:00:00+09:00',
    recipient_name,
    recipient_phone,
    shipping_address: 'Seoul',
    sku,
    quantity: 1,
    local_unit_price: 1,
    variant_code: '',
  };
  const unmapped = { ...good, order_number: unique('OLD'), sku: 'unmapped' };
  for (const [column, value, code] of [
    ['order_number', 'a\u0000b', 'not_storable'],
    ['channel_id', 'abc', 'not_a_quantity'],
    ['channel_id', '2147483648', 'not_a_quantity'],
    ['sku', 'a\u0000b', 'not_storable'],
    ['quantity', 'abc', 'not_a_quantity'],
    ['variant_code', 'a\u0000b', 'not_storable'],
  ] as const) {
    const rows = [{ ...good, [column]: value }, unmapped].map((row) => Object.values(row).join(','));
    const expected = [
      [2, column, code],
      [3, 'sku', 'sku_unmapped'],
    ];
    assert.deepEqual(await problemsOf('orders', csv(Object.keys(good).join(','), ...rows)), expected, column);
  }
});

test('orders that a channel sends during their import exist once, and import and channel both succeed', async () => {
  const { channel, sku } = await make.setting(1_000);
  const numbers = Array.from({ length: 40 }, () => unique('OLD'));
  const file = csv(ORDER_HEADER, ...numbers.map((number) => rowOf({ channel, number, sku, quantity: 1 })));
  const order = (order_number: string) => orderOf([{ sku, quantity: 1, unit_price: 1000 }], { order_number });
  const importing = send('orders', file);
  const answers = await Promise.all(
    numbers.toReversed().map((number) => channel.call('POST', '/orders', order(number))),
  );
  const report = await importing;
  assert.equal(report.status, 200, report.text);
  assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 201));
  const { orders_imported, orders_already_there } = report.json.data.counts;
  assert.equal(orders_imported + orders_already_there, 40);
  assert.equal(answers.filter((answer) => answer.status === 201).length, orders_already_there);
  assert.equal(await make.available(channel, sku), 960);
});

test('orders that channels send during each attempt of an import: 409, and nothing is imported', async () => {
  const { channel, sku } = await make.setting(10);
  const number = unique('OLD');
  await service.database.tamper(
    `create function taken() returns trigger language plpgsql as $$
     begin raise unique_violation using constraint = 'orders_order_number_key'; end $$;
     create trigger taken before insert on orders for each statement execute function taken()`,
  );
  const file = csv(ORDER_HEADER, rowOf({ channel, number, sku, quantity: 1 }));
  const answer = await send('orders', file);
  await service.database.tamper('drop trigger taken on orders');
  assert.equal(answer.status, 409, answer.text);
  assert.equal(answer.json.code, 'orders_sent_meanwhile');
  assert.match(answer.json.error, /^Nothing was imported: .* Send the file again\.$/);
  const found = await sql('select from order_item where sku = $1', [sku]);
  assert.equal(found.length, 0);
  assert.equal((await must(send('orders', file), 200)).counts.orders_imported, 1);
});

test('the outbound call sends an imported key with the same bytes as the clients of the channel', async (t) => {
  const stub = await startStubChannel();
  t.after(() => stub.close());
  const [name, key] = [unique('stub'), `${oldKey()}-열쇠`];
  await must(send('channels', csv('name,api_key,api_url', `${name},${key},${stub.url}`)), 200);
  const [stored] = await sql('select id from channel where name = $1', [name]);
  stub.answers.set('P-1', stubProduct([stubOption('-1.00', 'O-1')]));
  await must(admin('POST', `/channels/${stored.id}/product-info`, { usercode: 'P-1' }), 200);
  assert.equal(Buffer.from(stub.keys[0] ?? '', 'latin1').toString('utf8'), key);
});
