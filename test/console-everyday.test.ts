// Everyday features: undo, archive, dialogs that keep unsaved input, the command palette, and an unreachable service.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible, goTo, NARROW, settled, startConsole, textOf } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { must, orderOf, unique } from '../verify/kit/fixtures.ts';

const { service, make, test, visit, watch } = await startConsole();
const skusOf = async (id: number): Promise<string[]> =>
  (await must(service.admin('GET', `/channels/${id}/mappings`), 200)).map(({ sku }: { sku: string }) => sku);
const RECIPIENT = { recipient_name: 'a', recipient_phone: '1', shipping_address: 'b' };
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' }).last().press('Enter');

test('several SKUs are unmapped by keyboard; Undo maps them again', async () => {
  const { channel, variant, sku } = await make.setting(3);
  const other = await make.map(channel, variant);
  const page = await visit({ role: 'operator', to: `/mappings?channel=${channel.id}` });
  for (const each of [sku, other])
    await page.getByRole('checkbox', { name: `Select ${each}` }).press('Space');
  await page.getByRole('button', { name: 'Unmap 2' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Unmap 2 SKUs?' })
    .getByRole('button', { name: 'Remove' })
    .press('Enter');
  await page.getByText('2 SKUs unmapped.').waitFor();
  assert.deepEqual(await skusOf(channel.id), []);
  await undo(page);
  await page.getByText('Undone.').waitFor();
  assert.deepEqual(await skusOf(channel.id), [sku, other].toSorted());
  await page.getByRole('checkbox', { name: `Select ${sku}` }).waitFor();
});

test('an archived channel is hidden from the list and is brought back by Undo or from the archive', async () => {
  const name = unique('Old Shop');
  const { id } = await make.channel({ name });
  const state = async () => {
    const { archived, is_active } = await must(service.admin('GET', `/channels/${id}`), 200);
    return [archived, is_active] as boolean[];
  };
  const page = await visit({ role: 'admin', to: `/channels/${id}` });
  const archive = async () => {
    await page.getByRole('button', { name: 'Archive', exact: true }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).press('Enter');
    await page.getByRole('button', { name: 'Bring back' }).waitFor();
  };
  await archive();
  assert.deepEqual(await state(), [true, false]);
  await undo(page);
  await page.getByText('Undone.').waitFor();
  assert.deepEqual(await state(), [false, true]);
  await archive();
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor();
  await settled(page);
  assert.equal(await page.getByRole('link', { name }).count(), 0);
  await page.getByRole('switch', { name: 'Show archived channels' }).press('Space');
  await page.getByRole('link', { name }).press('Enter');
  await page.getByRole('button', { name: 'Bring back' }).press('Enter');
  await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
  assert.deepEqual(await state(), [false, false]);
});

test('a rate is withdrawn; Undo adds it again', async () => {
  const rates = () => must(service.admin('GET', '/exchange-rates?currency_code=SEK'), 200);
  for (const rate of ['130', '1300'])
    await must(service.admin('POST', '/exchange-rates', { currency_code: 'SEK', rate }), 201);
  const page = await visit({ role: 'operator', to: '/exchange-rates?currency_code=SEK' });
  await page.getByRole('button', { name: 'Withdraw the rate ₩1,300', exact: true }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).press('Enter');
  await page.getByText('Rate ₩1,300 withdrawn.').waitFor();
  assert.deepEqual(
    (await rates()).map(({ rate }: { rate: string }) => rate),
    ['130'],
  );
  await undo(page);
  await page.getByText('Undone.').waitFor();
  assert.equal((await rates()).length, 2);

  // The time has the same form in every language and browser.
  await page.getByRole('button', { name: 'Add rate' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Currency' }).fill('SEK');
  await page.getByRole('option', { name: /^SEK/ }).click();
  await dialog.getByLabel('Rate', { exact: true }).fill('131');
  await dialog.getByLabel('Effective from').fill('01/02/2030');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('Enter a date and a time such as').waitFor();
  await dialog.getByLabel('Effective from').fill('2030-01-02 09:30');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByText('Rate of SEK added.').waitFor();
  assert.ok(
    (await rates()).some(
      ({ effective_at }: { effective_at: string }) => effective_at === '2030-01-02T09:30:00+09:00',
    ),
  );
});

test('after a dialog the focus is on the button that opened it, or on the heading if the button is gone', async () => {
  const { channel, sku } = await make.setting(1);
  const { id } = await must(
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 10 }])),
    201,
  );
  const page = await visit({ role: 'admin', to: `/orders/${id}` });
  const dialog = page.getByRole('dialog');
  const hasFocus = (target: Locator) =>
    eventually(async () => assert.ok(await target.evaluate((element) => element.matches(':focus'))));
  const opener = page.getByRole('button', { name: 'Cancel order' });
  await opener.press('Enter');
  await hasFocus(dialog.getByRole('textbox'));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await hasFocus(opener);
  await opener.press('Enter');
  await hasFocus(dialog.getByRole('textbox'));
  await dialog.getByRole('button', { name: 'Cancel order' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await opener.waitFor({ state: 'hidden' });
  await hasFocus(page.getByRole('heading', { level: 1 }));
});

test('Esc in a dialog asks before discarding input; an untouched dialog closes immediately', async () => {
  const page = await visit({ role: 'admin', to: '/couriers' });
  const dialog = page.getByRole('dialog', { name: 'Add courier' });
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  const open = () => page.getByRole('button', { name: 'Add courier' }).first().press('Enter');
  await open();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await open();
  await dialog.getByLabel('Name').fill('Fast Post');
  await page.keyboard.press('Escape');
  await question.waitFor();
  await assertAccessible(page, 'the question');
  // Esc in the question means no: the input stays.
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Fast Post');
  await dialog.getByLabel('Name').press('Escape');
  await question.getByRole('button', { name: 'Discard' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
});

test('the dialogs for the carrier’s list, returns and allocations also ask before discarding input', async () => {
  const { channel, sku } = await make.setting(3);
  const order = { ...RECIPIENT, order_number: unique('BACK'), items: [{ sku, quantity: 1, unit_price: 1 }] };
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  await must(service.admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: 'T1' }), 200);
  const page = await visit({ role: 'operator', to: '/orders?list=1' });
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  const dialogs: [to: string, open: string, field: string, text: string][] = [
    ['/orders?list=1', '', 'Paste the list', 'A-1'],
    [`/orders/${id}`, 'Return goods', 'Reason', 'broken'],
    ['/allocations', 'Fill a column', 'Number for every item', '5'],
    ['/allocations', 'Import CSV', 'Or paste the text', 'a,b'],
  ];
  for (const [to, open, field, text] of dialogs) {
    await goTo(page, to);
    if (open !== '') await page.getByRole('button', { name: open }).press('Enter');
    const typed = page.getByRole('dialog').getByLabel(field);
    await typed.fill(text);
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    assert.equal(await typed.inputValue(), text);
    await typed.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).press('Enter');
    await typed.waitFor({ state: 'hidden' });
  }
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 201);
  await goTo(page, `/orders?channel_id=${channel.id}&status=1`);
  await page.getByRole('checkbox', { name: 'Select all shown rows' }).press('Space');
  await page.getByRole('button', { name: 'Cancel order' }).press('Enter');
  const reason = page.getByRole('dialog').getByLabel('Reason');
  await reason.fill('out of fashion');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).press('Enter');
  await reason.waitFor({ state: 'hidden' });
});

test('Ctrl-K finds screens, actions, orders, items, SKUs and channels by keyboard only', async () => {
  const name = unique('민준 상점');
  const { channel, variant, sku } = await make.setting(3, { name });
  const order = { ...RECIPIENT, order_number: unique('FIND') };
  await must(
    channel.call('POST', '/orders', { ...order, items: [{ sku, quantity: 1, unit_price: 1 }] }),
    201,
  );
  await service.service.services.orderIndexer.catchUp();
  const page = await visit({ role: 'operator', to: '/audit' });
  const palette = page.getByRole('dialog', { name: 'Search everything' });
  const field = palette.getByRole('textbox', { name: 'Search everything' });
  const go = async (text: string, hit: string, heading: string) => {
    await page.keyboard.press('Control+K');
    await field.fill(text);
    await palette.getByRole('button', { name: hit }).first().waitFor();
    await palette.getByRole('status').filter({ hasText: hit }).waitFor({ state: 'attached' });
    if (text === name) await assertAccessible(page, 'the palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await palette.waitFor({ state: 'hidden' });
  };
  await go('Rejected', 'Rejected orders', 'Rejected orders');
  await go(order.order_number, order.order_number, order.order_number);
  await go(name, name, name);
  await go(`ㅁㅈ ㅅㅈ${name.slice('민준 상점'.length)}`, name, name);
  await go(variant.code, variant.code, variant.code);
  await go(sku, sku, variant.code);
  await go('delivery', 'Enter a delivery', 'Stock');
  await page.getByRole('dialog', { name: 'Delivery' }).waitFor();
  // A viewer does not see actions that would be refused.
  const korean = await visit({ role: 'viewer', to: '/audit', language: 'ko' });
  await korean.getByRole('button', { name: '전체 검색' }).press('Enter');
  await korean.getByRole('textbox', { name: '전체 검색' }).fill('ㄱㅈ');
  await korean.getByRole('button', { name: '거절된 주문' }).waitFor();
  await korean.getByRole('textbox', { name: '전체 검색' }).fill('입고');
  await korean.getByText('찾는 항목이 없습니다').waitFor();
});

test('an unreachable service is announced on the page, and a screen that is not loaded yet waits for it', async () => {
  const page = await visit({ role: 'operator', to: '/orders' });
  const banner = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' });
  watch.isAway = true;
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await banner.waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Backorders' }).click();
  await eventually(async () => assert.match(page.url(), /\/console\/backorders$/));
  await banner.waitFor();
  assert.ok(await page.getByRole('navigation').isVisible(), 'the console is still there');
  await page.context().setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Backorders' }).waitFor();
  await banner.waitFor({ state: 'hidden' });
  await settled(page);
  watch.isAway = false;
});

test('a delivery whose answer never arrives: the page says that it may be done, keeps the input, and shows the stock of now', async () => {
  const variant = await make.variant(100);
  const page = await visit({ role: 'operator', to: `/stock/${variant.code}` });
  const banner = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' });
  await page.getByText('Add or subtract', { exact: true }).click();
  await page.getByLabel('Difference').fill('10');
  await page.getByLabel('Reason').last().fill('delivery 4711');
  // The connection is lost without a sign after the request has been sent: neither answers nor errors arrive any more.
  watch.isAway = true;
  let isLost = true;
  await page.route(`**/adjustments`, async (route) => void (await route.fetch()));
  await page.route('**/healthz', (route) => (isLost ? route.abort() : route.continue()));
  await page.evaluate(() => {
    const browser = globalThis as unknown as { setInterval: (run: () => void, ms: number) => number };
    const { setInterval } = browser;
    browser.setInterval = (run, ms) => setInterval(run, ms / 100);
  });
  await page.getByRole('button', { name: 'Adjust stock' }).click();
  await page.getByText('No answer from the service. It may have been done nevertheless').waitFor();
  await banner.waitFor();
  assert.equal(await page.getByLabel('Difference').inputValue(), '10');
  isLost = false;
  await banner.waitFor({ state: 'hidden' });
  await page.getByText('110 + 10 = 120').waitFor();
  assert.equal((await make.stock(variant)).quantity, 110);
  watch.isAway = false;
});

test('a change that fails after its dialog was closed is reported nevertheless, in Korean', async () => {
  const page = await visit({ role: 'admin', to: '/couriers', language: 'ko' });
  const answer = Promise.withResolvers<void>();
  await page.route('**/common-codes/**', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await answer.promise;
    await route.fulfill({ status: 503, json: { error: 'Please send it again.', code: 'overloaded' } });
  });
  watch.expect(/^503 PUT \/admin\/v1\/common-codes/);
  await page.getByRole('button', { name: '택배사 추가' }).first().press('Enter');
  const dialog = page.getByRole('dialog', { name: '택배사 추가' });
  await dialog.getByLabel('코드').fill('SLOW');
  await dialog.getByLabel('이름').fill('느린 택배');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: '취소' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  answer.resolve();
  await page.getByRole('alert').filter({ hasText: '서비스가 바쁩니다.' }).waitFor();

  watch.expect(/^422 GET \/admin\/v1\/refusals/);
  await goTo(page, '/refusals?from=yesterday');
  await page.getByRole('alert').filter({ hasText: '입력한 값을 확인하세요.' }).waitFor();
});

test('a country is found by its Korean name and by the beginning of its English name', async () => {
  const page = await visit({ role: 'admin', to: '/channels?new=1' });
  const country = page.getByRole('dialog').getByRole('combobox', { name: 'Country' });
  for (const typed of ['한국', 'kor', '대한', 'ㄷㅎㅁㄱ', 'south k']) {
    await country.fill(typed);
    await eventually(async () =>
      assert.match(await textOf(page.getByRole('option').first()), /^South Korea \(KR\)/, typed),
    );
  }
});

test("on a phone Esc closes the menu; an operator's overview has no batch and queue figures", async () => {
  const { channel, sku } = await make.setting(3);
  const order = { ...RECIPIENT, order_number: unique('O') };
  await must(
    channel.call('POST', '/orders', { ...order, items: [{ sku, quantity: 1, unit_price: 1 }] }),
    201,
  );
  const page = await visit({ role: 'operator', to: '/', size: NARROW });
  for (const language of ['English', '한국어']) {
    const account = await page.locator('.shell-head button[aria-haspopup="menu"]').boundingBox();
    assert.ok(account && account.x + account.width <= NARROW.width, 'the account button is visible');
    await page.getByRole('button', { name: /English|한국어/ }).click();
    await page.getByRole('button', { name: language === 'English' ? 'English' : '한국어' }).waitFor();
  }
  const menu = page.getByRole('button', { name: 'Menu' }).first();
  await menu.press('Enter');
  const link = page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Stock' });
  await eventually(async () => assert.ok(await link.isVisible()));
  await page.keyboard.press('Escape');
  await eventually(async () => assert.equal(await menu.getAttribute('aria-expanded'), 'false'));
  await page.getByRole('heading', { name: 'Reconciliation' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Batches and queue' }).count(), 0);
  const admin = await visit({ role: 'admin', to: '/' });
  await admin.getByRole('heading', { name: 'Batches and queue' }).waitFor();
});
