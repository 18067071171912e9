import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, refusal } from './kit/desk.ts';
import { fixtures, must } from '../verify/kit/fixtures.ts';
import { call, startTestService } from '../verify/kit/service.ts';
import { signedIn } from './kit/visitor.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, token } = desk(service);

const { channel, variant, sku } = await make.setting(10);
const own = `/channels/${channel.id}`;
const delivery = { csv: `variant_code,quantity\n${variant.code},1`, mode: 'add', reason: 'r' };
const { import_id } = await must(admin('POST', '/stock/import', delivery), 200);

/** The minimum role for each; DELETEs come last, because they remove what others need. */
const ROUTES = [
  ['viewer', 'GET', '/channels'],
  ['viewer', 'GET', own],
  ['viewer', 'GET', '/products'],
  ['viewer', 'GET', `/products/${variant.product}`],
  ['viewer', 'GET', `${own}/mappings`],
  ['viewer', 'GET', '/stock'],
  ['viewer', 'GET', `/stock/${variant.code}`],
  ['viewer', 'GET', `/stock/${variant.code}/movements`],
  ['viewer', 'GET', `/stock/${variant.code}/orders`],
  ['viewer', 'GET', `${own}/allocations`],
  ['viewer', 'GET', '/allocations'],
  ['viewer', 'GET', '/exchange-rates'],
  ['viewer', 'GET', '/exchange-rates/current'],
  ['viewer', 'GET', '/exchange-rate-source'],
  ['viewer', 'GET', '/sessions'],
  ['viewer', 'GET', '/audit?action=stock'],
  ['viewer', 'GET', '/common-codes/G'],
  ['operator', 'POST', '/products', { code: 'P', name: 'n' }],
  ['operator', 'PATCH', `/products/${variant.product}`, { name: 'n' }],
  ['viewer', 'GET', '/variants'],
  ['viewer', 'GET', `/variants/${variant.code}`],
  ['operator', 'PATCH', `/variants/${variant.code}`, { power: '1' }],
  ['operator', 'POST', '/products/P/variants', { code: 'V' }],
  ['operator', 'PUT', `${own}/mappings`, { mappings: [{ sku: 'S', variant_code: 'V' }] }],
  ['operator', 'POST', `/stock/imports/${import_id}/undo`, { reason: 'r' }],
  ['operator', 'PUT', `/stock/${variant.code}`, { quantity: 5 }],
  ['viewer', 'GET', '/stock/export'],
  ['operator', 'POST', '/stock/import', { csv: 'variant_code,quantity', mode: 'add', reason: 'r' }],
  ['operator', 'POST', '/products/import', { csv: 'product_code,product_name,variant_code' }],
  ['operator', 'POST', '/exchange-rates/import', { csv: 'currency_code,rate' }],
  ['operator', 'POST', '/common-codes/import', { csv: 'group,code,name' }],
  ['admin', 'POST', '/channels/import', { csv: 'name,api_key' }],
  ['admin', 'POST', '/orders/import', { csv: 'x', dry_run: true }],
  ['operator', 'POST', `/stock/${variant.code}/adjustments`, { delta: 1, reason: 'r' }],
  ['viewer', 'GET', '/allocations/export'],
  ['operator', 'POST', '/allocations/import', { csv: 'channel_id,variant_code,allocated_qty,reserve_quota' }],
  ['operator', 'PUT', `${own}/allocations/${variant.code}`, { allocated_qty: 1, reserve_quota: 1 }],
  ['operator', 'POST', '/exchange-rates', { currency_code: 'USD', rate: 1 }],
  ['operator', 'POST', '/orders/bulk-status', { changes: [{ id: 1, status: 1 }] }],
  ['operator', 'PUT', '/common-codes/G/c', { name: 'n' }],
  ['operator', 'DELETE', '/common-codes/G/c'],
  ['operator', 'DELETE', `${own}/mappings/${sku}`],
  ['admin', 'POST', '/channels', { name: 'n' }],
  ['admin', 'PATCH', own, { name: 'n' }],
  ['admin', 'POST', `${own}/rotate-key`, { overlap_seconds: 60 }],
  ['admin', 'DELETE', `${own}/previous-key`],
  ['admin', 'PUT', `${own}/rate-limit`, { requests_per_minute: null }],
  ['admin', 'PUT', `${own}/signing`, { mode: 'off' }],
  ['admin', 'POST', `${own}/signing-secrets`],
  ['admin', 'GET', '/users'],
  ['admin', 'POST', '/users', { email: 'roles@example.com', role: 'viewer' }],
  ['admin', 'PATCH', '/users/1', { name: 'n' }],
  ['admin', 'POST', '/users/1/reset-password'],
  ['admin', 'PUT', '/exchange-rate-source', { kind: 'none' }],
  ['admin', 'GET', '/second-factor-rule'],
  ['admin', 'PUT', '/second-factor-rule', { roles: [] }],
  ['admin', 'GET', '/tokens'],
  ['admin', 'POST', '/tokens', { name: 'roles', role: 'viewer' }],
  ['admin', 'DELETE', '/tokens/1'],
] as const;

const ROLES = ['viewer', 'operator', 'admin'] as const;

test('each route is open from its role on, and to nobody without a token', async () => {
  for (const [needs, method, path, body] of ROUTES) {
    const name = `${method} ${path}`;
    const stranger = await call(`${service.origin}/admin/v1${path}`, method, body);
    assert.equal(stranger.status, 401, name);
    await refusal(admin(method, path, body, 'not-a-token'), 401);
    for (const role of ROLES.slice(0, ROLES.indexOf(needs))) {
      const { error } = await refusal(admin(method, path, body, await token(role)), 403);
      assert.match(error ?? '', new RegExp(needs), name);
    }
    const allowed = await admin(method, path, body, await token(needs));
    assert.ok([200, 201, 204].includes(allowed.status), `${name}: ${allowed.status} ${allowed.text}`);
  }
});

test('a refusal for want of a role comes before the body is looked at, and changes nothing', async () => {
  const viewer = await token('viewer');
  const before = await make.stock(variant);
  await refusal(admin('PUT', `/stock/${variant.code}`, '{broken', viewer), 403);
  await refusal(admin('PUT', `/stock/${variant.code}`, { quantity: 999 }, viewer), 403);
  assert.deepEqual(await make.stock(variant), before);
});

test('no unsafe route takes a session without its CSRF token', async () => {
  const { visitor } = await signedIn(service, 'admin');
  const document = service.service.app.swagger() as unknown as { paths: Record<string, object> };
  const unsafe = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get' && path.startsWith('/admin/v1/'))
      .map((method) => ({ method: method.toUpperCase(), path: path.slice('/admin/v1'.length) })),
  );
  assert.ok(unsafe.length > 20);
  for (const { method, path } of unsafe) {
    if (method === 'POST' && path === '/session') continue; // sign-in needs no credentials
    const filled = path.replaceAll(/\{[^}]+\}/g, '1');
    const answer = await visitor.call(method, filled, method === 'DELETE' ? undefined : {}, {
      'x-csrf-token': '',
    });
    assert.deepEqual([answer.status, answer.json?.code], [403, 'csrf'], `${method} ${path}`);
  }
  assert.equal((await visitor.call('GET', '/session')).status, 200, 'and the session goes on');
});

/** Sign-in and sign-out; everything else accepts both tokens and sessions. */
const SECURITY: Record<string, object[]> = {
  'post /admin/v1/session': [],
  'delete /admin/v1/session': [{ session: [] }],
  'delete /admin/v1/sessions': [{ session: [] }],
  'put /admin/v1/session/password': [{ session: [] }],
  'get /admin/v1/session/second-factor': [{ session: [] }],
  'post /admin/v1/session/second-factor': [{ session: [] }],
  'put /admin/v1/session/second-factor': [{ session: [] }],
  'post /admin/v1/session/second-factor/recovery-codes': [{ session: [] }],
  'post /admin/v1/session/second-factor/remove': [{ session: [] }],
};

test('every admin route is described: tags, summary, security, answers', async () => {
  const document = service.service.app.swagger() as unknown as {
    paths: Record<
      string,
      Record<string, { tags?: string[]; summary?: string; security?: unknown; responses: object }>
    >;
  };
  const described = Object.entries(document.paths).filter(([path]) => path.startsWith('/admin/v1/'));
  assert.ok(described.length > 10);
  for (const [path, methods] of described) {
    for (const [method, route] of Object.entries(methods)) {
      const name = `${method} ${path}`;
      assert.ok(route.tags?.length && route.summary, name);
      assert.deepEqual(route.security, SECURITY[name] ?? [{ bearer: [] }, { session: [] }], name);
      for (const status of ['401', '403', '422', '500', '503']) assert.ok(status in route.responses, name);
    }
  }
});
