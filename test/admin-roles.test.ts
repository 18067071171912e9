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

/** The minimum role of each route. A DELETE comes after the routes that need the deleted object. */
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
  ['admin', 'PUT', `${own}/limits`, {}],
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

/** Every documented operation, below /admin/v1; `filled`: the path with 1 for each parameter. */
const { paths } = service.service.app.swagger() as unknown as { paths: Record<string, object> };
const operations = Object.entries(paths)
  .filter(([path]) => path.startsWith('/admin/v1/'))
  .flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.slice('/admin/v1'.length),
      filled: path.slice('/admin/v1'.length).replaceAll(/\{[^}]+\}/g, '1'),
    })),
  );
assert.ok(operations.length > 100);

test('a token with the minimum role of a route can use it', async () => {
  for (const [needs, method, path, body] of ROUTES) {
    const allowed = await admin(method, path, body, await token(needs));
    const isFine = [200, 201, 204].includes(allowed.status);
    assert.ok(isFine, `${method} ${path}: ${allowed.status} ${allowed.text}`);
  }
});

/** Exceptions from the rule that viewers can read and operators can change: mostly routes for administrators only. */
const EXCEPTIONS: Record<string, (typeof ROLES)[number]> = {
  // Each account can end its own sessions.
  'DELETE /sessions/{id}': 'viewer',
  // The responses contain addresses of recipients.
  'GET /orders/packing': 'operator',
  'GET /orders/parcels': 'operator',
  ...Object.fromEntries(
    [
      'POST /channels',
      'PATCH /channels/{id}',
      'POST /channels/{id}/rotate-key',
      'DELETE /channels/{id}/previous-key',
      'PUT /channels/{id}/rate-limit',
      'PUT /channels/{id}/limits',
      'PUT /channels/{id}/signing',
      'POST /channels/{id}/signing-secrets',
      'DELETE /channels/{id}/signing-secrets/{secretId}',
      'POST /channels/import',
      'POST /orders/import',
      'PUT /exchange-rate-source',
      'GET /users',
      'POST /users',
      'PATCH /users/{id}',
      'POST /users/{id}/reset-password',
      'POST /users/{id}/reset-second-factor',
      'GET /second-factor-rule',
      'PUT /second-factor-rule',
      'GET /tokens',
      'POST /tokens',
      'DELETE /tokens/{id}',
      'PUT /alert-rules/{kind}',
      'POST /webhooks',
      'PATCH /webhooks/{id}',
      'DELETE /webhooks/{id}',
      'POST /webhooks/{id}/rotate-secret',
      'POST /webhooks/{id}/test',
      'POST /webhooks/{id}/deliveries/{deliveryId}/resend',
    ].map((name) => [name, 'admin'] as const),
  ),
};

test('every documented route requires its minimum role, and refuses requests without a token', async () => {
  await refusal(admin('GET', '/channels', undefined, 'not-a-token'), 401);
  const tokens = await Promise.all(ROLES.map(token));
  const left = new Set(Object.keys(EXCEPTIONS));
  for (const { method, path, filled } of operations) {
    const name = `${method} ${path}`;
    left.delete(name);
    if (name === 'POST /session') continue; // sign-in
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    assert.equal((await call(`${service.origin}/admin/v1${filled}`, method, body)).status, 401, name);
    const isForSessions = SECURITY[`${method.toLowerCase()} /admin/v1${path}`] !== undefined;
    const needs = EXCEPTIONS[name] ?? (method === 'GET' ? 'viewer' : 'operator');
    for (const [index, role] of ROLES.entries()) {
      const { status, json } = await admin(method, filled, body, tokens[index]);
      if (isForSessions) assert.deepEqual([status, json?.code], [403, 'account_required'], name);
      else if (index < ROLES.indexOf(needs))
        assert.deepEqual([status, json?.details?.required_role], [403, needs], `${name} as ${role}`);
      else assert.ok(status !== 401 && status !== 403, `${name} as ${role}: ${status} ${json?.error}`);
    }
  }
  assert.deepEqual([...left], [], 'exceptions without a route');
});

test('a request with an insufficient role is refused before its body is parsed, and changes nothing', async () => {
  const viewer = await token('viewer');
  const before = await make.stock(variant);
  await refusal(admin('PUT', `/stock/${variant.code}`, '{broken', viewer), 403);
  await refusal(admin('PUT', `/stock/${variant.code}`, { quantity: 999 }, viewer), 403);
  assert.deepEqual(await make.stock(variant), before);
});

test('every unsafe route refuses a session without its CSRF token', async () => {
  const { visitor } = await signedIn(service, 'admin');
  const unsafe = operations.filter(({ method }) => method !== 'GET');
  for (const { method, path, filled } of unsafe) {
    if (method === 'POST' && path === '/session') continue; // sign-in needs no credentials
    const answer = await visitor.call(method, filled, method === 'DELETE' ? undefined : {}, {
      'x-csrf-token': '',
    });
    assert.deepEqual([answer.status, answer.json?.code], [403, 'csrf'], `${method} ${path}`);
  }
  assert.equal((await visitor.call('GET', '/session')).status, 200, 'the session stays valid');
});

/** Sign-in, and routes that need a session; all others accept both tokens and sessions. */
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

test('every admin route is documented with tags, summary, security and responses', async () => {
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
