// Accounts and connections in the browser: two-step sign-in, sessions, single sign-on, rate source, webhooks, alerts, and a
// channel's allowed addresses.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { startReceiver } from '../verify/kit/receiver.ts';
import { must, unique } from '../verify/kit/fixtures.ts';
import { eventually } from '../verify/kit/until.ts';
import { assertAccessible, settled, startConsole, textOf } from './kit/console.ts';
import { ecbDocument } from './kit/rate-documents.ts';
import { PASSWORD } from './kit/visitor.ts';

const { service, make, test, visit, watch, account } = await startConsole();
const { jobs } = service.service;
const { pool } = service.service.services;

test('two-step sign-in by keyboard: set up, required at the next sign-in, recovery codes renewed, turned off', async () => {
  const user = await account('operator');
  const page = await visit({ user, to: '/account' });
  await assertAccessible(page, 'the account');
  await page.getByRole('link', { name: 'Set up two-step sign-in' }).press('Enter');
  await page.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  const picture = page.getByRole('img');
  await picture.waitFor();
  await assertAccessible(page, 'the picture to scan');
  const totp = new TOTP({ secret: Secret.fromBase32(await page.locator('code').innerText()) });
  watch.expect(/^422 PUT \/admin\/v1\/session\/second-factor/);
  const code = page.getByRole('textbox', { name: 'Code' });
  await code.fill('12');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await code.getAttribute('aria-invalid'), 'true'));
  await code.fill(totp.generate());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Store your recovery codes' }).waitFor();
  const [recovery = ''] = (await page.locator('pre').innerText()).split('\n');
  await page.getByRole('button', { name: 'I have stored them' }).press('Enter');
  await page.getByText('Recovery codes left: 10.').waitFor();

  // The next sign-in accepts a recovery code and uses it up.
  const other = await visit({ language: 'ko', to: '/sign-in?to=/account' });
  watch.expect(/^401 POST \/admin\/v1\/session/);
  await other.getByRole('textbox', { name: '이메일' }).fill(user.email);
  await other.getByRole('textbox', { name: '비밀번호' }).fill(PASSWORD);
  await other.keyboard.press('Enter');
  await other.getByRole('textbox', { name: '코드' }).fill(recovery);
  await other.keyboard.press('Enter');
  await other.getByText('남은 복구 코드: 9개.').waitFor();
  await settled(other);
  await assertAccessible(other, 'the account in Korean');

  const asked = async (button: string) => {
    await page.getByRole('button', { name: button }).press('Enter');
    const dialog = page.getByRole('dialog', { name: button });
    await dialog.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    return dialog;
  };
  const codes = await asked('New recovery codes');
  await codes.getByText('They are shown only now.').waitFor();
  assert.equal((await codes.locator('pre').innerText()).split('\n').length, 10);
  await codes.getByRole('button', { name: 'I have stored them' }).press('Enter');
  await asked('Turn off two-step sign-in');
  await page.getByRole('link', { name: 'Set up two-step sign-in' }).waitFor();
});

test('an administrator sees all sessions and ends one; that browser has to sign in again', async () => {
  const user = await account('viewer');
  const theirs = await visit({ user, to: '/couriers' });
  const page = await visit({ role: 'admin', to: '/account' });
  const row = page.getByRole('row').filter({ hasText: user.email });
  // The user's page polls for alerts: it may get the 401 before the click.
  watch.expect(/^401 GET/);
  await row.getByRole('button', { name: 'End session' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).press('Enter');
  await page.getByText('The session has ended.').waitFor();
  await row.waitFor({ state: 'detached' });
  await theirs.getByRole('link', { name: 'Orders' }).first().dispatchEvent('click');
  await theirs.getByRole('dialog').getByRole('textbox', { name: 'Password' }).waitFor();
});

test('an account of the OpenID provider is marked and has no password and no second factor to manage', async () => {
  const user = await account('operator');
  await pool.query('update account set has_password = false where id = $1', [user.id]);
  const page = await visit({ role: 'admin', to: '/users' });
  await page.getByRole('row').filter({ hasText: user.email }).getByText('Single sign-on').waitFor();
  const theirs = await visit({ user, to: '/account', language: 'ko' });
  await theirs.getByText('회사 통합 로그인(SSO)으로 로그인합니다.').waitFor();
  assert.equal(await theirs.getByRole('link', { name: '2단계 로그인 설정' }).count(), 0);
  await theirs.getByRole('button', { name: /계정/ }).press('Enter');
  await theirs.getByRole('menuitem', { name: '로그아웃', exact: true }).waitFor();
  assert.equal(await theirs.getByRole('menuitem', { name: '비밀번호 변경' }).count(), 0);
});

test('a rate source is chosen and run; a jump waits for a decision, and a failed collection is shown', async () => {
  let document = ecbDocument();
  const bank = createServer((_request, response) => response.end(document));
  await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve));
  after(() => bank.close());
  const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}/rates.xml`;
  const page = await visit({ role: 'admin', to: '/exchange-rates' });
  await page.getByRole('button', { name: 'Choose a source' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Source of exchange rates' });
  await dialog.getByRole('combobox', { name: 'Source' }).press('Enter');
  await page.getByRole('option', { name: 'European Central Bank' }).click();
  await dialog.getByRole('combobox', { name: 'Currencies' }).fill('USD');
  await page.getByRole('option', { name: /USD/ }).click();
  await page.keyboard.press('Escape');
  await dialog.getByRole('textbox', { name: /^Address/ }).fill(url);
  await assertAccessible(page, 'the settings of the source');
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  const collect = page.getByRole('button', { name: 'Collect now' });
  await collect.press('Enter');
  await page.getByText('New rates are in effect.').waitFor();
  document = ecbDocument({ USD: '0.5' }, '2026-11-14');
  await collect.press('Enter');
  await page.getByText('The rate of USD needs your decision').waitFor();
  await assertAccessible(page, 'a rate that waits');
  const accept = page.getByRole('button', { name: 'Accept rate' });
  const sure = page.getByRole('dialog', { name: 'Is this rate right?' });
  await accept.press('Enter');
  assert.match(
    await textOf(sure),
    /The current rate of USD is 1,360\.63\d+, the new one 2,923\.74 \(\+114\.9%\)\./,
  );
  await assertAccessible(page, 'the question before a rate is accepted');
  await sure.getByRole('button', { name: 'Cancel' }).press('Enter');
  await sure.waitFor({ state: 'hidden' });
  const { waiting } = await must(service.admin('GET', '/exchange-rate-source'), 200);
  assert.equal(waiting.length, 1, 'nothing was accepted');
  await accept.press('Enter');
  await sure.getByRole('button', { name: /^Yes, .* is right$/ }).press('Enter');
  await page.getByText('The new rate of USD is in effect.').waitFor();
  document = 'closed today';
  await collect.press('Enter');
  await page.getByText('The last collection failed').waitFor();
  await page.getByText('it is not the expected XML').first().waitFor();
});

test('a webhook by keyboard: added, its secret shown once, a failed test sent again, paused, secret replaced, removed', async () => {
  const receiver = await startReceiver(() => 503);
  after(() => receiver.close());
  const page = await visit({ role: 'admin', to: '/webhooks' });
  await page.getByRole('button', { name: 'Add webhook' }).first().press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add webhook' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Warehouse');
  await assertAccessible(page, 'a new webhook');
  await page.keyboard.press('Enter');
  const secret = page.getByRole('dialog', { name: 'Secret of the webhook' });
  const first = await secret.locator('[data-secret]').innerText();
  assert.match(first, /^whsec_/);
  await secret.getByRole('button', { name: 'Done' }).press('Enter');
  await page.getByRole('link', { name: 'Warehouse' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Warehouse' }).waitFor();
  await page.getByRole('button', { name: 'Send test' }).press('Enter');
  await page.getByText('The endpoint did not accept the test').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Test' });
  await eventually(async () => assert.match(await textOf(row), /Failed 503/));
  // Why attempts failed, and the page without a description: the host instead of an id.
  await page.getByText('Not accepted').click();
  await eventually(async () => assert.match(await textOf(row), /Failed 503/));
  await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter');
  const edit = page.getByRole('dialog', { name: 'Edit webhook' });
  await edit.getByRole('textbox', { name: 'Description' }).fill('');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: new URL(receiver.url).host }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Warehouse' }).waitFor();
  await page.getByText('All', { exact: true }).click();
  await assertAccessible(page, 'a webhook with a delivery');
  receiver.answer = () => 200;
  await row.getByRole('button', { name: 'Send again' }).press('Enter');
  await page.getByText('Will be sent again.').waitFor();
  const ending = new AbortController();
  const job = service.service.features
    .flatMap((one) => one.jobs ?? [])
    .find(({ name }) => name === 'webhooks');
  const sending = job?.run(service.service.services, ending.signal);
  await eventually(async () => assert.match(await textOf(row), /Delivered 200/));
  ending.abort();
  await sending;
  await page.getByRole('button', { name: 'Pause' }).press('Enter');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('button', { name: 'New secret' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Create a new secret?' })
    .getByRole('button', { name: 'New secret' })
    .press('Enter');
  assert.notEqual(await secret.locator('[data-secret]').innerText(), first);
  await secret.getByRole('button', { name: 'Done' }).press('Enter');
  await page.getByRole('button', { name: 'Remove' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await page.getByText('No webhooks yet').waitFor();
});

test('an alert appears on the bell, links to its item and closes when stock is added; a rule is changed in Korean', async () => {
  const variant = await make.variant(3);
  await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 5 }), 200);
  await jobs.runNow('alerts');
  const page = await visit({ role: 'admin', to: '/couriers' });
  await page.getByRole('link', { name: 'Open alerts: 1' }).press('Enter');
  await assertAccessible(page, 'the alerts');
  await page
    .getByRole('row')
    .filter({ hasText: 'Low stock' })
    .getByRole('link', { name: variant.code })
    .press('Enter');
  await page.getByRole('heading', { level: 1, name: variant.code }).waitFor();
  await make.setStock(variant, 50);
  await jobs.runNow('alerts');
  const korean = await visit({ role: 'admin', to: '/alerts?tab=closed', language: 'ko' });
  await korean.getByRole('row').filter({ hasText: variant.code }).waitFor();
  await korean.getByRole('tab', { name: '규칙' }).press('Enter');
  await korean.getByRole('button', { name: '규칙 변경: 응답 없는 채널' }).press('Enter');
  const dialog = korean.getByRole('dialog', { name: '응답 없는 채널' });
  await dialog.getByLabel('시간').fill('36');
  await korean.keyboard.press('Enter');
  await korean.getByText('규칙을 저장했습니다.').waitFor();
  await korean.getByRole('row').filter({ hasText: '36' }).waitFor();
  await assertAccessible(korean, 'the rules in Korean');
});

test('alerts of one cause are one row with their number, in the list and on the bell', async () => {
  const { channel } = await make.setting(1, { name: 'Forgetful Shop' });
  const skus = Array.from({ length: 7 }, () => unique('GONE'));
  for (const sku of skus) assert.equal((await channel.call('GET', `/inventory/${sku}`)).status, 404);
  await service.service.flush();
  const items = [await make.variant(1), await make.variant(2)];
  for (const { code } of items)
    await must(service.admin('PATCH', `/variants/${code}`, { low_stock_at: 5 }), 200);
  await eventually(async () => {
    await jobs.runNow('alerts');
    assert.equal((await must(service.admin('GET', '/alerts?state=open'), 200)).length, 9);
  });
  const page = await visit({ role: 'operator', to: '/alerts' });
  await page.getByRole('link', { name: 'Open alerts: 9, with 2 causes' }).waitFor();
  assert.equal(await page.getByRole('rowheader').count(), 2);

  const unmapped = page.getByRole('row').filter({ hasText: 'Unmapped SKU requested' });
  await unmapped.getByText('Forgetful Shop: 7 SKUs').press('Enter');
  const link = unmapped.getByRole('link');
  assert.match(await textOf(link), /^(?:GONE\S+, ){4}GONE\S+ and 2 more$/);
  const low = page.getByRole('row').filter({ hasText: 'Low stock' });
  await low.getByText('2 items').press('Enter');
  for (const { code } of items) await low.getByRole('link', { name: code }).waitFor();
  await assertAccessible(page, 'groups of alerts');
  await link.press('Enter');
  await page.waitForURL(new RegExp(`/mappings\\?channel=${channel.id}$`));
});

test('a channel is restricted to addresses; an invalid address is refused at its field, in Korean', async () => {
  const { id } = await make.channel({ name: unique('Bound') });
  const page = await visit({ role: 'admin', to: `/channels/${id}`, language: 'ko' });
  const field = page.getByLabel('허용 주소');
  const save = page.getByRole('button', { name: '주소 저장' });
  await field.fill('203.0.113.0/24\nnot an address');
  watch.expect(new RegExp(`^422 PATCH /admin/v1/channels/${id}`));
  await save.press('Enter');
  await page.getByText('“not an address”: IP 주소 또는').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await field.fill('203.0.113.0/24\n2001:db8::/32');
  await save.press('Enter');
  await page.getByText('허용 주소를 저장했습니다').waitFor();
  assert.ok(await save.isDisabled());
  const { allowed_addresses } = await must(service.admin('GET', `/channels/${id}`), 200);
  assert.deepEqual(allowed_addresses, ['203.0.113.0/24', '2001:db8::/32']);
});

test('a token names who created it as the audit log does, in both languages', async () => {
  await must(service.admin('POST', '/tokens', { name: 'scanner', role: 'viewer' }), 201);
  for (const [language, author] of [
    ['en', 'Administrator token of the environment'],
    ['ko', '환경 변수의 관리자 토큰'],
  ] as const) {
    const page = await visit({ role: 'admin', to: '/tokens', language });
    await page.getByRole('row', { name: 'scanner' }).getByText(author).waitFor();
  }
});
