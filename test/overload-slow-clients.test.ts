// Slow, stalled and disconnected clients next to fast ones: a separate process, observed from outside. Memory stays
// bounded, accepted requests are served, others are refused immediately, and nothing is kept for disconnected clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { RawConnection, type RawAnswer } from '../verify/kit/raw-http.ts';
import { whenOver } from '../src/platform/http/response-end.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { must, orderOf } from '../verify/kit/fixtures.ts';
import { spawnService } from '../verify/kit/process.ts';
import { ADMIN_TOKEN, PATIENT, TEST_SECRET } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const MIB = 1024 * 1024;
const BUDGET_MIB = 16;
/** One channel may use two thirds of a budget. */
const SHARE_MIB = (BUDGET_MIB * 2) / 3;
const LISTS_MIB = 24;
const LISTS_SHARE_MIB = (LISTS_MIB * 2) / 3;
/** Longer than any test, so that a slow reader is not disconnected during a test on a loaded machine. */
const SEND_TIMEOUT_MS = 600_000;
const SHORT_SEND_TIMEOUT_MS = 500;
/** More than all tests sell, also on a loaded machine. */
const STOCK = 2_000_000;
const SKUS = 10_000;

const database = await createDatabase();
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
// pool.end() does not wait until its connections are closed, and dropping the database terminates them with an error.
pool.on('error', () => {});
const env = {
  DATABASE_URL: database.url,
  SLUICE_SECRET: TEST_SECRET,
  SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
  SLUICE_LARGE_BODIES_MIB: String(BUDGET_MIB),
  SLUICE_UNSENT_LISTS_MIB: String(LISTS_MIB),
  SLUICE_SEND_TIMEOUT_MS: String(SEND_TIMEOUT_MS),
  // The gate waits long enough for a slow machine to send as many orders as fill its queue.
  ...PATIENT,
  LOG_LEVEL: 'error',
  MALLOC_ARENA_MAX: '2',
};
const service = await spawnService(env);
const sockets = new Set<Socket>();
after(async () => {
  await service.stop();
  await pool.end();
  await database.drop();
});
assert.ok(await service.ready(), service.output());

const channel = await must(service.admin('POST', '/channels', { name: 'busy', country_code: 'KR' }), 201);
// A long name makes a list of several MiB, more than the socket buffers hold for a client that does not read.
const name = '렌'.repeat(200);
await must(service.admin('POST', '/products', { code: 'P', name, variants: [{ code: 'P-1' }] }), 201);
await must(service.admin('PUT', '/stock/P-1', { quantity: STOCK }), 200);
// All SKUs are mapped to one variant, so that every order makes a new version of the whole list.
const mappings = Array.from({ length: SKUS }, (_, index) => ({ sku: `S-${index}`, variant_code: 'P-1' }));
await must(service.admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);

const headOf = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: s', `X-Api-Key: ${channel.api_key}`, ...headers, '', ''].join('\r\n');
const LIST = headOf('GET /api/v1/inventory');
const CHUNKED = headOf('POST /api/v1/orders', 'Transfer-Encoding: chunked');
const order = (fields: object = {}): string =>
  JSON.stringify(orderOf([{ sku: 'S-1', quantity: 1, unit_price: 1 }], fields));
const post = (body: string): string =>
  headOf('POST /api/v1/orders', `Content-Length: ${Buffer.byteLength(body)}`) + body;
const inChunks = (body: string, size: number): string => {
  const parts = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
};

async function open(text: string, port = service.port): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function send(
  connection: RawConnection,
  text: string,
  wait_ms = 60_000,
): Promise<RawAnswer | undefined> {
  const pieces = [Buffer.from(text)];
  return (await connection.send({ pieces, methods: ['POST'], closes: false, wait_ms })).answers[0];
}

async function statusOf(text: string): Promise<number | undefined> {
  const connection = new RawConnection(service.origin);
  const answer = await send(connection, text);
  connection.close();
  if (answer?.status === 503) assert.equal(answer.headers.get('retry-after'), '1');
  return answer?.status;
}

/** The value of the metric sluice_held_bytes. */
async function heldBytes(of: 'large_bodies' | 'unsent_lists', origin = service.origin): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(new RegExp(`sluice_held_bytes{of="${of}"} (\\d+)`).exec(metrics)?.[1]);
}

async function nothingHeld(): Promise<void> {
  await until(async () => (await heldBytes('large_bodies')) === 0, 'no held bodies');
  await until(async () => (await heldBytes('unsent_lists')) === 0, 'no held lists');
}

/** 0 if the system does not report it. */
async function residentMiB(): Promise<number> {
  const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** The list as a new client receives it, read to its end. */
async function wholeList(): Promise<string> {
  const headers = { 'x-api-key': String(channel.api_key), 'accept-encoding': 'identity' };
  const answer = await fetch(`${service.origin}/api/v1/inventory`, { headers });
  assert.equal(answer.status, 200);
  return answer.text();
}

const availableIn = (list: string): number[] => {
  const { data } = JSON.parse(list) as { data: { available: number }[] };
  assert.equal(data.length, SKUS);
  return [...new Set(data.map((row) => row.available))];
};

async function closeAll(): Promise<void> {
  for (const socket of sockets) socket.destroy();
  for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
  sockets.clear();
  await nothingHeld();
}

afterEach(async () => {
  await closeAll();
  const report = await must(service.admin('GET', '/reconcile'), 200);
  assert.equal(report.ok, true, JSON.stringify(report.drift));
});

test('large bodies over the byte limit get 503, small orders are accepted, also while others send slowly', async () => {
  const before = await residentMiB();
  const body = order({ padding: 'x'.repeat(MIB) }).slice(0, MIB - 1);
  const head = headOf('POST /api/v1/orders', `Content-Length: ${MIB}`);
  const count = 4 * BUDGET_MIB;
  const answers: string[] = [];
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await open(head);
      socket.on('data', (chunk) => answers.push(chunk.toString()));
      socket.write(body);
    }),
  );
  await until(() => answers.length > count - BUDGET_MIB, 'the refusals');
  for (const answer of answers) {
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.match(answer, /\r\nretry-after: 1\r\n/i);
  }
  assert.ok((await heldBytes('large_bodies')) <= BUDGET_MIB * MIB);
  assert.equal(await statusOf(post(order())), 201);
  assert.equal(await statusOf(CHUNKED + inChunks(order(), 100)), 201);
  const grown = (await residentMiB()) - before;
  assert.ok(grown < 8 * BUDGET_MIB, `grew by ${Math.round(grown)} MiB`);
});

test('a refused body is read to its end, and its connection stays usable', async () => {
  const fillers = Array.from({ length: 2 * BUDGET_MIB }, () =>
    open(headOf('POST /api/v1/orders', `Content-Length: ${MIB}`) + 'x'.repeat(MIB - 1)),
  );
  await Promise.all(fillers);
  await until(async () => (await heldBytes('large_bodies')) > SHARE_MIB * MIB - MIB, 'a full budget');
  const connection = new RawConnection(service.origin);
  const large = order({ padding: 'x'.repeat(MIB - 1_000) });
  assert.equal((await send(connection, CHUNKED + inChunks(large, 10_000)))?.status, 503);
  assert.equal((await send(connection, post(order())))?.status, 201);
  connection.close();
});

const ending = fc.constantFrom('all of it', 'half of it, then gone', 'half of it, then our side closed');
const sender = fc.record({
  kilobytes: fc.constantFrom(1, 15, 17, 100, 1_000, 1_100),
  /** null: sent with a Content-Length */
  chunk: fc.constantFrom(null, 1, 500, 70_000),
  /** Lists requested before it on the connection, which the client does not read to the end. */
  lists: fc.constantFrom(0, 0, 0, 2),
  type: fc.constantFrom('application/json', 'rubbish;;', 'text/plain'),
  ending,
});

test('however senders and readers end, no bytes remain held for them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sender, { minLength: 5, maxLength: 12 }), async (senders) => {
      await Promise.all(
        senders.map(async ({ kilobytes, chunk, lists, type, ending: end }) => {
          const body = order({ padding: 'x'.repeat(kilobytes * 1_000) });
          // A small body takes long enough in chunks of one byte.
          const framed =
            chunk === null ? body : inChunks(body.slice(0, chunk === 1 ? 40_000 : Infinity), chunk);
          const length =
            chunk === null ? `Content-Length: ${Buffer.byteLength(body)}` : 'Transfer-Encoding: chunked';
          const text =
            LIST.repeat(lists) + headOf('POST /api/v1/orders', length, `Content-Type: ${type}`) + framed;
          const socket = await open(end === 'all of it' ? text : text.slice(0, text.length / 2));
          if (end === 'half of it, then our side closed') socket.end();
          await Promise.race([once(socket, 'data'), once(socket, 'close'), sleep(50)]);
          socket.destroy();
        }),
      );
      await nothingHeld();
    }),
    // No shrinking: a smaller case would take as long to fail.
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 8), endOnFailure: true },
  );
  const large = order({ padding: 'x'.repeat(MIB - 1_000) });
  assert.equal(await statusOf(CHUNKED + inChunks(large, 10_000)), 201);
});

test('whenOver calls back once: when the response was sent, or when its connection closed before that', async () => {
  const over: string[] = [];
  const server = createServer((request, response) => {
    whenOver(request, response, () => over.push('sent'));
    whenOver(request, new ServerResponse(request), () => over.push('never sent'));
    response.end();
    request.socket.once('close', () => whenOver(request, response, () => over.push('too late')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: s\r\n\r\n');
  await once(client, 'data');
  await until(() => over.length === 1, 'over');
  assert.deepEqual(over, ['sent']);
  client.destroy();
  await until(() => over.length >= 3, 'over');
  server.close();
  await once(server, 'close');
  assert.deepEqual(over.toSorted(), ['never sent', 'sent', 'too late']);
});

test('unread lists are limited: the next list gets 503, lookups and 304 continue', async () => {
  const length = Buffer.byteLength(await wholeList());
  assert.ok(length > 5 * MIB, `${length} bytes`);
  const fitting = Math.floor((LISTS_SHARE_MIB * MIB) / length);
  const newVersion = async (): Promise<void> => assert.equal(await statusOf(post(order())), 201);
  for (let held = 1; held <= fitting; held++) {
    await newVersion();
    (await open(LIST)).pause();
    await until(async () => (await heldBytes('unsent_lists')) > (held - 0.01) * length, 'held');
  }
  assert.equal(await statusOf(LIST), 200, 'pages that are held already need no more bytes');
  await newVersion();
  assert.equal(await statusOf(LIST), 503);
  assert.equal(await statusOf(headOf('GET /api/v1/inventory', 'If-None-Match: *')), 304);
  assert.equal(await statusOf(headOf('GET /api/v1/inventory/S-1')), 200);
  await closeAll();
  assert.equal(await statusOf(LIST), 200);
});

test('a client that does not read its list is disconnected', async (t) => {
  const strict = await spawnService({ ...env, SLUICE_SEND_TIMEOUT_MS: String(SHORT_SEND_TIMEOUT_MS) });
  t.after(() => strict.stop());
  assert.ok(await strict.ready(), strict.output());
  const length = Buffer.byteLength(await wholeList());
  const reader = await open(LIST, strict.port);
  // The answer has begun. The client reads nothing of it, so it notices the end of the connection only later.
  await once(reader, 'readable');
  await until(async () => (await heldBytes('unsent_lists', strict.origin)) === 0, 'the disconnection');
  let bytes = 0;
  reader.on('data', (chunk: Buffer) => (bytes += chunk.length));
  reader.resume();
  await once(reader, 'close');
  assert.ok(bytes < length, `${bytes} bytes of a list of ${length}`);
});

test('a slow reader gets one consistent list, whatever is sold and sent to others meanwhile', async () => {
  const [before] = availableIn(await wholeList());
  const slow = await open(LIST);
  slow.pause();
  await until(async () => (await heldBytes('unsent_lists')) > 5 * MIB, 'held');
  const held = await heldBytes('unsent_lists');
  for (let sold = 1; sold <= 4; sold++) {
    assert.equal(await statusOf(post(order())), 201);
    assert.deepEqual(availableIn(await wholeList()), [Number(before) - sold], 'the same number in every row');
    // Three held lists would exceed the channel's share.
    await until(async () => (await heldBytes('unsent_lists')) <= held, 'sent');
  }
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    let tail = '';
    slow.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 2))).slice(-2);
      if (tail === ']}') resolve();
    });
    slow.once('close', () => reject(new Error('the slow reader was disconnected')));
  });
  slow.resume();
  await ended;
  const [, body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
  assert.deepEqual(availableIn(body), [before]);
});

const RUSH_MS = 1_500;

// The benchmark (overload_goodput) measures on an idle machine how many orders per second are accepted.
test('overload next to slow headers, slow bodies, slow readers and idle connections: every order is accepted or gets 503', async () => {
  const lanes = Array.from({ length: 1_500 }, () => new RawConnection(service.origin));
  const before = await residentMiB();
  const unshippedBefore = (await must(service.admin('GET', '/stock/P-1'), 200)).unshipped;

  await Promise.all([
    ...Array.from({ length: 200 }, () => open('')),
    ...Array.from({ length: 200 }, () => open('POST /api/v1/orders HTTP/1.1\r\nX-Slow: ')),
    ...Array.from({ length: 200 }, () => open(`${CHUNKED}5\r\n{`)),
    ...Array.from({ length: 50 }, () => open(`${CHUNKED}fffff\r\n${'x'.repeat(MIB - 10)}`)),
    ...Array.from({ length: 200 }, () => open(headOf('GET /api/v1/inventory/S-1'))),
    ...Array.from({ length: 20 }, async () => (await open(LIST)).pause()),
  ]);
  // No order can be accepted before 1,000 are refused: refusals are sent immediately, without waiting for the database.
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select from stock for update');
  let end: number | null = null;
  const taken = await rush(lanes, (count) => {
    if (end === null && count >= 1_000) {
      end = Date.now() + RUSH_MS;
      void holder.query('rollback').then(() => holder.release());
    }
    return end !== null && Date.now() > end;
  });
  const grown = (await residentMiB()) - before;
  const { unshipped } = await must(service.admin('GET', '/stock/P-1'), 200);
  for (const socket of sockets) socket.destroy();
  for (const lane of lanes) lane.close();

  assert.ok(taken >= 1_000, `${taken} accepted: fewer than the full queue`);
  assert.ok(grown < 400, `grew by ${Math.round(grown)} MiB`);
  assert.equal(unshipped - unshippedBefore, taken);
});

/** Sends orders continuously on every lane; refused clients retry a moment later. */
async function rush(lanes: readonly RawConnection[], isOver: (refused: number) => boolean): Promise<number> {
  let taken = 0;
  let refused = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (!isOver(refused)) {
        const answer = await send(lane, post(order()));
        assert.ok(answer, 'no answer');
        if (answer.status === 201) {
          taken += 1;
          continue;
        }
        assert.equal(answer.status, 503, answer.body.toString());
        assert.equal(answer.headers.get('retry-after'), '1');
        refused += 1;
        await sleep(20);
      }
    }),
  );
  return taken;
}
