// Everyday features: undo, archive, dialogs that keep unsaved input, the command palette, an unreachable service, odd
// names, and two users who change the same thing at once.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import {
  assertAccessible,
  assertFits,
  goTo,
  NARROW,
  settled,
  startConsole,
  textOf,
  type BrowserGlobals,
} from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { must, orderOf, unique } from '../verify/kit/fixtures.ts';

const { service, make, test, visit, watch, account } = await startConsole();
const skusOf = async (id: number): Promise<string[]> =>
  (await must(service.admin('GET', `/channels/${id}/mappings`), 200)).map(({ sku }: { sku: string }) => sku);
const RECIPIENT = { recipient_name: 'a', recipient_phone: '1', shipping_address: 'b' };
const saveIn = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter');
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
  await page.getByRole('heading', { level: 1 }).getByText('Archived').waitFor();
  // Both buttons would be refused: an archived channel cannot be active.
  for (const button of await page.getByRole('button', { name: 'Activate' }).all())
    assert.equal(await button.isDisabled(), true);
  await undo(page);
  await page.getByText('Undone.').waitFor();
  assert.deepEqual(await state(), [false, true]);
  await archive();
  await page.getByRole('button', { name: 'Bring back' }).press('Enter');
  await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
  await settled(page);
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 1, 'the former Undo is gone');
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
  await dialog.getByLabel('Rate', { exact: true }).fill('1310');
  await dialog.getByLabel('Effective from').fill('01/02/2030');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('Enter a date and a time such as').waitFor();
  await dialog.getByLabel('Effective from').fill('2030-01-02 09:30');
  // The current rate is 130: a rate that is ten times higher asks first, and can be undone.
  await dialog.getByRole('button', { name: 'Add' }).click();
  const sure = page.getByRole('dialog', { name: 'Is this rate right?' });
  assert.match(await textOf(sure), /The current rate of SEK is 130, the new one 1,310 \(\+907\.7%\)\./);
  await sure.getByRole('button', { name: 'Cancel' }).click();
  await sure.waitFor({ state: 'hidden' });
  assert.equal((await rates()).length, 2, 'nothing was added');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await sure.getByRole('button', { name: 'Yes, 1,310 is right' }).click();
  await page.getByText('Rate of SEK added.').waitFor();
  await undo(page);
  await eventually(async () => assert.equal((await rates()).length, 2, 'undone'));
  await page.getByRole('button', { name: 'Add rate' }).first().click();
  await dialog.getByRole('combobox', { name: 'Currency' }).fill('SEK');
  await page.getByRole('option', { name: /^SEK/ }).click();
  await dialog.getByLabel('Rate', { exact: true }).fill('131');
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

test('Esc closes a dialog, also one of a menu; the focus of a removed row goes to the row in its place, then to the heading', async () => {
  const { channel, variant, sku } = await make.setting(3);
  const other = await make.map(channel, variant);
  await make.allocate(channel, variant, 1);
  await make.map(await make.channel(), variant);
  const user = await account('viewer');
  for (const order_number of [unique('LOST'), unique('LOST')]) {
    const order = orderOf([{ sku, quantity: 99, unit_price: 1 }], { order_number });
    await must(channel.call('POST', '/orders', order), 422);
  }
  await service.service.flush();
  const page = await visit({ role: 'admin', to: '/couriers' });
  const dialog = page.getByRole('dialog');
  const hasFocus = (target: Locator) =>
    eventually(async () => assert.ok(await target.evaluate((element) => element.matches(':focus'))));
  const openers: [to: string, opener: string | RegExp, item?: string][] = [
    ['/users', `Actions for ${user.email}`, 'Edit'],
    ['/alerts?tab=rules', 'Change the rule: Channel silent'],
    ['/account', /^End session/],
    [`/allocations?search=${variant.code}`, /^Move/],
  ];
  for (const [to, name, item] of openers) {
    await goTo(page, to);
    const opener = page.getByRole('button', { name }).first();
    await opener.press('Enter');
    if (item !== undefined) await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
    await dialog.waitFor();
    await eventually(async () => assert.equal(await dialog.locator(':focus').count(), 1));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await hasFocus(opener);
  }
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const [first = '', second = ''] = [sku, other].toSorted();
  await goTo(page, `/mappings?channel=${channel.id}`);
  for (const [removed, next] of [
    [first, row(second)],
    [second, page.getByRole('heading', { level: 1 })],
  ] as const) {
    await page.getByRole('button', { name: `Remove ${removed}` }).press('Enter');
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
    await hasFocus(next);
  }
  // Without a question: Enter that is held down must not remove the next one, too.
  await goTo(page, `/refusals?channel_id=${channel.id}`);
  await page
    .getByRole('button', { name: /from the list$/ })
    .first()
    .press('Enter');
  await hasFocus(row('LOST'));
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
  const order = { ...RECIPIENT, recipient_name: unique('Recipient'), order_number: unique('FIND') };
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
  await go('cancel', 'Orders: Cancelled', 'Orders');
  await page.waitForURL(/status=88/);
  await go('delivery', 'Enter a delivery', 'Stock');
  await page.getByRole('dialog', { name: 'Delivery' }).waitFor();
  // A hit for a recipient shows the recipient.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+K');
  await field.fill(order.recipient_name);
  await palette.getByRole('button', { name: `${order.order_number} ${order.recipient_name}` }).waitFor();
  await page.keyboard.press('Escape');
  const chief = await visit({ role: 'admin', to: '/audit' });
  await chief.keyboard.press('Control+K');
  await chief.getByRole('textbox', { name: 'Search everything' }).fill('new channel');
  await chief.getByRole('button', { name: 'Create a channel' }).waitFor();
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
    const menuButton = await page.locator('.shell-head button[aria-haspopup="menu"]').boundingBox();
    assert.ok(menuButton && menuButton.x + menuButton.width <= NARROW.width, 'the account button is visible');
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

test('names without spaces and from right to left break no layout, hide no number and turn no text around them', async () => {
  const long = `${unique('W')}${'W'.repeat(80)}`;
  const turned = `${unique('A')}\u{202e}B`;
  const channel = await make.channel({ name: long });
  const variant = await make.variant(9, { code: long, name: long.repeat(2) });
  await make.map(channel, variant, turned);
  await make.map(channel, variant, long);
  const person = { ...PERSON, recipient_name: long, recipient_phone: '5', shipping_address: long };
  const [id, other] = await Promise.all(
    [long, turned].map(async (order_number) => {
      const order = { ...person, order_number, items: [{ sku: long, quantity: 1, unit_price: 1 }] };
      return (await must(channel.call('POST', '/orders', order), 201)).id as number;
    }),
  );
  const page = await visit({ role: 'operator', to: `/allocations?search=${long}` });
  const isCut = (selector: string) =>
    page.evaluate((one) => {
      const { document } = globalThis as unknown as BrowserGlobals;
      return [...document.querySelectorAll(one)].some(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      );
    }, selector);
  await page.getByRole('link', { name: variant.code }).waitFor();
  assert.equal(await isCut('.allocations-item, .data-table-scroll'), false);
  await goTo(page, `/packing?ids=${id},${other}`);
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  assert.equal(await isCut('.paper'), false);
  await goTo(page, `/orders/${id}`);
  const same = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: turned }) });
  const [link, badge] = [same.getByRole('link'), same.getByText('Paid')].map((one) => one.boundingBox());
  const [linkBox, badgeBox] = [await link, await badge];
  assert.ok(linkBox && badgeBox && linkBox.x + linkBox.width <= badgeBox.x);
  await must(service.admin('POST', `/stock/${long}/adjustments`, { delta: 1, reason: turned }), 200);
  await goTo(page, '/audit');
  await page.locator('bdi').filter({ hasText: turned }).first().waitFor();
  await page.setViewportSize(NARROW);
  const paths = ['/', `/orders/${id}`, `/stock/${long}`, `/allocations?search=${long}`, '/refusals'];
  for (const to of paths) {
    await goTo(page, to);
    await assertFits(page, to);
    assert.equal(await isCut('.data-table-scroll, .mantine-Paper-root'), false, to);
  }
});

// While a page shows a form or a list, another user changes what it shows.

test('two administrators at once: the name of an account keeps its new role, and rules keep the other fields', async () => {
  const user = await account('admin');
  const page = await visit({ role: 'admin', to: '/users' });
  await page.getByRole('button', { name: `Actions for ${user.email}` }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Name').fill('Kim');
  await must(service.admin('PATCH', `/users/${user.id}`, { role: 'viewer' }), 200);
  await saveIn(page);
  await page.getByText(`${user.email} saved.`).waitFor();
  const users = await must(service.admin('GET', '/users?limit=500'), 200);
  const { name, role } = users.find(({ id }: { id: number }) => id === user.id);
  assert.deepEqual([name, role], ['Kim', 'viewer']);

  await must(service.admin('PUT', '/second-factor-rule', { roles: ['viewer'] }), 200);
  await page.getByRole('checkbox', { name: 'Operator' }).press('Space');
  await page.getByText('Saved.', { exact: true }).waitFor();
  const { roles } = await must(service.admin('GET', '/second-factor-rule'), 200);
  assert.deepEqual(roles.toSorted(), ['operator', 'viewer']);
  await must(service.admin('PUT', '/second-factor-rule', { roles: [] }), 200);

  await goTo(page, '/alerts?tab=rules');
  await page.getByRole('button', { name: 'Change the rule: Unmapped SKU requested' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Hours').fill('36');
  await must(service.admin('PUT', '/alert-rules/unmapped_sku', { enabled: false, requests: 7 }), 200);
  await saveIn(page);
  await page.getByText('Rule saved.').waitFor();
  assert.deepEqual(await must(service.admin('GET', '/alert-rules/unmapped_sku'), 200), {
    kind: 'unmapped_sku',
    enabled: false,
    requests: 7,
    hours: 36,
  });
});

test('settings of the rate source that another administrator has changed are not overwritten', async () => {
  const source = { kind: 'json', url: 'https://a.example.com/{currency}', currencies: ['USD'], path: 'rate' };
  await must(service.admin('PUT', '/exchange-rate-source', source), 200);
  const page = await visit({ role: 'admin', to: '/exchange-rates' });
  const change = page.getByRole('button', { name: 'Settings' });
  await change.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Every … minutes').fill('77');
  const theirs = { ...source, url: 'https://b.example.com/{currency}', per_units: 100 };
  await must(service.admin('PUT', '/exchange-rate-source', theirs), 200);
  await saveIn(page);
  await dialog.getByText('Another user has changed these settings meanwhile.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await change.press('Enter');
  await eventually(async () => assert.equal(await dialog.getByLabel('Address').inputValue(), theirs.url));
  await dialog.getByLabel('Every … minutes').fill('77');
  await saveIn(page);
  await page.getByText('The source of exchange rates is saved.').waitFor();
  const { url, per_units, every_minutes } = await must(service.admin('GET', '/exchange-rate-source'), 200);
  assert.deepEqual([url, per_units, every_minutes], [theirs.url, 100, 77]);
  await must(service.admin('PUT', '/exchange-rate-source', { kind: 'none', currencies: [] }), 200);
});

test('two administrators change the addresses and the limit of a channel at once: both changes are kept', async () => {
  const { id } = await make.channel({ allowed_addresses: ['192.0.2.1', '192.0.2.2'] });
  const read = () => must(service.admin('GET', `/channels/${id}`), 200);
  await must(
    service.admin('PUT', `/channels/${id}/rate-limit`, { requests_per_minute: 600, burst: 10 }),
    200,
  );
  const page = await visit({ role: 'admin', to: `/channels/${id}` });
  const addresses = page.getByLabel('Allowed addresses');
  await addresses.fill('192.0.2.1\n192.0.2.2\n192.0.2.3');
  await page.getByLabel('Burst').fill('20');
  await must(
    service.admin('PATCH', `/channels/${id}`, { allowed_addresses: ['192.0.2.2', '192.0.2.4'] }),
    200,
  );
  await must(
    service.admin('PUT', `/channels/${id}/rate-limit`, { requests_per_minute: 900, burst: 10 }),
    200,
  );
  await page.getByRole('button', { name: 'Save addresses' }).press('Enter');
  await page.getByText('Allowed addresses saved.').waitFor();
  assert.equal(await addresses.inputValue(), '192.0.2.2\n192.0.2.3\n192.0.2.4');
  assert.deepEqual((await read()).allowed_addresses, ['192.0.2.2', '192.0.2.3', '192.0.2.4']);
  await page.getByRole('button', { name: 'Save limit' }).press('Enter');
  await eventually(async () =>
    assert.deepEqual((await read()).rate_limit, { requests_per_minute: 900, burst: 20 }),
  );
});

test('two operators edit couriers at once: other fields are kept, and a deleted or added code is reported', async () => {
  const path = '/common-codes/DELIVERY_COMPANY';
  const url = 'https://example.com/?no={tracking_number}';
  const put = (code: string, fields: object) => must(service.admin('PUT', `${path}/${code}`, fields), 200);
  const stored = async (code: string) =>
    (await must(service.admin('GET', `${path}?limit=500`), 200)).find(
      (one: { code: string }) => one.code === code,
    );
  const [first, second, third] = [unique('C'), unique('C'), unique('C')];
  for (const code of [first, second]) await put(code, { name: 'Old' });
  const page = await visit({ role: 'operator', to: '/couriers' });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: `Edit ${first}` }).press('Enter');
  await dialog.getByLabel('Name').fill('New');
  await put(first, { name: 'Old', tracking_url: url });
  await saveIn(page);
  await page.getByText(`${first} saved.`).waitFor();
  assert.deepEqual(await stored(first), { code: first, name: 'New', tracking_url: url, aliases: [] });
  await page.getByRole('button', { name: `Edit ${first}` }).press('Enter');
  await dialog.getByLabel('Tracking page').fill('');
  await put(first, { name: 'Newest' });
  await saveIn(page);
  await eventually(async () =>
    assert.deepEqual(await stored(first), { code: first, name: 'Newest', tracking_url: null, aliases: [] }),
  );
  await page.getByRole('row').filter({ hasText: 'Newest' }).waitFor();

  await page.getByRole('button', { name: `Edit ${second}` }).press('Enter');
  await dialog.getByLabel('Name').fill('New');
  await must(service.admin('DELETE', `${path}/${second}`), 204);
  await saveIn(page);
  await dialog.getByText(`${second} was deleted by another user.`).waitFor();
  assert.equal(await stored(second), undefined);
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.getByRole('row').filter({ hasText: second }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Add courier' }).press('Enter');
  await dialog.getByLabel('Code').fill(third);
  await dialog.getByLabel('Name').fill('Mine');
  await put(third, { name: 'Theirs' });
  await saveIn(page);
  await dialog.getByText('This code already exists.').waitFor();
  assert.equal((await stored(third)).name, 'Theirs');
});

test('first stock that another operator has entered meanwhile is not set to 0', async () => {
  const prefix = unique('FIRST');
  const codes = [1, 2].map((n) => `${prefix}-${n}`);
  const [first, second] = await Promise.all(codes.map((code) => make.variant(null, { code })));
  assert.ok(first && second);
  const page = await visit({ role: 'operator', to: `/stock?show=missing&search=${prefix}` });
  await page.getByRole('button', { name: 'Fill empty fields with 0' }).click();
  await make.setStock(first, 50);
  await page.getByRole('button', { name: 'Create 2 stock records' }).click();
  await page
    .getByText(`Another user has entered stock meanwhile: ${first.code}. Nothing was saved.`)
    .waitFor();
  await page.getByRole('rowheader', { name: first.code }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Create one stock record' }).click();
  await page.getByText('Stock records created: 1.').waitFor();
  assert.deepEqual([(await make.stock(first)).quantity, (await make.stock(second)).quantity], [50, 0]);
});

test('a mapping that another operator has changed meanwhile is shown before it is replaced', async () => {
  const { channel, sku } = await make.setting(1);
  const [theirs, mine] = [await make.variant(0), await make.variant(0)];
  const page = await visit({ role: 'operator', to: `/mappings?channel=${channel.id}` });
  await page.getByRole('button', { name: `Change ${sku}` }).press('Enter');
  const dialog = page.getByRole('dialog', { name: `Change the item of ${sku}` });
  await dialog.getByRole('combobox').fill(mine.code);
  await page.getByRole('option', { name: mine.code }).click();
  await make.map(channel, theirs, sku);
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  const question = page.getByRole('dialog', { name: `${sku} is mapped already` });
  await question.getByText(theirs.code).waitFor();
  await question.getByRole('button', { name: 'Cancel' }).press('Enter');
  const now = await must(service.admin('GET', `/channels/${channel.id}/mappings`), 200);
  assert.equal(now[0].variant_code, theirs.code);
});

test('what another user has removed: the message says so, and lists and pages no longer show it', async () => {
  const code = unique('GONE');
  const courier = `/common-codes/DELIVERY_COMPANY/${code}`;
  await must(service.admin('PUT', courier, { name: 'Gone' }), 200);
  const token = await must(service.admin('POST', '/tokens', { name: unique('gone'), role: 'viewer' }), 201);
  const hook = { url: 'https://example.com/', events: ['alert.opened'], description: unique('Gone') };
  const webhook = await must(service.admin('POST', '/webhooks', hook), 201);
  const page = await visit({ role: 'admin', to: '/couriers' });
  const removeIn = async (button: string, path: string, said: string) => {
    await page.getByRole('button', { name: button }).press('Enter');
    await must(service.admin('DELETE', path), 204);
    watch.expect(new RegExp(`^404 DELETE /admin/v1${path}`));
    await page.getByRole('dialog').getByRole('button').last().press('Enter');
    await page.getByText(`${said} was not found. Another user may have removed it`).waitFor();
    await page.getByRole('button', { name: button }).waitFor({ state: 'detached' });
  };
  await removeIn(`Delete ${code}`, courier, `The code ${code} of the group DELIVERY_COMPANY`);
  await goTo(page, '/tokens');
  await removeIn(`Revoke ${token.name}`, `/tokens/${token.id}`, `A valid token ${token.id}`);
  await goTo(page, `/webhooks/${webhook.id}`);
  await page.getByRole('button', { name: 'Send test' }).waitFor();
  watch.expect(new RegExp(`^404 GET /admin/v1/webhooks/${webhook.id}`));
  await must(service.admin('DELETE', `/webhooks/${webhook.id}`), 204);
  await page.getByText(`Webhook ${webhook.id} was not found.`).first().waitFor();
  await page.getByRole('button', { name: 'Send test' }).waitFor({ state: 'detached' });
});
