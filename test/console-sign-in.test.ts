// Sign-in and sign-out in the console: passwords, roles, the first visit, and a session that ends during work.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { settled, startConsole, textOf, type BrowserGlobals } from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { must, unique } from '../verify/kit/fixtures.ts';
import { makeUser, PASSWORD } from './kit/visitor.ts';

const { service, test, visit, watch, address, account } = await startConsole();
const { pool } = service.service.services;

async function typeSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const accountMenu = (page: Page) => page.getByRole('button', { name: /^Account: / });

test('a wrong password and an unknown e-mail show the same message; after sign-in the requested page opens', async () => {
  const user = await account('viewer');
  const page = await visit({ to: '/audit?actor=somebody' });
  await heading(page, 'Sign in').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  assert.equal(await page.getByText('Please fill this in.').count(), 2);

  const texts: string[] = [];
  for (const [email, password] of [
    [user.email, 'not the password'],
    [`${unique('nobody')}@example.com`, PASSWORD],
  ] as const) {
    watch.expect(/^401 POST \/admin\/v1\/session$/);
    await typeSignIn(page, email, password);
    texts.push(await textOf(page.getByRole('alert')));
    await page.reload();
    await settled(page);
  }
  assert.deepEqual(texts, Array(2).fill('The e-mail or the password is wrong.'));

  await typeSignIn(page, user.email, PASSWORD);
  await heading(page, 'Audit log').waitFor();
  assert.equal(page.url(), address('/audit?actor=somebody'));
  assert.match(await textOf(accountMenu(page)), new RegExp(user.email));
});

test('signing in never redirects to another site', async () => {
  const user = await account('viewer');
  const page = await visit({ to: '/sign-in?to=//evil.example/x' });
  await typeSignIn(page, user.email, PASSWORD);
  await heading(page, 'Overview').waitFor();
  assert.match(page.url(), /^http:\/\/127\.0\.0\.1:\d+\/console\/?$/);
});

test('too many sign-in attempts: the page says to wait, in both languages', async () => {
  const email = `${unique('guessed')}@example.com`;
  const page = await visit({ to: '/sign-in' });
  watch.expect(/^401 POST \/admin\/v1\/session$/);
  watch.expect(/^429 POST \/admin\/v1\/session$/);
  const wait = page.getByText('Too many attempts. Wait a moment, then try again.');
  const refused = page.getByText('The e-mail or the password is wrong.');
  await eventually(async () => {
    await typeSignIn(page, email, 'a guess');
    await wait.or(refused).waitFor();
    assert.ok(await wait.isVisible());
  });
  await page.getByRole('button', { name: '한국어' }).click();
  const waitInKorean = page.getByText('시도가 너무 많았습니다.');
  const refusedInKorean = page.getByText('이메일 또는 비밀번호가 올바르지 않습니다.');
  // On a slow machine the wait may be over: then the next attempt is refused, and the one after it has to wait again.
  await eventually(async () => {
    await page.getByRole('button', { name: '로그인' }).click();
    await waitInKorean.or(refusedInKorean).waitFor();
    assert.ok(await waitInKorean.isVisible());
  });
});

test('the first visit requires a new password on every page; afterwards only the new password works', async () => {
  const user = await makeUser(service, 'operator', { name: 'Kim Minji' });
  const page = await visit({ to: '/stock' });
  await typeSignIn(page, user.email, user.password);
  await heading(page, 'Change your password').waitFor();
  await page.goto(address('/couriers'));
  await heading(page, 'Change your password').waitFor();

  const change = async (current: string, next: string, again = next) => {
    await page.getByLabel('Current password').fill(current);
    await page.getByLabel('New password', { exact: true }).fill(next);
    await page.getByLabel('Confirm new password').fill(again);
    await page.getByRole('button', { name: 'Change password' }).click();
  };
  await change(user.password, 'short');
  await page.getByText('At least 12 characters.', { exact: true }).waitFor();
  await change(user.password, PASSWORD, `${PASSWORD}!`);
  await page.getByText('The passwords do not match.').waitFor();
  watch.expect(/^422 PUT \/admin\/v1\/session\/password$/);
  await change('something else', PASSWORD);
  await page.locator('.mantine-InputWrapper-error').waitFor();
  await change(user.password, 'passwordpassword');
  await page.getByText('Too easy to guess:').waitFor();
  await change(user.password, PASSWORD);
  await heading(page, 'Couriers').waitFor();
  await accountMenu(page).click();
  await page.getByText(`${user.email} · Operator`).waitFor();

  const other = await visit({ to: '/sign-in' });
  watch.expect(/^401 POST \/admin\/v1\/session$/);
  await typeSignIn(other, user.email, user.password);
  await other.getByText('The e-mail or the password is wrong.').waitFor();
});

test('signing out ends the session', async () => {
  const user = await account('viewer');
  const page = await visit({ user, to: '/couriers' });
  await accountMenu(page).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await heading(page, 'Sign in').waitFor();
  await page.goto(address('/couriers'));
  await heading(page, 'Sign in').waitFor();
});

test('signing out everywhere ends the session of another browser, which keeps its page and asks to sign in again', async () => {
  const user = await account('operator');
  const [page, other] = [await visit({ user }), await visit({ user, to: '/couriers' })];
  // The other page polls for alerts: it may get the 401 before the click.
  watch.expect(/^401 GET /);
  await accountMenu(page).click();
  await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await heading(page, 'Sign in').waitFor();

  await other.getByRole('link', { name: 'Audit log' }).dispatchEvent('click');
  await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await other.getByRole('button', { name: 'Sign in with another account' }).click();
  await heading(other, 'Sign in').waitFor();
});

test('when a session ends during input, the input stays and the save continues after signing in again', async () => {
  const user = await account('operator');
  const code = unique('CODE');
  const page = await visit({ user, to: '/couriers' });
  await page.getByRole('button', { name: 'Add courier' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add courier' });
  await form.getByLabel('Code').fill(code);
  await form.getByLabel('Name').fill('Night Express');
  // The page polls for alerts: the sign-in dialog may open before Save is clicked, and cover it.
  watch.expect(/^401 (?:PUT|GET) /);
  await pool.query('delete from account_session where account_id = $1', [user.id]);
  await form.getByRole('button', { name: 'Save' }).dispatchEvent('click');

  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  assert.equal(await again.getByLabel('E-mail').inputValue(), user.email);
  watch.expect(/^401 POST \/admin\/v1\/session$/);
  await again.getByRole('textbox', { name: 'Password' }).fill('not the password');
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByRole('alert').waitFor();
  assert.equal(await form.getByLabel('Code').inputValue(), code);
  assert.equal(await form.getByLabel('Name').inputValue(), 'Night Express');

  await again.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(`${code} saved.`).waitFor();
  await page.getByRole('row', { name: `${code} Night Express` }).waitFor();
  const saved = await must(service.admin('GET', '/common-codes/DELIVERY_COMPANY'), 200);
  assert.ok(saved.some((row: { code: string }) => row.code === code));
});

test('when a session ends, the list of sessions asks to sign in again and is shown afterwards', async () => {
  const user = await account('operator');
  const page = await visit({ user, to: '/couriers' });
  watch.expect(/^401 GET /);
  await accountMenu(page).click();
  const item = page.getByRole('menuitem', { name: 'Account and sessions' });
  await item.waitFor();
  const sessions = page.waitForResponse((answer) => answer.url().includes('/admin/v1/sessions'));
  await pool.query('delete from account_session where account_id = $1', [user.id]);
  await item.dispatchEvent('click');
  assert.equal((await sessions).status(), 401);

  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await again.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitFor({ state: 'hidden' });
  await page.getByRole('table', { name: 'Sessions' }).getByText('This device').waitFor();
});

test('the password of an account created by an administrator is shown once, and works', async () => {
  const page = await visit({ role: 'admin', to: '/users' });
  await page.getByRole('button', { name: 'Add user' }).click();
  const email = `${unique('made')}@example.com`;
  const form = page.getByRole('dialog', { name: 'Add user' });
  await form.getByLabel('E-mail').fill(email);
  await form.getByRole('button', { name: 'Add user' }).click();
  const password = await textOf(page.locator('[data-secret]'));
  await page.reload();
  await page.getByRole('row', { name: email }).waitFor();
  assert.equal(await page.locator('[data-secret]').count(), 0);

  const made = await visit({ to: '/sign-in' });
  await typeSignIn(made, email, password);
  await heading(made, 'Change your password').waitFor();
});

test("a viewer's handcrafted write is refused, with the page's own cookie and CSRF token", async () => {
  const page = await visit({ role: 'viewer', to: '/couriers' });
  const put = (csrf: boolean) =>
    page.evaluate(async (withToken) => {
      const { data } = (await (await fetch('/admin/v1/session')).json()) as { data: { csrf_token: string } };
      const answer = await fetch('/admin/v1/common-codes/DELIVERY_COMPANY/HACK', {
        method: 'PUT',
        headers: {
          'content-type': 'application/json',
          ...(withToken ? { 'x-csrf-token': data.csrf_token } : {}),
        },
        body: '{"name":"x"}',
      });
      return [answer.status, (await answer.json()) as { error: string; code?: string }] as const;
    }, csrf);
  watch.expect(/^403 PUT /);
  const [status, body] = await put(true);
  assert.deepEqual([status, body.code], [403, 'role_required'], JSON.stringify(body));
  const [bareStatus, bare] = await put(false);
  assert.deepEqual([bareStatus, bare.code], [403, 'csrf']);
  const codes = await must(service.admin('GET', '/common-codes/DELIVERY_COMPANY'), 200);
  assert.equal(
    codes.some((row: { code: string }) => row.code === 'HACK'),
    false,
  );
});

test('language and colour scheme follow the browser until the user chooses; the choice is remembered', async () => {
  const page = await visit({ role: 'viewer', to: '/couriers', language: 'ko', scheme: 'dark' });
  const root = () =>
    page.evaluate(() => {
      const { documentElement } = (globalThis as unknown as BrowserGlobals).document;
      return [documentElement.lang, documentElement.getAttribute('data-mantine-color-scheme')];
    });
  await heading(page, '택배사').waitFor();
  await eventually(async () => assert.deepEqual(await root(), ['ko', 'dark']));
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('button', { name: 'Switch to light colours' }).click();
  await heading(page, 'Couriers').waitFor();
  await eventually(async () => assert.deepEqual(await root(), ['en', 'light']));
  await page.reload();
  await settled(page);
  await heading(page, 'Couriers').waitFor();
  await eventually(async () => assert.deepEqual(await root(), ['en', 'light']));
});

test('unsaved input: reload and navigation ask before discarding it', async () => {
  const page = await visit({ role: 'operator', to: '/audit' });
  await page.getByRole('link', { name: 'Couriers' }).click();
  await heading(page, 'Couriers').waitFor();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.reload();
  assert.deepEqual(asked, [], 'no question without input');
  await page.getByRole('button', { name: 'Add courier' }).first().click();
  const code = page.getByRole('dialog').getByLabel('Code');
  await code.fill('typed');
  // Scheduled, not awaited: the user declines the question, so the reload never completes.
  await page.evaluate(() => {
    setTimeout(() => (globalThis as unknown as BrowserGlobals).location.reload());
  });
  await eventually(() => {
    assert.deepEqual(asked, ['beforeunload']);
    return Promise.resolve();
  });
  assert.equal(await code.inputValue(), 'typed');

  await page.evaluate(() => (globalThis as unknown as BrowserGlobals).history.back());
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'hidden' });
  await page.waitForURL(address('/couriers'));
  assert.equal(await code.inputValue(), 'typed');
  await page.evaluate(() => (globalThis as unknown as BrowserGlobals).history.back());
  await question.getByRole('button', { name: 'Leave' }).click();
  await heading(page, 'Audit log').waitFor();
});
