// The stock screens: the formula in words, somebody who was faster, codes with odd characters, links that can be
// shared; and the weight of a first visit.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { settled, startConsole, textOf } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { must, orderOf, unique } from '../verify/kit/fixtures.ts';

const FIRST_LOAD_BYTES_MAX = 350_000;

const { make, test, visit, watch, address } = await startConsole();

const rowsOf = (page: Page) => page.locator('tr[data-row]');
const stockPath = (code: string) => `/stock/${encodeURIComponent(code)}`;

test('the first load of the console is small', async (t) => {
  const page = await visit({ role: 'viewer', to: '/couriers' });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(address('/'));
  await settled(page);
  t.diagnostic(`first load: ${(bytes / 1_000).toFixed(0)} kB over the wire`);
  assert.ok(bytes > 50_000, 'nothing was measured');
  assert.ok(bytes < FIRST_LOAD_BYTES_MAX, `${bytes} bytes`);
});

test('the formula with its numbers, a line for each channel, the order that holds stock, the ledger', async () => {
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
  const formula = page.getByRole('region', { name: 'What may be sold' });
  const text = await textOf(formula);
  assert.match(
    text,
    /100 physical − 10 unshipped − 50 allocated − 0 backordered = 40 common/,
    'the formula in words',
  );
  assert.match(text, /Shop A: 40 \+ 30 = 70/);
  assert.match(text, /Shop B: 40 \+ 20 = 60/);
  assert.match(text, /Shop C: 40 \+ 0 = 40/);
  const holding = page.getByRole('region', { name: 'Orders holding stock' });
  await holding.getByRole('row', { name: order.order_number }).getByText('Paid').waitFor();
  const ledger = page.getByRole('region', { name: 'Ledger' });
  assert.match(await textOf(ledger.getByRole('row', { name: 'set-up' })), /Set \+100 100/);
  assert.equal(await page.getByRole('button', { name: 'Set stock' }).count(), 0, 'a viewer changes nothing');
});

test('somebody was faster: told so with both numbers, nothing overwritten, and a way on', async () => {
  const variant = await make.variant(100);
  const page = await visit({ role: 'operator', to: stockPath(variant.code) });
  // The page looks again by itself from time to time; here it must not have seen the change.
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

  await alert.getByRole('button', { name: 'Keep the difference: 90 − 5 = 85' }).click();
  await page.getByText(`${variant.code}: physical stock is 85 now.`).waitFor();
  assert.equal((await make.stock(variant)).quantity, 85);
  const ledger = page.getByRole('region', { name: 'Ledger' });
  await ledger.getByRole('row', { name: 'counted on Sunday' }).getByText('−5').waitFor();
});

test('codes with odd characters: found in the list, opened, reloaded, changed', async () => {
  const page = await visit({ role: 'operator', to: '/couriers' });
  for (const code of ['GX/1 50%', '렌즈 좌/우 %2F', 'a?b#c&d=e+f;g"h']) {
    const variant = await make.variant(3, { code: `${code} ${unique('x')}` });
    await page.goto(address(`/stock?search=${encodeURIComponent(variant.code)}`));
    await settled(page);
    assert.equal(await page.getByRole('searchbox').inputValue(), variant.code);
    await page.getByRole('link', { name: variant.code, exact: true }).click();
    const title = page.getByRole('heading', { level: 1, name: variant.code, exact: true });
    await title.waitFor();
    assert.equal(page.url(), address(stockPath(variant.code)));
    await page.reload();
    await title.waitFor();
    await page.getByLabel('Counted quantity').fill('7');
    await page.getByRole('button', { name: 'Set stock' }).click();
    await page.getByText(`${variant.code}: physical stock is 7 now.`).waitFor();
    assert.equal((await make.stock(variant)).quantity, 7);
  }
});

test('a link to a filtered list brings the filters along, and they are what was asked', async () => {
  const { channel, sku } = await make.setting();
  const paid = orderOf([{ sku, quantity: 1, unit_price: 500 }]);
  const unpaid = orderOf([{ sku, quantity: 1, unit_price: 500 }], { status: 0 });
  for (const order of [paid, unpaid]) await must(channel.call('POST', '/orders', order), 201);

  const page = await visit({ role: 'viewer', to: `/orders?channel_id=${channel.id}&status=0` });
  assert.equal(await rowsOf(page).count(), 1);
  await page.getByRole('rowheader', { name: unpaid.order_number }).waitFor();
  assert.match(await page.getByRole('combobox', { name: 'Channel' }).inputValue(), /^channel-/);
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

test('an overcommitted item: found from the overview, marked in every place, and asked about before it gets worse', async () => {
  const { channel, variant } = await make.setting(4, { name: 'Shop D' });
  await make.allocate(channel, variant, 9);
  const page = await visit({ role: 'operator', to: '/' });
  await page.getByRole('link', { name: 'One item is overcommitted' }).click();
  await page.getByRole('rowheader', { name: variant.code }).waitFor();
  assert.equal(await page.getByRole('checkbox', { name: 'Overcommitted only' }).isChecked(), true);
  assert.equal(await rowsOf(page).count(), 1, 'all others fit');
  assert.match(await textOf(rowsOf(page).first()), /Overcommitted by 5/);

  await page.getByRole('link', { name: variant.code, exact: true }).click();
  const formula = page.getByRole('region', { name: 'What may be sold' });
  await formula.getByText('Overcommitted by 5').waitFor();
  assert.match(await textOf(formula), /Shop D: 0 \+ 9 → 4 \(limited by physical stock\)/);

  await page.getByRole('link', { name: 'Edit allocations' }).click();
  await page.getByText('Overcommitted by 5: pre-allocations 9 + unshipped 0').waitFor();
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
