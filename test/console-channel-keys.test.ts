// A channel's API key in the console: rotation with and without an overlap, revocation of the old key, and the last use.
import assert from 'node:assert/strict';
import { assertAccessible, startConsole, textOf } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { must } from '../verify/kit/fixtures.ts';

const { service, make, test, visit } = await startConsole();

test('a new key with an overlap: both keys work, the page shows until when, and the old key is revoked from there', async () => {
  const channel = await make.channel({ name: 'Moon Shop' });
  await must(channel.call('GET', '/inventory'), 200);
  await service.service.services.keyUses.record();
  const page = await visit({ role: 'admin', to: `/channels/${channel.id}` });
  const access = page.getByRole('region', { name: 'Access' });
  assert.match(await textOf(access), /Key last used: (?!Never)/);
  await access.getByRole('button', { name: 'New key' }).click();

  const dialog = page.getByRole('dialog', { name: 'Create a new key for Moon Shop?' });
  await dialog.getByText('The current key is revoked immediately.').waitFor();
  await dialog.getByRole('combobox', { name: 'The current key' }).click();
  await page.getByRole('option', { name: 'stays valid for 7 days' }).click();
  await dialog.getByText('Both keys are valid until then').waitFor();
  await assertAccessible(page, 'the rotation dialog');
  await dialog.getByRole('button', { name: 'New key' }).click();
  const shown = page.getByRole('dialog', { name: 'The key of Moon Shop' });
  const key = await textOf(shown.locator('[data-secret]'));
  await shown.getByRole('button', { name: 'I’ve saved the key' }).click();
  for (const one of [key, channel.api_key]) await must(service.channel(one)('GET', '/inventory'), 200);

  await access.getByText(/The old key is valid until/).waitFor();
  assert.match(await textOf(access), /Key last used: Never.*Old key last used: (?!Never)/s);
  await access.getByRole('button', { name: 'Revoke the old key' }).click();
  const question = page.getByRole('dialog', { name: 'Revoke the old key of Moon Shop?' });
  await question.getByRole('button', { name: 'Revoke the old key' }).click();
  await eventually(async () => assert.equal((await channel.call('GET', '/inventory')).status, 401));
  await access.getByText(/The old key is valid until/).waitFor({ state: 'detached' });
  await must(service.channel(key)('GET', '/inventory'), 200);
});

test('by default the old key is revoked immediately; in Korean too', async () => {
  const channel = await make.channel({ name: '달빛' });
  const page = await visit({ role: 'admin', to: `/channels/${channel.id}`, language: 'ko' });
  const access = page.getByRole('region', { name: '접근' });
  await access.getByRole('button', { name: '새 키 발급' }).click();
  const dialog = page.getByRole('dialog', { name: '달빛의 키를 새로 발급할까요?' });
  assert.equal(await dialog.getByRole('combobox', { name: '지금 쓰는 키' }).inputValue(), '바로 중지');
  await dialog.getByRole('button', { name: '새 키 발급' }).click();
  await page.getByRole('dialog', { name: '달빛 API 키' }).waitFor();
  assert.equal((await channel.call('GET', '/inventory')).status, 401);
});

test('the list of channels shows when each key was last used', async () => {
  const used = await make.channel({ name: 'Used' });
  await make.channel({ name: 'Unused' });
  await must(used.call('GET', '/inventory'), 200);
  await service.service.services.keyUses.record();
  const page = await visit({ role: 'viewer', to: '/channels' });
  await page.getByRole('columnheader', { name: 'Key last used' }).waitFor();
  assert.match(await textOf(page.getByRole('row', { name: /^Unused/ })), /Never/);
  assert.doesNotMatch(await textOf(page.getByRole('row', { name: /^Used/ })), /Never/);
});
