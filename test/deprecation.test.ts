// The headers of a deprecated channel API operation. Nothing is deprecated today, so the route is defined here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { announceDeprecations } from '../src/core/channel-api/deprecation.ts';
import { CHANNEL_DOCUMENT } from '../src/core/channel-api/document-texts.ts';
import { documentOf, registerOpenApi } from '../src/platform/docs/openapi.ts';

const since = new Date('2026-11-15T00:00:00Z');
const until = new Date('2027-11-15T00:00:00Z');

async function appWith(deprecation: { since: Date; until: Date }) {
  const app = Fastify();
  await registerOpenApi(app, CHANNEL_DOCUMENT);
  await app.register(
    async (scope) => {
      announceDeprecations(scope);
      const schema = { summary: 'x', response: { 200: Type.Object({ ok: Type.Boolean() }) } };
      scope.get('/old', { schema, config: { deprecation } }, async () => ({ ok: true }));
      scope.get('/broken', { schema, config: { deprecation } }, async () => {
        throw new Error('a fault');
      });
      scope.get('/kept', { schema }, async () => ({ ok: true }));
    },
    { prefix: '/api/v1' },
  );
  return app;
}

test('a deprecated operation states its deprecation and sunset dates in responses and OpenAPI; others do not', async () => {
  const app = await appWith({ since, until });
  for (const [path, status] of [
    ['/old', 200],
    ['/broken', 500],
  ] as const) {
    const { statusCode, headers } = await app.inject(`/api/v1${path}`);
    assert.equal(statusCode, status);
    assert.deepEqual(
      [headers['deprecation'], headers['sunset'], headers['link']],
      [
        '@1794700800',
        'Mon, 15 Nov 2027 00:00:00 GMT',
        '</docs/channels/compatibility#changelog>; rel="deprecation"; type="text/html"',
      ],
      path,
    );
  }
  assert.equal((await app.inject('/api/v1/kept')).headers['deprecation'], undefined);

  const { paths, components } = documentOf(app, CHANNEL_DOCUMENT, '');
  const [old, kept] = [paths['/old']?.['get'], paths['/kept']?.['get']];
  assert.deepEqual([old?.deprecated, kept?.deprecated], [true, undefined]);
  const named = Object.keys(old?.responses['200']?.headers ?? {});
  assert.ok(named.includes('Deprecation') && named.includes('Sunset'), named.join());
  assert.ok('Deprecation' in components.headers && 'Sunset' in components.headers);
  assert.ok(!Object.keys(kept?.responses['200']?.headers ?? {}).includes('Sunset'));
  await app.close();
});

test('a deprecation with less than twelve months of notice fails at the start of the service', async () => {
  await assert.rejects(appWith({ since, until: new Date('2027-11-14T00:00:00Z') }), /12 months of notice/);
});
