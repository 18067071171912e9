// docs/channels: every example is run unchanged in the sandbox, and its output is what the page shows.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { after, describe, test } from 'node:test';
import { renderMarkdown } from '../src/platform/docs/markdown.ts';
import { securityHeadersFor } from '../src/platform/http/security-headers.ts';
import { isShed } from '../src/platform/http/load-shedding.ts';
import { assertShown, examplesOf, pages, pageText, runRequest, type Example } from './kit/doc-examples.ts';
import { inDirectory, missing, onPort, runProgram, whileServing } from './kit/doc-programs.ts';
import { docsEnvironment, startOver } from './kit/doc-shops.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { spawnService, temporaryDirectory } from '../verify/kit/process.ts';
import { sendRaw } from './kit/raw-http.ts';
import { ADMIN_TOKEN, call, startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const directory = await temporaryDirectory();
await copyCluster(directory.path);
const sandbox = await spawnService({ SLUICE_DATA_DIR: directory.path, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN }, [
  process.execPath,
  'tools/sandbox/main.ts',
]);
after(async () => {
  await sandbox.stop();
  await directory.remove();
});
await sandbox.mustBeReady();
const environment = docsEnvironment(sandbox);
const overloaded = await startFullService();

/** The part of the service that sheds requests when the gate is full, with a gate that is always full. */
async function startFullService(): Promise<string> {
  const headers = securityHeadersFor({ public_url: null });
  const overload = { isFull: () => true, onShed: () => {} };
  const server = createServer((request, response) => void isShed(overload, headers, request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

async function run(example: Example, workplace: string): Promise<void> {
  const env = example.words.includes('overloaded') ? { ...environment, SLUICE: overloaded } : environment;
  const isRequest = example.language === 'http';
  const actual = isRequest ? await runRequest(example, env) : await runProgram(example, workplace, env);
  assertShown(example, actual);
}

/** Requests and shell commands of a page run together, in its order. Programs run per language. */
const LANGUAGES = [['http', 'sh'], ['ts'], ['python'], ['php']];

for (const page of pages) {
  describe(page, () => {
    const examples = examplesOf(page);
    for (const languages of LANGUAGES) {
      const here = examples.filter(
        ({ language, words }) => languages.includes(language) && words[0] === 'run',
      );
      if (here.length === 0) continue;
      test(`${languages.join(' and ')}: ${here.length} examples`, async (t) => {
        const reason = await missing(languages[0] ?? '');
        if (reason !== false) return t.skip(reason);
        await startOver(sandbox);
        await inDirectory(async (workplace) => {
          for (const example of here) await run(example, workplace);
        });
      });
    }
  });
}

describe('the servers of product-information.md', () => {
  const examples = examplesOf('product-information.md');
  const asks = examples.filter(({ words }) => words[0] === 'ask');
  for (const server of examples.filter(({ words }) => words[0] === 'serve')) {
    test(server.language, async (t) => {
      const reason = await missing(server.language);
      if (reason !== false) return t.skip(reason);
      await whileServing(server, environment, async (origin, port) => {
        await inDirectory(async (workplace) => {
          for (const ask of asks) await run(onPort(ask, port), workplace);
        });
        assert.equal((await call(`${origin}?usercode=DAY`, 'GET')).status, 401);
        const shown = (usercode: string) =>
          call(
            `${sandbox.origin}/sandbox/product-information`,
            'POST',
            { api_url: origin, usercode },
            { 'x-api-key': environment['SLUICE_KEY'] ?? '' },
          );
        const { errors, skus } = (await shown('DAY')).json.data;
        assert.deepEqual(errors, []);
        assert.deepEqual(
          skus.map(({ option_code, variant_code }: Record<string, string>) => [option_code, variant_code]),
          [
            ['SHOP-DAY-100', 'DAY--1.00'],
            ['SHOP-DAY-150', 'DAY--1.50'],
          ],
        );
        assert.equal((await shown('NONE')).json.data.found, false);
      });
    });
  }
});

test('the index page sets the variables of the sandbox', () => {
  const lines = pageText('README.md').split('\n');
  const set = lines.flatMap((line) => /^export (\w+=\S+)/.exec(line)?.[1] ?? []);
  const wanted = { ...environment, SLUICE: 'http://127.0.0.1:8081/api/v1' };
  assert.deepEqual(
    set.toSorted(),
    Object.entries(wanted)
      .map((pair) => pair.join('='))
      .toSorted(),
  );
});

test('a typo in a code block does not exclude its example', () => {
  const examples = pages.flatMap(examplesOf);
  assert.ok(examples.length > 50, String(examples.length));
  const words = pages.flatMap((page) =>
    [...pageText(page).matchAll(/^```\S+ (.+)$/gm)].map((match) => match[1]),
  );
  const known = /^(?:run|serve|ask|output|answer)(?: overloaded)?$/;
  assert.deepEqual(
    words.filter((word) => !known.test(word ?? '')),
    [],
  );
});

describe('/docs/channels', () => {
  const addressOf = (page: string): string =>
    `/docs/channels${page === 'README.md' ? '' : `/${page.slice(0, -3)}`}`;
  const read = (path: string) => call(`${service.origin}${path}`, 'GET');

  test('every file is served as a page, from any working directory, and loads nothing from other sites', async () => {
    const started = process.cwd();
    process.chdir(tmpdir());
    try {
      for (const page of pages) {
        const answer = await read(addressOf(page));
        assert.equal(answer.status, 200, page);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        const policy = answer.headers.get('content-security-policy') ?? '';
        assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'/);
        const bare = answer.text.replaceAll(/<code>.*?<\/code>/gs, '');
        assert.equal(/<script|<link|<img|\ssrc=|\sstyle=|@import|url\(/.exec(bare), null, page);
        assert.match(answer.text, /<h1>[^<]+<\/h1>/);
      }
    } finally {
      process.chdir(started);
    }
  });

  test('every link leads to an existing page and heading, and the index names every page', async () => {
    assert.match((await read('/docs')).text, /href="\/docs\/channels"/);
    const texts = new Map<string, string>();
    for (const page of pages) texts.set(addressOf(page), (await read(addressOf(page))).text);
    for (const [address, text] of texts) {
      for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
        if (href === '/docs' || href.startsWith('https://')) continue;
        const [target = '', anchor] = href.split('#');
        const there = texts.get(target === '' ? address : target);
        assert.ok(there !== undefined, `${address} → ${href}`);
        if (anchor !== undefined) assert.ok(there.includes(` id="${anchor}"`), `${address} → ${href}`);
      }
    }
    for (const page of pages)
      assert.ok(page === 'README.md' || pageText('README.md').includes(`](${page})`), page);
  });

  test('a path that is not a page is 404, also with path traversal', async () => {
    const names = [
      'nothing',
      'README',
      'errors.md',
      'nothing/',
      'README/',
      '__proto__',
      'constructor',
      'errors%00',
      '%2e',
    ];
    const climbing = [
      '..%2fglossary',
      '..%2Foperations.md',
      '..%2f..%2fpackage.json',
      '..%5cglossary',
      '../glossary',
    ];
    for (const name of [...names, ...climbing]) {
      const answer = await sendRaw(service.origin, `GET /docs/channels/${name} HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.equal(answer?.status, 404, name);
      assert.deepEqual(answer?.json, { error: 'There is nothing at this path.' }, name);
    }
  });

  test('HTML in a file is escaped, and only allowed link targets become links', () => {
    const text =
      '# Title\n\n## A `b` <i>c</i>\n\n<script>alert(1)</script>\n\nA <b onclick=x>b</b> [c](javascript:alert(1)) ![d](x.png)\n\n```sh run\n<i>\n```';
    const { html, headings } = renderMarkdown(text, () => null);
    assert.doesNotMatch(html, /<script|<b |<i>|<a href="j|<img/);
    assert.match(html, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    assert.equal(headings[0]?.id, 'a-b-ic/i'.replaceAll('/', ''));
  });
});
