import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused, ODD_TEXTS, refusal, statusesOf } from './kit/desk.ts';
import { fixtures, must, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, journaled, pages } = desk(service);
const at = (code: string) => `/products/${encodeURIComponent(code)}`;

test('a product is created with its variants and found by its code', async () => {
  const code = unique('P');
  const variants = [{ code: `${code}-B` }, { code: `${code}-A`, power: '-0.50' }];
  const made = await must(admin('POST', '/products', { code, name: 'Lens', variants }), 201);
  assert.deepEqual([made.code, made.name], [code, 'Lens']);
  assert.deepEqual(
    made.variants.map((variant: { code: string; power: string }) => [variant.code, variant.power]),
    [
      [`${code}-A`, '-0.50'],
      [`${code}-B`, null],
    ],
  );
  assert.deepEqual(await must(admin('GET', at(code)), 200), made);
  const [entry] = await audits(`product:${code}`);
  assert.equal(entry?.action, 'product.create');
  assert.deepEqual(entry?.after, {
    name: 'Lens',
    variants: [
      { code: `${code}-B`, power: null },
      { code: `${code}-A`, power: '-0.50' },
    ],
  });
});

test('a product can be created without variants; they can be added later', async () => {
  const code = unique('P');
  assert.deepEqual((await must(admin('POST', '/products', { code, name: 'n' }), 201)).variants, []);
  const variant = await must(admin('POST', `${at(code)}/variants`, { code: `${code}-1`, power: '+1' }), 201);
  assert.deepEqual([variant.code, variant.power], [`${code}-1`, '+1']);
  assert.equal((await must(admin('GET', at(code)), 200)).variants.length, 1);
  assert.equal((await audits(`variant:${code}-1`))[0]?.action, 'variant.create');
});

test('a code that is already in use is a conflict, and nothing of the request is stored', async () => {
  const variant = await make.variant(null);
  const taken = await refusal(admin('POST', '/products', { code: variant.product, name: 'n' }), 409);
  assert.match(taken.error ?? '', new RegExp(variant.product));
  assert.deepEqual([taken.code, taken.details], ['product_code_taken', { product_code: variant.product }]);
  const code = unique('P');
  const variants = [{ code: `${code}-1` }, { code: variant.code }];
  const conflict = await refusal(admin('POST', '/products', { code, name: 'n', variants }), 409);
  assert.match(conflict.error ?? '', new RegExp(variant.code));
  await refusal(admin('GET', at(code)), 404);
  await refusal(admin('POST', `${at(variant.product)}/variants`, { code: variant.code }), 409);
  assert.deepEqual(await audits(`product:${code}`), []);
});

test('concurrent requests for the same product: one creates it, the others are conflicts', async () => {
  const code = unique('P');
  const body = { code, name: 'n', variants: [{ code: `${code}-2` }, { code: `${code}-1` }] };
  const answers = await Promise.all(Array.from({ length: 6 }, () => admin('POST', '/products', body)));
  assert.deepEqual(statusesOf(answers), [201, 409, 409, 409, 409, 409]);
});

test('an invalid product is refused with an error for each invalid field', async () => {
  const post = (body: unknown) => fieldsRefused(admin('POST', '/products', body));
  assert.deepEqual(await post({ variants: [{}] }), ['code', 'name', 'variants.0.code']);
  assert.deepEqual(await post({ code: ' ', name: 'n' }), ['code']);
  assert.deepEqual(await post({ code: 'x'.repeat(101), name: 'n' }), ['code']);
  assert.deepEqual(await post({ code: 'a\0', name: 'n' }), ['code']);
  assert.deepEqual(await post({ code: 'a', name: 'n', variants: 3 }), ['variants']);
  const twice = [{ code: 'v1' }, { code: 'v2' }, { code: 'v1' }];
  assert.deepEqual(await post({ code: 'a', name: 'n', variants: twice }), ['variants.2.code']);
  const { product } = await make.variant(null);
  assert.deepEqual(await fieldsRefused(admin('POST', `${at(product)}/variants`, {})), ['code']);
  assert.deepEqual(await fieldsRefused(admin('PATCH', at(product), {})), ['name']);
});

test('a renamed product has its new name in stock lists, and each of its variants gets a journal entry', async () => {
  const { channel, variant, sku } = await make.setting(5);
  const before = await must(admin('GET', at(variant.product)), 200);
  const id = before.variants[0].id as number;
  const entries = await journaled('variant_ids', id);
  const renamed = await must(admin('PATCH', at(variant.product), { name: '새 이름' }), 200);
  assert.deepEqual(renamed, { ...before, name: '새 이름' });
  assert.equal(await journaled('variant_ids', id), entries + 1);
  const list = await channel.call('GET', '/inventory');
  const row = list.json.data.find((one: { sku: string }) => one.sku === sku);
  assert.equal(row.product_name, '새 이름');
  const trail = await audits(`product:${variant.product}`);
  assert.deepEqual(
    [trail[1]?.action, trail[1]?.before, trail[1]?.after],
    ['product.update', { name: before.name }, { name: '새 이름' }],
  );
});

test('unknown products are not found', async () => {
  await refusal(admin('GET', at('nope')), 404);
  await refusal(admin('PATCH', at('nope'), { name: 'n' }), 404);
  await refusal(admin('POST', `${at('nope')}/variants`, { code: 'v' }), 404);
});

test('codes with special characters are preserved and found', async () => {
  for (const text of ODD_TEXTS) {
    const code = `${text}${unique('P')}`;
    const made = await must(
      admin('POST', '/products', { code, name: text, variants: [{ code: `${code}/v` }] }),
      201,
    );
    assert.equal(made.code, code);
    assert.deepEqual(await must(admin('GET', at(code)), 200), made);
    await must(admin('PATCH', at(code), { name: 'renamed' }), 200);
    await must(admin('POST', `${at(code)}/variants`, { code: `${code} w` }), 201);
  }
  assert.deepEqual(await fieldsRefused(admin('GET', '/products/a%00b')), ['code']);
});

test('the list is complete in pages of any size, and search matches code, name and variant code', async () => {
  const all = await pages('/products', 500);
  assert.deepEqual(await pages('/products', 3), all);
  const codes = all.map((row) => row.code as string);
  assert.equal(new Set(codes).size, codes.length);

  const tag = unique('Find');
  const body = { code: `${tag}%a`, name: `Über ${tag}`, variants: [{ code: `${tag}_V` }] };
  await must(admin('POST', '/products', body), 201);
  const found = async (search: string) =>
    (await pages(`/products?search=${encodeURIComponent(search)}`, 2)).map((row) => row.code as string);
  for (const search of [`${tag}%`, tag.toLowerCase(), `BER ${tag.toUpperCase()}`, `${tag}_v`])
    assert.deepEqual(await found(search), [`${tag}%a`], search);
  assert.deepEqual(await found(`${tag}_a`), [], 'a wildcard is matched literally');
  assert.deepEqual(await found('%%%'), []);
});
