// The stock list's compression: one stream out of pages, in little memory however many there are.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { gzipped } from '../src/http/channel/gzip.ts';

const MEGABYTE = 1024; // maxRSS counts kilobytes

test('two thousand pages are one stream, compressed a few at a time', async () => {
  const pages = Array.from({ length: 2_000 }, () => Buffer.from(randomBytes(1_000).toString('hex')));
  const before = process.resourceUsage().maxRSS;
  const stream = Buffer.concat(await gzipped(pages));
  const grown = (process.resourceUsage().maxRSS - before) / MEGABYTE;
  assert.ok(gunzipSync(stream).equals(Buffer.concat(pages)));
  assert.ok(grown < 150, `${Math.round(grown)} MB more at the peak`);
});

test('a page that stays is not compressed again', async () => {
  const [first, second, third] = ['one', 'two', 'three'].map((text) => Buffer.from(text));
  assert.ok(first && second && third);
  const [, a] = await gzipped([first, second]);
  const [, b] = await gzipped([first, third]);
  assert.equal(a, b);
});
