// Shipping in the console: the carrier's list, pick and packing lists, several orders of one recipient in one parcel,
// returns and notes. Mostly by keyboard, as operators work.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible, assertFits, NARROW, settled, startConsole, textOf, WIDE } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { isLong } from '../verify/kit/long.ts';

const { service, make, test, visit, address } = await startConsole();

const admin: typeof service.admin = (...call) => service.admin(...call);
await must(
  admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', {
    name: 'CJ Logistics',
    tracking_url: 'https://trace.example.com/?no={tracking_number}',
  }),
  200,
);

async function place(channel: TestChannel, sku: string, quantity = 1, fields: object = {}) {
  const order = orderOf([{ sku, quantity, unit_price: 12_900.45 }], fields);
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  return { id: id as number, number: order.order_number };
}

/** Three orders of a new channel, so that a filtered list shows only them. */
async function desk(fields: object = {}) {
  const { channel, variant, sku } = await make.setting(20);
  const orders = [];
  for (let n = 0; n < 3; n++)
    orders.push(await place(channel, sku, n + 1, { recipient_name: unique('Person'), ...fields }));
  const [first, second, third] = orders;
  assert.ok(first && second && third);
  return { channel, variant, sku, first, second, third, list: `/orders?channel_id=${channel.id}` };
}

/** Pastes text as a copy from a spreadsheet does. */
const paste = (field: Locator, text: string): Promise<void> =>
  field.evaluate((element, pasted) => {
    const { DataTransfer, ClipboardEvent } = globalThis as unknown as BrowserClipboard;
    const data = new DataTransfer();
    data.setData('text', pasted);
    const init = { clipboardData: data, bubbles: true, cancelable: true };
    (element as unknown as { dispatchEvent(event: object): void }).dispatchEvent(
      new ClipboardEvent('paste', init),
    );
  }, text);

interface BrowserClipboard {
  DataTransfer: new () => { setData(type: string, text: string): void };
  ClipboardEvent: new (type: string, init: object) => object;
}

const rowTexts = async (table: Locator): Promise<string[]> =>
  (await table.locator('tr[data-row]').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element.matches(':focus'));

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as { document: { activeElement: { innerText: string } } };
    return document.activeElement.innerText;
  });

/** The flow is the same in both languages: the short run tests one. */
const LANGUAGES = isLong ? (['en', 'ko'] as const) : (['en'] as const);

const LIST_WORDS = {
  en: {
    open: 'Ship from a list',
    paste: 'Paste the list',
    check: 'Check',
    ship: 'Ship 2 orders',
    verdict: '2 orders can be shipped. 2 cannot; they come first. Nothing has been changed yet.',
    done: /^2 orders were shipped\. 2 failed/,
    unknown: 'There is no order with this number.',
    final: 'The order is “Cancelled” now and can no longer become “Shipped”.',
    close: 'Close',
    kept: '2 orders were not shipped',
    dismiss: 'Dismiss',
    header: 'Courier;Order number;Memo;Tracking number',
  },
  ko: {
    open: '목록으로 출고',
    paste: '목록 붙여 넣기',
    check: '확인하기',
    ship: '주문 2건 출고',
    verdict:
      '2건을 출고할 수 있습니다. 2건은 출고할 수 없으며 맨 위에 있습니다. 아직 아무것도 바뀌지 않았습니다.',
    done: /^2건을 출고했습니다\. 2건은 실패했습니다/,
    unknown: '이 번호의 주문이 없습니다.',
    final: '이 주문은 지금 ‘취소’ 상태라서 ‘출고 완료’ 상태로 바꿀 수 없습니다.',
    close: '닫기',
    kept: '출고하지 못한 주문 2건',
    dismiss: '지우기',
    header: '택배사;주문번호;비고;운송장번호',
  },
};

for (const language of LANGUAGES) {
  const w = LIST_WORDS[language];
  test(`a carrier's list is checked and shipped; failures come first and are kept until dismissed (${language})`, async () => {
    const { first, second, third, variant, list } = await desk();
    await must(admin('POST', `/orders/${second.id}/status`, { status: 88 }), 200);
    const page = await visit({ role: 'operator', to: list, language });
    await page.getByRole('button', { name: w.open }).press('Enter');
    const dialog = page.getByRole('dialog');
    await assertAccessible(page, `${language}: the empty dialog`);
    const field = dialog.getByRole('textbox', { name: w.paste });
    // The field has the focus when the dialog opens.
    await eventually(async () => assert.ok(await field.evaluate((element) => element.matches(':focus'))));
    await field.fill(
      [
        w.header,
        `CJ;${first.number};x;6012-1`,
        `CJ;${second.number};x;6012-2`,
        `CJ;${third.number};x;6012-3`,
        `CJ;NOBODY;x;6012-4`,
      ].join('\n'),
    );
    await dialog.getByRole('button', { name: w.check }).press('Enter');
    const verdict = dialog.getByRole('status').filter({ hasText: w.verdict });
    await verdict.waitFor();
    await eventually(async () => assert.equal((await focused(page)).trim(), w.verdict));
    const checked = await rowTexts(dialog);
    assert.ok(checked[0]?.includes(second.number) && checked[0].includes(w.final), checked[0]);
    assert.ok(checked[1]?.includes('NOBODY') && checked[1].includes(w.unknown), checked[1]);
    const { recipient_name } = await must(admin('GET', `/orders/${first.id}`), 200);
    assert.ok(checked[2]?.includes(recipient_name) && checked[2].includes(`1 × ${variant.code}`), checked[2]);
    assert.equal((await must(admin('GET', `/orders/${first.id}`), 200)).status, 1, 'a dry run ships nothing');
    await assertAccessible(page, `${language}: the checked list`);

    await dialog.getByRole('button', { name: w.ship }).press('Enter');
    await dialog.getByRole('status').filter({ hasText: w.done }).waitFor();
    await eventually(async () => assert.match(await focused(page), w.done));
    const result = await rowTexts(dialog);
    assert.deepEqual(
      result.map((text) =>
        [second.number, 'NOBODY', first.number, third.number].findIndex((n) => text.includes(n)),
      ),
      [0, 1, 2, 3],
    );
    const shipped = await must(admin('GET', `/orders/${first.id}`), 200);
    assert.deepEqual([shipped.status, shipped.tracking_number, shipped.courier_code], [3, '6012-1', 'CJ']);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const kept = page.getByRole('region', { name: w.kept });
    await settled(page);
    assert.deepEqual((await rowTexts(kept)).length, 2);
    await assertAccessible(page, `${language}: kept failures`);
    // The failures are still there after a visit to another screen.
    await kept.getByRole('link', { name: second.number }).press('Enter');
    await page.waitForURL(/\/orders\/\d+$/);
    await page.goBack();
    await kept.waitFor();
    await page.reload();
    await kept.waitFor();
    assert.deepEqual((await rowTexts(kept)).length, 2, 'after a reload');
    await kept.getByRole('button', { name: w.dismiss }).press('Enter');
    await kept.waitFor({ state: 'detached' });
  });
}

test('courier and tracking number are corrected in the result of a list, and before it for orders shipped earlier', async () => {
  const { first, second, list } = await desk();
  const shipped = { status: 3, tracking_number: '6012-9' };
  await must(admin('POST', `/orders/${second.id}/status`, shipped), 200);
  const page = await visit({ role: 'operator', to: list });
  await page.getByRole('button', { name: 'Ship from a list' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: /^(?:Ship from a list|Results)$/ });
  await dialog
    .getByRole('textbox', { name: 'Paste the list' })
    .fill(`${first.number}\t6012-1\n${second.number}\t6012-9\n`);
  await dialog.getByRole('button', { name: 'Check' }).press('Enter');
  await dialog.getByText('1 order can be shipped.').waitFor();
  const rowOf = ({ number }: { number: string }) => dialog.getByRole('row').filter({ hasText: number });
  const correct = page.getByRole('dialog', { name: 'Correct the shipment' });
  const correcting = async (order: { number: string }) => {
    await rowOf(order).getByRole('button', { name: 'Correct' }).press('Enter');
    const field = correct.getByLabel('Tracking number');
    // The dialog focuses this field shortly after it opens; that would close the list of couriers.
    await eventually(async () => assert.ok(await field.evaluate((element) => element.matches(':focus'))));
    return field;
  };
  const stored = async ({ id }: { id: number }) => {
    const { tracking_number, courier_code } = await must(admin('GET', `/orders/${id}`), 200);
    return [tracking_number, courier_code];
  };
  // Only what is shipped already can be corrected.
  assert.equal(await rowOf(first).getByRole('button', { name: 'Correct' }).count(), 0);
  const field = await correcting(second);
  assert.equal(await field.inputValue(), '6012-9');
  await field.fill('6012-8');
  await field.press('Enter');
  await correct.waitFor({ state: 'detached' });
  assert.deepEqual(await stored(second), ['6012-8', null]);

  await dialog.getByRole('button', { name: /^Ship/ }).press('Enter');
  await dialog.getByText('1 order was shipped.').waitFor();
  await assertFits(page, 'the result of a list');
  assert.equal(await (await correcting(first)).inputValue(), '6012-1');
  await correct.getByLabel('Courier (optional)').fill('CJ');
  await page.getByRole('option', { name: 'CJ Logistics' }).click();
  await assertAccessible(page, 'a correction above the result of a list');
  await correct.getByRole('button', { name: 'Save' }).press('Enter');
  await correct.waitFor({ state: 'detached' });
  assert.deepEqual(await stored(first), ['6012-1', 'CJ']);
  await rowOf(first).waitFor();
});

test('the columns of a list without a header are recognized in any order, and can be corrected', async () => {
  const { first, second, list } = await desk();
  const page = await visit({ role: 'operator', to: list, size: NARROW });
  await page.getByRole('button', { name: 'Ship from a list' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('textbox', { name: 'Paste the list' })
    .fill(`6012-1\t${first.number}\n6012-2\t${second.number}\n`);
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText('2 orders can be shipped. Nothing has been changed yet.').waitFor();
  assert.equal(await dialog.getByLabel('Order number').inputValue(), '1');
  assert.equal(await dialog.getByLabel('Tracking number').inputValue(), '0');
  await assertAccessible(page, 'narrow');
  await assertFits(page, 'narrow');
  await dialog.getByLabel('Order number').selectOption('0');
  await dialog.getByText('0 orders can be shipped. 2 cannot; they come first.').waitFor();
  // A courier that is unknown is a problem of its row, and is not left out.
  await dialog.getByRole('button', { name: 'Back to the list' }).click();
  await dialog
    .getByRole('textbox', { name: 'Paste the list' })
    .fill(`${first.number}\t6012-1\tcj\n${second.number}\t6012-2\tUnknown Express`);
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText('1 order can be shipped. 1 cannot; they come first.').waitFor();
  const rows = await rowTexts(dialog);
  assert.ok(rows[0]?.includes(second.number) && rows[0].includes('There is no courier'), rows[0]);
  assert.ok(rows[1]?.includes('CJ'), rows[1]);
  await dialog.getByLabel('Courier', { exact: true }).selectOption('');
  await dialog.getByText('2 orders can be shipped. Nothing has been changed yet.').waitFor();
  await dialog.getByLabel('Order number').selectOption('1');
  await dialog.getByText('0 orders can be shipped. 2 cannot; they come first.').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Ship 0 orders' }).isDisabled(), true);
});

test('selected orders: pasted tracking numbers go to their orders, recipient and items are shown, failures come first', async () => {
  const { first, second, third, variant, list } = await desk();
  const page = await visit({ role: 'operator', to: list });
  await page.getByRole('checkbox', { name: 'Select all shown rows' }).press('Space');
  await page.getByRole('button', { name: 'Ship', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`2 × ${variant.code}`).waitFor();
  const fieldOf = (number: string) => dialog.getByRole('textbox', { name: `Tracking number of ${number}` });
  // Pasted into the field of another order: each number still goes to its own order.
  await paste(
    fieldOf(third.number),
    `${first.number}\t6012-1\tCJ Logistics\n${third.number}\t6012-3\tCJ Logistics\n${second.number}\t6012-2\tCJ Logistics\nELSEWHERE\t6012-9\tCJ Logistics`,
  );
  await page.getByText('ELSEWHERE is not among the selected orders.').waitFor();
  for (const [at, { number }] of [first, second, third].entries())
    assert.equal(await fieldOf(number).inputValue(), `6012-${at + 1}`);
  assert.equal(await dialog.getByRole('combobox', { name: `Courier of ${first.number}` }).inputValue(), 'CJ');
  await must(admin('POST', `/orders/${second.id}/status`, { status: 88 }), 200);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).press('Enter');
  const summary = '2 updated, 1 failed. Failed orders stay selected.';
  await dialog.getByText(summary).waitFor();
  await eventually(async () => assert.equal((await focused(page)).trim(), summary));
  assert.ok((await rowTexts(dialog))[0]?.includes(second.number));
  await assertAccessible(page, 'results');
  await page.keyboard.press('Escape');
  const kept = page.getByRole('region', { name: '1 order was not shipped' });
  await kept.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await kept.waitFor({ state: 'detached' });
});

test('tracking numbers are scanned into the selected orders: each Enter goes on to the next empty field, the last to the button', async () => {
  const { first, second, third, list } = await desk();
  const page = await visit({ role: 'operator', to: list });
  await page.getByRole('checkbox', { name: 'Select all shown rows' }).press('Space');
  // The couriers arrive after the dialog has opened.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/common-codes/DELIVERY_COMPANY*', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Ship', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('status', { name: 'Loading…' }).waitFor();
  await eventually(async () =>
    assert.equal(await hasFocus(dialog.getByRole('button', { name: 'Close' })), true),
  );
  release();
  for (const [at, { number }] of [third, second, first].entries()) {
    const field = dialog.getByRole('textbox', { name: `Tracking number of ${number}` });
    await eventually(async () => assert.equal(await hasFocus(field), true));
    await page.keyboard.type(`6012-${at}`);
    await page.keyboard.press('Enter');
  }
  const ship = dialog.getByRole('button', { name: 'Ship', exact: true });
  await eventually(async () => assert.equal(await hasFocus(ship), true));
  assert.equal(await dialog.getByText('Please fill this in.').count(), 0);
  await page.keyboard.press('Enter');
  await dialog.getByText('All 3 orders were updated.').waitFor();
  const { tracking_number } = await must(admin('GET', `/orders/${third.id}`), 200);
  assert.equal(tracking_number, '6012-0');
});

test('orders of one recipient: a button shows how many other orders there are and selects all of them', async () => {
  const recipient_name = unique('Lee');
  const { first, list } = await desk({ recipient_name });
  const page = await visit({ role: 'operator', to: list });
  const mark = page
    .getByRole('button', { name: `2 more orders for ${recipient_name}: select them all` })
    .first();
  await mark.press('Enter');
  await page.getByText('3 selected').waitFor();
  await assertAccessible(page, 'marks');
  await page.goto(address(`/orders/${first.id}`));
  const card = page.getByRole('region', { name: 'Recipient' });
  await card.getByText('2 more orders for this recipient').waitFor();
  assert.equal(await card.getByRole('link').count(), 2);
});

const PAPER = {
  en: {
    pick: 'Pick list',
    packing: 'Packing list',
    total: 'Total 6',
    order: 'Order',
    inOrders: 'in 3 orders',
    done: 'Done',
  },
  ko: {
    pick: '피킹 목록',
    packing: '포장 명세서',
    total: '합계 6',
    order: '주문',
    inOrders: '주문 3건',
    done: '확인',
  },
};

for (const language of LANGUAGES) {
  test(`pick list and packing list of the selected orders; printed, each order has its own page (${language})`, async () => {
    const w = PAPER[language];
    const { first, second, third, variant, list } = await desk();
    const page = await visit({ role: 'operator', to: list, language });
    await page.getByRole('checkbox').first().press('Space');
    const [picking] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: w.pick }).press('Enter'),
    ]);
    await settled(picking);
    const sheet = picking.locator('.paper');
    assert.ok((await textOf(sheet)).includes(`${variant.code} Product ${variant.product}`));
    assert.ok((await textOf(sheet)).includes(w.total), await textOf(sheet));
    await assertAccessible(picking, w.pick);
    await picking.setViewportSize(NARROW);
    await sheet.locator('tbody').getByText(w.inOrders, { exact: true }).waitFor();
    const done = sheet.getByRole('columnheader', { name: w.done });
    await eventually(async () => {
      const box = await done.boundingBox();
      assert.ok(box && box.x + box.width <= NARROW.width, 'the checkbox column is visible on a phone');
    });
    await assertAccessible(picking, `${w.pick}, phone`);
    await picking.setViewportSize(WIDE);
    const ids = [first, second, third].map(({ id }) => id).join(',');
    await picking.goto(address(`/packing?paper=packing&ids=${ids}`));
    await settled(picking);
    const { recipient_name, shipping_address } = await must(admin('GET', `/orders/${second.id}`), 200);
    const paper = await textOf(picking.getByRole('region', { name: `${w.order} ${second.number}` }));
    for (const text of [w.packing, recipient_name, shipping_address, variant.code])
      assert.ok(paper.includes(text));
    await picking.emulateMedia({ media: 'print' });
    assert.equal(await picking.getByRole('navigation').isVisible(), false);
    assert.equal(await picking.getByRole('button').filter({ visible: true }).count(), 0);
    const pdf = (await picking.pdf({ format: 'A4' })).toString('latin1');
    assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 3);
  });
}

test('the order page: line totals, a tracking link, the author of each step, notes, and a return in two parts', async () => {
  const { channel, variant, third } = await desk();
  const page = await visit({ role: 'operator', to: `/orders/${third.id}` });
  await page.getByRole('button', { name: 'Ship', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog');
  const tracking = dialog.getByLabel('Tracking number');
  // The dialog focuses this field shortly after it opens; that would close the list of couriers.
  await eventually(async () => assert.ok(await tracking.evaluate((element) => element.matches(':focus'))));
  await tracking.fill('6012/3');
  await dialog.getByLabel('Courier (optional)').fill('CJ');
  await page.getByRole('option', { name: 'CJ Logistics' }).click();
  await dialog.getByRole('button', { name: 'Ship', exact: true }).press('Enter');
  const link = page.getByRole('link', { name: '6012/3' });
  await link.waitFor();
  assert.deepEqual(
    [await link.getAttribute('href'), await link.getAttribute('target'), await link.getAttribute('rel')],
    ['https://trace.example.com/?no=6012%2F3', '_blank', 'noreferrer'],
  );
  const lines = page.getByRole('table', { name: 'Lines' });
  // 3 × 12,900.45: shown in whole won, with the exact amount as a tooltip.
  const total = lines.getByText('₩38,701', { exact: true });
  assert.equal(await total.getAttribute('title'), '₩38,701.35');

  const history = page.getByRole('region', { name: 'History' });
  await page.getByRole('button', { name: 'Correct', exact: true }).press('Enter');
  await tracking.fill('6012/4');
  await dialog.getByLabel('Courier (optional)').press('Tab');
  await assertAccessible(page, 'correction');
  await tracking.press('Enter');
  await page.getByRole('link', { name: '6012/4' }).waitFor();
  await history.getByText('Shipment corrected').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await link.waitFor();
  await eventually(async () => assert.equal(await history.getByText('Shipment corrected').count(), 2));
  const { name } = await must(admin('GET', `/channels/${channel.id}`), 200);
  assert.match(await textOf(history), new RegExp(`Accepted: Paid .* ${name} · Received from the channel`));
  assert.match(await textOf(history), /Shipped .*@example\.com · Set in the back office/);
  await history.getByLabel('New note').fill('Customer called.\nRings twice.');
  await history.getByRole('button', { name: 'Add note' }).press('Enter');
  const note = history.locator('.order-written');
  await note.waitFor();
  assert.equal(await note.innerText(), 'Customer called.\nRings twice.');
  await eventually(async () => assert.equal(await history.getByLabel('New note').inputValue(), ''));

  const giveBack = async (quantity: string, reason: string) => {
    await page.getByRole('button', { name: 'Return goods' }).press('Enter');
    await dialog.getByRole('textbox', { name: `Returned quantity of ${variant.code}` }).fill(quantity);
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByLabel('Reason').press('Tab');
    await dialog.getByRole('button', { name: 'Put back into stock' }).press('Enter');
  };
  await giveBack('1.5', 'unopened');
  await dialog.getByText('A whole number, at most 3.').waitFor();
  await assertAccessible(page, 'return dialog');
  await dialog.getByRole('textbox', { name: `Returned quantity of ${variant.code}` }).fill('2');
  await dialog.getByRole('button', { name: 'Put back into stock' }).press('Enter');
  await history.getByText('Goods returned').waitFor();
  assert.match(await textOf(history), new RegExp(`Goods returned 2 × ${variant.code} unopened`));
  assert.equal((await make.stock(variant)).quantity, 19);
  await giveBack('2', 'again');
  await dialog.getByText('A whole number, at most 1.').waitFor();
  await dialog.getByRole('button', { name: 'Return everything' }).press('Enter');
  await dialog.getByRole('button', { name: 'Put back into stock' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Return goods' }).waitFor({ state: 'detached' });
  assert.equal((await make.stock(variant)).quantity, 20);
  await settled(page);
  await assertAccessible(page, 'order page');
  await page.setViewportSize(NARROW);
  await settled(page);
  await assertFits(page, 'order page');
  await page.locator('button[lang="ko"]').click();
  await settled(page);
  assert.match(
    await textOf(page.getByRole('region', { name: '처리 이력' })),
    /반품 입고 .*메모|메모.*반품 입고/,
  );
  await assertAccessible(page, 'order page, Korean');
});

test("the order page shows the channel's refused requests and late reports", async () => {
  const { channel, first } = await desk();
  await must(admin('POST', `/orders/${first.id}/status`, { status: 88 }), 200);
  await channel.call('POST', `/orders/${first.number}/status`, { status: 2 });
  await service.service.flush();
  const page = await visit({ role: 'operator', to: `/orders/${first.id}` });
  const requests = page.getByRole('region', { name: 'Refused requests of the channel' });
  assert.match(await textOf(requests), /Reported after cancellation \(Preparing product\)/);
  await assertAccessible(page, 'requests');
});

test('Previous and Next walk through the list from which the order was opened', async () => {
  const { first, second, third, list } = await desk();
  const page = await visit({ role: 'operator', to: list });
  await page.getByRole('link', { name: third.number }).press('Enter');
  const next = page.getByRole('link', { name: 'Next order in the list' });
  await next.waitFor();
  // The first order of the list has no previous one.
  assert.equal(await page.getByRole('button', { name: 'Previous order in the list' }).isDisabled(), true);
  await next.press('Enter');
  await page.getByRole('heading', { name: `Order ${second.number}` }).waitFor();
  await next.press('Enter');
  await page.getByRole('heading', { name: `Order ${first.number}` }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Next order in the list' }).isDisabled(), true);
  await page.getByRole('link', { name: 'Previous order in the list' }).press('Enter');
  await page.getByRole('heading', { name: `Order ${second.number}` }).waitFor();
  // An order opened by its URL has no list.
  await page.goto(address(`/orders/${second.id}`));
  await settled(page);
  assert.equal(await next.count(), 0);
});

test('a courier gets a tracking page, whose address must contain the placeholder for the number', async () => {
  const page = await visit({ role: 'operator', to: '/couriers' });
  await page.getByRole('button', { name: 'Edit CJ' }).press('Enter');
  const dialog = page.getByRole('dialog');
  const field = dialog.getByLabel('Tracking page (optional)');
  await field.fill('https://new.example.com/');
  await field.press('Enter');
  await dialog.getByText('The address must contain {tracking_number}.').waitFor();
  await field.fill('https://new.example.com/{tracking_number}');
  await assertAccessible(page, 'courier dialog');
  await field.press('Enter');
  await page.getByRole('cell', { name: 'https://new.example.com/{tracking_number}' }).waitFor();
});
