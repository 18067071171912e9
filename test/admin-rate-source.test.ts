// Rate sources: settings, runs, schedule, and quotes that need an operator's approval.
import { realNow, shiftClock } from './kit/shifted-date.ts';
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import { collectRatesWhenDue } from '../src/features/rate-collection/collection.ts';
import { changeRateSource } from '../src/features/rate-collection/changes.ts';
import { hashKey } from '../src/platform/secrets/keys.ts';
import { createPool } from '../src/platform/database/connections.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { ecbDocument, koreaeximDocument } from './kit/rate-documents.ts';
import { must } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { listen } from '../verify/kit/ports.ts';
import { until } from '../verify/kit/until.ts';

const service = await startTestService();
const guarded = await startTestService({
  database: service.database,
  env: { SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '0' },
});
const { pool } = service.service.services;
const { admin, audits, token } = desk(service);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answer: Answer = (_request, response) => response.end('[]');
let asked: { url: string; headers: IncomingMessage['headers'] }[] = [];
const bank = createServer((request, response) => {
  asked.push({ url: request.url ?? '', headers: request.headers });
  answer(request, response);
});
const origin = `http://127.0.0.1:${await listen(bank)}`;
after(() => {
  bank.closeAllConnections();
  bank.close();
});

const says =
  (text: string): Answer =>
  (_request, response) =>
    response.end(text);
const put = (body: object) => admin('PUT', '/exchange-rate-source', body);
const read = () => must(admin('GET', '/exchange-rate-source'), 200);
const run = () => must(admin('POST', '/exchange-rate-source/run'), 200);
const ratesOf = async (code: string): Promise<string[]> =>
  (await must(admin('GET', `/exchange-rates?currency_code=${code}`), 200)).map(
    ({ rate }: { rate: string }) => rate,
  );

beforeEach(async () => {
  asked = [];
  await must(put({ kind: 'none', api_key: null }), 200);
  await pool.query('delete from exchange_rate');
});

test('without a rate source nothing is collected, and a manual run is refused', async () => {
  assert.deepEqual(await refusal(admin('POST', '/exchange-rate-source/run'), 409), {
    error: 'No source of exchange rates is set: choose one first.',
    code: 'rate_source_off',
    details: {},
  });
  await service.service.jobs.runNow('exchange-rates');
  const { kind, next_run_at, currencies } = await read();
  assert.deepEqual([kind, next_run_at, currencies], ['none', null, []]);
  assert.deepEqual(asked, []);
});

test('ecb: collected rates are in effect and audited; collecting the same document again adds nothing', async () => {
  answer = says(ecbDocument());
  await must(put({ kind: 'ecb', url: `${origin}/daily.xml`, currencies: ['USD', 'jpy', 'VND'] }), 200);
  const made = await run();
  assert.partialDeepStrictEqual(made.last_run, {
    outcome: 'collected',
    actor: 'environment',
    quoted_on: '2026-11-13',
    missing: ['VND'],
    error: null,
  });
  assert.deepEqual(await ratesOf('USD'), ['1360.6384959']);
  assert.deepEqual(await ratesOf('JPY'), ['8.8582076']);
  const [entry] = (await audits('exchange_rate:USD')).slice(-1);
  assert.deepEqual([entry?.action, entry?.actor], ['exchange_rate.create', 'environment']);
  assert.equal((await run()).last_run.outcome, 'unchanged');
  assert.deepEqual(await ratesOf('USD'), ['1360.6384959']);

  // An operator's rate stays until the source has a new number or a new day.
  await must(admin('POST', '/exchange-rates', { currency_code: 'USD', rate: '1350' }), 201);
  assert.equal((await run()).last_run.outcome, 'unchanged');
  answer = says(ecbDocument({}, '2026-11-16'));
  assert.equal((await run()).last_run.outcome, 'collected');
  assert.deepEqual(await ratesOf('USD'), ['1360.6384959', '1350', '1360.6384959']);
  answer = says(ecbDocument({ USD: '1.08' }, '2026-11-16'));
  await run();
  assert.equal((await ratesOf('USD'))[0], '1353.58333333');
});

test('koreaexim: the key is sent to the source but never shown; for days without rates the previous days are requested', async () => {
  assert.deepEqual(await fieldsRefused(put({ kind: 'koreaexim', currencies: ['JPY'] })), ['api_key']);
  const url = `${origin}/exchangeJSON`;
  const saved = await must(put({ kind: 'koreaexim', url, api_key: 'hush-key-1', currencies: ['JPY'] }), 200);
  assert.equal(saved.has_api_key, true);
  answer = (_request, response) => response.end(asked.length < 3 ? '[]' : koreaeximDocument());
  const made = await run();
  assert.equal(asked.length, 3);
  const days = asked.map(({ url: path }) => new URL(path, origin).searchParams);
  assert.ok(days.every((query) => query.get('authkey') === 'hush-key-1' && query.get('data') === 'AP01'));
  const [first, , third] = days.map((query) => query.get('searchdate') ?? '');
  const asDay = (text = ''): number => Date.parse(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
  assert.equal(asDay(first) - asDay(third), 2 * 86_400_000);
  assert.deepEqual(await ratesOf('JPY'), ['8.9412']);
  assert.equal(made.last_run.quoted_on.replaceAll('-', ''), third);

  // Without api_key in the request the stored key is kept. No response, audit entry or table contains it in plain text.
  await must(put({ kind: 'koreaexim', url, currencies: ['JPY', 'USD'] }), 200);
  answer = says('[{"result":3,"cur_unit":null}]');
  const failed = (await run()).last_run;
  assert.deepEqual(
    [failed.outcome, failed.code, failed.details.fault],
    ['failed', 'unusable', { kind: 'key_refused' }],
  );
  assert.match(failed.error, /the key was refused/);
  const everything = JSON.stringify([
    await read(),
    await audits('exchange_rate_source'),
    (await pool.query('select s::text from exchange_rate_source s')).rows,
    (await pool.query('select r::text from exchange_rate_run r')).rows,
  ]);
  assert.ok(
    !everything.includes('hush-key-1') && !everything.includes(Buffer.from('hush-key-1').toString('hex')),
  );
  assert.equal((await must(put({ kind: 'none', api_key: null }), 200)).has_api_key, false);
});

test('koreaexim: the day is that of the database, whatever the clock of the service shows', async (t) => {
  answer = says(koreaeximDocument());
  await must(put({ kind: 'koreaexim', url: origin, api_key: 'k', currencies: ['JPY'] }), 200);
  const dayInKorea = (ms: number): string => new Date(ms + 9 * 3_600_000).toISOString().slice(0, 10);
  for (const days of [100, -100]) {
    shiftClock(t, days * 24 * 3_600_000);
    const before = dayInKorea(realNow());
    const { last_run } = await run();
    assert.ok([before, dayInKorea(realNow())].includes(last_run.quoted_on), last_run.quoted_on);
    assert.ok(asked.at(-1)?.url.includes(last_run.quoted_on.replaceAll('-', '')), asked.at(-1)?.url);
  }
});

test('the stored key is never sent to another server than the one it was entered for', async () => {
  const source = { kind: 'json', currencies: ['USD'], path: 'n' };
  const elsewhere = origin.replace('127.0.0.1', 'localhost');
  const keyAfter = async (body: object) => (await must(put({ ...source, ...body }), 200)).has_api_key;
  answer = says('{"n":1300}');
  await keyAfter({ url: `${origin}/a`, api_key: 'hush' });
  assert.equal(await keyAfter({ url: `${origin}/b?x={currency}&k={api_key}` }), true, 'the same server');
  assert.equal(await keyAfter({ url: elsewhere }), false);
  await run();
  assert.equal(asked.at(-1)?.headers.authorization, undefined);
  assert.equal(asked.length, 1);

  await keyAfter({ url: origin, api_key: 'hush' });
  assert.equal(await keyAfter({ url: elsewhere, api_key: 'new' }), true);
  await run();
  assert.equal(asked.at(-1)?.headers.authorization, 'Bearer new');

  // The key of another server is none for the bank.
  assert.deepEqual(await fieldsRefused(put({ kind: 'koreaexim', currencies: ['USD'] })), ['api_key']);
  const wrong = { kind: 'koreaexim', currencies: ['USD'], url: 'nonsense' };
  assert.deepEqual(await fieldsRefused(put(wrong)), ['url']);
});

test('a run during which another server and its key are entered does not send the key to the server before', async () => {
  const source = {
    kind: 'json',
    path: 'n',
    currencies: ['USD'],
    every_minutes: 60,
    per_units: 1,
    is_inverted: false,
  };
  await must(put({ ...source, url: `${origin}/old`, api_key: 'of the old server' }), 200);
  answer = says('{"n":1300}');
  // On one connection: the change comes between the run's first statement and its next one.
  const { sealer } = service.service.services;
  const one = createPool(service.database.url, 1);
  const running = collectRatesWhenDue({ pool: one, sealer, allowPrivate: true });
  const fields = { ...source, url: 'https://rates.example.com/new' };
  const by = { actor: 'test', request_id: null };
  await inTransaction(one, (tx) =>
    changeRateSource(tx, by, { sealer, fields, api_key: 'of the new server' }),
  );
  await running;
  await one.end();
  assert.deepEqual(
    asked.map(({ url, headers }) => [url, headers.authorization]),
    [['/old', 'Bearer of the old server']],
  );
});

test('json: one request for all currencies or one for each; the key replaces its placeholder or is the bearer token', async () => {
  const base = { kind: 'json', currencies: ['JPY', 'USD'], api_key: 'k&y', path: 'r.{currency}' };
  answer = says('{"r":{"JPY":"0.1","USD":0.0007}}');
  await must(put({ ...base, url: `${origin}/all`, is_inverted: true }), 200);
  assert.equal((await run()).last_run.outcome, 'collected');
  assert.deepEqual([await ratesOf('JPY'), await ratesOf('USD')], [['10'], ['1428.57142857']]);
  assert.deepEqual(
    asked.map(({ url, headers }) => [url, headers.authorization]),
    [['/all', 'Bearer k&y']],
  );

  asked = [];
  answer = (request, response) =>
    response.end(JSON.stringify({ n: request.url?.includes('JPY') ? 990 : 140_000 }));
  await must(put({ ...base, url: `${origin}/{currency}?k={api_key}`, path: 'n', per_units: 100 }), 200);
  await run();
  assert.deepEqual(
    asked.map(({ url, headers }) => [url, headers.authorization]),
    [
      ['/JPY?k=k%26y', undefined],
      ['/USD?k=k%26y', undefined],
    ],
  );
  assert.deepEqual([(await ratesOf('JPY'))[0], (await ratesOf('USD'))[0]], ['9.9', '1400']);
  const viewer = await admin('GET', '/exchange-rate-source', undefined, await token('viewer'));
  assert.equal(viewer.json.data.url, `${origin}/{currency}?…`);
});

test('a key that no header can carry is refused; other characters than ASCII are sent as UTF-8', async () => {
  const source = { kind: 'json', url: origin, currencies: ['USD'], path: 'n' };
  for (const api_key of ['pasted\n', ' pasted', 'a\r\nX-Forged: 1', 'a\u{1b}b'])
    assert.deepEqual(await fieldsRefused(put({ ...source, api_key })), ['api_key'], JSON.stringify(api_key));
  answer = says('{"n":1300}');
  await must(put({ ...source, api_key: '열쇠' }), 200);
  assert.equal((await run()).last_run.error, null);
  const [sent] = asked.map(({ headers }) => Buffer.from(headers.authorization ?? '', 'latin1').toString());
  assert.equal(sent, 'Bearer 열쇠');
});

test('a quote that jumps by more than 20 % takes effect only after an operator accepts it, and never after a rejection', async () => {
  await must(admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '8.9' }), 201);
  answer = says('{"JPY":891.2}');
  await must(put({ kind: 'json', url: origin, currencies: ['JPY'], path: '{currency}' }), 200);
  const [waiting] = (await run()).waiting;
  assert.partialDeepStrictEqual(waiting, { currency_code: 'JPY', rate: '891.2', last_rate: '8.9' });
  assert.equal((await read()).last_run.outcome, 'waiting');
  assert.deepEqual(await ratesOf('JPY'), ['8.9']);
  assert.equal((await run()).last_run.outcome, 'unchanged', 'a waiting quote is not proposed twice');

  const decide = (name: string, rate: unknown, code = 'JPY') =>
    admin('POST', `/exchange-rate-source/waiting/${code}/${name}`, { rate });
  assert.equal((await refusal(decide('accept', '8.9'), 409)).code, 'stale');
  assert.equal((await refusal(decide('accept', '891.2', 'USD'), 404)).code, 'rate_quote_unknown');
  assert.deepEqual(await fieldsRefused(decide('accept', '-1')), ['rate']);
  assert.deepEqual((await must(decide('reject', '891.2'), 200)).waiting, []);
  assert.equal((await refusal(decide('accept', '891.2'), 404)).code, 'rate_quote_unknown');
  assert.equal((await run()).waiting.length, 0, 'a rejected quote is not proposed again');
  assert.deepEqual(await ratesOf('JPY'), ['8.9']);

  answer = says('{"JPY":4.45}');
  assert.equal((await run()).waiting.length, 1);
  await must(decide('accept', '4.450'), 200);
  assert.deepEqual(await ratesOf('JPY'), ['4.45', '8.9']);
  const actions = (await audits('exchange_rate:JPY')).slice(-3).map(({ action }) => action);
  assert.deepEqual(actions, [
    'exchange_rate_quote.reject',
    'exchange_rate.create',
    'exchange_rate_quote.accept',
  ]);
});

test('failed runs are stored and shown with their reason; rates are unchanged', async () => {
  await must(put({ kind: 'ecb', url: `${origin}/x?secret=hush`, currencies: ['USD'] }), 200);
  const failing: [Answer, string][] = [
    [(_request, response) => void response.writeHead(500).end('hush'), 'http_status'],
    [(_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end(), 'redirect'],
    [says('<x'), 'unusable'],
    [says('x'.repeat(1_100_000)), 'too_large'],
    [(request) => void request.socket.destroy(), 'unreachable'],
  ];
  for (const [how, code] of failing) {
    answer = how;
    const { last_run } = await run();
    assert.deepEqual([last_run.outcome, last_run.code], ['failed', code], JSON.stringify(last_run));
    assert.ok(last_run.error.length > 10 && !JSON.stringify(last_run).includes('hush'), last_run.error);
  }
  const { runs } = await read();
  assert.deepEqual(
    runs.slice(0, failing.length).map(({ code }: { code: string }) => code),
    failing.map(([, code]) => code).toReversed(),
  );
  assert.equal(asked.filter(({ url }) => url === '/elsewhere').length, 0, 'a redirect is not followed');
  assert.deepEqual(await ratesOf('USD'), []);

  const before = asked.length;
  const refused = await must(guarded.admin('POST', '/exchange-rate-source/run'), 200);
  assert.equal(refused.last_run.code, 'address_not_allowed');
  assert.equal(asked.length, before, 'a private address is not called unless it is allowed');
});

test('a run is due immediately after a change of the settings, then at the set interval; concurrent runs write a rate once', async () => {
  answer = says(ecbDocument());
  await must(put({ kind: 'ecb', url: origin, currencies: ['USD'], every_minutes: 60 }), 200);
  const { jobs } = service.service;
  await jobs.runNow('exchange-rates');
  const { last_run, next_run_at } = await read();
  assert.deepEqual([last_run.actor, last_run.outcome], ['exchange-rate-source', 'collected']);
  const minutes = (Date.parse(next_run_at) - Date.parse(last_run.at)) / 60_000;
  assert.equal(minutes, 60);
  await jobs.runNow('exchange-rates');
  assert.equal(asked.length, 1, 'not due yet');
  await pool.query(`update exchange_rate_source set run_at = run_at - interval '61 minutes'`);
  answer = says(ecbDocument({}, '2026-11-16'));
  await Promise.all([jobs.runNow('exchange-rates'), jobs.runNow('exchange-rates'), run()]);
  assert.deepEqual(await ratesOf('USD'), ['1360.6384959', '1360.6384959']);
});

test('a run during which the settings change stores nothing, and the next run is due', async () => {
  const source = { kind: 'json', url: `${origin}/n`, path: 'n', currencies: ['USD'] };
  const changes = [
    { per_units: 100 },
    { is_inverted: true },
    { path: 'm' },
    { url: `${origin}/m` },
    { kind: 'ecb', path: null },
    { currencies: ['JPY'] },
  ];
  for (const status of [200, 500])
    for (const change of changes) {
      await must(put({ kind: 'none', api_key: null }), 200);
      await must(put(source), 200);
      asked = [];
      const released = Promise.withResolvers<void>();
      answer = (_request, response) => {
        response.statusCode = status;
        void released.promise.then(() => response.end('{"n":1300}'));
      };
      const running = service.service.jobs.runNow('exchange-rates');
      await until(() => asked.length === 1, 'the request');
      await must(put({ ...source, ...change }), 200);
      released.resolve();
      await running;
      answer = says('{"n":7}');
      const shown = JSON.stringify([status, change]);
      assert.deepEqual([(await read()).last_run.outcome, await ratesOf('USD')], ['unchanged', []], shown);
      await service.service.jobs.runNow('exchange-rates');
      assert.equal(asked.length, 2, `due: ${shown}`);
      await pool.query('delete from exchange_rate');
    }
});

test('invalid settings are refused with an error for each invalid field, and nothing is changed', async () => {
  const refused = (body: object) => fieldsRefused(put(body));
  assert.deepEqual(await refused({ kind: 'bank' }), ['kind']);
  assert.deepEqual(await refused({}), ['kind']);
  assert.deepEqual(await refused({ kind: 'ecb' }), ['currencies']);
  assert.deepEqual(await refused({ kind: 'json' }), ['url', 'path', 'currencies']);
  assert.deepEqual(await refused({ kind: 'ecb', currencies: ['USD', 'KRW', 'XYZ'], url: 'ftp://x' }), [
    'url',
    'currencies.1',
    'currencies.2',
  ]);
  assert.deepEqual(await refused({ kind: 'json', url: origin, path: 'n', currencies: ['USD', 'JPY'] }), [
    'path',
  ]);
  for (const every_minutes of [0, 4, 10_081, 1.5, 'x'])
    assert.deepEqual(await refused({ kind: 'ecb', currencies: ['USD'], every_minutes }), ['every_minutes']);
  assert.equal((await read()).kind, 'none');
  const operator = await token('operator');
  await refusal(admin('PUT', '/exchange-rate-source', { kind: 'none' }, operator), 403);
  await refusal(admin('POST', '/exchange-rate-source/run', undefined, await token('viewer')), 403);
  await refusal(admin('POST', '/exchange-rate-source/run', undefined, operator), 409);
});

test('a stored key that cannot be decrypted is a failed run with code key_closed', async () => {
  await must(put({ kind: 'koreaexim', url: origin, api_key: 'k', currencies: ['JPY'] }), 200);
  await pool.query('update exchange_rate_source set key_sealed = $1', [hashKey('other')]);
  assert.deepEqual([(await run()).last_run.code, asked.length], ['key_closed', 0]);
});
