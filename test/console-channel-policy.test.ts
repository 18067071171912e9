// Rate limit and request signing of a channel: set in the console, enforced on the channel's requests.
import assert from 'node:assert/strict';
import { assertAccessible, startConsole, textOf } from './kit/console.ts';
import { must } from '../verify/kit/fixtures.ts';
import { eventually } from '../verify/kit/until.ts';
import { signatureOf } from './kit/signing.ts';

const { make, service, test, visit } = await startConsole();

const signed = (secret: string) => signatureOf(secret, { method: 'GET', path: '/api/v1/inventory' });

test('a signing secret is shown once, signing is required, and a secret is removed', async () => {
  const channel = await make.channel({ name: 'Moon Shop' });
  const status = async (secret?: string): Promise<number> =>
    (await channel.call('GET', '/inventory', undefined, secret === undefined ? {} : signed(secret))).status;
  const page = await visit({ role: 'admin', to: `/channels/${channel.id}` });
  const card = page.getByRole('region', { name: 'Limits and signing' });
  await card.getByText('Create a signing secret before you require signatures.').waitFor();
  const secrets: string[] = [];
  for (const count of [1, 2]) {
    await card.getByRole('button', { name: 'New signing secret' }).click();
    const shown = page.getByRole('dialog', { name: 'Signing secret of Moon Shop' });
    secrets.push(await textOf(shown.locator('[data-secret]')));
    await shown.getByRole('button', { name: 'Copy: Signing secret' }).waitFor();
    if (count === 1) await assertAccessible(page, 'the secret');
    await shown.getByRole('button', { name: 'I’ve saved the secret' }).click();
    await shown.waitFor({ state: 'detached' });
    await card
      .getByRole('button', { name: /^Remove/ })
      .nth(count - 1)
      .waitFor();
  }
  assert.equal(await card.getByRole('button', { name: 'New signing secret' }).isDisabled(), true);
  const [first = '', second = ''] = secrets;
  assert.match(first, /^sls_[\w-]{43}$/);

  await card.getByRole('combobox', { name: 'Signed requests' }).click();
  await page.getByRole('option', { name: /^Required/ }).click();
  await page
    .getByRole('dialog', { name: 'Require signatures from Moon Shop?' })
    .getByRole('button', { name: 'Require signatures' })
    .click();
  await eventually(async () => assert.equal(await status(), 401));
  for (const secret of secrets) assert.equal(await status(secret), 200);

  await card
    .getByRole('button', { name: /^Remove/ })
    .first()
    .click();
  const question = page.getByRole('dialog', { name: /^Remove signing secret \d+\?$/ });
  await question.getByRole('button', { name: 'Remove' }).click();
  await eventually(async () => assert.equal(await status(first), 401));
  assert.equal(await status(second), 200);
  await eventually(async () =>
    assert.equal(await card.getByRole('button', { name: /^Remove/ }).isDisabled(), true),
  );
  await assertAccessible(page, 'the card');
});

test('order limits are set, shown and removed', async () => {
  const channel = await make.channel();
  const path = `/channels/${channel.id}/limits`;
  const stored = () => must(service.admin('GET', path), 200);
  await must(service.admin('PUT', path, { line_quantity_max: 9 }), 200);
  const page = await visit({ role: 'admin', to: `/channels/${channel.id}` });
  const card = page.getByRole('region', { name: 'Limits and signing' });
  const field = (name: string) => card.getByRole('textbox', { name, exact: true });
  await eventually(async () => assert.equal(await field('Largest quantity of a line').inputValue(), '9'));
  await field('Held by unpaid orders, at most (% of the stock)').fill('101');
  await card.getByRole('button', { name: 'Save order limits' }).click();
  await field('Held by unpaid orders, at most (% of the stock)').fill('20');
  // Another administrator sets another limit meanwhile.
  await must(service.admin('PUT', path, { line_quantity_max: 9, backordered_quantity_max: 3 }), 200);
  await card.getByRole('button', { name: 'Save order limits' }).click();
  await page.getByText('Order limits saved.').waitFor();
  assert.deepEqual(await stored(), {
    line_quantity_max: 9,
    unpaid_quantity_max: null,
    unpaid_percent_max: 20,
    backordered_quantity_max: 3,
  });
  await field('Largest quantity of a line').fill('');
  await card.getByRole('button', { name: 'Save order limits' }).click();
  await eventually(async () => assert.equal((await stored()).line_quantity_max, null));
  await assertAccessible(page, 'the card');
});

test('a rate limit is set, shown and removed, in Korean', async () => {
  const channel = await make.channel({ name: '달빛' });
  const limit = async (): Promise<string | null> =>
    (await channel.call('GET', '/inventory')).headers.get('ratelimit-limit');
  const page = await visit({ role: 'admin', to: `/channels/${channel.id}`, language: 'ko' });
  const card = page.getByRole('region', { name: '요청 한도와 서명' });
  const save = card.getByRole('button', { name: '한도 저장' });
  await card.getByLabel('분당 요청 수').fill('600000');
  await save.click();
  await card.getByText('입력해 주세요.').waitFor();
  assert.equal(await limit(), null);
  await card.getByLabel('순간 최대 요청 수').fill('5000');
  await save.click();
  await eventually(async () => assert.equal(await limit(), '5000'));
  await page.reload();
  assert.equal(await card.getByLabel('분당 요청 수').inputValue(), '600000');
  await card.getByLabel('분당 요청 수').fill('');
  await save.click();
  await eventually(async () => assert.equal(await limit(), null));
});

test('a refused request is found by its X-Request-Id; a trace records every request until it is stopped', async () => {
  const channel = await make.channel({ name: 'Lost Shop' });
  /** Sends a request and returns its id when the service lists it. */
  const request = async (path: string): Promise<string> => {
    const requestId = (await channel.call('GET', path)).headers.get('x-request-id') ?? '';
    await eventually(async () => {
      await service.service.flush();
      const found = service.admin('GET', `/channels/${channel.id}/requests?request_id=${requestId}`);
      assert.equal((await must(found, 200)).length, 1);
    });
    return requestId;
  };
  const page = await visit({ role: 'admin', to: `/channels/${channel.id}` });
  const card = page.getByRole('region', { name: 'Requests' });
  const row = (requestId: string) => card.getByRole('row').filter({ hasText: requestId });
  const outcomes = card.getByRole('radiogroup', { name: 'Outcome' });
  await card.getByText('No request was refused or slow').waitFor();
  const refused = await request('/inventory/nowhere');
  await card.getByLabel('Request ID (X-Request-Id)').fill(refused);
  assert.match(await textOf(row(refused)), /GET \/api\/v1\/inventory\/:sku.*404 sku_unmapped.*nowhere/s);
  await outcomes.getByText('Slow').click();
  await card.getByRole('button', { name: 'Reset filters' }).click();
  await card.getByRole('button', { name: 'Trace for one hour' }).click();
  await card.getByText(/^Every request is recorded until/).waitFor();
  const served = await request('/inventory');
  await outcomes.getByText('Served').click();
  await row(served).waitFor();
  await assertAccessible(page, 'the requests');
  await card.getByRole('button', { name: 'Stop the trace' }).click();
  await card.getByRole('button', { name: 'Trace for one hour' }).waitFor();
});

test('only administrators see the card', async () => {
  const channel = await make.channel();
  const page = await visit({ role: 'operator', to: `/channels/${channel.id}` });
  await page.getByRole('region', { name: 'Settings' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Limits and signing' }).count(), 0);
});

test('the expiry of unpaid orders is set in minutes, or removed', async () => {
  const channel = await make.channel({ name: 'Late Shop' });
  const page = await visit({ role: 'admin', to: `/channels/${channel.id}` });
  const card = page.getByRole('region', { name: 'Settings' });
  const field = card.getByRole('textbox', { name: 'Cancel unpaid orders after (minutes)' });
  const save = card.getByRole('button', { name: 'Save' });
  const stored = async (): Promise<unknown> =>
    (await must(service.admin('GET', `/channels/${channel.id}`), 200)).prepayment_expiry_minutes;
  await field.fill('1.5');
  await save.click();
  await card.getByText('A whole number from 1 to 527040, or empty.').waitFor();
  assert.equal(await stored(), null);
  // Input typed during a save is kept and saved next.
  const answer = Promise.withResolvers<void>();
  await page.route(`**/admin/v1/channels/${channel.id}`, async (route) => {
    if (route.request().method() === 'PATCH') {
      const response = await route.fetch();
      await answer.promise;
      await route.fulfill({ response });
    } else await route.continue();
  });
  await field.fill('90');
  await save.click();
  await eventually(async () => assert.equal(await stored(), 90));
  await field.fill('');
  answer.resolve();
  await page.getByText('Late Shop saved.').waitFor();
  await save.click();
  await eventually(async () => assert.equal(await stored(), null));
});
