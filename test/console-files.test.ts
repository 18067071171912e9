// The console's static files: content types, caching, compression, security headers, and the response without a build.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { plainRequest } from '../verify/kit/plain-request.ts';
import { startTestService } from '../verify/kit/service.ts';

const SCRIPT = `console.log('${'x'.repeat(2000)}');`;
const PAGE = `<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/console/assets/main-Ab12.js"></script>`;

const directory = await mkdtemp(join(tmpdir(), 'sluice-console-'));
after(() => rm(directory, { recursive: true, force: true }));
await mkdir(join(directory, 'assets'));
await writeFile(join(directory, 'index.html'), PAGE);
await writeFile(join(directory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
const asset = join(directory, 'assets', 'main-Ab12.js');
await writeFile(asset, SCRIPT);
await writeFile(`${asset}.br`, brotliCompressSync(SCRIPT));
await writeFile(`${asset}.gz`, gzipSync(SCRIPT));
await writeFile(join(directory, 'assets', 'small-Cd34.css'), 'a{}');

const service = await startTestService({ config: { console_dir: directory } });
const unbuilt = await startTestService({
  config: { console_dir: join(directory, 'none') },
  database: service.database,
});

interface Raw {
  status: number;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

/** Not with fetch, which follows redirects, decompresses bodies and normalizes paths. */
const get = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  at = service,
): Promise<Raw> => plainRequest(at.origin, { path, method, headers }) as Promise<Raw>;

const nonceOf = ({ headers }: Raw): string =>
  /style-src-elem 'self' 'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.[1] ?? '';

test('/ and /console redirect to /console/', async () => {
  for (const path of ['/', '/console']) {
    const { status, headers } = await get(path);
    assert.deepEqual([status, headers['location']], [302, '/console/']);
  }
});

test('the page has strict security headers and a new nonce for every request', async () => {
  const page = await get('/console/');
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  const nonce = nonceOf(page);
  assert.match(nonce, /^[\w+/]{22}==$/);
  assert.equal(
    page.headers['content-security-policy'],
    `default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-${nonce}'; ` +
      `style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
      `form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  );
  assert.equal(page.body.toString(), PAGE.replace('__CSP_NONCE__', nonce));
  assert.equal(page.headers['x-content-type-options'], 'nosniff');
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
  assert.equal(page.headers['cross-origin-opener-policy'], 'same-origin');
  assert.match(page.headers['permissions-policy'] ?? '', /camera=\(\)/);
  assert.equal(page.headers['cache-control'], 'no-cache');
  assert.notEqual(nonceOf(await get('/console/')), nonce);
});

test('an unchanged page: 304 without a policy, because the cached page has the nonce of the cached policy', async () => {
  const { etag = '' } = (await get('/console/')).headers;
  assert.match(etag, /^"[\w-]+"$/);
  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await get('/console/', { 'if-none-match': tag });
    assert.equal(again.status, 304, tag);
    assert.equal(again.headers['content-security-policy'], undefined);
    assert.equal(again.headers['etag'], etag);
  }
  assert.equal((await get('/console/', { 'if-none-match': '"other"' })).status, 200);
});

test("the console's own paths return the page, also with dots in codes; missing files return 404", async () => {
  for (const path of [
    'index.html',
    'stock',
    'stock/P-1.00',
    'orders/7?status=1',
    'stock/a%2Fb',
    'constructor',
    '..',
    '%2e%2e/x',
  ]) {
    const answer = await get(`/console/${path}`);
    assert.equal(answer.status, 200, path);
    assert.notEqual(nonceOf(answer), '', path);
  }
  for (const path of [
    'assets/none.js',
    'assets/',
    'assets/main',
    'none.css',
    'x/y.PNG',
    'assets/../index.html',
    'assets/..%2f..%2fpackage.json',
    'assets//main-Ab12.js',
    'assets/.hidden.js',
    'assets/a%00.js',
    'assets/a%5cb.js',
    'assets/main-Ab12.js.br',
    'main.js.map',
  ])
    assert.equal((await get(`/console/${path}`)).status, 404, path);
  assert.equal((await get('/console/%zz')).status, 422);
  for (const path of [
    '/consolex',
    '/package.json',
    '/console/../package.json',
    '/console/..%2fpackage.json',
  ]) {
    const answer = await get(path);
    assert.equal(answer.status, 404, path);
  }
  for (const method of ['POST', 'PUT', 'DELETE'])
    assert.equal((await get('/console/', {}, method)).status, 404);
});

test('assets: content type, cached without expiry, and compressed as Accept-Encoding allows', async () => {
  const path = '/console/assets/main-Ab12.js';
  const plain = await get(path);
  assert.equal(plain.status, 200);
  assert.equal(plain.headers['content-type'], 'application/javascript; charset=utf-8');
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers['x-content-type-options'], 'nosniff');
  assert.equal(plain.headers['vary'], 'accept-encoding');
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(plain.body.toString(), SCRIPT);

  const wishes: [string, string | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'gzip'],
    ['br;q=0.0, *', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0, br;q=0', undefined],
  ];
  const tags = new Set<string | undefined>();
  for (const [wish, encoding] of wishes) {
    const answer = await get(path, { 'accept-encoding': wish });
    assert.equal(answer.headers['content-encoding'], encoding, wish);
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((body: Buffer) => body);
    assert.equal(unpack(answer.body).toString(), SCRIPT, wish);
    assert.equal(answer.headers['content-length'], String(answer.body.length));
    tags.add(answer.headers['etag']);
    const again = await get(path, { 'accept-encoding': wish, 'if-none-match': answer.headers['etag'] ?? '' });
    assert.deepEqual([again.status, again.body.length], [304, 0]);
  }
  assert.equal(tags.size, 3, 'one ETag for each encoding');
});

test('small files are not compressed; files without a hash in their name are revalidated', async () => {
  const css = await get('/console/assets/small-Cd34.css', { 'accept-encoding': 'br' });
  assert.deepEqual(
    [css.headers['content-type'], css.headers['content-encoding'], css.headers['vary']],
    ['text/css; charset=utf-8', undefined, 'accept-encoding'],
  );
  const icon = await get('/console/favicon.svg');
  assert.deepEqual(
    ['content-type', 'cache-control', 'cross-origin-opener-policy'].map((name) => icon.headers[name]),
    ['image/svg+xml', 'no-cache', 'same-origin'],
  );
});

test('HEAD returns the headers of GET without the body', async () => {
  for (const path of ['/console/', '/console/assets/main-Ab12.js', '/console/none.js', '/console']) {
    const [head, whole] = [await get(path, {}, 'HEAD'), await get(path)];
    assert.equal(head.status, whole.status, path);
    assert.equal(head.body.length, 0);
    assert.equal(head.headers['content-type'], whole.headers['content-type']);
    assert.equal(head.headers['content-length'], whole.headers['content-length']);
  }
});

test('without a build the console returns 503 with instructions; the rest of the service works', async () => {
  for (const path of ['/console/', '/console/stock', '/console/assets/x.js']) {
    const { status, headers, body } = await get(path, {}, 'GET', unbuilt);
    assert.equal(status, 503);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'/);
    assert.match(body.toString(), /npm run console:build/);
  }
  assert.equal((await get('/', {}, 'GET', unbuilt)).status, 302);
  assert.equal((await get('/readyz', {}, 'GET', unbuilt)).status, 200);
});
