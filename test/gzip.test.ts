// Compression of the stock list: its pages become one gzip stream, in little memory whatever their number.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { gzipped } from '../src/core/channel-api/gzip.ts';

const run = promisify(execFile);
const MODULE = new URL('../src/core/channel-api/gzip.ts', import.meta.url).href;
const MEGABYTE = 1024; // maxRSS counts kilobytes

test('2,000 pages become one gzip stream, compressed a few at a time', async () => {
  const pages = Array.from({ length: 2_000 }, () => Buffer.from(randomBytes(1_000).toString('hex')));
  const stream = Buffer.concat(await gzipped(pages));
  assert.ok(gunzipSync(stream).equals(Buffer.concat(pages)));
  // In a separate process, because the memory peak of this process is already higher.
  const code = `
    import { gzipped } from ${JSON.stringify(MODULE)};
    const pages = Array.from({ length: 2_000 }, (_, n) => Buffer.alloc(2_000, n));
    const before = process.resourceUsage().maxRSS;
    await gzipped(pages);
    console.log(process.resourceUsage().maxRSS - before);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code]);
  const grown = Number(stdout) / MEGABYTE;
  assert.ok(grown < 150, `${Math.round(grown)} MB more at the peak`);
});

test('an unchanged page is not compressed again', async () => {
  const [first, second, third] = ['one', 'two', 'three'].map((text) => Buffer.from(text));
  assert.ok(first && second && third);
  const [, a] = await gzipped([first, second]);
  const [, b] = await gzipped([first, third]);
  assert.equal(a, b);
});

test('a compression that fails is tried again at the next request', async () => {
  const page = Buffer.from('a page');
  const lack = new Error('no memory');
  // The length is read by the compressor: reading it fails once, as an allocation does.
  Object.defineProperty(page, 'byteLength', {
    configurable: true,
    get: () => {
      throw lack;
    },
  });
  await assert.rejects(gzipped([page]), lack);
  Reflect.deleteProperty(page, 'byteLength');
  assert.ok(gunzipSync(Buffer.concat(await gzipped([page]))).equals(page));
});
