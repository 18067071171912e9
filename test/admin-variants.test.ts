// Variant attributes, scanned barcodes, and archiving: hidden in lists, kept in orders, restorable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused, refusal, statusesOf } from './kit/desk.ts';
import { fixtures, must, orderOf, unique, type TestVariant } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, pages } = desk(service);
const at = (code: string) => `/variants/${encodeURIComponent(code)}`;
const patch = (code: string, body: unknown) => admin('PATCH', at(code), body);
const patchProduct = (code: string, body: unknown) => admin('PATCH', `/products/${code}`, body);
const codes = async (path: string, key = 'code'): Promise<string[]> =>
  (await pages(path, 500)).map((row) => row[key]);

/** The lists that contain the variant, with or without archived ones. */
async function listed({ code, product }: TestVariant, archived = false): Promise<string[]> {
  const query = `?search=${encodeURIComponent(product)}${archived ? '&archived=true' : ''}`;
  const places: string[] = [];
  if ((await codes(`/variants${query}`)).includes(code)) places.push('variants');
  if ((await codes(`/stock${query}`, 'variant_code')).includes(code)) places.push('stock');
  const products = await pages(`/products${query}`, 500);
  if (products.some((one) => one.variants.some((variant: any) => variant.code === code)))
    places.push('products');
  if (!archived && (await codes(`/allocations${query}`, 'variant_code')).includes(code))
    places.push('allocations');
  return places;
}
const EVERYWHERE = ['variants', 'stock', 'products', 'allocations'];

test('attributes of a variant can be set, replaced and cleared; absent fields are kept; channels do not see them', async () => {
  const { channel, variant, sku } = await make.setting(5);
  const before = (await channel.call('GET', '/inventory')).text;
  const attributes = { size: 'L', colour: '검정', 'base curve': '8.6' };
  const facts = { power: '-1.25', barcode: unique('880'), attributes, low_stock_at: 3 };
  const made = await must(patch(variant.code, facts), 200);
  assert.deepEqual(
    {
      ...made,
      ...facts,
      code: variant.code,
      product_code: variant.product,
      has_stock: true,
      archived: false,
    },
    made,
  );
  assert.deepEqual(await must(admin('GET', at(variant.code)), 200), made);
  const level = await make.stock(variant);
  const [row] = await pages(`/stock?search=${variant.product}`, 50);
  const [inProduct] = (await must(admin('GET', `/products/${variant.product}`), 200)).variants;
  for (const seen of [level, row, inProduct]) assert.deepEqual({ ...seen, ...facts }, seen);

  await must(patch(variant.code, { attributes: { size: 'M' } }), 200);
  const kept = await must(patch(variant.code, { barcode: null, low_stock_at: null }), 200);
  assert.deepEqual(
    [kept.power, kept.barcode, kept.attributes, kept.low_stock_at],
    ['-1.25', null, { size: 'M' }, null],
  );
  assert.deepEqual(
    (await audits(`variant:${variant.code}`))
      .slice(-3)
      .map((entry) => [entry.action, entry.before, entry.after]),
    [
      ['variant.update', { power: null, barcode: null, attributes: {}, low_stock_at: null }, facts],
      ['variant.update', { attributes }, { attributes: { size: 'M' } }],
      ['variant.update', { barcode: facts.barcode, low_stock_at: 3 }, { barcode: null, low_stock_at: null }],
    ],
  );
  assert.equal((await channel.call('GET', '/inventory')).text, before);
  assert.equal(await make.available(channel, sku), 5);
});

test('invalid attributes of a variant are refused with an error for each invalid field', async () => {
  const { code } = await make.variant(null);
  const refused = (body: unknown) => fieldsRefused(patch(code, body));
  assert.deepEqual(await refused({ barcode: ' ', power: '', low_stock_at: -1 }), ['low_stock_at']);
  assert.deepEqual(await refused({ barcode: ' ', power: '' }), ['barcode', 'power']);
  assert.deepEqual(await refused({ barcode: 'x'.repeat(101) }), ['barcode']);
  assert.deepEqual(await refused({ attributes: { size: 4 } }), ['attributes.size']);
  assert.deepEqual(await refused({ attributes: { ' ': 'a', size: '', colour: 'x'.repeat(201) } }), [
    'attributes. ',
    'attributes.size',
    'attributes.colour',
  ]);
  assert.deepEqual(await refused({ attributes: [] }), ['attributes']);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${n}`, 'x']));
  assert.deepEqual(await refused({ attributes: many }), ['attributes']);
  await refusal(patch('nope', { power: '1' }), 404);
  await refusal(admin('GET', at('nope')), 404);
});

test('a barcode is unique, also with concurrent requests; searching for it finds its variant in every list', async () => {
  const [a, b] = [await make.variant(1), await make.variant(1)];
  const barcode = unique('8801');
  const answers = await Promise.all([a, b].map(({ code }) => patch(code, { barcode })));
  assert.deepEqual(statusesOf(answers), [200, 409]);
  const holder = answers[0]?.status === 200 ? a : b;
  const other = holder === a ? b : a;
  const taken = await refusal(patch(other.code, { barcode }), 409);
  assert.deepEqual([taken.code, taken.details], ['barcode_taken', { barcode, variant_code: holder.code }]);
  await must(patch(holder.code, { barcode }), 200);
  assert.deepEqual(await codes(`/stock?search=${barcode}`, 'variant_code'), [holder.code]);
  assert.deepEqual(await codes(`/variants?search=${barcode}`), [holder.code]);
  assert.deepEqual(await codes(`/products?search=${barcode}`), [holder.product]);
  assert.deepEqual(await codes(`/allocations?search=${barcode}`, 'variant_code'), [holder.code]);
  assert.deepEqual(
    await codes(`/stock?search=${barcode.slice(1)}`, 'variant_code'),
    [],
    'a part of a barcode does not match',
  );
  await must(patch(holder.code, { barcode: null }), 200);
  await must(patch(other.code, { barcode }), 200);
});

test('variants without a stock record are listed until they get one', async () => {
  const [a, b] = [await make.variant(null), await make.variant(0)];
  const without = await codes('/variants?without_stock=true');
  assert.ok(without.includes(a.code) && !without.includes(b.code));
  const csv = `variant_code,quantity\n${a.code},0\n`;
  await must(admin('POST', '/stock/import', { csv, mode: 'set', reason: 'first count' }), 200);
  assert.ok(!(await codes('/variants?without_stock=true')).includes(a.code));
  assert.ok((await codes('/variants?without_stock=false')).includes(a.code));
});

test('a variant that is mapped, or has stock, open orders or allocations, cannot be archived', async () => {
  const { channel, variant, sku } = await make.setting(2);
  const archive = () => patch(variant.code, { archived: true });
  const inUse = async (): Promise<object> => {
    const no = await refusal(archive(), 409);
    assert.equal(no.code, 'variant_in_use');
    const product = await refusal(patchProduct(variant.product, { archived: true }), 409);
    assert.deepEqual([product.code, product.details.variants], ['product_in_use', [no.details]]);
    const { variant_code: _, ...use } = no.details;
    return use;
  };
  const nothing = { mapped: 0, quantity: 0, unshipped: 0, allocated: 0, backordered: 0 };
  const order = orderOf([{ sku, quantity: 2, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  assert.deepEqual(await inUse(), { ...nothing, mapped: 1, quantity: 2, unshipped: 2 });
  await must(admin('DELETE', `/channels/${channel.id}/mappings/${sku}`), 204);
  await make.allocate(channel, variant, 1);
  const report = { status: 3, tracking_number: 'T' };
  await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
  assert.deepEqual(await inUse(), { ...nothing, allocated: 1 });
  await make.allocate(channel, variant, 0);
  assert.deepEqual(await listed(variant), EVERYWHERE);
  assert.equal((await must(archive(), 200)).archived, true);
  assert.deepEqual(await listed(variant), []);
  assert.deepEqual(await listed(variant, true), ['variants', 'stock', 'products']);

  // Its orders stay. A return makes stock, so the variant is in the stock list again.
  const [found] = await pages(`/orders?order_number=${order.order_number}`, 5);
  assert.equal((await must(admin('GET', `/orders/${found.id}`), 200)).items[0].variant_code, variant.code);
  const items = [{ line: 0, quantity: 1 }];
  await must(admin('POST', `/orders/${found.id}/returns`, { items, reason: 'unopened' }), 201);
  assert.deepEqual(await listed(variant), ['stock', 'allocations']);
  assert.equal((await must(patch(variant.code, { archived: false }), 200)).archived, false);
  assert.deepEqual(await listed(variant), EVERYWHERE);
  assert.deepEqual(
    (await audits(`variant:${variant.code}`)).slice(-1).map((entry) => [entry.before, entry.after]),
    [[{ archived: true }, { archived: false }]],
  );
});

test('an archived product and its variants are not listed; restoring it leaves archived variants archived', async () => {
  const variant = await make.variant(0);
  const old = `${variant.product}-OLD`;
  await must(admin('POST', `/products/${variant.product}/variants`, { code: old }), 201);
  await must(patch(old, { archived: true }), 200);
  assert.deepEqual(await listed(variant), EVERYWHERE);
  assert.deepEqual(await listed({ ...variant, code: old }), []);
  const archived = await must(patchProduct(variant.product, { archived: true }), 200);
  assert.equal(archived.archived, true);
  assert.deepEqual(await listed(variant), []);
  assert.equal((await must(admin('GET', at(variant.code)), 200)).archived, true);
  const back = await must(patchProduct(variant.product, { archived: false, name: 'Again' }), 200);
  assert.deepEqual([back.archived, back.name], [false, 'Again']);
  assert.deepEqual(await listed(variant), EVERYWHERE);
  assert.deepEqual(await listed({ ...variant, code: old }), []);
});

test('mapping an archived variant restores it and its product, so that everything sold is listed', async () => {
  const channel = await make.channel();
  const variant = await make.variant(0);
  await must(patch(variant.code, { archived: true }), 200);
  await must(patchProduct(variant.product, { archived: true }), 200);
  const sku = await make.map(channel, variant);
  assert.equal(await make.available(channel, sku), 0);
  assert.deepEqual(await listed(variant), EVERYWHERE);
});

test('concurrent archiving and mapping: a variant is never both archived and mapped', async () => {
  const channel = await make.channel();
  for (let round = 0; round < 8; round++) {
    const variant = await make.variant(0);
    const mappings = [{ sku: unique('S'), variant_code: variant.code }];
    const [archived] = await Promise.all([
      round % 2 === 0
        ? patch(variant.code, { archived: true })
        : patchProduct(variant.product, { archived: true }),
      must(admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200),
    ]);
    assert.ok([200, 409].includes(archived.status), archived.text);
    assert.equal((await must(admin('GET', at(variant.code)), 200)).archived, false);
  }
});
