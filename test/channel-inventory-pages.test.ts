// GET /inventory?limit=&cursor= and POST /inventory/lookup: the list in pages, and many SKUs from one snapshot.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertCareful, assertInvalid } from './kit/answers.ts';
import {
  fixtures,
  must,
  orderOf,
  unique,
  type TestChannel,
  type TestVariant,
} from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

interface Row {
  sku: string;
  available: number;
  reserve_remaining: number;
}

const listOf = (channel: TestChannel): Promise<Row[]> => must(channel.call('GET', '/inventory'), 200);

async function pageOf(channel: TestChannel, query: string) {
  const answer = await channel.call('GET', `/inventory?${query}`);
  assert.equal(answer.status, 200, answer.text);
  assertCareful(answer);
  assert.deepEqual(Object.keys(answer.json), ['data', 'next_cursor', 'changes_since']);
  return answer.json as { data: Row[]; next_cursor: string | null; changes_since: string };
}

const behind = (cursor: string, limit: number) => `limit=${limit}&cursor=${cursor}`;

/** `between` runs after each page. */
async function walk(channel: TestChannel, limit: number, between?: (rows: Row[]) => Promise<unknown>) {
  const pages: Row[][] = [];
  for (let query: string | null = `limit=${limit}`; query !== null;) {
    const page = await pageOf(channel, query);
    pages.push(page.data);
    await between?.(page.data);
    query = page.next_cursor === null ? null : behind(page.next_cursor, limit);
  }
  return pages;
}

let channel: TestChannel;
let variants: TestVariant[];
/** Quotes, spaces, special characters of a query, and letters that sort below and above the UTF-16 surrogates. */
const SKUS = ['"', '%', '&', '+', '1', '10', '9', 'A', 'a b', 'a"b\\', 'é', '가', 'Ａ', '😀'];

before(async () => {
  channel = await make.channel();
  variants = [await make.variant(10), await make.variant(20), await make.variant(null)];
  for (const [index, sku] of SKUS.entries())
    await make.map(channel, variants[index % variants.length] as TestVariant, sku);
  await make.allocate(channel, variants[0] as TestVariant, 3, 5);
});

test('pages of any size add up to the list, and only the last page has no next_cursor', async () => {
  const list = await listOf(channel);
  assert.equal(list.length, SKUS.length);
  for (const limit of [1, 2, 7, 13, 14, 15, 10_000]) {
    const pages = await walk(channel, limit);
    assert.deepEqual(pages.flat(), list, `by ${limit}`);
    assert.equal(pages.length, Math.ceil(SKUS.length / limit));
  }
});

test('a channel without SKUs has one empty page', async () => {
  const { data, next_cursor } = await pageOf(await make.channel(), 'limit=5');
  assert.deepEqual([data, next_cursor], [[], null]);
});

test('SKUs added or removed between two pages do not make other SKUs disappear or repeat', async () => {
  const own = await make.channel();
  const variant = await make.variant(1);
  const skus = Array.from({ length: 12 }, (_, n) => `S${String(n).padStart(2, '0')}`);
  const mappings = skus.map((sku) => ({ sku, variant_code: variant.code }));
  await must(service.admin('PUT', `/channels/${own.id}/mappings`, { mappings }), 200);
  let step = 0;
  const pages = await walk(own, 3, async (rows) => {
    step += 1;
    // Before the position of the reader, the row at its position, and after it.
    await make.map(own, variant, `A${step}`);
    await must(service.admin('DELETE', `/channels/${own.id}/mappings/${rows.at(-1)?.sku}`), 204);
    await make.map(own, variant, `Z${step}`);
  });
  const seen = pages.flat().map((row) => row.sku);
  assert.equal(new Set(seen).size, seen.length, 'a SKU was repeated');
  assert.deepEqual(
    skus.filter((sku) => !seen.includes(sku)),
    [],
    'a SKU was skipped',
  );
});

test('a page is compressed if the client accepts it, like the list', async () => {
  const headers = { 'x-api-key': channel.api_key, 'accept-encoding': 'gzip' };
  const response = await fetch(`${service.origin}/api/v1/inventory?limit=5`, { headers });
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  const { data } = (await response.json()) as { data: Row[] };
  assert.deepEqual(data, (await listOf(channel)).slice(0, 5));
});

test('without parameters, and with unknown ones, the answer is the list of contract 4.1', async () => {
  const plain = await channel.call('GET', '/inventory');
  assert.deepEqual(Object.keys(plain.json), ['data']);
  for (const query of ['?', '?page=2', '?Limit=1', '?offset=1&cursors=x'])
    assert.equal((await channel.call('GET', `/inventory${query}`)).text, plain.text, query);
});

test('invalid limits and cursors are 422 in the validation shape', async () => {
  for (const limit of [
    '0',
    '-1',
    '10001',
    '1.5',
    'x',
    '',
    '9999999999999999999',
    '1&limit=2',
    '0x10',
    '1e2',
    '%2B5',
    ' 5',
    '5.0',
  ])
    assertInvalid(await channel.call('GET', `/inventory?limit=${limit}`), 'limit');
  const { next_cursor, changes_since } = await pageOf(channel, 'limit=1');
  const cursor = next_cursor ?? '';
  assertInvalid(await channel.call('GET', `/inventory?cursor=${cursor}`), 'limit');
  assertInvalid(
    await channel.call('GET', `/inventory?${behind(cursor, 1)}&changes_since=${cursor}`),
    'cursor',
  );
  const encoded = (fields: unknown) => Buffer.from(JSON.stringify(fields)).toString('base64url');
  const fields = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
  for (const bad of [
    '',
    'x',
    '%00',
    changes_since,
    `${cursor}=`,
    cursor.slice(0, -2),
    encoded('text'),
    encoded(fields.with(0, 2)),
    encoded(fields.with(1, 'x')),
    encoded(fields.with(2, 'x')),
    encoded(fields.with(4, 7)),
    encoded(fields.with(4, 'a\0b')),
    encoded(fields.with(4, '\ud800')),
    encoded(fields.with(5, '5:4:')),
  ])
    assertInvalid(await channel.call('GET', `/inventory?limit=1&cursor=${bad}`), 'cursor');
});

test('a cursor of another channel is invalid', async () => {
  const other = await make.channel();
  await make.map(other, variants[0] as TestVariant, 'A');
  await make.map(other, variants[0] as TestVariant, 'B');
  const { next_cursor } = await pageOf(other, 'limit=1');
  assertInvalid(await channel.call('GET', `/inventory?${behind(next_cursor ?? '', 1)}`), 'cursor');
});

// Bulk lookup

const lookUp = (skus: unknown) => channel.call('POST', '/inventory/lookup', { skus });

test('a bulk lookup answers each SKU once, as a single lookup does, in request order, and lists unknown SKUs separately', async () => {
  const asked = ['😀', 'nope', ...SKUS, 'A', 'nope', 'a'];
  const answer = await lookUp(asked);
  assert.equal(answer.status, 200, answer.text);
  assertCareful(answer);
  assert.deepEqual(Object.keys(answer.json), ['data', 'unknown']);
  assert.deepEqual(answer.json.unknown, ['nope', 'a']);
  assert.deepEqual(
    (answer.json.data as Row[]).map((row) => row.sku),
    ['😀', ...SKUS.slice(0, -1)],
  );
  for (const row of answer.json.data as Row[])
    assert.deepEqual((await channel.call('GET', `/inventory/${encodeURIComponent(row.sku)}`)).json, row);
});

test('concurrent lookups of a thousand SKUs each get their own answer', async () => {
  const names = Array.from({ length: 999 }, (_, n) => `none-${n}`);
  const answers = await Promise.all(SKUS.map((sku) => lookUp([...names, sku])));
  for (const [index, { json }] of answers.entries()) {
    assert.deepEqual(
      (json.data as Row[]).map((row) => row.sku),
      [SKUS[index]],
    );
    assert.equal(json.unknown.length, 999);
  }
});

test('all numbers of one lookup come from one snapshot', async () => {
  const own = await make.channel();
  const [left, right] = [await make.variant(1_000), await make.variant(1_000)];
  const skus = [await make.map(own, left), await make.map(own, right)];
  let isDone = false;
  const orders = (async () => {
    for (let n = 0; n < 25; n++) {
      const lines = skus.map((sku) => ({ sku, quantity: 1, unit_price: 1 }));
      await must(own.call('POST', '/orders', orderOf(lines)), 201);
    }
    isDone = true;
  })();
  do {
    const { json } = await own.call('POST', '/inventory/lookup', { skus });
    const [one, two] = (json.data as Row[]).map((row) => row.available);
    assert.equal(one, two);
  } while (!isDone);
  await orders;
});

test('an invalid body is 422; a SKU that only another channel has is unknown', async () => {
  for (const [skus, field] of [
    [undefined, 'skus'],
    [null, 'skus'],
    ['A', 'skus'],
    [[], 'skus'],
    [Array.from({ length: 1_001 }, () => 'A'), 'skus'],
    [['A', 7], 'skus.1'],
    [['A', null], 'skus.1'],
    [[' '], 'skus.0'],
    [['x'.repeat(101)], 'skus.0'],
    [['a\0b'], 'skus.0'],
  ] as const)
    assertInvalid(await lookUp(skus), field);
  assertInvalid(await channel.call('POST', '/inventory/lookup', '{"skus":["\\ud800"]}'), 'skus.0');
  assertInvalid(await channel.call('POST', '/inventory/lookup', '{'), 'body');
  const other = await make.setting(5);
  assert.deepEqual((await lookUp([other.sku])).json, { data: [], unknown: [other.sku] });
});

test('unmapped SKUs of a bulk lookup are shown to the operator like those of single lookups', async () => {
  await service.service.flush();
  const { id, call } = await make.channel();
  const sku = unique('lost');
  await call('POST', '/inventory/lookup', { skus: [sku, sku] });
  await service.service.flush();
  const { json } = await service.admin('GET', `/channels/${id}/unmapped`);
  const row = (json.data as { sku: string; lookups: number }[]).find((one) => one.sku === sku);
  assert.equal(row?.lookups, 1);
});
