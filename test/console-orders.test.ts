// The order list in daily work: by keyboard, in both languages.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { eventually } from '../verify/kit/until.ts';
import { NARROW, settled, startConsole } from './kit/console.ts';

const { service, make, test, visit, address } = await startConsole();
const { orderIndexer } = service.service.services;

const NAMES = ['가나다', '라마바', '사아자', '차카타', '파하거'];
let channel: TestChannel;
let sku: string;
const numbers: string[] = [];

async function place(name: string, unit_price: number): Promise<string> {
  const phone = `010-${1000 + numbers.length}-5555`;
  const order = orderOf([{ sku, quantity: 1, unit_price }], {
    order_number: unique('WEB'),
    recipient_name: name,
    recipient_phone: phone,
  });
  await must(channel.call('POST', '/orders', order), 201);
  return order.order_number;
}

before(async () => {
  ({ channel, sku } = await make.setting(1_000));
  for (const [n, name] of NAMES.entries()) numbers.push(await place(name, 1_000.5 * (n % 3)));
  await orderIndexer.catchUp();
});

test('an order is found by part of a phone number and opened by keyboard; the way back keeps search and filter', async () => {
  const page = await visit({ role: 'operator', to: `/orders?channel_id=${channel.id}` });
  const rows = page.locator('tr[data-row]');
  await eventually(async () => assert.equal(await rows.count(), NAMES.length));
  await page.getByText('5 orders · ₩4,002').waitFor();
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('10');
  await page.getByText('Type at least 3 characters.').waitFor();
  await page.keyboard.type('03-55');
  await eventually(async () => assert.equal(await rows.count(), 1));
  await page.getByRole('rowheader', { name: numbers[3] ?? '' }).waitFor();
  await page.getByText('1 order · ₩0').waitFor();
  await rows.first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: new RegExp(numbers[3] ?? '') }).waitFor();
  await page.getByRole('link', { name: 'Orders', exact: true }).first().waitFor();
  await page.locator('.page-back').click();
  await eventually(async () => assert.equal(await rows.count(), 1));
  const { searchParams } = new URL(page.url());
  assert.deepEqual(
    [searchParams.get('search'), searchParams.get('channel_id')],
    ['1003-55', String(channel.id)],
  );
});

test('a long list: columns keep their widths, and Back restores the scroll position, also after a reload', async () => {
  const long = await make.setting(1_000);
  // Different recipients: the marks of orders that can share a parcel arrive later and widen their column.
  const orders = Array.from({ length: 230 }, (_, n) =>
    orderOf([{ sku: long.sku, quantity: 1, unit_price: 1 }], { recipient_name: `P ${n}` }),
  );
  await Promise.all(orders.map((order) => must(long.channel.call('POST', '/orders', order), 201)));
  // Only the first row has such a long name.
  const wide = orderOf([{ sku: long.sku, quantity: 1, unit_price: 1 }], {
    recipient_name: 'Wolfeschlegelsteinhausenbergerdorff',
  });
  await must(long.channel.call('POST', '/orders', wide), 201);
  const page = await visit({ role: 'operator', to: `/orders?channel_id=${long.channel.id}` });
  const scrollTo = (to: number) => page.evaluate((top) => (globalThis as any).scrollTo(0, top), to);
  const scrolled = (): Promise<number> => page.evaluate(() => (globalThis as any).scrollY);
  /** On the third page of rows: two further pages have to be loaded to reach it. */
  const row = page.locator('tr[data-index="210"]');
  await page.locator('tr[data-row]').first().waitFor();
  const columns = () =>
    page
      .locator('thead th')
      .evaluateAll((heads) => heads.map((head) => Math.round((head as any).getBoundingClientRect().x)));
  const columnsAtTop = await columns();
  await eventually(async () => {
    await scrollTo(7_600);
    assert.equal(await row.count(), 1);
    const y = (await row.boundingBox())?.y ?? 0;
    assert.ok(y > 100 && y < 700, `${y}`);
  });
  assert.equal(await page.locator('tr[data-index="0"]').count(), 0);
  assert.deepEqual(await columns(), columnsAtTop);
  const placeNow = async () => ({
    row: Math.round((await row.boundingBox())?.y ?? -1),
    number: await row.getByRole('rowheader').innerText(),
  });
  const ways = {
    'the browser': () => page.goBack(),
    'the link': () => page.locator('.page-back').click(),
    'a reload': async () => {
      await page.reload();
      await page.goBack();
    },
    // With slow answers the page grows a little later than its rows arrive.
    'a reload, with slow answers': async () => {
      await page.route('**/admin/v1/orders?*', async (route) => {
        await sleep(300);
        await route.continue();
      });
      await page.reload();
      await page.goBack();
    },
  };
  for (const [way, goBack] of Object.entries(ways)) {
    const left = await placeNow();
    await row.getByRole('cell').nth(2).click();
    await page.getByRole('heading', { level: 1, name: left.number }).waitFor();
    await eventually(async () => assert.equal(await scrolled(), 0));
    await goBack();
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    await eventually(async () => assert.deepEqual(await placeNow(), left, way));
    await settled(page);
    assert.deepEqual(await placeNow(), left, `${way}, and it stays there`);
    assert.equal(new URL(page.url()).searchParams.get('channel_id'), String(long.channel.id));
  }
  // Another list that is opened in the same tab does not load as many rows, which the header checkbox would select.
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/admin/v1/orders' && searchParams.has('cursor')) asked.push(request.url());
  });
  await page.reload();
  await row.waitFor();
  asked.length = 0;
  await page.goto(`${page.url()}&status=1`);
  await page.locator('tr[data-row]').first().waitFor();
  await settled(page);
  assert.deepEqual(asked, [], 'no further pages');
});

test('arrow keys move between rows, Space and Shift select, and a bar shows the selection', async () => {
  const page = await visit({ role: 'operator', to: `/orders?channel_id=${channel.id}` });
  const rows = page.locator('tr[data-row]');
  await eventually(async () => assert.equal(await rows.count(), NAMES.length));
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  const boxes = page.getByRole('checkbox', { name: /^Select WEB/ });
  await boxes.nth(0).click();
  await boxes.nth(4).click({ modifiers: ['Shift'] });
  await page.getByText('5 selected').waitFor();
});

test('sorting, hidden columns and a saved view work in Korean', async () => {
  const page = await visit({ role: 'operator', language: 'ko', to: `/orders?channel_id=${channel.id}` });
  const names = () => page.locator('tr[data-row] th').allInnerTexts();
  await eventually(async () => assert.deepEqual(await names(), numbers.toReversed()));
  await page.getByRole('button', { name: '주문 번호', exact: true }).press('Enter');
  await eventually(async () => assert.deepEqual(await names(), numbers.toSorted()));
  assert.equal(
    await page.getByRole('columnheader', { name: '주문 번호' }).getAttribute('aria-sort'),
    'ascending',
  );
  await page.getByRole('button', { name: '열 선택' }).press('Enter');
  await page.getByRole('checkbox', { name: '받는 사람' }).press('Space');
  await eventually(async () =>
    assert.equal(await page.getByRole('columnheader', { name: '받는 사람' }).count(), 0),
  );
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '보기', exact: true }).press('Enter');
  await page.getByLabel('보기 이름').fill('내 채널');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: '내 채널', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.goto(address('/orders'));
  await page.getByRole('button', { name: '보기', exact: true }).press('Enter');
  await page.getByRole('button', { name: '내 채널', exact: true }).press('Enter');
  await eventually(async () => assert.deepEqual(await names(), numbers.toSorted()));
  assert.equal(await page.getByRole('columnheader', { name: '받는 사람' }).count(), 0);
  await page.getByRole('button', { name: '접수일: 전체 기간' }).press('Enter');
  // Not the preset for today: midnight may have passed since the orders were accepted.
  await page.getByRole('button', { name: '최근 7일', exact: true }).click();
  await eventually(() => assert.match(page.url(), /from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/));
  await eventually(async () => assert.deepEqual(await names(), numbers.toSorted()));
});

test('new orders are announced and shown without a reload; the filtered list can be downloaded', async () => {
  const page = await visit({ role: 'viewer', to: `/orders?channel_id=${channel.id}` });
  const rows = page.locator('tr[data-row]');
  await eventually(async () => assert.equal(await rows.count(), NAMES.length));
  await page.getByRole('cell', { name: '가*다' }).waitFor();
  const number = await place('김새로', 1);
  await page.getByRole('button', { name: '1 new order' }).click();
  await page.getByRole('rowheader', { name: number }).waitFor();
  await page.getByRole('button', { name: 'Export' }).press('Enter');
  const started = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV' }).press('Enter');
  const download = await started;
  assert.equal(download.suggestedFilename(), 'orders.csv');
  const query = new URL(download.url()).searchParams;
  assert.deepEqual([query.get('channel_id'), query.get('language')], [String(channel.id), 'en']);
});

test('on a tablet every column of the list can be reached; one long name does not widen it', async () => {
  const other = await make.setting(10, { name: unique('a shop with a name of its own') });
  const recipient_name = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(2).trim();
  const order = orderOf([{ sku: other.sku, quantity: 1, unit_price: 1 }], { recipient_name });
  const { id } = await must(other.channel.call('POST', '/orders', order), 201);
  const sent = { status: 3, tracking_number: '6012-3456-7890-1234', courier_code: 'A-COURIER' };
  await must(service.admin('POST', `/orders/${id}/status`, sent), 200);
  const to = `/orders?channel_id=${other.channel.id}`;
  const page = await visit({ role: 'operator', to, size: { width: 1024, height: 768 } });
  const last = page.getByRole('columnheader').last();
  const name = await page.getByTitle('Wolfeschlegelsteinhausenbergerdorff').boundingBox();
  assert.ok(name && name.width < 300, `the name is ${name?.width} px wide`);
  await last.scrollIntoViewIfNeeded();
  const box = await last.boundingBox();
  assert.ok(box && box.x + box.width <= 1024, `the last column ends at ${box && box.x + box.width} px`);
});

test('on a phone the filters are behind one button', async () => {
  const page = await visit({ role: 'operator', size: NARROW, to: `/orders?channel_id=${channel.id}` });
  await page.getByRole('button', { name: 'Filters (1)' }).click();
  await page.getByRole('combobox', { name: 'Channel' }).waitFor();
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(width <= NARROW.width, `${width} px wide`);
});
