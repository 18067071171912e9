// The TypeScript client against a failing server: which requests are retried, when, and which are not.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { SluiceClient, SluiceError, type ClientOptions } from '../clients/typescript/src/index.ts';
import { cycleOf } from '../clients/typescript/src/poller.ts';
import { waitAfter } from '../clients/typescript/src/retry.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { clientErrorOf } from './kit/client-error.ts';
import {
  answer,
  cut,
  cutMidway,
  cutWith,
  hang,
  stall,
  startScriptedServer,
  type Received,
} from './kit/scripted-server.ts';

const server = await startScriptedServer();
after(() => server.close());

const FAST = { attempts: 4, baseMs: 2, maxMs: 50 };
const clientWith = (options: Partial<ClientOptions> = {}): SluiceClient =>
  new SluiceClient({ baseUrl: server.baseUrl, apiKey: 'key', retry: FAST, ...options });

const ORDER = { order_number: 'A-1', ...PERSON, items: [{ sku: 'S', quantity: 1, unit_price: 10 }] };
const TAKEN = answer(201, { data: { order_number: 'A-1', status: 1 } });
const UNAVAILABLE = answer(503, { error: 'Not now.' }, { 'retry-after': '0' });
const ROW = { sku: 'S', available: 5, reserve_remaining: 0 };

describe('retries', () => {
  const steps = {
    cut,
    cutMidway,
    'a 503 that is cut': cutWith(503),
    UNAVAILABLE,
    ...Object.fromEntries([408, 429, 502, 504].map((status) => [status, answer(status, '<html>')])),
  };
  for (const [name, step] of Object.entries(steps)) {
    test(`an order whose answer is ${name} is retried with the same body until it is accepted`, async () => {
      server.play(step, step, TAKEN);
      const { order, isNew } = await clientWith().submitOrder(ORDER);
      assert.deepEqual([order.order_number, isNew], ['A-1', true]);
      assert.equal(server.received.length, 3);
      for (const { method, target, body } of server.received) {
        assert.deepEqual([method, target], ['POST', '/api/v1/orders']);
        assert.deepEqual(JSON.parse(body.toString()), ORDER);
      }
    });
  }

  test('a request that times out is retried; an answer of 200 then means that the order was already stored', async () => {
    for (const step of [hang, stall]) {
      server.play(step, answer(200, { data: { order_number: 'A-1' } }));
      const { isNew } = await clientWith({ timeoutMs: 300 }).submitOrder(ORDER);
      assert.equal(isNew, false);
      assert.ok(server.received.length >= 2);
    }
  });

  test('lookups and reports are retried', async () => {
    server.play(UNAVAILABLE, answer(200, ROW));
    assert.deepEqual(await clientWith().lookup('S'), ROW);
    server.play(cut, answer(200, { data: { status: 88 } }));
    assert.equal((await clientWith().reportStatus('A/1', { status: 88 })).status, 88);
    assert.deepEqual(
      server.received.map(({ target }) => target),
      ['/api/v1/orders/A%2F1/status', '/api/v1/orders/A%2F1/status'],
    );
  });

  test('retries end after the allowed attempts; then the error describes the last failure', async () => {
    server.play(UNAVAILABLE);
    const refused = await clientErrorOf(clientWith().lookup('S'));
    assert.deepEqual(
      [refused.kind, refused.status, refused.message, refused.isRetriable, refused.retryAfterMs],
      ['unavailable', 503, 'Not now.', true, 0],
    );
    assert.equal(server.received.length, FAST.attempts);

    server.play(hang);
    const silent = await clientErrorOf(
      clientWith({ timeoutMs: 50, retry: { ...FAST, attempts: 2 } }).lookup('S'),
    );
    assert.deepEqual([silent.kind, silent.status, silent.isRetriable], ['unavailable', 0, true]);
    assert.equal(silent.message, 'No answer within 50 ms.');

    server.play(cut);
    const gone = await clientErrorOf(clientWith({ retry: { attempts: 1 } }).lookup('S'));
    assert.deepEqual([gone.kind, gone.status, server.received.length], ['unavailable', 0, 1]);
    assert.ok(gone.cause instanceof Error);
  });

  test('a request is not retried if Retry-After is longer than the longest wait', async () => {
    server.play(answer(429, { error: 'Slow down.', code: 'rate_limited' }, { 'retry-after': '60' }));
    const limited = await clientErrorOf(clientWith().lookup('S'));
    assert.deepEqual(
      [limited.kind, limited.code, limited.retryAfterMs, limited.isRetriable],
      ['rate_limited', 'rate_limited', 60_000, true],
    );
    assert.equal(server.received.length, 1);

    server.play(answer(503, {}, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }));
    const late = await clientErrorOf(clientWith().lookup('S'));
    assert.ok(Math.abs((late.retryAfterMs ?? 0) - 3_600_000) < 60_000, 'Retry-After may be a date');
  });

  test('waits double up to a maximum, with full jitter, starting at Retry-After', () => {
    const options = { attempts: 9, baseMs: 100, maxMs: 1_000 };
    const waits = (retryAfterMs: number, chance: number) =>
      [1, 2, 3, 4, 5, 6].map((attempt) => waitAfter(attempt, retryAfterMs, options, chance));
    assert.deepEqual(waits(0, 1), [100, 200, 400, 800, 1_000, 1_000]);
    assert.deepEqual(waits(0, 0.5), [50, 100, 200, 400, 500, 500]);
    assert.deepEqual(waits(0, 0), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(waits(700, 0.5), [750, 800, 900, 1_000, 1_000, 1_000]);
    assert.deepEqual(waits(1_001, 0.5), [null, null, null, null, null, null]);
  });
});

describe('not retried', () => {
  const conflict = (code: string) => ({ error: 'No.', code, current_status: 2, requested_status: 1 });
  const ONCE = {
    unauthorized: [401, { error: 'The API key is not valid.' }, false],
    not_found: [404, { error: 'No.' }, false],
    invalid_transition: [409, conflict('invalid_transition'), false],
    insufficient_stock: [409, conflict('insufficient_stock'), true],
    validation: [422, { message: 'sku is required.', errors: { sku: ['sku is required.'] } }, false],
    refused: [422, { error: 'Not enough stock.' }, false],
    unexpected: [500, { error: 'Something went wrong on our side.' }, false],
  } as const;
  for (const [kind, [status, body, isRetriable]] of Object.entries(ONCE)) {
    test(`${status} ${kind}`, async () => {
      server.play(answer(status, body, { 'x-request-id': 'r-1' }), TAKEN);
      const error = await clientErrorOf(clientWith().submitOrder(ORDER));
      assert.equal(server.received.length, 1);
      assert.deepEqual(
        [error.kind, error.status, error.isRetriable, error.requestId, error.name],
        [kind, status, isRetriable, 'r-1', 'SluiceError'],
      );
      assert.equal(error.message, 'error' in body ? body.error : body.message);
      assert.deepEqual(error.fields, 'errors' in body ? body.errors : null);
      assert.equal(error.currentStatus, status === 409 ? 2 : null);
      assert.equal(error.requestedStatus, status === 409 ? 1 : null);
    });
  }

  test('a redirect, which could carry the key elsewhere, and an answer that is not JSON are not retried', async () => {
    server.play(answer(307, '', { location: `${server.baseUrl}/elsewhere` }));
    const redirect = await clientErrorOf(clientWith().lookup('S'));
    assert.deepEqual([redirect.kind, redirect.status, server.received.length], ['unexpected', 307, 1]);
    server.play(answer(200, '<html>'));
    const page = await clientErrorOf(clientWith().lookup('S'));
    assert.deepEqual([page.kind, page.status, server.received.length], ['unexpected', 200, 1]);
    server.play(answer(409, '<html>'));
    const strange = await clientErrorOf(clientWith().lookup('S'));
    assert.deepEqual([strange.kind, strange.message], ['unexpected', 'The service answered 409.']);
  });
});

describe('aborted by the caller', () => {
  const reason = new Error('the customer left');

  test('before, during and between attempts: the promise rejects with the reason, and nothing more is sent', async () => {
    server.play(answer(200, ROW));
    const signal = AbortSignal.abort(reason);
    await assert.rejects(clientWith().lookup('S', { signal }), reason);
    assert.equal(server.received.length, 0);

    for (const [step, attempts] of [
      [hang, 1],
      [hang, 2],
      [answer(503, {}, { 'retry-after': '30' }), 2],
    ] as const) {
      const stop = new AbortController();
      server.play((response) => {
        step(response);
        setTimeout(() => stop.abort(reason), 20);
      });
      const client = clientWith({ retry: { attempts, maxMs: 60_000 } });
      await assert.rejects(client.submitOrder(ORDER, { signal: stop.signal }), reason);
      assert.equal(server.received.length, 1);
    }
  });
});

describe('invalid options and paths are refused immediately', () => {
  test('options that no timer accepts, and SKUs that would change the path, are refused', async () => {
    const message = /^\w+ must be (from \d to 2147483647|at least 1)\.$/;
    for (const options of [
      { timeoutMs: 0 },
      { timeoutMs: 2 ** 31 },
      { retry: { attempts: 0 } },
      { retry: { baseMs: -1 } },
      { retry: { maxMs: Number.NaN } },
    ])
      assert.throws(() => clientWith(options), { name: 'RangeError', message });
    assert.throws(() => clientWith({ baseUrl: '/api/v1' }), TypeError);
    const poll = (intervalMs: number) => clientWith().pollInventory({ intervalMs, onChange: () => {} });
    await assert.rejects(poll(0), { name: 'RangeError', message });
    for (const sku of ['', '.', '..']) await assert.rejects(clientWith().lookup(sku), RangeError);
  });
});

describe('signing', () => {
  const SECRET = `sls_${'ä'.repeat(43)}`;

  /** Checks the signature of the raw request as the service does. */
  function isSigned({ method, target, headers, body }: Received): boolean {
    const timestamp = String(headers['x-sluice-timestamp']);
    const text = Buffer.concat([Buffer.from(`${method}\n${target}\n${timestamp}\n`), body]);
    const expected = createHmac('sha256', SECRET).update(text).digest('hex');
    return headers['x-sluice-signature'] === `v1=${expected}` && /^\d{10}$/.test(timestamp);
  }

  test('each attempt is signed over exactly what the server receives, with odd paths, queries and bodies', async () => {
    const client = clientWith({ signingSecret: SECRET });
    const changes = { data: [], removed: [], changes_since: 't', is_complete: false, has_more: false };
    server.play(answer(200, { ...ROW, ...changes }));
    for (const sku of ['S', "a b/ü?#%'()*!~", '안경 렌즈']) await client.lookup(sku);
    await client.listInventory({ etag: '"x"' });
    await client.changesSince("t=&+ 'ü", { limit: 5 });
    assert.deepEqual(server.received.map(isSigned), [true, true, true, true, true]);

    server.play(cut, UNAVAILABLE, TAKEN);
    await client.submitOrder({ ...ORDER, recipient_name: '김민지 \ud800 "\\' });
    assert.deepEqual(server.received.map(isSigned), [true, true, true]);

    server.play(answer(200, ROW));
    await clientWith().lookup('S');
    assert.equal(server.received[0]?.headers['x-sluice-signature'], undefined);
  });

  test('a retry waits for Retry-After and is signed again', async () => {
    const client = clientWith({ signingSecret: SECRET, retry: { attempts: 2, baseMs: 0, maxMs: 5_000 } });
    server.play(answer(503, {}, { 'retry-after': '1' }), answer(200, ROW));
    const startedAt = performance.now();
    await client.lookup('S');
    assert.ok(performance.now() - startedAt >= 990);
    const [first = NaN, second = NaN] = server.received.map(({ headers }) =>
      Number(headers['x-sluice-timestamp']),
    );
    assert.ok(second > first, `${first}, ${second}`);
  });
});

describe('reads in pages', () => {
  test('pages are read until there is no cursor', async () => {
    const page = (sku: string, next_cursor: string | null) =>
      answer(200, { data: [{ sku }], next_cursor, changes_since: `t-${sku}` });
    server.play(page('a', 'c&1'), UNAVAILABLE, page('b', 'c2'), page('c', null));
    const seen: string[] = [];
    for await (const { items, changesSince } of clientWith().inventoryPages({ limit: 1 }))
      seen.push(`${items[0]?.sku} ${changesSince}`);
    assert.deepEqual(seen, ['a t-a', 'b t-b', 'c t-c']);
    assert.deepEqual(
      server.received.map(({ target }) => target.split('?')[1]),
      ['limit=1', 'limit=1&cursor=c%261', 'limit=1&cursor=c%261', 'limit=1&cursor=c2'],
    );
  });

  test('a lookup of many SKUs sends at most 1,000 per request', async () => {
    const skus = Array.from({ length: 1_001 }, (_, n) => `S${n}`);
    const found = (sku: string, unknown: string[]) =>
      answer(200, { data: [{ sku, available: 1, reserve_remaining: 0 }], unknown });
    server.play(found('S0', ['S1']), found('S1000', []));
    const { items, unknown } = await clientWith().lookupMany(skus);
    assert.deepEqual([items.map(({ sku }) => sku), unknown], [['S0', 'S1000'], ['S1']]);
    const asked = server.received.map(({ body }) => (JSON.parse(body.toString()) as { skus: string[] }).skus);
    assert.deepEqual(
      asked.map((list) => list.length),
      [1_000, 1],
    );
    assert.deepEqual(asked.flat(), skus);
  });
});

describe('polling', () => {
  const list = (sku: string) => answer(200, { data: [{ sku }] }, { etag: `"${sku}"` });
  const UNCHANGED = (response: Parameters<typeof cut>[0]): void => {
    response.writeHead(304).end();
  };

  test('polling passes on changes, survives failures, repeats a change that onChange rejected, and ends on the signal', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const errors: unknown[] = [];
    let isReady = false;
    server.play(list('a'), UNCHANGED, answer(500, {}), cut, list('b'), list('b'), UNCHANGED, list('c'));
    await clientWith({ retry: { attempts: 1 } }).pollInventory({
      intervalMs: 5,
      signal: stop.signal,
      onChange: (items) => {
        const { sku } = items[0] ?? { sku: '' };
        if (sku === 'b' && !isReady) {
          isReady = true;
          throw new Error('the shop could not take it');
        }
        seen.push(sku);
        if (sku === 'c') stop.abort();
      },
      onError: (error) => void errors.push(error),
    });
    assert.deepEqual(seen, ['a', 'b', 'c']);
    assert.deepEqual(
      errors.map((error) => (error instanceof SluiceError ? error.status : String(error))),
      [500, 0, 'Error: the shop could not take it'],
    );
    assert.deepEqual(
      server.received.map(({ headers }) => headers['if-none-match']),
      [undefined, '"a"', '"a"', '"a"', '"a"', '"a"', '"b"', '"b"'],
    );
  });

  test('polls never overlap, however slow onChange is', async () => {
    const stop = new AbortController();
    let running = 0;
    let rounds = 0;
    server.play(...['a', 'b', 'c'].map(list));
    await clientWith().pollInventory({
      intervalMs: 1,
      signal: stop.signal,
      onChange: async () => {
        running += 1;
        const asked = server.received.length;
        await new Promise((resolve) => {
          setTimeout(resolve, 30);
        });
        assert.deepEqual([running, server.received.length], [1, asked]);
        running -= 1;
        rounds += 1;
        if (rounds === 3) stop.abort();
      },
      onError: (error) => {
        throw error;
      },
    });
    assert.equal(rounds, 3);
  });

  test('polling ends during a request or a wait, and if onError throws', async () => {
    for (const step of [hang, list('a')]) {
      const stop = new AbortController();
      server.play((response) => {
        step(response);
        setTimeout(() => stop.abort(), 20);
      });
      const onError = () => assert.fail('a stopped poller reports no error');
      await clientWith().pollInventory({ signal: stop.signal, onChange: () => {}, onError });
    }
    server.play(answer(401, { error: 'The API key is not valid.' }));
    const onError = (error: unknown) => {
      throw error;
    };
    const polling = clientWith().pollInventory({ intervalMs: 1, onChange: () => {}, onError });
    assert.equal((await clientErrorOf(polling)).kind, 'unauthorized');
  });

  test('without onError, a loop survives failures that pass, and ends with all others and with an error of a callback', async () => {
    const wrongKey = answer(401, { error: 'The API key is not valid.' });
    const seen: string[] = [];
    server.play(answer(500, {}), list('a'), wrongKey);
    const onChange = ([row]: { sku: string }[]) => void seen.push(row?.sku ?? '');
    const polling = clientWith().pollInventory({ intervalMs: 1, onChange });
    assert.equal((await clientErrorOf(polling)).kind, 'unauthorized');
    assert.deepEqual(seen, ['a']);

    const changes = answer(200, { changes: [{ order_number: 'A' }], changes_since: 'next', has_more: false });
    server.play(answer(500, {}), changes, wrongKey);
    const watching = clientWith().watchOrders({ since: 't', pauseMs: 1, onChange: () => {} });
    assert.equal((await clientErrorOf(watching)).kind, 'unauthorized');

    server.play(changes);
    const onOrder = () => assert.fail('the shop has a bug');
    await assert.rejects(clientWith().watchOrders({ since: 't', onChange: onOrder }), /the shop has a bug/);
  });

  test('a thousand shops that start together spread over the interval, and none polls later than documented', () => {
    const INTERVAL_MS = 300_000;
    const chances = Array.from({ length: 1_000 }, (_, shop) => shop / 1_000);
    const second = chances.map((chance) => cycleOf(0, INTERVAL_MS, chance));
    const bySecond = Map.groupBy(second, (ms) => Math.floor(ms / 1_000));
    assert.ok(Math.max(...[...bySecond.values()].map((shops) => shops.length)) <= 4);
    for (const chance of [0, 0.5, 0.999]) {
      const later = cycleOf(7, INTERVAL_MS, chance);
      assert.ok(later >= 0.9 * INTERVAL_MS && later <= INTERVAL_MS, String(later));
    }
  });
});
