// The allocation matrix with ten channels: fill a column, paste a block, preview and save all changes together, move stock
// between channels, import and export files.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible, startConsole, textOf } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { unique, type TestChannel, type TestVariant } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN } from '../verify/kit/service.ts';

const { make, test, visit, watch, service } = await startConsole();

const CHANNELS = 10;
const channels: (TestChannel & { name: string })[] = [];
for (let n = 1; n <= CHANNELS; n++) {
  const name = `Shop ${String(n).padStart(2, '0')}`;
  channels.push({ ...(await make.channel({ name })), name });
}

/** Items that every channel sells. */
async function items(count: number, quantity: number): Promise<{ prefix: string; list: TestVariant[] }> {
  const prefix = unique('M');
  const list: TestVariant[] = [];
  for (let n = 1; n <= count; n++) {
    const variant = await make.variant(quantity, { code: `${prefix}-${n}` });
    for (const channel of channels) await make.map(channel, variant);
    list.push(variant);
  }
  return { prefix, list };
}

const cellOf = (page: Page, { code }: TestVariant, name: string) =>
  page.getByLabel(`Pre-allocation of ${code} for ${name}`);
const heldBy = async (variant: TestVariant): Promise<number[]> => {
  const { channels: shares } = await make.stock(variant);
  return channels.map(({ id }) => shares.find((one: any) => one.channel_id === id)?.allocated_qty ?? 0);
};

test('a column is filled, a block pasted, all changes previewed and saved together; items stay visible while scrolling', async () => {
  const { prefix, list } = await items(3, 50);
  const [a, b, c] = list as [TestVariant, TestVariant, TestVariant];
  const page = await visit({ role: 'operator', to: `/allocations?search=${prefix}` });
  const item = page.getByRole('rowheader', { name: a.code });
  const before = await item.boundingBox();
  await cellOf(page, a, 'Shop 10').scrollIntoViewIfNeeded();
  const after = await item.boundingBox();
  assert.ok(before && after && before.width >= 150, 'the item is readable');
  assert.equal(Math.round(after.x), Math.round(before.x), 'the item stays while the channels scroll');

  await page.getByRole('button', { name: 'Fill a column' }).press('Enter');
  const fill = page.getByRole('dialog', { name: 'Fill a column' });
  await fill.getByText('3 items shown have this channel.').waitFor();
  await fill.getByLabel('Number for every item').fill('1.5');
  await fill.getByRole('button', { name: 'Fill' }).click();
  await fill.getByText('Enter a whole number').waitFor();
  await fill.getByLabel('Number for every item').fill('7');
  await page.keyboard.press('Enter');
  await page.getByText('3 unsaved changes').waitFor();

  // Starts at Shop 09: the third column of the block lies beyond Shop 10, the last channel.
  await cellOf(page, b, 'Shop 09').focus();
  await page.evaluate((text) => {
    const { document, DataTransfer, ClipboardEvent } = globalThis as any;
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  }, '3\t4\t5\n6\t１２\t7\n');
  await page.getByText('4 cells filled, not saved yet. 2 values did not fit.').waitFor();
  assert.equal(await cellOf(page, c, 'Shop 10').inputValue(), '１２');

  await page.getByRole('button', { name: 'Preview' }).click();
  const review = page.getByRole('dialog', { name: 'Preview of 7 changes' });
  const results = review.getByRole('region', { name: 'After saving' });
  await results.waitFor();
  assert.match(await textOf(results), new RegExp(`${c.code} Shop 10 12 no limit 37`));
  await assertAccessible(page, 'preview of a change');
  assert.deepEqual(await heldBy(a), Array<number>(CHANNELS).fill(0), 'a preview changes nothing');
  await review.getByRole('button', { name: 'Save 7 changes' }).click();
  await page.getByText('7 changes saved.').waitFor();
  const rest = Array<number>(7).fill(0);
  assert.deepEqual(await heldBy(a), [7, ...rest, 0, 0]);
  assert.deepEqual(await heldBy(b), [7, ...rest, 3, 4]);
  assert.deepEqual(await heldBy(c), [7, ...rest, 6, 12]);

  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Undone.').waitFor();
  for (const variant of list) assert.deepEqual(await heldBy(variant), Array<number>(CHANNELS).fill(0));
});

test('if another user has changed one cell, nothing is saved and the cell shows it; saving again overwrites', async () => {
  const { prefix, list } = await items(2, 20);
  const [a, b] = list as [TestVariant, TestVariant];
  const [first] = channels;
  const page = await visit({ role: 'operator', to: `/allocations?search=${prefix}` });
  await cellOf(page, a, 'Shop 01').fill('5');
  await cellOf(page, b, 'Shop 01').fill('6');
  await make.allocate(first!, b, 2);
  watch.expect(/^422 PUT \/admin\/v1\/allocations/);
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  const bar = page.getByRole('alert').filter({ hasText: 'One change was not saved' });
  assert.match(await textOf(bar), /0 \(quota 0\) → 2 \(quota 0\)/);
  assert.equal((await heldBy(a))[0], 0, 'all or none');
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  await page.getByText('2 changes saved.').waitFor();
  assert.deepEqual([(await heldBy(a))[0], (await heldBy(b))[0]], [5, 6]);

  await make.allocate(first!, b, 4);
  watch.expect(/^422 PUT \/admin\/v1\/allocations/);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Not undone: the allocations have changed since').waitFor();
  assert.deepEqual([(await heldBy(a))[0], (await heldBy(b))[0]], [5, 4], 'all or none');

  // Input typed during a save is kept, as a change of the saved value.
  const answer = Promise.withResolvers<void>();
  await page.route('**/admin/v1/allocations', async (route) => {
    const response = await route.fetch();
    await answer.promise;
    await route.fulfill({ response });
  });
  const cell = cellOf(page, a, 'Shop 01');
  await cell.fill('7');
  await cell.press('Enter');
  await eventually(async () => assert.equal((await heldBy(a))[0], 7));
  await cell.fill('8');
  answer.resolve();
  await page.getByText('One change saved.').waitFor();
  assert.equal(await cell.inputValue(), '8');
  await page.getByRole('button', { name: 'Save change' }).click();
  await eventually(async () => assert.equal((await heldBy(a))[0], 8));

  // Also if the save is refused. The newer route takes precedence.
  const refusal = Promise.withResolvers<void>();
  await page.route('**/admin/v1/allocations', async (route) => {
    await refusal.promise;
    await route.fulfill({ status: 503, json: { error: 'The service is busy.' } });
  });
  watch.expect(/^503 PUT \/admin\/v1\/allocations/);
  await cell.fill('9');
  await cell.press('Enter');
  await cell.fill('10');
  refusal.resolve();
  await page.getByText('The service is busy.').first().waitFor();
  assert.equal(await cell.inputValue(), '10');
});

test('a pre-allocation is moved to another channel, at most as much as the channel has', async () => {
  const { prefix, list } = await items(1, 20);
  const [a] = list as [TestVariant];
  await make.allocate(channels[2]!, a, 8);
  const page = await visit({ role: 'operator', to: `/allocations?search=${prefix}` });
  await page.getByRole('button', { name: `Move a pre-allocation of ${a.code} to another channel` }).click();
  const dialog = page.getByRole('dialog', { name: `Move a pre-allocation of ${a.code}` });
  await dialog.getByLabel('To channel').fill('Shop 05');
  await page.getByRole('option', { name: 'Shop 05' }).click();
  await dialog.getByLabel('Quantity').fill('9');
  await dialog.getByRole('button', { name: 'Move' }).click();
  await dialog.getByText('The channel has 8.').waitFor();
  await dialog.getByLabel('Quantity').fill('3');
  await page.keyboard.press('Enter');
  await page.getByText('3 moved.').waitFor();
  const held = await heldBy(a);
  assert.deepEqual([held[2], held[4]], [5, 3]);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Undone.').waitFor();
  const back = await heldBy(a);
  assert.deepEqual([back[2], back[4]], [8, 0]);
});

test('an allocation file in Korean: problems by line, overcommitment marked and saved only after confirmation', async () => {
  const { prefix, list } = await items(1, 176);
  const [a] = list as [TestVariant];
  const [first] = channels;
  const page = await visit({ role: 'operator', to: `/allocations?search=${prefix}`, language: 'ko' });
  await page.getByText('예약 한도 (무제한)').first().waitFor();
  await page.getByRole('button', { name: 'CSV 가져오기' }).click();
  const dialog = page.getByRole('dialog', { name: 'CSV 파일로 배분 입력' });
  const head = 'channel_id,variant_code,allocated_qty,reserve_quota\n';
  const text = dialog.getByLabel('또는 내용 붙여 넣기');
  await text.fill(head);
  await dialog.getByRole('button', { name: '미리 보기' }).click();
  await dialog.getByText('열 이름 아래에 데이터가 없습니다.').waitFor();
  await dialog.getByRole('button', { name: '뒤로' }).click();
  await text.fill(`${head}${first!.id},none,1,0`);
  await dialog.getByRole('button', { name: '미리 보기' }).click();
  const problems = dialog.getByRole('region', { name: '문제' });
  await problems.waitFor();
  assert.match(await textOf(problems), /2 none 품목이 없습니다/);
  await dialog.getByRole('button', { name: '뒤로' }).click();
  await text.fill(`${head}${first!.id},${a.code},99999,0`);
  await dialog.getByRole('button', { name: '미리 보기' }).click();
  await dialog.getByText('초과 배분 99,823개').waitFor();
  assert.equal((await heldBy(a))[0], 0);
  await dialog.getByRole('button', { name: '그래도 저장' }).click();
  await page.getByText('변경 1건을 저장했습니다.').waitFor();
  assert.equal((await heldBy(a))[0], 99_999);
  await page
    .getByText(/초과 배분 99,823개/)
    .first()
    .waitFor();
  const exported = await fetch(`${service.origin}/admin/v1/allocations/export`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  assert.match(await exported.text(), new RegExp(`^${first!.id},${a.code},99999,0,\r$`, 'm'));
});
