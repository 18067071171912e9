// The TypeScript client against the running service: from its sources, as a built package, and in a browser.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { SluiceClient, type SluiceError } from '../clients/typescript/src/index.ts';
import { hmacSha256 } from '../clients/typescript/src/sha256.ts';
import { TYPE_FILES, typesOf } from '../tools/scripts/api-types.ts';
import { packClient } from '../tools/scripts/pack-client.ts';
import type { OpenApiDocument } from '../src/platform/docs/document.ts';
import { clientErrorOf } from './kit/client-error.ts';
import { startConsole } from './kit/console.ts';
import { orderOf, unique } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { call } from '../verify/kit/service.ts';

const { service, make, test: testInBrowser, visit } = await startConsole();
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE = join(ROOT, 'clients', 'typescript');

const clientOf = ({ api_key }: { api_key: string }): SluiceClient =>
  new SluiceClient({ baseUrl: `${service.origin}/api/v1/`, apiKey: api_key });

async function shop(quantity = 10) {
  const setting = await make.setting(quantity);
  const items = (n: number) => [{ sku: setting.sku, quantity: n, unit_price: 10 }];
  return { ...setting, client: clientOf(setting.channel), items };
}

async function factsOfError(failing: Promise<unknown>): Promise<Partial<SluiceError>> {
  const error = await clientErrorOf(failing);
  const { kind, status, isRetriable, currentStatus, requestedStatus } = error;
  assert.ok(error.requestId, 'the error has the request id');
  return { kind, status, isRetriable, currentStatus, requestedStatus };
}
const failure = (kind: SluiceError['kind'], status: number, fields: Partial<SluiceError> = {}) => ({
  kind,
  status,
  isRetriable: false,
  currentStatus: null,
  requestedStatus: null,
  ...fields,
});

describe('the operations', () => {
  test('with its ETag the list is returned again only after a change', async () => {
    const { client, variant, sku } = await shop();
    const first = await client.listInventory();
    assert.deepEqual(first.items, [
      {
        sku,
        product_code: variant.code,
        product_name: `Product ${variant.product}`,
        quantity: 10,
        allocated: 0,
        available: 10,
        reserve_remaining: 0,
      },
    ]);
    const etag = first.etag ?? '';
    assert.deepEqual(await client.listInventory({ etag }), { isChanged: false, items: null, etag });
    await make.setStock(variant, 11);
    const second = await client.listInventory({ etag });
    assert.equal(second.items?.[0]?.available, 11);
    assert.notEqual(second.etag, etag);
  });

  test('a SKU can be looked up, whatever characters it contains', async () => {
    const { client, channel, variant } = await shop();
    for (const sku of ['plain', "a/b?c#d%e f'()*!~+&", '렌즈 -1.00', '...']) {
      await make.map(channel, variant, sku);
      assert.deepEqual(await client.lookup(sku), { sku, available: 10, reserve_remaining: 0 });
    }
    assert.deepEqual(await factsOfError(client.lookup('unmapped')), failure('not_found', 404));
  });

  test('a key of another service may contain any characters', async () => {
    const api_key = `old key 열쇠 ${unique('')}`;
    const csv = `name,api_key\n${unique('old')},${api_key}\n`;
    assert.equal((await service.admin('POST', '/channels/import', { csv })).status, 200);
    assert.deepEqual((await clientOf({ api_key }).listInventory()).items, []);
  });

  test('an order is new only once; a resend returns the same order', async () => {
    const { client, items } = await shop();
    const order = orderOf(items(2), { order_number: '주문/1 ?#' });
    const first = await client.submitOrder(order);
    assert.deepEqual([first.isNew, first.order.status, first.order.total_amount], [true, 1, '20.00']);
    assert.deepEqual(await client.submitOrder(order), { order: first.order, isNew: false });
    const report = { status: 3, tracking_number: 'T' } as const;
    assert.equal((await client.reportStatus(order.order_number, report)).status, 3);
    assert.equal((await client.reportStatus(order.order_number, report)).status, 3);
  });

  test('each refusal has its own kind', async () => {
    const { client, items } = await shop();
    const invalid = { ...orderOf([]), order_number: '' };
    assert.deepEqual(await factsOfError(client.submitOrder(invalid)), failure('validation', 422));
    const { fields } = await clientErrorOf(client.submitOrder(invalid));
    assert.deepEqual(Object.keys(fields ?? {}).toSorted(), ['items', 'order_number']);
    const reasonOf = async (asked: Promise<unknown>) => (await clientErrorOf(asked)).reason;
    assert.equal(await reasonOf(client.submitOrder(invalid)), 'validation');
    assert.equal(await reasonOf(client.submitOrder(orderOf(items(11)))), 'stock_insufficient');
    assert.deepEqual(await factsOfError(client.submitOrder(orderOf(items(11)))), failure('refused', 422));
    const stranger = clientOf({ api_key: 'sluice_unknown' });
    assert.deepEqual(await factsOfError(stranger.lookup('x')), failure('unauthorized', 401));
    assert.deepEqual(
      await factsOfError(client.reportStatus('unknown', { status: 1 })),
      failure('not_found', 404),
    );

    const backorder = orderOf(items(11), { is_backorder: true });
    await client.submitOrder(backorder);
    const ship = client.reportStatus(backorder.order_number, { status: 3, tracking_number: 'T' });
    const short = { isRetriable: true, currentStatus: 1, requestedStatus: 3 };
    assert.deepEqual(await factsOfError(ship), failure('insufficient_stock', 409, short));
    const back = client.reportStatus(backorder.order_number, { status: 0 });
    const final = { currentStatus: 1, requestedStatus: 0 };
    assert.deepEqual(await factsOfError(back), failure('invalid_transition', 409, final));

    const other = await shop();
    const taken = orderOf(other.items(1), { order_number: backorder.order_number });
    assert.deepEqual(await factsOfError(other.client.submitOrder(taken)), failure('unexpected', 500));
  });

  test('polling reports a change of stock', async () => {
    const { client, variant } = await shop();
    const stop = new AbortController();
    const seen: number[] = [];
    await client.pollInventory({
      intervalMs: 20,
      signal: stop.signal,
      onChange: async ([row]) => {
        seen.push(row?.available ?? -1);
        if (seen.length === 1) await make.setStock(variant, 7);
        else stop.abort();
      },
      onError: (error) => {
        throw error;
      },
    });
    assert.deepEqual(seen, [10, 7]);
  });
});

const COMMON_JS = `import { SluiceClient, type Lookup } from 'sluice-client';
const [, , baseUrl = '', apiKey = '', sku = ''] = process.argv;
const found: Promise<Lookup> = new SluiceClient({ baseUrl, apiKey }).lookup(sku);
void found.then(({ available }) => console.log(available));
`;

describe('the package', LONG_ONLY, () => {
  /** A shop's directory with the package installed, as `npm install` of the tarball leaves it. */
  const directory = mkdtempSync(join(tmpdir(), 'sluice-client-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const installed = join(directory, 'node_modules', 'sluice-client');
  const commonJs = join(directory, 'common.cts');
  const tsc = (...args: string[]) => {
    const program = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [program, ...args], {
      cwd: directory,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  };
  before(async () => {
    await packClient(directory);
    cpSync(join(directory, 'package'), installed, { recursive: true });
  });

  const sources = readdirSync(join(PACKAGE, 'src'));
  const read = (...path: string[]): string => readFileSync(join(PACKAGE, ...path), 'utf8');

  test('depends on nothing: no import leaves src, and no dependency is declared', () => {
    assert.ok(sources.length > 5, 'the sources were not found');
    const foreign = sources.flatMap((file) =>
      [...read('src', file).matchAll(/\b(?:from|import|require)\s*\(?\s*['"`]([^'"`]+)/g)]
        .map((match) => match[1] ?? '')
        .filter((name) => !/^\.\/[\w-]+\.ts$/.test(name))
        .map((name) => `${file} → ${name}`),
    );
    assert.deepEqual(foreign, []);
    const declared = Object.keys(JSON.parse(read('package.json')) as object);
    assert.deepEqual(
      declared.filter((name) => /dependencies$/i.test(name)),
      [],
    );
  });

  test('the command writes the tarball only, and keeps a directory of the name that npm packs', () => {
    const own = join(directory, 'own', 'package', 'file');
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, 'mine');
    const program = join(ROOT, 'tools', 'scripts', 'pack-client.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, join(directory, 'own')], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.equal(readFileSync(own, 'utf8'), 'mine');
    const tarball = readdirSync(join(directory, 'own')).find((file) => file !== 'package');
    assert.equal(stdout.trim(), join(directory, 'own', tarball ?? ''));
    assert.match(tarball ?? '', /^sluice-client-.*\.tgz$/);
    assert.equal(readdirSync(join(directory, 'own')).length, 2);
  });

  test('bundlers may leave out what is not imported: the nearest package.json says so', () => {
    for (const [build, type] of [
      ['esm', 'module'],
      ['cjs', 'commonjs'],
    ] as const) {
      const nearest = readFileSync(join(installed, 'dist', build, 'package.json'), 'utf8');
      assert.deepEqual(JSON.parse(nearest), { type, sideEffects: false });
    }
  });

  test('its types, and those of the console, match the OpenAPI documents', async () => {
    for (const api of ['api', 'admin'] as const) {
      const { json } = await call(`${service.origin}/${api}/v1/openapi.json`, 'GET');
      const text = await typesOf(json as OpenApiDocument);
      assert.ok(
        text === readFileSync(TYPE_FILES[api], 'utf8'),
        'the stored types are outdated: run npm run types:api',
      );
    }
  });

  test('the README example compiles and runs unchanged with the built package', async () => {
    const { channel, variant } = await shop();
    await make.map(channel, variant, 'LENS-100');
    const example = /```ts\n(.*?)```/s.exec(read('README.md'))?.[1] ?? '';
    const file = join(directory, 'example.mts');
    const ours = example
      .replace('https://sluice.example.com', service.origin)
      .replace(/sluice_0[-0-9]+/, channel.api_key);
    writeFileSync(file, ours);
    symlinkSync(join(ROOT, 'node_modules', '@types'), join(directory, 'node_modules', '@types'));
    writeFileSync(commonJs, COMMON_JS);
    tsc('--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node', file, commonJs);

    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const stopWhenPolled = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('SKUs')) child.kill('SIGTERM');
    };
    child.stdout.on('data', stopWhenPolled);
    child.stderr.on('data', stopWhenPolled);
    const code = await new Promise((resolve) => {
      child.on('close', resolve);
    });
    const lines = output.trim().split('\n');
    assert.deepEqual(
      [code, ...lines.slice(0, 3)],
      [0, '10 to sell', 'taken: A-20261115-0001, 45000.00 KRW', 'status 3'],
      output,
    );
    assert.match(lines[3] ?? '', /^2 SKUs, 8 of /);
  });

  test('CommonJS can require it, with its types', async () => {
    const { channel, sku } = await shop();
    const args = [commonJs.replace(/cts$/, 'cjs'), `${service.origin}/api/v1`, channel.api_key, sku];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    assert.deepEqual([stdout, stderr], ['10\n', '']);
  });

  test('without WebCrypto the signature is the same, for any key and any text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 300 }), (key, text) => {
        const wanted = createHmac('sha256', key).update(text).digest('hex');
        assert.equal(Buffer.from(hmacSha256(key, text)).toString('hex'), wanted);
      }),
    );
  });

  testInBrowser('it reads, orders, reports and signs in a browser', async () => {
    const { channel, sku } = await shop();
    const page = await visit({ to: '/sign-in' });
    await page.route('**/sluice-client/*', (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      return route.fulfill({ path: join(installed, 'dist', 'esm', name), contentType: 'text/javascript' });
    });
    const order = orderOf([{ sku, quantity: 3, unit_price: 10 }]);
    const seen = await page.evaluate(
      async ({ module, baseUrl, apiKey, order: body }) => {
        const { SluiceClient: Client } = (await import(module)) as { SluiceClient: typeof SluiceClient };
        const client = new Client({ baseUrl, apiKey, signingSecret: 'sls_secret' });
        const first = await client.listInventory();
        const again = await client.listInventory({ etag: first.etag ?? '' });
        const { isNew } = await client.submitOrder(body);
        const { status } = await client.reportStatus(body.order_number, { status: 88 });
        const { available } = await client.lookup(body.items[0]?.sku ?? '');
        return [first.isChanged, again.isChanged, isNew, status, available];
      },
      {
        module: '/sluice-client/index.js',
        baseUrl: `${service.origin}/api/v1`,
        apiKey: channel.api_key,
        order,
      },
    );
    assert.deepEqual(seen, [true, false, true, 88, 10]);
  });
});
