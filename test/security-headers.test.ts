// Every answer has the security headers: for every path and method in the documents, for unknown paths, for malformed
// requests and for requests refused under overload.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { securityHeadersFor } from '../src/platform/http/security-headers.ts';
import { isShed } from '../src/platform/http/load-shedding.ts';
import { fixtures } from '../verify/kit/fixtures.ts';
import { sendRaw } from './kit/raw-http.ts';
import { ADMIN_TOKEN, call, startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import { listen } from '../verify/kit/ports.ts';

const service = await startTestService({ env: { SLUICE_PUBLIC_URL: 'https://sluice.example.com' } });
const make = fixtures(service);

function assertProtected({ headers, status }: Pick<HttpAnswer, 'headers' | 'status'>, what: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', what);
  assert.equal(headers.get('x-powered-by'), null, what);
  assert.equal(headers.get('server'), null, what);
  assert.equal(headers.get('access-control-allow-origin'), null, what);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'/, `${what}: ${status}`);
  assert.match(policy, /frame-ancestors 'none'/, what);
}

interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, unknown>>;
}

/** Every operation of the two documents, with a value for each parameter. */
async function documented(): Promise<{ method: string; path: string }[]> {
  const found: { method: string; path: string }[] = [];
  for (const url of ['/api/v1/openapi.json', '/admin/v1/openapi.json']) {
    const answer = await call(`${service.origin}${url}`, 'GET');
    assertProtected(answer, url);
    const { servers, paths } = answer.json as Document;
    const { origin, pathname } = new URL(servers[0]?.url ?? '');
    assert.equal(origin, 'https://sluice.example.com', 'the document has the public address');
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) {
        const filled = path.replaceAll(/\{[^}]+\}/g, '1');
        found.push({ method: method.toUpperCase(), path: `${pathname}${filled}` });
      }
    }
  }
  return found;
}

test('every operation, with an invalid body, without and with credentials', async () => {
  const { api_key } = await make.channel();
  const keys = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-api-key': api_key };
  const operations = await documented();
  assert.ok(operations.length > 50, String(operations.length));
  for (const { method, path } of operations) {
    const url = `${service.origin}${path}`;
    const body = method === 'GET' || method === 'DELETE' ? undefined : '{"';
    for (const headers of [{}, keys]) {
      const answer = await call(url, method, body, headers);
      assertProtected(answer, `${method} ${path}`);
      if (path.startsWith('/admin/'))
        assert.equal(answer.headers.get('cache-control'), 'no-store', `${method} ${path}`);
    }
  }
});

test('pages, probes and unknown paths', async () => {
  const { origin } = service;
  for (const path of [
    '/',
    '/console',
    '/console/',
    '/console/orders',
    '/console/assets/x.js',
    '/docs',
    '/docs/channels',
    '/docs/channels/nothing',
    '/healthz',
  ]) {
    assertProtected(await call(`${origin}${path}`, 'GET'), path);
  }
  for (const path of [
    '/readyz',
    '/metrics',
    '/nothing',
    '/api/v1/nothing',
    '/api/v1/inventory/%ff',
    '/admin/v1/%',
  ]) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      assertProtected(await call(`${origin}${path}`, method), `${method} ${path}`);
    }
  }
});

test('a request that is not valid HTTP', async () => {
  const answer = await sendRaw(service.origin, 'GET / HTTP/9.9\r\n\r\n');
  assert.equal(answer?.status, 422);
  assertProtected(answer, 'broken');
});

test('a request that is refused under overload', async (t) => {
  const headers = securityHeadersFor({ public_url: 'https://sluice.example.com' });
  const overload = { isFull: () => true, onShed: () => {} };
  const server = createServer((request, response) => void isShed(overload, headers, request, response));
  t.after(() => server.close());
  const port = await listen(server);
  const answer = await call(`http://127.0.0.1:${port}/api/v1/orders`, 'POST', {}, { connection: 'close' });
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('sluice-error'), 'overloaded');
  assertProtected(answer, 'shed');
});

test('Strict-Transport-Security is not sent without a public HTTPS address', () => {
  for (const public_url of [null, 'http://sluice.example.com']) {
    assert.equal(securityHeadersFor({ public_url })['strict-transport-security'], undefined);
  }
});
