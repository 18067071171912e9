// `npm run sandbox` as a separate process: test keys, an atomic reset, and an inspector that shows a developer the requests
// of one key, without personal data.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnSync } from 'node:child_process';
import { runningAddresses } from '../src/platform/command-database/embedded.ts';
import { explainKey } from '../tools/sandbox/explain-key.ts';
import { maskFor } from '../tools/sandbox/mask.ts';
import type { Exchange } from '../tools/sandbox/recorder.ts';
import { ERROR_PAGES } from '../tools/sandbox/error-pages.ts';
import { DOCS_SHOPS, DOCS_VARIABLES, ORDERS, TEST_CHANNELS } from '../tools/sandbox/seed-data.ts';
import { ADMIN_TOKEN, PERSON } from '../verify/kit/canaries.ts';
import { browserAddress, connectBrowser, Watch } from './kit/browser.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { connect } from '../verify/kit/connection.ts';
import { bareEnvironment } from '../verify/kit/environment.ts';
import { spawnService, temporaryDirectory, type ServiceProcess } from '../verify/kit/process.ts';
import { call, type HttpAnswer } from '../verify/kit/service.ts';
import { eventually, until } from '../verify/kit/until.ts';

const [KR = '', JP = '', US = ''] = TEST_CHANNELS.map(({ api_key }) => api_key);
const UNKNOWN = 'sluice_0badc0de-0000-4000-8000-00000000beef';
const INITIAL_PLENTY = 99_970;
const COMMAND = [process.execPath, 'tools/sandbox/main.ts'];

const directory = await temporaryDirectory();
await copyCluster(directory.path);
const env = { SLUICE_DATA_DIR: directory.path, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN };
let sandbox: ServiceProcess;

before(async () => {
  sandbox = await spawnService(env, COMMAND);
  assert.equal(await sandbox.ready(), true, sandbox.output());
  assert.match(
    sandbox.output(),
    /starting the database…\n(?:.*\n)*creating the test data .*\n(?:.*\n)*starting the service…\n/,
  );
});
after(async () => {
  await sandbox.stop();
  assert.deepEqual(await sandbox.ended, { code: 0, signal: null }, sandbox.output());
  const isDatabaseLeft = existsSync(join(directory.path, 'postgres', 'postmaster.pid'));
  await directory.remove();
  assert.equal(isDatabaseLeft, false, 'the database ended with the sandbox');
});

const api = (
  key: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  call(`${sandbox.origin}/api/v1${path}`, method, body, {
    ...(key === null ? {} : { 'x-api-key': key }),
    ...headers,
  });

const reset = (headers: Record<string, string> = { 'x-api-key': KR }): Promise<HttpAnswer> =>
  call(`${sandbox.origin}/sandbox/reset`, 'POST', undefined, headers);

/** Submits the reset form of the page, as a browser does. */
const submitReset = (key: string): Promise<Response> =>
  fetch(`${sandbox.origin}/sandbox/reset`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: sandbox.origin, accept: 'text/html' },
    body: new URLSearchParams({ key }),
  });

const order = (order_number: string, sku = 'KR-PLENTY', more: object = {}): object => ({
  order_number,
  ...PERSON,
  items: [{ sku, quantity: 1, unit_price: 1 }],
  ...more,
});

/** The record of this request in the inspector, which is written after the answer was sent. */
async function inspected(key: string | null, act: () => Promise<HttpAnswer>): Promise<Exchange> {
  const list = async (): Promise<Exchange[]> => {
    const query = key === null ? '' : `?key=${key}`;
    const { json } = await call(`${sandbox.origin}/sandbox/requests${query}`, 'GET');
    return json.data as Exchange[];
  };
  const { status, headers } = await act();
  const id = headers.get('x-request-id');
  return eventually(async () => {
    const found = (await list()).find(({ request_id }) => request_id === id);
    assert.equal(found?.status, status);
    return found;
  });
}

/** Submits the key form of the page. With a wrong key the page lists the test keys, which are not secret. */
async function submitKey(key: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${sandbox.origin}/sandbox`, {
    method: 'POST',
    headers: { origin: sandbox.origin },
    body: new URLSearchParams({ key }),
  });
  return { status: answer.status, text: await answer.text() };
}

const textsOf = ({ notes }: Exchange): string => notes.map(({ text }) => text).join('\n');

const plenty = async (): Promise<number> =>
  (await api(KR, 'GET', '/inventory/KR-PLENTY')).json.available as number;

describe('contents', () => {
  test('the examples of docs/channels/sandbox.md run unchanged', () => {
    const page = readFileSync(new URL('../docs/channels/sandbox.md', import.meta.url), 'utf8');
    const code = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('echo\n');
    assert.match(code, /127\.0\.0\.1:8081/);
    const script = code.replace('http://127.0.0.1:8081', sandbox.origin);
    const { status, stdout, stderr } = spawnSync('bash', ['-eu', '-c', script], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const [looked = '', done = ''] = stdout.split('\n');
    assert.deepEqual(JSON.parse(looked), { sku: 'SHOP-MUG', available: 100, reserve_remaining: 0 });
    assert.match(done, /^\{"data":\{"took_ms":\d+\}\}$/);
  });

  test('each channel finds every situation under its own prefix', async () => {
    for (const { api_key, country_code } of TEST_CHANNELS) {
      const rows = (await api(api_key, 'GET', '/inventory')).json.data as {
        sku: string;
        available: number;
        reserve_remaining: number;
      }[];
      const found = Object.fromEntries(
        rows.map(({ sku, available, reserve_remaining }) => [sku, [available, reserve_remaining]]),
      );
      assert.deepEqual(found, {
        [`${country_code}-BACKORDER`]: [0, 18],
        [`${country_code}-LAST-ONE`]: [1, 0],
        [`${country_code}-LENS-1.00`]: [500, 0],
        [`${country_code}-NO-STOCK-RECORD`]: [0, 0],
        [`${country_code}-PLENTY`]: [INITIAL_PLENTY, 0],
        [`${country_code}-SOAP`]: [500, 0],
        [`${country_code}-SOAP-GIFT`]: [500, 0],
        [`${country_code}-SOLD-OUT`]: [0, 0],
      });
    }
  });

  test('there is an order in each status, with its amount in KRW', async () => {
    const listed = (await sandbox.admin('GET', '/orders?limit=500')).json.data as {
      order_number: string;
      status: number;
      total_amount: string;
    }[];
    assert.equal(listed.length, TEST_CHANNELS.length * ORDERS.length + 1, 'and one order of docs/channels');
    for (const { number, status } of ORDERS) {
      const found = listed.find(({ order_number }) => order_number === `JP-${number}`);
      assert.deepEqual([found?.status, found?.total_amount], [status, '29194.88'], number);
    }
  });

  test('the console accepts the printed password and its session cookie', async () => {
    assert.equal((await call(`${sandbox.origin}/console/`, 'GET')).status, 200);
    const password = /^ {2}password {5}(\S+)$/m.exec(sandbox.output())?.[1];
    const body = { email: 'admin@localhost', password };
    const entered = await call(`${sandbox.origin}/admin/v1/session`, 'POST', body, {
      origin: sandbox.origin,
    });
    assert.equal(entered.status, 200, entered.text);
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    assert.equal(
      (await call(`${sandbox.origin}/admin/v1/channels`, 'GET', undefined, { cookie })).status,
      200,
    );
  });

  test('requests and answers are forwarded unchanged: ETag, compression, a body that is too long', async () => {
    const list = await api(KR, 'GET', '/inventory', undefined, { 'accept-encoding': 'gzip' });
    const etag = list.headers.get('etag') ?? '';
    assert.equal((await api(KR, 'GET', '/inventory', undefined, { 'if-none-match': etag })).status, 304);
    const long = await api(KR, 'POST', '/orders', 'x'.repeat(1_500_000));
    assert.deepEqual([long.status, long.json.errors], [422, { body: ['The body must be at most 1 MiB.'] }]);
    assert.equal((await call(`${sandbox.origin}/healthz`, 'HEAD')).text, '');
  });
});

describe('the inspector', () => {
  test('explains what was wrong, with a link to the docs', async () => {
    const cases: [string | null, () => Promise<HttpAnswer>, RegExp][] = [
      [null, () => api(null, 'GET', '/inventory'), /has no key/],
      [null, () => api(UNKNOWN, 'GET', '/inventory'), /No active channel has this key/],
      [null, () => api(`Bearer ${KR}`, 'GET', '/inventory'), /begins with "Bearer"/],
      [KR, () => api(KR, 'GET', '/inventory/KR-NOTHING'), /is not mapped.*of this key alone/],
      [
        KR,
        () => api(KR, 'PUT', '/orders'),
        /no operation at PUT \/api\/v1\/orders. Did you mean (?:GET|POST)/,
      ],
      [
        KR,
        () => call(`${sandbox.origin}/orders`, 'POST', {}, { 'x-api-key': KR }),
        /mean POST \/api\/v1\/orders/,
      ],
      [KR, () => api(KR, 'POST', '/orders', '{\n"status": 1,}'), /not valid JSON.*line 2, column 13/],
      [
        KR,
        () => api(KR, 'POST', '/orders', order('E-1', 'KR-PLENTY', { status: '1' })),
        /status must be.*leave the quotation marks/,
      ],
      [KR, () => api(KR, 'POST', '/orders', { ...order('E-2'), recipient_name: '' }), /recipient_name must/],
      [KR, () => api(KR, 'POST', '/orders', order('E-3', 'KR-NOTHING')), /not mapped.*An administrator/],
      [KR, () => api(KR, 'POST', '/orders', order('E-4', 'KR-NO-STOCK-RECORD')), /no stock.*never counted/],
      [KR, () => api(KR, 'POST', '/orders', order('E-5', 'KR-SOLD-OUT')), /Not enough.*This answer decides/],
      [
        KR,
        () =>
          api(KR, 'POST', '/orders', {
            ...order('E-6'),
            is_backorder: true,
            items: [{ sku: 'KR-BACKORDER', quantity: 19, unit_price: 1 }],
          }),
        /Backorder quota.*reserve_remaining/,
      ],
      [KR, () => api(KR, 'POST', '/orders', order('US-ORDER-1')), /another channel/],
      [KR, () => api(KR, 'POST', '/orders/NONE/status', { status: 1 }), /Order NONE was not found/],
      [
        KR,
        () => api(KR, 'POST', '/orders/KR-ORDER-3/status', { status: 88 }),
        /cannot change any more. This is final/,
      ],
      [KR, () => api(KR, 'POST', '/orders/KR-ORDER-2/status', { status: 1 }), /only move forward/],
      [
        KR,
        () => api(KR, 'POST', '/orders/KR-ORDER-SHORT/status', { status: 3, tracking_number: 'T' }),
        /once stock was added/,
      ],
      [KR, () => api(KR, 'POST', '/orders/KR-ORDER-2/status', { status: 3 }), /tracking_number is required/],
    ];
    const docs = (await call(`${sandbox.origin}/docs`, 'GET')).text;
    for (const [key, act, pattern] of cases) {
      const exchange = await inspected(key, act);
      assert.match(textsOf(exchange), pattern);
      assert.ok(exchange.notes.every(({ is_fault }) => is_fault));
      for (const { link } of exchange.notes) {
        assert.match(link, /^\/docs#/);
        assert.ok(docs.includes(`id="${link.split('#')[1]}"`), `${link} has a target`);
      }
    }
  });

  test('explains a resend as correct, unless its body differs', async () => {
    assert.deepEqual((await inspected(KR, () => api(KR, 'POST', '/orders', order('R-1')))).notes, []);
    const resent = await inspected(KR, () => api(KR, 'POST', '/orders', order('R-1')));
    assert.deepEqual(
      resent.notes.map(({ is_fault }) => is_fault),
      [false],
    );
    assert.match(textsOf(resent), /taken before.*That is fine/);
    const other = await inspected(KR, () => api(KR, 'POST', '/orders', order('R-1', 'KR-LENS-1.00')));
    assert.match(textsOf(other), /Only the first counts/);
  });

  test('shows no personal data and no key', async () => {
    const misspelt = { recipientName: PERSON.recipient_name, customer: { ...PERSON, note: [PERSON] } };
    await inspected(JP, () => api(JP, 'POST', '/orders', order('P-1', 'JP-PLENTY', misspelt)));
    await inspected(JP, () => api(JP, 'POST', '/orders', JSON.stringify(order('P-2')).slice(0, -1)));
    await inspected(JP, () => api(JP, 'POST', '/orders', [PERSON.recipient_name, PERSON]));
    await inspected(JP, () =>
      api(JP, 'POST', '/orders/P-1/status', {
        status: 3,
        tracking_number: 'CANARYPHONE',
        reason: 'Canaryname',
      }),
    );
    await inspected(JP, () => api(JP, 'GET', `/inventory?name=Canaryname&api_key=${JP}`));
    // Personal data in wrong fields: the texts of answers quote order numbers and SKUs.
    const name = PERSON.recipient_name;
    const wrong: Record<string, unknown>[] = [
      { errors: { name: [name, US] }, message: name, error: name, code: name, data: [name] },
      { status: name, is_backorder: PERSON.recipient_phone, [name]: 1 },
      { items: name },
      { items: [name, { sku: 'JP-PLENTY', quantity: PERSON.recipient_phone, unit_price: name }] },
    ];
    for (const fields of wrong)
      await inspected(JP, () => api(JP, 'POST', '/orders', order('P-4', 'JP-PLENTY', fields)));
    // Not PERSON: the service quotes these fields in its answers, and the test run searches all answers for PERSON.
    const misplacedName = 'Hong Wrongfield';
    const person = { recipient_name: misplacedName };
    const misplaced = await inspected(JP, () =>
      api(JP, 'POST', '/orders', order('P-5', misplacedName, person)),
    );
    assert.match(textsOf(misplaced), /^SKU \(masked\) is not mapped/);
    assert.match(misplaced.answer_body ?? '', /"error": "SKU \(masked\) is not mapped/);
    const path = `/orders/${encodeURIComponent(misplacedName)}/status`;
    await inspected(JP, () => api(JP, 'POST', path, { status: 88, reason: misplacedName }));
    await inspected(JP, () => api(JP, 'POST', '/orders', order('P-6', 'sls_wrongfield')));
    await inspected(null, () => api(UNKNOWN, 'POST', '/orders', order('P-3')));
    const shown = [
      (await call(`${sandbox.origin}/sandbox/requests`, 'GET', undefined, { 'x-api-key': JP })).text,
      (await call(`${sandbox.origin}/sandbox/requests`, 'GET')).text,
      (await submitKey(JP)).text,
    ];
    for (const text of shown) {
      assert.doesNotMatch(text, /canary|wrongfield/i);
      for (const key of [KR, JP, US, UNKNOWN]) assert.ok(!text.includes(key), 'no key is shown in full');
    }
    assert.match(shown[0] ?? '', /masked: text of 14 characters/);
    assert.match(shown[0] ?? '', /P-1/);
    assert.doesNotMatch(shown[1] ?? '', /P-3/, 'a request that belongs to no key is shown without its body');
  });

  test('shows a key only its own requests', async () => {
    await inspected(KR, () => api(KR, 'POST', '/orders', order('SECRET-OF-KR')));
    for (const key of [JP, null]) {
      const query = key === null ? '' : `?key=${key}`;
      const { text } = await call(`${sandbox.origin}/sandbox/requests${query}`, 'GET');
      assert.doesNotMatch(text, /SECRET-OF-KR/);
    }
    assert.match((await submitKey(KR)).text, /SECRET-OF-KR/);
    assert.doesNotMatch((await submitKey(JP)).text, /SECRET-OF-KR/);
    for (const key of [UNKNOWN, '', 'x'])
      assert.equal((await call(`${sandbox.origin}/sandbox/requests?key=${key}`, 'GET')).status, 401);
    assert.equal((await submitKey(UNKNOWN)).status, 401);
  });

  test('is a page without scripts that lists every key and situation, and refuses requests from another site', async () => {
    const { text, headers } = await call(`${sandbox.origin}/sandbox`, 'GET');
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(text, /<script|<link|src=|@import|url\(| style="/);
    assert.match(text, /name="viewport"/);
    for (const key of [KR, JP, US, ...DOCS_SHOPS.map(({ api_key }) => api_key)])
      assert.ok(text.includes(key));
    assert.ok(text.includes(`export SLUICE=${sandbox.origin}/api/v1`), 'the address of the sandbox');
    // Under no-referrer a browser sends the forms of the page with "Origin: null", and they would be refused.
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    const foreign = { origin: 'https://elsewhere.example' };
    const refused = await call(`${sandbox.origin}/sandbox/reset`, 'POST', undefined, foreign);
    assert.equal(refused.status, 403);
    assert.equal((await call(`${sandbox.origin}/sandbox/reset`, 'GET')).status, 405);
    assert.equal((await call(`${sandbox.origin}/sandbox/nothing`, 'GET')).status, 404);
  });
});

describe('faults on demand', () => {
  const asking = (fault: string, number: string): Promise<HttpAnswer> =>
    api(KR, 'POST', '/orders', order(number), { 'x-sandbox-fault': fault });
  const isTaken = async (number: string): Promise<boolean> =>
    (await api(KR, 'GET', `/orders/${number}`)).status === 200;

  test('a status is answered as documented, and nothing is stored', async () => {
    const reasons = { 408: 'request_timeout', 429: 'rate_limited', 500: 'internal', 503: 'unavailable' };
    for (const [status, reason] of Object.entries(reasons)) {
      const { status: got, headers, json } = await asking(status, 'F-1');
      assert.deepEqual([got, headers.get('sluice-error')], [Number(status), reason]);
      assert.equal(headers.get('retry-after'), status === '429' || status === '503' ? '1' : null);
      assert.equal(headers.get('ratelimit-remaining'), status === '429' ? '0' : null);
      assert.equal(headers.get('connection') === 'close', status === '408');
      assert.ok(json.error && headers.get('x-request-id'));
    }
    assert.equal(await isTaken('F-1'), false);
  });

  test('sell-out refuses the order as out of stock; slow accepts it and answers later', async () => {
    const refused = await asking('sell-out', 'F-2');
    assert.deepEqual([refused.status, refused.headers.get('sluice-error')], [422, 'stock_insufficient']);
    assert.equal(refused.json.error, 'Not enough stock for SKU KR-PLENTY: requested 1, available 0.');
    assert.equal(await isTaken('F-2'), false);
    const began = performance.now();
    assert.equal((await asking('slow=300', 'F-2')).status, 201);
    assert.ok(performance.now() - began >= 300);
  });

  test('reset closes the connection without an answer, but the order is stored: a resend is 200', async () => {
    await assert.rejects(asking('reset', 'F-3'));
    assert.equal((await api(KR, 'POST', '/orders', order('F-3'))).status, 200);
  });

  test('an unknown fault is explained, and the inspector names the fault of each request', async () => {
    const unknown = await inspected(KR, () => asking('earthquake', 'F-4'));
    assert.deepEqual([unknown.status, unknown.fault], [422, 'unknown']);
    assert.match(textsOf(unknown), /slow=MILLISECONDS/);
    const { fault, error, request_id } = await inspected(KR, () => asking('503', 'F-4'));
    assert.deepEqual([fault, error?.reason], ['status', 'unavailable']);
    assert.match(request_id ?? '', /^[\w.-]+$/);
  });
});

describe('help for channel developers', () => {
  test('an inspected refusal links to the page about its error, and every linked page exists', async () => {
    const { error } = await inspected(KR, () => api(KR, 'POST', '/orders', order('L-1', 'KR-SOLD-OUT')));
    assert.deepEqual(error, {
      reason: 'stock_insufficient',
      link: '/docs/channels/errors#422-not-enough-stock',
    });
    const pages = new Map<string, string>();
    for (const link of ERROR_PAGES) {
      const [path = '', anchor] = link.split('#');
      if (!pages.has(path)) pages.set(path, (await call(`${sandbox.origin}${path}`, 'GET')).text);
      if (anchor !== undefined) assert.ok(pages.get(path)?.includes(` id="${anchor}"`), link);
    }
    assert.match((await submitKey(KR)).text, /Request id <code>/);
  });

  test('the guides show the actual address of the sandbox', async () => {
    const { text, headers } = await call(`${sandbox.origin}/docs/channels/sandbox`, 'GET');
    assert.ok(text.includes(`${sandbox.origin}/api/v1`));
    assert.ok(!text.includes('127.0.0.1:8081'));
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  });

  test('/sandbox/try: its form sends a signed order, under a Content-Security-Policy without exceptions', async (t) => {
    const address = browserAddress();
    if (address === null) return t.skip('there is no browser');
    const browser = await connectBrowser(address);
    try {
      const watch = new Watch(sandbox.origin);
      const context = await browser.newContext();
      watch.over(context);
      const page = await context.newPage();
      const policy = (await page.goto(`${sandbox.origin}/sandbox/try`))?.headers()['content-security-policy'];
      assert.match(policy ?? '', /^default-src 'none'; script-src 'self'; style-src 'sha256-/);
      assert.doesNotMatch(policy ?? '', /unsafe|http/);
      await page.selectOption('#key', DOCS_VARIABLES['SIGNED_KEY'] ?? '');
      const send = async (id: string): Promise<string> => {
        const form = page.locator(`#${id}`);
        await form.getByRole('button', { name: 'Send' }).click();
        await form.locator('output pre').waitFor();
        return form.locator('output').innerText();
      };
      await page.locator('#postOrders summary').click();
      await page.locator('#postOrders textarea').fill(JSON.stringify(order('SIG-T1', 'SIG-MUG')));
      assert.match(await send('postOrders'), /^POST \/api\/v1\/orders\n201 in/);
      await page.locator('#getInventoryBySku summary').click();
      await page.getByPlaceholder('SHOP-MUG').fill('a/b?c');
      watch.expect(/^404 GET \/api\/v1\/inventory\/a%2Fb%3Fc$/);
      assert.match(await send('getInventoryBySku'), /sluice-error: sku_unmapped/);
      assert.deepEqual(watch.take(), []);
    } finally {
      await browser.close();
    }
  });

  test('time travel by one day: a rate that begins tomorrow is in effect, and an unpaid order has expired', async () => {
    const { SLUICE_KEY = '', LONDON_KEY = '' } = DOCS_VARIABLES;
    const effective_at = new Date(Date.now() + 86_400_000).toISOString();
    const rate = { currency_code: 'GBP', rate: '1700', effective_at };
    assert.equal((await sandbox.admin('POST', '/exchange-rates', rate)).status, 201);
    const buy = async (key: string, number: string, sku: string, status = 1) =>
      (await api(key, 'POST', '/orders', order(number, sku, { status }))).json.data;
    assert.equal((await buy(LONDON_KEY, 'LDN-T1', 'LDN-MUG')).total_amount, '0.00');
    await buy(SLUICE_KEY, 'SHOP-T1', 'SHOP-MUG', 0);
    const travel = (body: object, key = SLUICE_KEY) =>
      call(`${sandbox.origin}/sandbox/time`, 'POST', body, { 'x-api-key': key });
    assert.equal((await travel({ advance_seconds: 86_400 }, UNKNOWN)).status, 401);
    assert.equal((await travel({ advance_seconds: -1 })).status, 422);
    assert.equal((await travel({ advance_seconds: 86_400 })).status, 200);
    assert.equal((await buy(LONDON_KEY, 'LDN-T2', 'LDN-MUG')).total_amount, '1700.00');
    assert.equal((await api(SLUICE_KEY, 'GET', '/orders/SHOP-T1')).json.data.status, 88);
  });
});

describe('the reset', () => {
  test('needs one of the test keys, in X-Api-Key or in the form of the page', async () => {
    await api(KR, 'POST', '/orders', order('STAYS'));
    const refusals: Record<string, string>[] = [
      {},
      { 'x-api-key': UNKNOWN },
      { 'x-api-key': '' },
      { authorization: `Bearer ${KR}` },
    ];
    for (const headers of refusals) {
      const { status, json } = await reset(headers);
      assert.deepEqual([status, Object.keys(json)], [401, ['error']]);
    }
    const page = await submitReset(UNKNOWN);
    assert.equal(page.status, 401);
    assert.match(await page.text(), /role="alert">Only a test key of the sandbox can reset it/);
    assert.equal(
      (await api(KR, 'POST', '/orders', order('STAYS'))).status,
      200,
      'the refused resets changed nothing',
    );
    const done = await submitReset(JP);
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/sandbox']);
    assert.equal((await api(KR, 'POST', '/orders/STAYS/status', { status: 1 })).status, 404);
  });

  test('under traffic: the initial data is restored, requests during the reset get 503, and no request is partially applied', async () => {
    await api(KR, 'POST', '/orders', order('BEFORE'));
    const answers: { number: string; status: number; isEarly: boolean; retryAfter: string | null }[] = [];
    let isReset = false;
    let isOver = false;
    const shop = async (name: string): Promise<void> => {
      for (let n = 1; !isOver; n++) {
        const number = `${name}-${n}`;
        const isEarly = !isReset;
        const { status, headers } = await api(KR, 'POST', '/orders', order(number));
        answers.push({ number, status, isEarly, retryAfter: headers.get('retry-after') });
        if (status === 503) await sleep(20);
      }
    };
    const shops = ['T1', 'T2', 'T3', 'T4'].map(shop);
    const taken = (): number => answers.filter(({ status }) => status === 201).length;
    await until(() => taken() > 20);
    const second = reset();
    const first = await reset();
    isReset = true;
    const atReset = taken();
    await until(() => taken() > atReset + 20);
    isOver = true;
    await Promise.all(shops);
    assert.deepEqual([first.status, (await second).status], [200, 200]);

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 503]));
    assert.ok(answers.every(({ status, retryAfter }) => status !== 503 || retryAfter === '1'));
    const stored = (await sandbox.admin('GET', '/orders?limit=500')).json.data as { order_number: string }[];
    const numbers = new Set(stored.map(({ order_number }) => order_number));
    assert.ok(!numbers.has('BEFORE'));
    const late = answers.filter(({ status, isEarly }) => status === 201 && !isEarly);
    for (const { number } of late) assert.ok(numbers.has(number), `${number} was accepted after the reset`);
    const traffic = [...numbers].filter((number) => /^T\d-/.test(number));
    assert.equal(await plenty(), INITIAL_PLENTY - traffic.length);
    assert.equal((await sandbox.admin('GET', '/reconcile')).json.data.ok, true);
  });

  test('after kill -9 during a reset, the next start completes it', async () => {
    await api(KR, 'POST', '/orders', order('GOES'));
    const mark = join(directory.path, 'sandbox-whole');
    assert.ok(existsSync(mark));
    // The lock stops the reset midway, so that it is still running when it is killed.
    const { adminUrl } = (await runningAddresses(directory.path)) ?? {};
    const holder = await connect(adminUrl ?? '');
    await holder.query('begin');
    await holder.query('lock table pg_database in exclusive mode');
    const cut = reset().catch(() => null);
    await until(() => !existsSync(mark), 'the start of the reset');
    sandbox.signal('SIGKILL');
    await sandbox.ended;
    await holder.end();
    assert.equal(await cut, null, 'the reset was never answered');
    sandbox = await spawnService(env, COMMAND);
    assert.equal(await sandbox.ready(), true, sandbox.output());
    assert.equal(await plenty(), INITIAL_PLENTY);
    assert.equal((await api(KR, 'POST', '/orders/GOES/status', { status: 1 })).status, 404);
    assert.equal((await sandbox.admin('GET', '/reconcile')).json.data.ok, true);
  });
});

describe('without a running sandbox', () => {
  test('unknown fields are masked whatever they contain, known fields are shown', () => {
    const body = {
      sku: 'S',
      phone: 821_012_345_678,
      nested: { sku: 'S' },
      list: ['Kim'],
      none: null,
      blank: ' ',
    };
    assert.deepEqual(JSON.parse(maskFor(body, null).request), {
      sku: 'S',
      phone: 'masked: a number',
      nested: 'masked: an object',
      list: 'masked: a list of 1',
      none: null,
      blank: 'masked: blank text',
    });
    assert.equal(maskFor('Kim', null).request, '"masked: text of 3 characters"');
    assert.equal(maskFor(null, null).path('/x?limit=5&name=Kim'), '/x?limit=5&name=…');
    assert.equal(maskFor(null, 'my-own-key-of-old').path('/x/my-own-key-of-old'), '/x/…-old');
  });

  test('texts that are masked in a request are masked in its answer too; a short text only as a whole word', () => {
    const body = { recipient_name: ' Kim ', phone: 821_012_345_678, reason: '', zip: '1', note: '김민지' };
    const mask = maskFor({ ...body, sku: 821_012_345_678, status: '1', quantity: '010' }, null);
    const { sku, status, quantity } = JSON.parse(mask.request) as Record<string, unknown>;
    assert.deepEqual(
      [sku, status, quantity],
      ['masked: a number', '1', 'masked: text of 3 characters'],
      'a number in quotes is a mistake that a developer has to see',
    );
    const answer = {
      message: 'Kim must have at most 100 characters.',
      error: 'Kimono, 김민지님, 821012345678',
      errors: { 'items.0.sku': ['SKU Kim.', '-Kim-'], Kim: ['x'] },
      recipient_name: 'Lee',
    };
    assert.deepEqual(JSON.parse(mask.answer(answer)), {
      message: '(masked) must have at most 100 characters.',
      error: 'Kimono, (masked)님, (masked)',
      errors: { 'items.0.sku': ['SKU (masked).', '-(masked)-'], '(masked)': ['x'] },
      recipient_name: 'masked: text of 3 characters',
    });
  });

  test('common mistakes in a key are recognized and explained', () => {
    assert.match(explainKey('sluice_123'), /43 characters/);
    assert.match(explainKey('"x"'), /quotation marks/);
    assert.match(explainKey(UNKNOWN.toUpperCase().replace('SLUICE', 'sluice')), /capital letters/);
    assert.match(explainKey('sluice_admin_x'), /administrator/);
  });

  test('--help prints the usage; an unknown option and a foreign database are refused', () => {
    const run = (args: string[], more: Record<string, string> = {}) =>
      spawnSync(process.execPath, ['tools/sandbox/main.ts', ...args], {
        encoding: 'utf8',
        env: { ...bareEnvironment(), ...more },
      });
    assert.match(run(['--help']).stdout, /^npm run sandbox\n/);
    const unknown = run(['--nothing']);
    assert.deepEqual([unknown.status, unknown.stderr.trimEnd().split('\n').length], [2, 1]);
    for (const name of ['DATABASE_URL', 'DATABASE_URL_FILE']) {
      const foreign = run([], { [name]: '/run/secrets/production' });
      assert.equal(foreign.status, 1);
      assert.match(foreign.stderr, new RegExp(`^The sandbox cannot start. .* unset ${name}\\.\n$`));
    }
  });
});
