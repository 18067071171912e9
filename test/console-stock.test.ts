// The stock screens: the formula in words, concurrent changes, deliveries and counts, codes with odd characters, and links
// to filtered lists; also the size of the console's first load.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible, goTo, settled, startConsole, textOf } from './kit/console.ts';
import { longLists } from './kit/long-lists.ts';
import { eventually, until } from '../verify/kit/until.ts';
import { must, orderOf, unique } from '../verify/kit/fixtures.ts';

const FIRST_LOAD_BYTES_MAX = 350_000;

const { service, make, test, visit, watch, address } = await startConsole();

const rowsOf = (page: Page) => page.locator('tr[data-row]');
/** In the console's format, in the time zone of the service. */
const clockOf = (at: Date) => at.toLocaleString('sv-SE', { timeZone: 'Asia/Seoul' }).slice(0, 16);
const stockPath = (code: string) => `/stock/${encodeURIComponent(code)}`;
/**
 * Clicks; answers to changes arrive only after `meanwhile`. The route stays until the end of the test: a request that is
 * sent while a route is removed can be lost.
 */
async function saveSlowly(page: Page, button: string, meanwhile: () => Promise<void>): Promise<void> {
  const answer = Promise.withResolvers<void>();
  await page.route('**/admin/v1/**', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    const response = await route.fetch();
    await answer.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: button }).click();
  await meanwhile();
  answer.resolve();
}

test('the first load of the console stays below its size limit', async (t) => {
  const page = await visit({ role: 'viewer', to: '/couriers' });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(address('/'));
  await settled(page);
  await session.detach();
  t.diagnostic(`first load: ${(bytes / 1_000).toFixed(0)} kB over the wire`);
  assert.ok(bytes > 50_000, 'nothing was measured');
  assert.ok(bytes < FIRST_LOAD_BYTES_MAX, `${bytes} bytes`);
});

test('an item shows the formula with its numbers, a line for each channel, the orders holding stock and the ledger', async () => {
  const [a, b, c] = [
    await make.channel({ name: 'Shop A' }),
    await make.channel({ name: 'Shop B' }),
    await make.channel({ name: 'Shop C' }),
  ];
  const variant = await make.variant(100);
  await make.allocate(a, variant, 30);
  await make.allocate(b, variant, 20);
  const sku = await make.map(c, variant);
  const order = orderOf([{ sku, quantity: 10, unit_price: 1_000 }]);
  await must(c.call('POST', '/orders', order), 201);

  const page = await visit({ role: 'viewer', to: stockPath(variant.code) });
  const formula = page.getByRole('region', { name: 'Available for sale' });
  const text = await textOf(formula);
  assert.match(
    text,
    /100 physical − 10 unshipped − 50 allocated − 0 backordered = 40 common/,
    'the formula in words',
  );
  assert.match(text, /Shop A: 40 \+ 30 = 70/);
  assert.match(text, /Shop B: 40 \+ 20 = 60/);
  assert.match(text, /Shop C: 40 \+ 0 = 40/);
  await page.getByRole('tab', { name: 'Orders holding stock' }).click();
  const holding = page.getByRole('region', { name: 'Orders holding stock' });
  await holding.getByRole('row', { name: order.order_number }).getByText('Paid').waitFor();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  const ledger = page.getByRole('region', { name: 'Ledger' });
  await ledger.getByRole('row', { name: 'set-up' }).waitFor();
  assert.match(await textOf(ledger.getByRole('row', { name: 'set-up' })), /Set \+100 100/);
  assert.equal(await page.getByRole('button', { name: 'Set stock' }).count(), 0, 'a viewer changes nothing');
});

test('a concurrent stock change: the page shows both quantities, overwrites nothing and offers the next steps', async () => {
  const variant = await make.variant(100);
  const page = await visit({ role: 'operator', to: stockPath(variant.code) });
  // The page polls the stock; its reads are held back so that it does not see the change before the save.
  let answered: (() => void) | undefined;
  const refused = new Promise<void>((resolve) => {
    answered = resolve;
  });
  await page.route(`**/admin/v1${stockPath(variant.code)}`, async (route) => {
    if (route.request().method() === 'GET') await refused;
    await route.continue();
    if (route.request().method() === 'PUT') answered?.();
  });
  await page.getByLabel('Counted quantity').fill('95');
  await page.getByLabel('Reason').first().fill('counted on Sunday');
  await make.setStock(variant, 90);

  watch.expect(/^409 PUT \/admin\/v1\/stock\//);
  await page.getByRole('button', { name: 'Set stock' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Stock changed while you were editing' });
  assert.match(
    await textOf(alert),
    /The stock was 100 when you started and is now 90. You entered 95. Nothing has been/,
  );
  assert.equal((await make.stock(variant)).quantity, 90);
  assert.equal(await page.getByLabel('Reason').first().inputValue(), 'counted on Sunday');

  const ways = await alert.getByRole('button').allTextContents();
  assert.deepEqual(
    [ways[0], ways.at(-1)],
    ['Keep the current quantity', 'Set to 95 anyway'],
    'overwriting is the last option, not the first',
  );
  await alert.getByRole('button', { name: 'Keep the difference: 90 − 5 = 85' }).click();
  await page.getByText(`${variant.code}: physical stock is 85 now.`).waitFor();
  assert.equal((await make.stock(variant)).quantity, 85);
  await page.getByRole('tab', { name: 'Ledger' }).click();
  const ledger = page.getByRole('region', { name: 'Ledger' });
  await ledger.getByRole('row', { name: 'counted on Sunday' }).getByText('−5').waitFor();
});

test('after a save the next count starts from the saved quantity, even if the page has not read it again yet', async () => {
  const variant = await make.variant(100);
  const page = await visit({ role: 'operator', to: stockPath(variant.code) });
  const readAgain = Promise.withResolvers<void>();
  const api = `**/admin/v1${stockPath(variant.code)}`;
  await page.route(api, async (route) => {
    if (route.request().method() === 'GET') await readAgain.promise;
    await route.continue();
  });
  const count = page.getByLabel('Counted quantity');
  const reason = page.getByLabel('Reason').first();
  const overtaken = page.getByText('Stock changed while you were editing');
  await count.fill('95');
  await reason.fill('counted twice');
  await page.getByRole('button', { name: 'Set stock' }).click();
  await page.getByText(`${variant.code}: physical stock is 95 now.`).waitFor();
  await count.fill('97');
  await reason.fill('found two more');
  await page.getByText('95 → 97 (+2)').waitFor();
  assert.equal(await overtaken.count(), 0);
  const read = page.waitForResponse(api);
  readAgain.resolve();
  await read;
  await settled(page);
  assert.equal(await overtaken.count(), 0);
  await page.getByRole('button', { name: 'Set stock' }).click();
  await page.getByText(`${variant.code}: physical stock is 97 now.`).waitFor();
  assert.equal((await make.stock(variant)).quantity, 97);
});

test('input typed while a count, a difference or first records are being saved stays', async () => {
  const variant = await make.variant(100);
  const page = await visit({ role: 'operator', to: stockPath(variant.code) });
  const reason = page.getByLabel('Reason');
  await page.getByLabel('Counted quantity').fill('90');
  await reason.first().fill('counted');
  await saveSlowly(page, 'Set stock', () => page.getByLabel('Counted quantity').fill('91'));
  await page.getByText(`${variant.code}: physical stock is 90 now.`).waitFor();
  await page.getByText('90 → 91 (+1)').waitFor();
  assert.equal(await reason.first().inputValue(), '', 'it was saved');

  await page.getByText('Add or subtract', { exact: true }).click();
  await page.getByLabel('Difference').fill('10');
  await reason.last().fill('delivery 1');
  await saveSlowly(page, 'Adjust stock', () => reason.last().fill('delivery 2'));
  await page.getByText(`${variant.code}: physical stock is 100 now.`).waitFor();
  assert.equal(await reason.last().inputValue(), 'delivery 2');
  assert.equal(await page.getByLabel('Difference').inputValue(), '', 'it was saved');
});

test('a number field refuses invalid input without rewriting it; a count needs a reason and shows the difference', async () => {
  const variant = await make.variant(100);
  const page = await visit({ role: 'operator', to: stockPath(variant.code) });
  const field = page.getByLabel('Counted quantity');
  const set = page.getByRole('button', { name: 'Set stock' });
  for (const text of ['12.5', '-5', '1e3', '1,200', '12 5', 'x', '2147483648']) {
    await field.fill('');
    await field.pressSequentially(text);
    assert.equal(await field.inputValue(), text);
    assert.equal(await field.getAttribute('aria-invalid'), 'true', text);
    await page.getByText('Enter a whole number from 0').waitFor();
  }
  await set.click();
  await field.fill('１２');
  assert.equal(await field.inputValue(), '１２');
  await page.getByText('100 → 12 (−88)').waitFor();
  await set.click();
  await page.getByText('Please fill this in.').waitFor();
  assert.equal((await make.stock(variant)).quantity, 100, 'nothing was sent');
  await page.getByLabel('Reason').first().fill('shelf 4');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText(`${variant.code}: physical stock is 12 now.`).waitFor();

  // Undo is the opposite adjustment: later changes are preserved.
  await make.setStock(variant, 20);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Undone.').waitFor();
  assert.equal((await make.stock(variant)).quantity, 108);
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await page.getByText('Changed from 20 to 108: Undone: shelf 4').waitFor();
});

test('a count of one item with an earlier time: movements since that time are added', async () => {
  const variant = await make.variant(null);
  const counted = new Date(Date.now() - 3_600_000).toISOString();
  await must(
    service.admin('PUT', `/stock/${variant.code}`, { quantity: 100, counted_at: counted, reason: 'shelf' }),
    200,
  );
  await must(
    service.admin('POST', `/stock/${variant.code}/adjustments`, { delta: -7, reason: 'broken' }),
    200,
  );
  const page = await visit({ role: 'operator', to: stockPath(variant.code) });
  await page.getByLabel('Counted quantity').fill('90');
  const at = page.getByLabel('Counted at');
  await at.fill('yesterday');
  await page.getByLabel('Reason').first().fill('shelf 5');
  const set = page.getByRole('button', { name: 'Set stock' });
  await set.press('Enter');
  await page.getByText('Enter a date and a time such as').waitFor();
  // A minute after the first count, and before the adjustment.
  await at.fill(clockOf(new Date(Date.parse(counted) + 60_000)));
  await page.getByText('plus all movements since then').waitFor();
  await set.press('Enter');
  await page.getByText(`${variant.code}: physical stock is 83 now.`).waitFor();
  assert.equal((await make.stock(variant)).quantity, 83);
});

test('a delivery from a spreadsheet by keyboard: pasted, previewed, saved, undone; problems are listed by line', async () => {
  const [a, b] = [await make.variant(10), await make.variant(null)];
  const page = await visit({ role: 'operator', to: '/stock' });
  await page.getByRole('button', { name: 'Delivery or count' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Enter a delivery' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  const list = dialog.getByLabel('Items and quantities');
  await list.fill(`${a.code}\t5\n${b.code}\t8.5\nnothing\t1\n${a.code}\t2\n${b.code}\t1\t2`);
  await dialog.getByLabel('Reason').fill('Delivery 4711');
  await page.keyboard.press('Enter');
  const problems = dialog.getByRole('region', { name: 'Problems' });
  await problems.waitFor();
  assert.match(await textOf(problems), /2 quantity “8.5” is not a quantity: a whole number/);
  assert.match(await textOf(problems), /3 There is no item nothing\./);
  // The page added a header: line numbers are those of the pasted text, which has none.
  assert.match(await textOf(problems), new RegExp(`4 ${a.code} is on line 1 already\\.`));
  assert.match(await textOf(problems), /5 The line has 3 values and needs 2\./);
  assert.equal(await dialog.getByRole('button', { name: /^Save/ }).count(), 0);
  await assertAccessible(page, 'delivery with problems');
  await dialog.getByRole('button', { name: 'Back' }).press('Enter');
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Delivery 4711');
  await list.fill('Item,Quantity');
  await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
  await dialog.getByText('There are no rows below the header.').waitFor();
  await dialog.getByRole('button', { name: 'Back' }).press('Enter');
  await list.fill(`${a.code}\t5\n${b.code}\t８`);
  await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
  const changes = dialog.getByRole('region', { name: 'Before and after' });
  await changes.waitFor();
  assert.match(await textOf(changes), new RegExp(`${b.code} new 8 \\+8 ${a.code} 10 15 \\+5`));
  assert.equal((await make.stock(a)).quantity, 10, 'a preview changes nothing');
  assert.doesNotMatch(await textOf(dialog), /[-−]0/);
  await dialog.getByRole('button', { name: 'Save 2 rows' }).press('Enter');
  await page.getByText('2 rows saved.').waitFor();
  assert.deepEqual([(await make.stock(a)).quantity, (await make.stock(b)).quantity], [15, 8]);
  // The delivery is undone as a whole; a later removal of stock remains.
  await must(service.admin('POST', `/stock/${a.code}/adjustments`, { delta: -1, reason: 'broken' }), 200);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Undone.').waitFor();
  assert.deepEqual([(await make.stock(a)).quantity, (await make.stock(b)).quantity], [9, 0]);
});

test('a long delivery that is interrupted between two parts says so, and what was saved is taken back', async () => {
  const long = longLists(service);
  const codes = await long.items(502);
  const [first = '', held = '', taken = ''] = [codes[0], ...codes.slice(-2)];
  const quantityOf = async (code: string) => (await make.stock({ code, product: '' })).quantity as number;
  const page = await visit({ role: 'operator', to: '/stock' });
  await page.getByRole('button', { name: 'Delivery or count' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Enter a delivery' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  const list = codes.map((code) => `${code},3`).join('\n');
  await dialog.getByLabel('Items and quantities').fill(list);
  await dialog.getByLabel('Reason').fill('Container 12');
  await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
  const save = dialog.getByRole('button', { name: 'Save 502 rows' });
  await save.waitFor();

  watch.expect(/^409 POST \/admin\/v1\/stock\/import$/);
  const release = await long.hold(held);
  try {
    await save.press('Enter');
    await until(async () => (await quantityOf(first)) === 3);
    // So much that nothing can be added. Its row is not locked yet: rows are locked in the order of their ids.
    await make.setStock({ code: taken, product: '' }, 2_147_483_647);
  } finally {
    await release();
  }
  await dialog.getByText('The list was interrupted after part 1 of 2.').waitFor();
  const takeBack = dialog.getByRole('button', { name: 'Take back what was saved' });
  await takeBack.waitFor();
  assert.equal(await save.count(), 0, 'saving again would add the first part twice');
  assert.equal(await dialog.getByRole('button', { name: 'Back', exact: true }).count(), 0);
  assert.equal(await dialog.getByText('Nothing has been saved yet').count(), 0, 'a part is saved');
  await assertAccessible(page, 'an interrupted delivery');
  assert.deepEqual([await quantityOf(first), await quantityOf(held)], [3, 0]);

  await takeBack.press('Enter');
  await page.getByText('What was saved of the list was taken back.').waitFor();
  assert.equal(await quantityOf(first), 0);
  assert.equal(await dialog.getByLabel('Items and quantities').inputValue(), list, 'to be sent again');
});

test('a count by file that overcommits items says which, and is saved only after a confirmation', async () => {
  const { channel, variant } = await make.setting(30);
  await make.allocate(channel, variant, 9);
  const other = await make.variant(1000);
  const page = await visit({ role: 'operator', to: '/stock' });
  await page.getByRole('button', { name: 'Delivery or count' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Enter a count' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Count', exact: true });
  await dialog.getByLabel('Items and quantities').fill(`${other.code},1\n${variant.code},5`);
  await dialog.getByLabel('Reason').fill('Yearly count');
  await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
  await dialog.getByText('One item would be overcommitted').waitFor();
  const changes = dialog.getByRole('region', { name: 'Before and after' });
  // The overcommitted item comes before the one with the largest change.
  assert.match(
    await textOf(changes),
    new RegExp(`${variant.code} 30 5 −25 Overcommitted by 4 ${other.code} 1,000 1 −999$`),
  );
  await assertAccessible(page, 'a count that overcommits');
  const save = dialog.getByRole('button', { name: 'Save 2 rows' });
  const ask = page.getByRole('dialog', { name: 'Save less than orders and pre-allocations need?' });
  await save.press('Enter');
  assert.match(await textOf(ask), new RegExp(`${variant.code} Overcommitted by 4`));
  assert.doesNotMatch(await textOf(ask), new RegExp(other.code));
  await assertAccessible(page, 'the question before a count that overcommits');
  await ask.getByRole('button', { name: 'Cancel' }).press('Enter');
  await ask.waitFor({ state: 'hidden' });
  assert.equal((await make.stock(variant)).quantity, 30, 'nothing was saved');
  await save.press('Enter');
  await ask.getByRole('button', { name: 'Save anyway' }).press('Enter');
  await page.getByText('2 rows saved.').waitFor();
  // A dialog that is closing takes the focus back, and closes a menu that was opened meanwhile.
  await dialog.waitFor({ state: 'hidden' });
  assert.equal((await make.stock(variant)).quantity, 5);
  // More than before, and still too little: nothing is asked.
  await page.getByRole('button', { name: 'Delivery or count' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Enter a count' }).press('Enter');
  await dialog.getByLabel('Items and quantities').fill(`${variant.code},7`);
  await dialog.getByLabel('Reason').fill('Counted again');
  await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
  await dialog.getByRole('button', { name: 'Save 1 rows' }).press('Enter');
  await page.getByText('1 rows saved.').waitFor();
  assert.equal((await make.stock(variant)).quantity, 7);
  // The next tests count overcommitted items.
  await make.allocate(channel, variant, 0);
});

test('a code that looks like a shortened number is taken as written, in each of the three import dialogs', async () => {
  const { channel, variant } = await make.setting(3);
  const code = '1E+05';
  const odd = await make.variant(null, { code });
  const page = await visit({ role: 'operator', to: '/stock' });
  const dialog = page.getByRole('dialog');
  const take = dialog.getByRole('button', { name: 'Take these values as they are written' });
  await page.getByRole('button', { name: 'Delivery or count' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Enter a delivery' }).press('Enter');
  await dialog.getByLabel('Items and quantities').fill(`${code},8\n${variant.code},no number`);
  await dialog.getByLabel('Reason').fill('Delivery 4712');
  const check = dialog.getByRole('button', { name: 'Preview' });
  await check.press('Enter');
  await take.waitFor();
  await assertAccessible(page, 'a value that looks shortened');
  await take.press('Enter');
  const problems = dialog.getByRole('region', { name: 'Problems' });
  await take.waitFor({ state: 'hidden' });
  // Other problems stay.
  assert.match(await textOf(problems), /2 quantity “no number” is not a quantity/);
  assert.doesNotMatch(await textOf(problems), /shortened/);
  await dialog.getByRole('button', { name: 'Back' }).press('Enter');
  await dialog.getByLabel('Items and quantities').fill(`${code},8`);
  await check.press('Enter');
  await take.press('Enter');
  await dialog.getByRole('button', { name: 'Save 1 rows' }).press('Enter');
  await page.getByText('1 rows saved.').waitFor();
  assert.equal((await make.stock(odd)).quantity, 8);

  await page.goto(address(`/mappings?channel=${channel.id}`));
  await page.getByRole('button', { name: 'Import CSV' }).press('Enter');
  await dialog.getByLabel('Or paste the rows here').fill(`sku,variant_code\n2E+07,${code}`);
  await dialog.getByRole('button', { name: 'Check', exact: true }).press('Enter');
  await take.press('Enter');
  await dialog.getByRole('button', { name: /^Apply/ }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  const mapped = await must(service.admin('GET', `/channels/${channel.id}/mappings?search=2E`), 200);
  assert.deepEqual([mapped.length, mapped[0]?.variant_code], [1, code]);

  await page.goto(address('/allocations'));
  await page.getByRole('button', { name: 'Import CSV' }).press('Enter');
  const head = 'channel_id,variant_code,allocated_qty,reserve_quota';
  await dialog.getByLabel('Or paste the text').fill(`${head}\n${channel.id},${code},2,0`);
  await check.press('Enter');
  await take.press('Enter');
  await dialog.getByRole('button', { name: /^Save/ }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal((await make.stock(odd)).allocated, 2);
});

test('a count in Korean: one older than the last count is refused, a current one is saved', async () => {
  const variant = await make.variant(20);
  const page = await visit({ role: 'operator', to: '/stock', language: 'ko' });
  await page.getByRole('button', { name: '입고·실사 일괄 입력' }).click();
  await page.getByRole('menuitem', { name: '실사 입력' }).click();
  const dialog = page.getByRole('dialog', { name: '실사' });
  await dialog.getByLabel('품목과 수량').fill(`품목,수량\n${variant.code},18`);
  await dialog.getByLabel('사유').fill('연말 실사');
  await dialog.getByLabel('실사 시각').fill('01/02/2020');
  await dialog.getByRole('button', { name: '미리 보기' }).click();
  await dialog.getByText('2026-11-15 09:30처럼').waitFor();
  await dialog.getByLabel('실사 시각').fill('2020-01-01 09:00');
  await dialog.getByRole('button', { name: '미리 보기' }).click();
  const problems = dialog.getByRole('region', { name: '문제' });
  await problems.waitFor();
  assert.match(await textOf(problems), /2 이 품목은 더 나중에\(.*\) 실사했습니다/);
  await dialog.getByRole('button', { name: '뒤로' }).click();
  await dialog.getByLabel('실사 시각').fill('');
  await dialog.getByRole('button', { name: '미리 보기' }).click();
  await dialog.getByRole('button', { name: '1줄 저장' }).click();
  await page.getByText('1줄을 저장했습니다.').waitFor();
  assert.equal((await make.stock(variant)).quantity, 18);
  // Undo reverses only the difference, here -2: later changes are preserved.
  await must(
    service.admin('POST', `/stock/${variant.code}/adjustments`, { delta: 5, reason: 'delivery' }),
    200,
  );
  await page.getByRole('button', { name: '되돌리기' }).press('Enter');
  await page.getByText('되돌렸습니다.').waitFor();
  assert.equal((await make.stock(variant)).quantity, 25);
});

test('undo of a count is refused with the reason if an item was counted again', async () => {
  const [variant, other] = [await make.variant(20), await make.variant(20)];
  const page = await visit({ role: 'operator', to: '/stock' });
  await page.getByRole('button', { name: 'Delivery or count' }).click();
  await page.getByRole('menuitem', { name: 'Enter a count' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Items and quantities').fill(`${variant.code},18\n${other.code},18`);
  await dialog.getByLabel('Reason').fill('shelf 4');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByRole('button', { name: 'Save 2 rows' }).click();
  await page.getByText('2 rows saved.').waitFor();
  await make.setStock(variant, 19);
  watch.expect(/^409 POST \/admin\/v1\/stock\/imports\/\d+\/undo$/);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText(`an item was counted again since (${variant.code})`).waitFor();
  assert.deepEqual([(await make.stock(variant)).quantity, (await make.stock(other)).quantity], [19, 18]);
});

test('items without a stock record are listed, and the records are created in bulk', async () => {
  const prefix = unique('NEW');
  for (const n of [1, 2, 3]) await make.variant(null, { code: `${prefix}-${n}` });
  const page = await visit({ role: 'operator', to: `/stock?show=missing&search=${prefix}` });
  await page.getByRole('rowheader', { name: `${prefix}-3` }).waitFor();
  await page.getByLabel(`Quantity of ${prefix}-2`).fill('12.5');
  await page.getByText('Enter a whole number').waitFor();
  const save = page.getByRole('button', { name: /^Create/ });
  assert.equal(await save.isDisabled(), true);
  await page.getByLabel(`Quantity of ${prefix}-2`).fill('7');
  await saveSlowly(page, 'Create one stock record', () =>
    page.getByLabel(`Quantity of ${prefix}-1`).fill('5'),
  );
  await page.getByRole('rowheader', { name: `${prefix}-2` }).waitFor({ state: 'hidden' });
  assert.equal(await page.getByLabel(`Quantity of ${prefix}-1`).inputValue(), '5', 'typed during the save');
  await page.getByRole('button', { name: 'Fill empty fields with 0' }).click();
  await page.getByRole('button', { name: 'Create 2 stock records' }).click();
  await page.getByText('Stock records created: 2.').waitFor();
  await page.getByText('Nothing matches').waitFor();
  assert.equal((await make.stock({ code: `${prefix}-2`, product: '' })).quantity, 7);
  assert.equal((await make.stock({ code: `${prefix}-3`, product: '' })).quantity, 0);
});

test('barcode, size and colour are edited; a scan opens the item; an item is archived and brought back', async () => {
  const [variant, other] = [await make.variant(0), await make.variant(0)];
  const barcode = unique('88012345');
  const page = await visit({ role: 'operator', to: `${stockPath(variant.code)}?tab=details` });
  await page.getByLabel('Barcode').fill(barcode);
  await page.getByLabel('Barcode').press('Enter'); // as a scanner does
  await page.getByLabel('Size', { exact: true }).fill('L');
  await page.getByLabel('Colour', { exact: true }).fill('검정');
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.getByLabel('Name of attribute 1').fill('base curve');
  await page.getByLabel('Text of attribute 1').fill('8.6');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(`${variant.code} saved.`).waitFor();
  assert.deepEqual((await make.stock(variant)).attributes, {
    size: 'L',
    colour: '검정',
    'base curve': '8.6',
  });
  await assertAccessible(page, 'details');

  await goTo(page, '/stock');
  await page.getByRole('searchbox').fill(barcode);
  await page.getByRole('searchbox').press('Enter');
  await page.getByRole('heading', { level: 1, name: variant.code, exact: true }).waitFor();
  await goTo(page, `${stockPath(other.code)}?tab=details`);
  watch.expect(/^409 PATCH \/admin\/v1\/variants\//);
  await page.getByLabel('Barcode').fill(barcode);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(`The item ${variant.code} has this barcode.`).waitFor();
  await page.getByLabel('Barcode').fill('');

  await page.getByRole('button', { name: 'Archive' }).click();
  const ask = page.getByRole('dialog', { name: `Archive ${other.code}?` });
  await ask.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Bring back' }).waitFor();
  await goTo(page, `/stock?search=${other.code}`);
  assert.equal(await rowsOf(page).count(), 0);
  await page.getByText('Archived', { exact: true }).click();
  await page.getByRole('link', { name: other.code, exact: true }).click();
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Bring back' }).click();
  await page.getByText(`${other.code} is back in the lists.`).waitFor();
  await make.setStock(other, 3);
  watch.expect(/^409 PATCH \/admin\/v1\/variants\//);
  await page.getByRole('button', { name: 'Archive' }).click();
  await ask.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('This item cannot be archived yet: 3 in stock.').waitFor();
});

test('two users edit the details of an item at once: each saves only what was changed there, and sees the other', async () => {
  const variant = await make.variant(0);
  const change = (facts: object) => must(service.admin('PATCH', `/variants/${variant.code}`, facts), 200);
  await change({ attributes: { size: 'M', brand: 'A', material: 'PVC' } });
  const page = await visit({ role: 'operator', to: `${stockPath(variant.code)}?tab=details` });
  await page.getByLabel('Colour', { exact: true }).fill('red');
  await page.getByLabel('Text of attribute 1').fill('B');
  await change({ low_stock_at: 7, attributes: { size: 'L', brand: 'A' } });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(`${variant.code} saved.`).waitFor();
  const { low_stock_at, attributes } = await make.stock(variant);
  assert.deepEqual([low_stock_at, attributes], [7, { size: 'L', brand: 'B', colour: 'red' }]);
  await eventually(async () =>
    assert.equal(await page.getByLabel('Size', { exact: true }).inputValue(), 'L'),
  );
  assert.equal(await page.getByLabel('Low stock at').inputValue(), '7');
  await page.getByLabel('Barcode').fill('8801');
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  assert.deepEqual((await sent).postDataJSON(), { barcode: '8801' }, 'no attributes, because none was typed');
  await eventually(async () => assert.equal((await make.stock(variant)).barcode, '8801'));
});

test('typed details are kept on another tab of the item, and leaving the page from there asks first', async () => {
  const { code } = await make.variant(1);
  const page = await visit({ role: 'operator', to: `${stockPath(code)}?tab=details` });
  const colour = page.getByRole('textbox', { name: 'Colour', exact: true });
  await colour.fill('mint');
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await page.getByRole('row', { name: 'set-up' }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Couriers' }).click();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('tab', { name: 'Details' }).click();
  assert.equal(await colour.inputValue(), 'mint');
});

test('items whose codes have odd characters are found in the list, opened, reloaded and changed', async () => {
  const page = await visit({ role: 'operator', to: '/couriers' });
  for (const code of ['GX/1 50%', '렌즈 좌/우 %2F', 'a?b#c&d=e+f;g"h']) {
    const variant = await make.variant(3, { code: `${code} ${unique('x')}` });
    await goTo(page, `/stock?search=${encodeURIComponent(variant.code)}`);
    assert.equal(await page.getByRole('searchbox').inputValue(), variant.code);
    await page.getByRole('link', { name: variant.code, exact: true }).click();
    const title = page.getByRole('heading', { level: 1, name: variant.code, exact: true });
    await title.waitFor();
    assert.equal(page.url(), address(stockPath(variant.code)));
    await page.reload();
    await title.waitFor();
    await page.getByLabel('Counted quantity').fill('7');
    await page.getByLabel('Reason').first().fill('count');
    await page.getByRole('button', { name: 'Set stock' }).click();
    await page.getByText(`${variant.code}: physical stock is 7 now.`).waitFor();
    assert.equal((await make.stock(variant)).quantity, 7);
  }
});

test('a link to a filtered list shows its filters and only the matching rows', async () => {
  const { channel, sku } = await make.setting();
  const paid = orderOf([{ sku, quantity: 1, unit_price: 500 }]);
  const unpaid = orderOf([{ sku, quantity: 1, unit_price: 500 }], { status: 0 });
  for (const order of [paid, unpaid]) await must(channel.call('POST', '/orders', order), 201);

  const page = await visit({ role: 'viewer', to: `/orders?channel_id=${channel.id}&status=0` });
  assert.equal(await rowsOf(page).count(), 1);
  await page.getByRole('rowheader', { name: unpaid.order_number }).waitFor();
  // Channel names are loaded separately.
  await eventually(async () =>
    assert.match(await page.getByRole('combobox', { name: 'Channel' }).inputValue(), /^channel-/),
  );
  assert.match(await textOf(page.locator('.orders-statuses')), /Awaiting payment/);
  await page.getByRole('button', { name: 'Reset filters' }).click();
  await page.getByRole('rowheader', { name: paid.order_number }).waitFor();
  assert.equal(new URL(page.url()).search, '');

  const code = unique('SHARED');
  await make.variant(0, { code: `${code}-A` });
  await make.variant(5, { code: `${code}-B` });
  await page.goto(address(`/stock?below=1&search=${code}`));
  await settled(page);
  assert.equal(await page.getByLabel('Common below').inputValue(), '1');
  assert.equal(await page.getByRole('searchbox').inputValue(), code);
  assert.equal(await rowsOf(page).count(), 1, 'one of the two is sold out');
});

test('an overcommitted item is linked from the overview and marked on every screen; overcommitting further asks first', async () => {
  const { channel, variant, sku } = await make.setting(4, { name: 'Shop D' });
  // Before the first order the overview shows no figures.
  const first = orderOf([{ sku, quantity: 1, unit_price: 500 }]);
  await must(channel.call('POST', '/orders', first), 201);
  await must(channel.call('POST', `/orders/${first.order_number}/status`, { status: 88 }), 200);
  await make.allocate(channel, variant, 9);
  const page = await visit({ role: 'operator', to: '/' });
  await page.getByRole('link', { name: 'One item is overcommitted' }).click();
  await page.getByRole('rowheader', { name: variant.code }).waitFor();
  assert.equal(await page.getByRole('checkbox', { name: 'Overcommitted only' }).isChecked(), true);
  assert.equal(await rowsOf(page).count(), 1, 'no other item is overcommitted');
  assert.match(await textOf(rowsOf(page).first()), /Overcommitted by 5/);

  await page.getByRole('link', { name: variant.code, exact: true }).click();
  const formula = page.getByRole('region', { name: 'Available for sale' });
  await formula.getByText('Overcommitted by 5').waitFor();
  assert.match(await textOf(formula), /Shop D: 0 \+ 9 → 4 \(limited by physical stock\)/);

  await page.getByRole('link', { name: 'Edit allocations' }).click();
  await page.getByText('Overcommitted by 5: pre-allocations 9 + unshipped 0').waitFor();
  await page.goBack();
  // A count that leaves less than is promised is announced, and confirmed, before it is saved.
  await page.getByLabel('Counted quantity').fill('3');
  await page.getByText('Unshipped orders need 0 and allocations 9: 6 more than this quantity.').waitFor();
  await page.getByLabel('Reason').first().fill('counted');
  await page.getByRole('button', { name: 'Set stock' }).click();
  const sure = page.getByRole('dialog', { name: 'Set the physical stock to 3?' });
  await sure.getByRole('button', { name: 'Cancel' }).click();
  await sure.waitFor({ state: 'hidden' });
  assert.equal((await make.stock(variant)).quantity, 4, 'nothing was saved');
  await page.getByLabel('Counted quantity').fill('4');
  await page.getByLabel('Reason').first().fill('');
  await page.getByLabel('Counted quantity').fill('');
  await page.getByRole('link', { name: 'Edit allocations' }).click();
  const cell = page.getByLabel(`Pre-allocation of ${variant.code} for Shop D`);
  const allocated = async () => (await make.stock(variant)).allocated as number;
  const ask = page.getByRole('dialog', { name: 'Allocate more than the stock?' });
  await cell.fill('8');
  await cell.press('Enter');
  await page.getByText('One change saved.').waitFor();
  assert.equal(await allocated(), 8, 'less is saved without a question');
  await cell.fill('12');
  await cell.press('Enter');
  assert.match(
    await textOf(ask),
    /Overcommitted by 8: pre-allocations 12 \+ unshipped 0 exceed the physical stock 4/,
  );
  await ask.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('Overcommitted by 8').first().waitFor();
  await ask.waitFor({ state: 'hidden' });
  await eventually(async () => assert.equal(await allocated(), 12));
});
