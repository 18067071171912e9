// The first use of the console: from an empty service to a shipped order, with a stub channel; and the errors that the
// registration screen shows when the channel's answer is wrong.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, startConsole, textOf } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { listen } from '../verify/kit/ports.ts';
import { must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { bothSides, startStubChannel, stubOption, stubProduct } from '../verify/kit/stub-channel.ts';

const { service, make, test, visit, watch } = await startConsole();
const stub = await startStubChannel();
after(() => stub.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

async function fetchProduct(page: Page, channel: string, code: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Channel' }).click();
  await page.getByRole('option', { name: channel }).click();
  await page.getByLabel('Product code').fill(code);
  await page.getByRole('button', { name: 'Fetch' }).click();
}

// Must be the first test in the file: the overview shows the first steps only while the service is empty.
test('from nothing to a shipped order', async () => {
  const code = 'MOON1M';
  const options = bothSides([
    stubOption('-1.00', 'ML-100'),
    stubOption('-1.25', 'ML-125'),
    stubOption('-1.50', 'ML-150', { hidden: true }),
  ]);
  stub.answers.set(code, stubProduct(options, { goods_name: 'Moonlight Monthly', is_monthly: 1 }));

  const page = await visit({ role: 'admin' });
  await page.getByRole('heading', { name: 'Five steps to the first order' }).waitFor();

  // The channel and its key, which is shown once.
  await page.getByRole('link', { name: 'Create a channel' }).click();
  const form = page.getByRole('dialog', { name: 'New channel' });
  await form.getByLabel('Name').fill('Lens Shop');
  await form.getByRole('combobox', { name: 'Country' }).fill('KR');
  await page.getByRole('option', { name: /\(KR\)/ }).click();
  await form.getByLabel('Product information URL').fill(stub.url);
  await form.getByRole('button', { name: 'Create' }).click();
  const keyDialog = page.getByRole('dialog', { name: 'The key of Lens Shop' });
  const key = await textOf(keyDialog.locator('[data-secret]'));
  const shop = service.channel(key);
  assert.deepEqual(await must(shop('GET', '/inventory'), 200), []);
  await keyDialog.getByRole('link', { name: 'Set-up checklist' }).click();
  await heading(page, 'Lens Shop').waitFor();
  await page.getByText('No SKU is mapped: lookups return 404, orders are rejected.').waitFor();
  assert.ok(!(await page.content()).includes(key), 'the key is not shown again');

  // The product: left and right side by side; a hidden option is left out until it is picked.
  await page.getByRole('link', { name: 'Products' }).click();
  await page.getByRole('link', { name: 'Register from a channel' }).first().click();
  await fetchProduct(page, 'Lens Shop', code);
  await page.getByRole('heading', { name: 'Moonlight Monthly' }).waitFor();
  const answered = page.getByRole('table', { name: 'Options' });
  assert.match(await textOf(answered.getByRole('row', { name: '-1.25' })), /ML-125.*ML-125.*MOON1M--1.25/);
  const hidden = page.getByRole('checkbox', { name: 'Select -1.50' });
  assert.equal(await hidden.isChecked(), false);
  await page.getByRole('button', { name: 'Apply 2 SKUs' }).waitFor();
  await hidden.check();
  const plan = page.getByRole('region', { name: 'What applying will do' });
  await plan.getByText('3 of 3 SKUs picked').waitFor();
  await page.getByRole('button', { name: 'Apply 3 SKUs' }).click();
  await page.getByRole('heading', { name: 'MOON1M is registered' }).waitFor();
  const listed = await must(shop('GET', '/inventory'), 200);
  assert.deepEqual(
    listed.map((row: { sku: string; available: number }) => [row.sku, row.available]),
    [
      ['ML-100', 0],
      ['ML-125', 0],
      ['ML-150', 0],
    ],
  );

  // The stock: the items wait on another tab, which says so and is one click away.
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
  const step = page.getByRole('link', { name: 'Go to the stock' });
  assert.match((await step.getAttribute('href')) ?? '', /show=missing/);
  await page.getByRole('navigation').getByRole('link', { name: 'Stock', exact: true }).click();
  await page.getByText('Without stock record (3)').waitFor();
  await page.getByRole('link', { name: 'Enter quantities' }).click();
  // Without a stock record the API returns 404.
  watch.expect(/^404 GET \/admin\/v1\/stock\/MOON1M--1.25$/);
  await page.getByRole('link', { name: 'MOON1M--1.25' }).click();
  await page.getByLabel('Quantity in the warehouse').fill('100');
  await page.getByRole('button', { name: 'Create stock record' }).click();
  const formula = page.getByRole('region', { name: 'Available for sale' });
  await formula.getByText('Lens Shop: 100 + 0 = 100').waitFor();

  // An allocation: its effect is shown before it is saved.
  await page.getByRole('link', { name: 'Edit allocations' }).click();
  const cell = page.getByLabel('Pre-allocation of MOON1M--1.25 for Lens Shop');
  await cell.fill('30');
  await page.getByText('One unsaved change').waitFor();
  await cell.fill('130');
  await page.getByText(/Overcommitted by 30: pre-allocations 130/).waitFor();
  await page.getByRole('button', { name: 'Save change' }).click();
  const ask = page.getByRole('dialog', { name: 'Allocate more than the stock?' });
  await ask.getByText(/pre-allocations 130 \+ unshipped 0 exceed the physical stock 100\./).waitFor();
  await ask.getByRole('button', { name: 'Cancel' }).click();
  await ask.waitFor({ state: 'hidden' });
  assert.equal((await make.stock({ code: 'MOON1M--1.25', product: code })).allocated, 0, 'nothing was saved');
  await cell.fill('30');
  await page.getByRole('button', { name: 'Save change' }).click();
  await page.getByText('One change saved.').waitFor();
  const { allocated, common_available } = await make.stock({ code: 'MOON1M--1.25', product: code });
  assert.deepEqual([allocated, common_available], [30, 70]);

  // An order that arrives through the channel API is listed and then shipped in the console.
  const order = orderOf([{ sku: 'ML-125', quantity: 2, unit_price: 45_000 }]);
  await must(shop('POST', '/orders', order), 201);
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  const row = page.getByRole('row', { name: order.order_number });
  assert.match(await textOf(row), /Paid Lens Shop 1 ₩90,000/);
  await row.getByRole('link', { name: order.order_number }).click();
  await heading(page, `Order ${order.order_number}`).waitFor();
  await page.getByRole('button', { name: 'Ship', exact: true }).click();
  const ship = page.getByRole('dialog', { name: 'Ship order' });
  await ship.getByRole('button', { name: 'Ship', exact: true }).click();
  await ship.getByText('Please fill this in.').waitFor();
  await ship.getByLabel('Tracking number').fill('6012-3456-7890');
  await ship.getByRole('button', { name: 'Ship', exact: true }).click();
  await page.getByText('The order is now “Shipped”.').waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Shipped', { exact: true }).waitFor();
  assert.match(await textOf(history), /Accepted: Paid.*Shipped.*Set in the back office/);

  // The ledger shows the shipment.
  await page.getByRole('link', { name: 'MOON1M--1.25' }).click();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  const shipped = page.getByRole('region', { name: 'Ledger' }).getByRole('row', { name: order.order_number });
  assert.match(await textOf(shipped), /Shipment −2 98/);
  await formula.getByText('98 physical').waitFor();
  assert.match(
    await textOf(formula),
    /98 physical − 0 unshipped − 30 allocated − 0 backordered = 68 common.*Lens Shop: 68 \+ 30 = 98/,
  );
  assert.equal((await must(shop('GET', '/inventory'), 200))[1].available, 98);
});

test('a set product with contradictory sides: exactly the faulty rows are marked, and nothing can be applied', async () => {
  const channel = unique('Faulty Shop');
  await make.channel({ name: channel, api_url: stub.url });
  const code = unique('SET');
  const right = { opt_group: 'right' };
  const sound = [stubOption('-3.00', `${code}-3`), stubOption('-3.00', `${code}-3`, right)];
  stub.answers.set(
    code,
    stubProduct(
      [
        stubOption('-1.00', `${code}-1L`),
        stubOption('-1.00', `${code}-1R`, right),
        stubOption('-2.00', `${code}-2`),
        ...sound,
      ],
      { is_monthly: 1 },
    ),
  );
  const page = await visit({ role: 'operator', to: '/register' });
  await fetchProduct(page, channel, code);
  const faults = page.getByRole('alert').filter({ hasText: 'must be fixed before applying' });
  const said = await textOf(faults);
  assert.match(said, /^2 problems/);
  assert.match(said, /-1\.00/);
  assert.match(said, /-2\.00/);

  const table = page.getByRole('table', { name: 'Options' });
  const marks = async (power: string) => {
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: power }) });
    return [await row.getByRole('img', { name: 'Faulty' }).count(), await textOf(row)] as const;
  };
  const [differs, differsText] = await marks('-1.00');
  assert.equal(differs, 3, 'both codes and the result');
  assert.match(differsText, /Cannot be merged/);
  const [alone, aloneText] = await marks('-2.00');
  assert.equal(alone, 3, 'the code, the empty cell of the other side and the result');
  assert.match(aloneText, /missing here.*Cannot be merged/);
  const [fine, fineText] = await marks('-3.00');
  assert.equal(fine, 0);
  assert.match(fineText, new RegExp(`${code}-3 .*${code}-3 `));

  assert.equal(await table.getByRole('checkbox').count(), 0);
  const apply = page.getByRole('button', { name: /^Apply/ });
  assert.equal(await apply.isDisabled(), true);
  await page.getByText('Applying is not possible until the channel has fixed its options.').waitFor();
  assert.equal((await service.admin('GET', `/products/${code}`)).status, 404);

  // After the channel has fixed its options and they are fetched again, they can be applied.
  stub.answers.set(code, stubProduct(sound, { is_monthly: 1 }));
  await page.getByRole('button', { name: 'Fetch' }).click();
  await page.getByRole('button', { name: 'Apply 1 SKU' }).click();
  await page.getByRole('heading', { name: `${code} is registered` }).waitFor();
  assert.equal((await must(service.admin('GET', `/products/${code}`), 200)).variants.length, 1);
});

test('an invalid answer, a refused connection and an unknown product are each explained', async () => {
  const [channel, closed] = [unique('Rubbish Shop'), unique('Closed Shop')];
  await make.channel({ name: channel, api_url: stub.url });
  await make.channel({ name: closed, api_url: 'http://127.0.0.1:9/' });
  stub.answers.set('WHOLE', stubProduct(bothSides([stubOption('-1.00', 'WH-100')]), { is_monthly: 1 }));
  stub.answers.set('RUBBISH', '<html>maintenance</html>');
  stub.answers.set('CROOKED', { found: true, goods_name: 7 });
  const page = await visit({ role: 'operator', to: '/register' });

  // The answer of one product must not be applied under the name of another.
  await fetchProduct(page, channel, 'WHOLE');
  const apply = page.getByRole('button', { name: 'Apply 1 SKU' });
  await apply.waitFor();
  await page.getByLabel('Product code').fill('WHOLE2');
  await apply.waitFor({ state: 'detached' });
  await page.getByLabel('Product code').fill('WHOLE');
  await apply.waitFor();
  watch.expect(/^422 POST .*\/product-info$/);
  await fetchProduct(page, channel, 'RUBBISH');
  await page.getByText('The channel’s answer is not product information').waitFor();
  await page.getByLabel('Product code').fill('WHOLE');
  assert.equal(await apply.count(), 0, 'after a failure the former answer is gone');
  watch.expect(/^422 POST .*\/product-info$/);
  await fetchProduct(page, channel, 'CROOKED');
  await page.getByText('The channel’s answer does not have the agreed format').waitFor();
  await fetchProduct(page, channel, 'NOTHING');
  await page.getByText(`${channel} has no product NOTHING`).waitFor();
  watch.expect(/^422 POST .*\/product-info$/);
  await fetchProduct(page, closed, 'ANY');
  await page.getByText('The channel refused the connection').waitFor();
  assert.equal(await page.getByLabel('Product code').inputValue(), 'ANY');
});

test('a channel that answers 500 is not blamed on address or key, unlike one that answers 403', async () => {
  let status = 500;
  const server = createServer((_request, response) => response.writeHead(status).end('{"found": true}'));
  const port = await listen(server);
  after(() => server.close());
  const channel = unique('Broken Shop');
  await make.channel({ name: channel, api_url: `http://127.0.0.1:${port}/goods` });
  const page = await visit({ role: 'operator', to: '/register' });
  const failure = page.getByRole('alert').filter({ hasText: 'The channel' });
  const toChannel = failure.getByRole('link', { name: 'Open the channel' });
  watch.expect(/^422 POST .*\/product-info$/);
  await fetchProduct(page, channel, 'ANY');
  await failure.getByText('The channel’s server has an error of its own').waitFor();
  assert.match(await textOf(failure), /Address and key are not the cause\..* 500/);
  assert.equal(await toChannel.count(), 0);
  assert.equal(await page.getByRole('button', { name: /^Apply/ }).count(), 0);
  await assertAccessible(page, 'a channel that answers 500');
  status = 403;
  watch.expect(/^422 POST .*\/product-info$/);
  await failure.getByRole('button', { name: 'Try again' }).press('Enter');
  await failure.getByText('The channel answered with an error').waitFor();
  assert.match(await textOf(failure), /accepts this service’s key.* 403/);
  await toChannel.waitFor();
});

test('several orders shipped together: each has a result, and the failed order stays selected', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const numbers: string[] = [];
  for (const is_backorder of [false, false, true]) {
    const order = orderOf([{ sku, quantity: is_backorder ? 50 : 1, unit_price: 500 }], { is_backorder });
    await must(channel.call('POST', '/orders', order), 201);
    numbers.push(order.order_number);
  }
  const page = await visit({ role: 'operator', to: `/orders?channel_id=${channel.id}` });
  await page.getByRole('checkbox', { name: 'Select all shown rows' }).check();
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Ship', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship 3 orders' });
  for (const number of numbers) await dialog.getByLabel(`Tracking number of ${number}`).fill(`T-${number}`);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  const results = page.getByRole('dialog', { name: 'Results' });
  await results.getByText('2 updated, 1 failed. Failed orders stay selected.').waitFor();
  const short = results.getByRole('row', { name: numbers[2] ?? '' });
  assert.match(await textOf(short), /Not enough physical stock/);
  await results.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('1 selected').waitFor();
  await eventually(async () => {
    assert.equal(await page.getByRole('row').filter({ hasText: 'Shipped' }).count(), 2);
  });
  assert.equal((await make.stock(variant)).quantity, 8);
});
