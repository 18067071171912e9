import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, pages } = desk(service);

const found = (query: string) => pages(`/allocations?${query}`, 500);

test('a row has the terms of the formula and a cell for each channel with a mapping or an allocation', async () => {
  const { channel: both, variant, sku } = await make.setting(100);
  await make.map(both, variant); // a second SKU does not add a second cell
  const [mapped, holder] = [await make.channel(), await make.channel()];
  await make.map(mapped, variant);
  await make.allocate(both, variant, 30, 9);
  await make.allocate(holder, variant, 20);
  const order = (quantity: number, fields: object = {}) =>
    must(both.call('POST', '/orders', orderOf([{ sku, quantity, unit_price: 1 }], fields)), 201);
  await order(10);
  await order(4, { is_backorder: true });
  const [row, ...others] = await found(`search=${variant.code}`);
  assert.equal(others.length, 0);
  const none = { allocated_qty: 0, reserve_quota: 0, backordered_qty: 0, reserve_remaining: 0 };
  assert.deepEqual(row, {
    variant_code: variant.code,
    product_code: variant.product,
    product_name: `Product ${variant.product}`,
    power: null,
    barcode: null,
    attributes: {},
    low_stock_at: null,
    archived: false,
    quantity: 100,
    unshipped: 10,
    allocated: 50,
    backordered: 4,
    common_available: 36,
    overcommitted_by: 0,
    cells: [
      {
        channel_id: both.id,
        allocated_qty: 30,
        reserve_quota: 9,
        backordered_qty: 4,
        available: 66,
        reserve_remaining: 5,
        is_mapped: true,
      },
      { channel_id: mapped.id, ...none, available: 36, is_mapped: true },
      { channel_id: holder.id, ...none, allocated_qty: 20, available: 56, is_mapped: false },
    ],
  });
  const { channels } = await make.stock(variant);
  assert.deepEqual(
    channels.map((one: { channel_id: number; available: number }) => [one.channel_id, one.available]),
    row.cells.map((one: { channel_id: number; available: number }) => [one.channel_id, one.available]),
    'the stock page of the variant shows the same numbers',
  );
});

test('filtered by channel: the variants that it maps or has allocated, with the cells of all channels', async () => {
  const [mine, theirs] = [await make.channel(), await make.channel()];
  const mapped = await make.variant(5);
  const held = await make.variant(5);
  const foreign = await make.variant(5);
  await make.map(mine, mapped);
  await make.map(theirs, mapped);
  await make.allocate(mine, held, 1);
  await make.map(theirs, foreign);
  await make.map(mine, await make.variant(null)); // without a stock record, nothing can be allocated
  const codes = async (query: string) => (await found(query)).map((row) => row.variant_code as string);
  assert.deepEqual(await codes(`channel_id=${mine.id}`), [mapped.code, held.code].toSorted());
  const [row] = await found(`channel_id=${mine.id}&search=${mapped.code}`);
  assert.deepEqual(
    row.cells.map((cell: { channel_id: number }) => cell.channel_id),
    [mine.id, theirs.id],
  );
  assert.deepEqual(await codes(`channel_id=${mine.id}&search=${foreign.code}`), []);
  assert.deepEqual(await codes('channel_id=2147483647'), []);
});

test('search matches code, product code and product name literally and ignores case', async () => {
  const tag = unique('Mat');
  const percent = await make.variant(1, { code: `${tag}_%`, name: `Größe ${tag}` });
  const plain = await make.variant(1, { code: `${tag}xx` });
  const codes = async (text: string) =>
    (await found(`search=${encodeURIComponent(text)}`)).map((row) => row.variant_code as string);
  assert.deepEqual(await codes(`${tag.toLowerCase()}_`), [percent.code]);
  assert.deepEqual(await codes(`${tag}_%`), [percent.code]);
  assert.deepEqual(await codes(`GRÖßE ${tag}`), [percent.code]);
  assert.deepEqual(await codes(plain.product), [plain.code]);
  assert.deepEqual(await codes(`${tag}\\`), []);
});

test('pages of any size return all rows, ordered by code', async () => {
  const all = await found('');
  assert.ok(all.length > 5);
  for (const limit of [1, 3]) assert.deepEqual(await pages('/allocations', limit), all);
  const stock = await pages('/stock', 500);
  assert.deepEqual(
    all.map(({ cells: _cells, ...row }) => row),
    stock,
    'the same rows as in the stock list',
  );
});

test('an invalid filter is refused with a validation error under its name', async () => {
  for (const [field, value] of [
    ['channel_id', '0'],
    ['channel_id', '2147483648'],
    ['channel_id', 'x'],
    ['search', 'a%00b'],
    ['search', 'x'.repeat(201)],
    ['cursor', 'rubbish'],
    ['limit', '501'],
  ])
    assert.deepEqual(await fieldsRefused(admin('GET', `/allocations?${field}=${value}`)), [field]);
});
