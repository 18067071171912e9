// Behind a TLS proxy: the cookie is bound to the host.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../verify/kit/service.ts';
import { makeUser, signedIn, Visitor } from './kit/visitor.ts';

const service = await startTestService({ env: { SLUICE_PUBLIC_URL: 'https://sluice.example.com' } });

test('over TLS the cookies are Secure with the prefix __Host-; the cookie without the prefix is refused', async () => {
  const user = await makeUser(service, 'viewer');
  const visitor = new Visitor(service.origin);
  const answer = await visitor.signIn(user.email, user.password, { origin: 'https://sluice.example.com' });
  const [cookie = '', device = ''] = answer.headers.getSetCookie();
  assert.match(cookie, /^__Host-sluice_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  assert.match(
    device,
    /^__Host-sluice_device_\d+=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+$/,
  );
  assert.equal((await visitor.call('GET', '/session')).status, 200);
  visitor.cookie = visitor.cookie?.replace('__Host-', '') ?? null;
  assert.equal((await visitor.call('GET', '/session')).status, 401);
});

test('signing out clears the same cookie', async () => {
  const { visitor } = await signedIn(service, 'viewer');
  const out = await visitor.call('DELETE', '/session', undefined, { origin: 'https://sluice.example.com' });
  assert.equal(out.status, 204);
  const cookie = out.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^__Host-sluice_session=; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=0$/);
});
