// Rejected orders, late reports, backorders and the audit log in the console.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { goTo, settled, startConsole, textOf, type BrowserGlobals } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { must, orderOf } from '../verify/kit/fixtures.ts';

const { service, make, test, visit, watch } = await startConsole();
const line = (sku: string, quantity = 1) => ({ sku, quantity, unit_price: 1 });
const rowOf = (page: Page, number: string) => page.getByRole('row', { name: number });

test('a rejected order becomes acceptable step by step: map the SKU, create the stock record, raise the stock', async () => {
  const channel = await make.channel({ name: 'Rejecting Shop' });
  const variant = await make.variant(null);
  const body = orderOf([line('NEW-SKU', 3)]);
  assert.equal((await channel.call('POST', '/orders', body)).status, 422);
  await service.service.flush();
  const page = await visit({ role: 'operator', to: '/refusals' });
  const row = rowOf(page, body.order_number);
  assert.match(await textOf(row), /Rejecting Shop NEW-SKU SKU not mapped 3 ordered SKU not mapped/);

  // By keyboard: the SKU is already filled in, the item is typed and chosen.
  await row.getByRole('button', { name: 'Map SKU NEW-SKU' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Item' }).fill(variant.code);
  await page.getByRole('option', { name: variant.code }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  await eventually(async () =>
    assert.match(await textOf(row), /NEW-SKU SKU not mapped 3 ordered No stock record/),
  );

  watch.expect(/^404 GET \/admin\/v1\/stock\//);
  await row.getByRole('link', { name: 'Create stock record' }).press('Enter');
  const quantity = page.getByLabel('Quantity in the warehouse');
  await quantity.fill('2');
  // Returning from another window keeps the input: a query that was answered 404 is not repeated on focus.
  await page.evaluate(async () => {
    const { dispatchEvent, Event } = globalThis as unknown as BrowserGlobals;
    dispatchEvent(new Event('visibilitychange'));
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
  });
  await settled(page);
  assert.equal(await quantity.inputValue(), '2');
  await page.getByRole('button', { name: 'Create stock record' }).click();
  await page.getByRole('region', { name: 'Available for sale' }).waitFor();
  await page.goBack();
  await eventually(async () => assert.match(await textOf(row), /Not enough stock 3 ordered, 2 available/));
  const allocation = row.getByRole('link', { name: 'Allocation' });
  assert.equal(
    await allocation.getAttribute('href'),
    `/console/allocations?channel=${channel.id}&search=${variant.code}`,
  );

  await make.setStock(variant, 9);
  await page.reload();
  await row.getByText('Would fit now').waitFor();
  await must(channel.call('POST', '/orders', body), 201);
  await page.reload();
  await page.getByText('No rejected orders').waitFor();
  await page.getByRole('switch', { name: 'Include orders accepted since' }).press('Space');
  await row.getByRole('link', { name: 'Accepted since' }).waitFor();
});

test('a payment for a cancelled order stays on the list until it is removed, in Korean', async () => {
  const { channel, sku } = await make.setting(5);
  const body = orderOf([line(sku)], { status: 0 });
  await must(channel.call('POST', '/orders', body), 201);
  await must(channel.call('POST', `/orders/${body.order_number}/status`, { status: 88 }), 200);
  assert.equal(
    (await channel.call('POST', `/orders/${body.order_number}/status`, { status: 1 })).status,
    409,
  );
  await service.service.flush();
  const page = await visit({ role: 'operator', to: '/refusals?tab=late', language: 'ko' });
  const row = rowOf(page, body.order_number);
  assert.match(await textOf(row), /취소 후 상태 보고 취소된 주문에 채널이 ‘결제 완료’ 상태를 보고했습니다/);
  // A double click removes the entry once; the second request would be refused.
  await row.getByRole('button', { name: `목록에서 지우기: ${body.order_number}` }).dblclick();
  await page.getByText('늦은 보고가 없습니다').waitFor();
});

test('backorders show what could ship with the current stock, by order and by item', async () => {
  const { channel, variant, sku } = await make.setting(3);
  const [first, second] = [
    orderOf([line(sku, 3)], { is_backorder: true }),
    orderOf([line(sku, 2)], { is_backorder: true }),
  ];
  for (const body of [first, second]) await must(channel.call('POST', '/orders', body), 201);
  const page = await visit({ role: 'viewer', to: '/backorders' });
  assert.match(await textOf(rowOf(page, first.order_number)), /3 × .* Can ship now$/);
  assert.match(await textOf(rowOf(page, second.order_number)), /2 × .* 2 missing Waiting for stock$/);
  await page.getByRole('switch', { name: 'Only what can ship now' }).press('Space');
  await rowOf(page, second.order_number).waitFor({ state: 'hidden' });
  await page.getByRole('tab', { name: 'By item' }).press('Enter');
  const items = page.getByRole('table', { name: 'By item' });
  assert.match(await textOf(items.getByRole('row', { name: variant.code })), / 2 5 3 3 /);
});

test('the audit log and the ledger describe changes in sentences with links; stored details are one click away', async () => {
  const { channel, variant, sku } = await make.setting(5, { name: 'Audited Shop' });
  await must(service.admin('PUT', `/stock/${variant.code}`, { quantity: 9, reason: 'counted' }), 200);
  await make.allocate(channel, variant, 2);
  const body = orderOf([line(sku)]);
  const { id } = await must(channel.call('POST', '/orders', body), 201);
  await must(service.admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: 'T1' }), 200);
  const hook = await must(
    service.admin('POST', '/webhooks', {
      url: 'https://example.com/audited?token=hidden',
      events: ['order.accepted'],
      is_active: false,
    }),
    201,
  );
  const page = await visit({ role: 'viewer', to: '/audit' });
  const entry = (text: string) => page.getByRole('row').filter({ hasText: text });
  const counted = entry('because “counted”');
  assert.match(
    await textOf(counted),
    /^Administrator token of the environment set the stock of \S+ from 5 to 9, because “counted” Details/,
  );
  // Channel names are loaded separately.
  await eventually(async () =>
    assert.match(await textOf(entry('allocated 2 of')), /to Audited Shop, with a backorder quota of/),
  );
  const moved = entry(`moved order ${body.order_number}`);
  assert.match(await textOf(moved), /from “Paid” to “Shipped”/);
  await counted.getByText('Details').click();
  await counted.getByText(`stock.set · variant:${variant.code}`).waitFor();
  await moved.getByRole('link', { name: body.order_number }).press('Enter');
  await page.getByRole('heading', { level: 1, name: body.order_number }).waitFor();

  const korean = await visit({ role: 'viewer', to: `/stock/${variant.code}?tab=ledger`, language: 'ko' });
  const ledger = korean.getByRole('region', { name: '재고 원장' });
  const rows = ledger.getByRole('table', { name: '재고 원장' });
  assert.match(await textOf(rows), new RegExp(`주문 ${body.order_number} 출고`));
  assert.match(await textOf(rows), /5에서 9로 설정: counted/);
  assert.equal(
    await ledger.getByRole('link', { name: body.order_number }).getAttribute('href'),
    `/console/orders/${id}`,
  );
  await goTo(korean, '/audit');
  await korean.getByText('상태를 ‘결제 완료’에서 ‘출고 완료’로 변경').first().waitFor();
  assert.equal(
    await korean.getByRole('link', { name: 'https://example.com/audited' }).getAttribute('href'),
    `/console/webhooks/${hook.id}`,
  );
  assert.equal(await korean.getByText('hidden').count(), 0, 'the query of an address may be a secret');
  // The filters take words: the code of an item, and an area.
  await korean.getByLabel('대상').fill(variant.code);
  const changes = korean.getByRole('table', { name: '변경 기록' }).locator('tbody').getByRole('row');
  await eventually(async () => assert.equal(await changes.count(), 3));
  await korean.getByRole('combobox', { name: '분야' }).click();
  await korean.getByRole('option', { name: '재고', exact: true }).click();
  await eventually(async () => assert.equal(await changes.count(), 2));
  assert.match(await textOf(changes.first()), /5에서 9/);
});

test('the audit log names changed fields and their values in the words of the screens, in both languages', async () => {
  const { channel, variant } = await make.setting(5, { name: 'Changed Shop' });
  await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 1_000 }), 200);
  await must(service.admin('PATCH', `/channels/${channel.id}`, { prepayment_expiry_minutes: 90 }), 200);
  await must(service.admin('PUT', '/alert-rules/rate_stale', { enabled: false, hours: 48 }), 200);
  await must(service.admin('PUT', `/channels/${channel.id}/signing`, { mode: 'accepted' }), 200);
  const user = await service.admin('POST', '/users', { email: 'changed@example.com', role: 'viewer' });
  await must(service.admin('PATCH', `/users/${user.json.data.id}`, { role: 'operator' }), 200);
  const said = async (language: 'en' | 'ko'): Promise<string> => {
    const page = await visit({ role: 'viewer', to: '/audit', language });
    await page.getByRole('link', { name: 'Changed Shop' }).first().waitFor();
    return textOf(page.getByRole('table'));
  };
  const english = await said('en');
  for (const part of [
    'low-stock limit none → 1,000',
    'minutes until unpaid orders are cancelled none → 90',
    'changed the alert Exchange rate outdated: hours 72 → 48, enabled Yes → No',
    'from off to accepted',
    'role Viewer → Operator',
  ])
    assert.ok(english.includes(part), `${part}: ${english}`);
  const korean = await said('ko');
  for (const part of [
    '미결제 주문 자동 취소(분) 없음 → 90',
    '오래된 환율',
    '끔에서 허용',
    '역할 조회자 → 운영자',
  ])
    assert.ok(korean.includes(part), `${part}: ${korean}`);
});
