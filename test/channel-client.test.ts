import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  AddressNotAllowedError,
  guardedLookup,
  isPublicAddress,
  isRefusedHost,
} from '../src/platform/outbound/address.ts';
import { checkApiUrl } from '../src/core/channels/api-url.ts';
import { HTTP_URL_CHARACTERS_MAX } from '../src/platform/values/http-url.ts';
import { ANSWER_BYTES_MAX, bareHost } from '../src/platform/outbound/exchange.ts';
import {
  CHANNEL_MESSAGE_CHARS_MAX,
  fetchProductInfo,
  OUTBOUND_TIMEOUT_MS,
  type ProductInfoAnswer,
  type ProductInfoCall,
} from '../src/core/registration/fetch.ts';
import { OPTIONS_MAX, TEXT_CHARS_MAX } from '../src/core/registration/parse.ts';
import { freePort, listen } from '../verify/kit/ports.ts';
import { channelFailureText } from '../src/platform/outbound/failure-words.ts';
import { faultText } from '../src/platform/values/field-fault-words.ts';

const API_KEY = 'sluice_0b2f6f6e-5a0e-4f0e-9d55-3c1f0c4c7a11';
const OPTION = { opt_group: 'L', power: '-1.00', option_code: 'A1', stock: 3, hidden: false };
const INFO = { found: true, goods_name: 'Lens', is_monthly: 1, options: [OPTION] };

/** A server on loopback. It is closed with all its connections when the test ends. */
async function serve(t: TestContext, listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}/info`;
}

/** A server that sends raw bytes, for responses that no HTTP library would produce. */
async function serveRaw(t: TestContext, onSocket: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => onSocket(socket));
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}/info`;
}

function call(apiUrl: string, rest: Partial<ProductInfoCall> = {}): Promise<ProductInfoAnswer> {
  return fetchProductInfo({
    apiUrl,
    apiKey: API_KEY,
    usercode: 'P1',
    allowPrivate: true,
    timeoutMs: 20_000,
    ...rest,
  });
}

async function failure(
  answer: Promise<ProductInfoAnswer>,
  reason: string,
  message: RegExp = /./u,
): Promise<string> {
  const result = await answer;
  assert.equal(result.kind, 'failed', JSON.stringify(result));
  const text = channelFailureText(result);
  assert.equal(result.reason, reason, text);
  assert.match(text, message);
  assert.ok(!JSON.stringify([text, result]).includes(API_KEY), 'the API key is disclosed');
  return text;
}

function answering(body: string | Buffer, status = 200, headers: http.OutgoingHttpHeaders = {}) {
  return (_request: http.IncomingMessage, response: http.ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };
}

function answeringJson(value: unknown, status = 200): http.RequestListener {
  return answering(JSON.stringify(value), status);
}

describe('the request', () => {
  test('a GET with the key in X-API-KEY, without compression, on a connection that is not reused', async (t) => {
    let seen: http.IncomingMessage | undefined;
    const url = await serve(t, (request, response) => {
      seen = request;
      answeringJson(INFO)(request, response);
    });
    assert.deepEqual(await call(url), { kind: 'answered', info: INFO });
    assert.ok(seen);
    assert.equal(seen.method, 'GET');
    assert.ok(seen.rawHeaders.includes('X-API-KEY'));
    assert.equal(seen.headers['x-api-key'], API_KEY);
    assert.equal(seen.headers.accept, 'application/json');
    assert.equal(seen.headers['accept-encoding'], 'identity');
    assert.equal(seen.headers['user-agent'], 'sluice');
    assert.equal(seen.headers.connection, 'close');
  });

  test('the usercode is sent as one query parameter, whatever characters it contains', async (t) => {
    const targets: string[] = [];
    const headers: string[][] = [];
    const url = await serve(t, (request, response) => {
      targets.push(request.url ?? '');
      headers.push(Object.keys(request.headers));
      answeringJson(INFO)(request, response);
    });
    const usercodes = [
      'a\r\nX: y',
      'a b',
      'a+b',
      'a&usercode=b',
      'a#b',
      '렌즈 1',
      '%41',
      '\u{1F600}',
      '\'"<>',
      '',
    ];
    for (const usercode of usercodes) {
      assert.equal((await call(url, { usercode })).kind, 'answered');
    }
    for (const [index, target] of targets.entries()) {
      const { searchParams, pathname } = new URL(target, 'http://x');
      assert.equal(pathname, '/info');
      assert.deepEqual([...searchParams], [['usercode', usercodes[index]]]);
      assert.ok(!headers[index]?.includes('x'));
    }
  });

  test('the query of an api_url is kept as written, but its usercode is replaced and its fragment is dropped', async (t) => {
    const targets: string[] = [];
    const url = await serve(t, (request, response) => {
      targets.push(request.url ?? '');
      answeringJson(INFO)(request, response);
    });
    for (const query of [
      '?a=%7e+x&b&c=1',
      '?usercode=old&a=1&user%63ode=old2',
      '??usercode=1?',
      '?',
      '#part',
      '?a=1#part',
    ]) {
      await call(url + query);
    }
    assert.deepEqual(targets, [
      '/info?a=%7e+x&b&c=1&usercode=P1',
      '/info?a=1&usercode=P1',
      '/info??usercode=1?&usercode=P1',
      '/info?usercode=P1',
      '/info?usercode=P1',
      '/info?a=1&usercode=P1',
    ]);
  });

  test('contract 4.5.14a: hidden is a boolean or an integer, and every value except false and 0 means hidden; unknown fields are ignored', async (t) => {
    const options = [true, false, 1, 0, 2, -1].map((hidden) => ({ ...OPTION, hidden, extra: 1 }));
    const url = await serve(t, answeringJson({ ...INFO, options, message: 7, more: {} }));
    assert.deepEqual(await call(url), {
      kind: 'answered',
      info: {
        ...INFO,
        options: [true, false, true, false, true, true].map((hidden) => ({ ...OPTION, hidden })),
      },
    });
  });
});

describe('timeouts and size limits', () => {
  test('contract 4.5.5, 4.5.5a: the limits are 5 seconds and 1 MiB', () => {
    assert.equal(OUTBOUND_TIMEOUT_MS, 5000);
    assert.equal(ANSWER_BYTES_MAX, 1_048_576);
  });

  test('contract 4.5.5: a call that names no timeout is aborted after 5 seconds, and not before', async (t) => {
    const url = await serveRaw(t, () => undefined);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isOver = false;
    const answer = call(url, { timeoutMs: undefined }).finally(() => (isOver = true));
    t.mock.timers.tick(4_999);
    await setImmediate();
    assert.equal(isOver, false);
    t.mock.timers.tick(1);
    await setImmediate();
    assert.equal(isOver, true);
    await failure(answer, 'timeout', /5 s/u);
  });

  test('a server that never answers: the call times out and the connection is closed', async (t) => {
    let closed: Promise<unknown> | undefined;
    const url = await serveRaw(t, (socket) => {
      closed = once(socket, 'close');
    });
    await failure(call(url, { timeoutMs: 200 }), 'timeout', /0\.2 s/u);
    await closed; // The client has closed the connection too.
  });

  for (const [part, head] of [
    ['body', 'HTTP/1.1 200 OK\r\n\r\n{'],
    ['headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
    ['informational answers', ''],
  ] as const) {
    test(`a trickle of ${part} is cut off by the total timeout, although no single pause is long`, async (t) => {
      const url = await serveRaw(t, (socket) => {
        socket.write(head);
        const drip = head === '' ? 'HTTP/1.1 103 Early Hints\r\n\r\n' : ' ';
        const timer = setInterval(() => socket.write(drip), 50);
        socket.on('close', () => clearInterval(timer));
      });
      const started = performance.now();
      await failure(call(url, { timeoutMs: 400 }), 'timeout');
      // Without a total timeout the call would never end.
      const elapsed = performance.now() - started;
      assert.ok(elapsed >= 390, `${elapsed} ms`);
    });
  }

  test('a name server that never answers: the call times out', async () => {
    await failure(call('http://shop.test/', { timeoutMs: 100, lookup: () => undefined }), 'timeout');
  });

  test('a TLS handshake that never ends: the call times out', async (t) => {
    const url = await serveRaw(t, () => undefined);
    await failure(call(url.replace('http:', 'https:'), { timeoutMs: 100 }), 'timeout');
  });

  test('a body over the limit is refused, with and without Content-Length', async (t) => {
    const large = Buffer.alloc(2 * ANSWER_BYTES_MAX, ' ');
    const announced = await serve(t, answering(large, 200, { 'content-length': large.length }));
    await failure(call(announced), 'too_large', /1 MiB/u);
    let sentAll = false;
    const endless = await serve(t, (_request, response) => {
      response.writeHead(200);
      response.write(large, () => (sentAll = response.write(large)));
    });
    await failure(call(endless), 'too_large');
    assert.equal(sentAll, false);
  });

  test('a Content-Length over the limit is refused without waiting for the body', async (t) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${ANSWER_BYTES_MAX + 1}\r\n\r\n`;
    await failure(call(await serveRaw(t, (socket) => socket.write(head))), 'too_large');
  });

  test('a body of exactly the maximum size is read', async (t) => {
    const body = JSON.stringify(INFO).padEnd(ANSWER_BYTES_MAX);
    assert.equal((await call(await serve(t, answering(body)))).kind, 'answered');
    await failure(call(await serve(t, answering(`${body} `))), 'too_large');
  });

  test('oversized headers are refused', async (t) => {
    const url = await serve(t, answering('{}', 200, { 'x-large': 'x'.repeat(100_000) }));
    await failure(call(url), 'too_large', /headers/u);
  });

  test('a compressed answer is refused and not decompressed', async (t) => {
    const bomb = gzipSync(Buffer.alloc(20 * ANSWER_BYTES_MAX, ' '));
    assert.ok(bomb.length < ANSWER_BYTES_MAX);
    for (const encoding of ['gzip', 'br', 'GZIP, identity']) {
      const url = await serve(t, answering(bomb, 200, { 'content-encoding': encoding }));
      await failure(call(url), 'not_json', /content encoding/u);
    }
    const plain = await serve(t, answering(JSON.stringify(INFO), 200, { 'content-encoding': 'Identity' }));
    assert.equal((await call(plain)).kind, 'answered');
  });

  test('no timer is left behind', async (t) => {
    const good = await serve(t, answeringJson(INFO));
    const bad = await serve(t, answering(Buffer.alloc(2 * ANSWER_BYTES_MAX)));
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const calls = [good, bad, 'http://127.0.0.1:1/', 'bad'].map((url) => call(url, { timeoutMs: 600_000 }));
    await Promise.all(calls);
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    assert.ok(after <= before, `${after} timers, ${before} before`);
  });
});

describe('unusable answers', () => {
  test('a redirect is not followed', async (t) => {
    let followed = false;
    const target = await serve(t, (request, response) => {
      followed = true;
      answeringJson(INFO)(request, response);
    });
    for (const status of [301, 302, 303, 307, 308, 304]) {
      const url = await serve(t, answering('moved', status === 304 ? 304 : status, { location: target }));
      await failure(call(url), 'redirect', new RegExp(`status ${status}`, 'u'));
    }
    assert.equal(followed, false);
  });

  test('an error status is reported together with the message of the channel', async (t) => {
    for (const status of [204, 401, 404, 500, 503]) {
      await failure(
        call(await serve(t, answering('', status))),
        'http_status',
        new RegExp(`status ${status}\\.`, 'u'),
      );
    }
    const url = await serve(t, answeringJson({ message: 'down for\r\nwork\u0000\u202e!' }, 500));
    await failure(call(url), 'http_status', /status 500; its message: "down for work !"\.$/u);
    const nonText = await serve(t, answeringJson({ message: { a: 1 } }, 500));
    await failure(call(nonText), 'http_status', /status 500\.$/u);
  });

  test('a status other than 200 is reported even if its body cannot be read', async (t) => {
    const large = await serve(t, answering(Buffer.alloc(2 * ANSWER_BYTES_MAX), 500));
    await failure(call(large), 'http_status', /status 500\.$/u);
    const zipped = await serve(t, answering('x', 502, { 'content-encoding': 'gzip' }));
    await failure(call(zipped), 'http_status', /status 502\.$/u);
    const hanging = await serveRaw(t, (socket) => socket.write('HTTP/1.1 503 Busy\r\n\r\nwait'));
    await failure(call(hanging, { timeoutMs: 1_500 }), 'http_status', /status 503\.$/u);
  });

  test('the message of the channel is truncated, and secrets that it echoes are masked', async (t) => {
    const long = await serve(t, answeringJson({ message: 'x'.repeat(5000) }, 500));
    const message = await failure(call(long), 'http_status');
    assert.equal(/x+/u.exec(message)?.[0].length, CHANNEL_MESSAGE_CHARS_MAX);

    const echo: http.RequestListener = (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x');
      const secret = searchParams.get('token') ?? '';
      const text = `${request.url} ${String(request.headers['x-api-key'])} ${secret}`;
      response.writeHead(403).end(JSON.stringify({ message: text }));
    };
    const echoed = await failure(
      call(`${await serve(t, echo)}?token=top%20secret`),
      'http_status',
      /\*\*\*/u,
    );
    assert.doesNotMatch(echoed, /secret/u);
    assert.match(echoed, /usercode=P1/u);

    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      const encoded: http.RequestListener = (request, response) => {
        const text = Buffer.from(`key=${String(request.headers['x-api-key'])}`).toString(encoding);
        response.writeHead(403).end(JSON.stringify({ message: `wrong: ${text}` }));
      };
      const shown = await failure(call(await serve(t, encoded)), 'http_status', /\*\*\*/u);
      const token = /[\w+/=-]{20,}/u.exec(shown)?.[0] ?? '';
      assert.equal(token, '', `${encoding}: ${shown}`);
    }
    await failure(
      call(await serve(t, answeringJson({ ...INFO, goods_name: `Lens ${API_KEY}` }))),
      'wrong_shape',
    );
  });

  test('HTML, an empty body, truncated JSON and invalid UTF-8 are reported as not JSON', async (t) => {
    const latin1 = Buffer.from(JSON.stringify({ ...INFO, goods_name: 'é' }), 'latin1');
    const bodies = [
      '<html>login</html>',
      '',
      JSON.stringify(INFO).slice(0, -1),
      latin1,
      `${JSON.stringify(INFO)}x`,
    ];
    for (const body of bodies) {
      await failure(call(await serve(t, answering(body))), 'not_json');
    }
  });

  test('JSON nested as deeply as the size limit allows is refused without a crash', async (t) => {
    await failure(call(await serve(t, answering('['.repeat(ANSWER_BYTES_MAX)))), 'not_json');
  });

  test('a connection that breaks in the middle of an answer is reported as unreachable', async (t) => {
    const reset = await serveRaw(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"found"', () => socket.resetAndDestroy());
    });
    await failure(call(reset), 'unreachable');
    const ended = await serveRaw(t, (socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"found"');
    });
    await failure(call(ended), 'unreachable', /closed the connection before the response was complete\.$/u);
    const chunked = await serveRaw(t, (socket) => {
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"fou\r\n');
    });
    await failure(call(chunked), 'unreachable', /closed the connection before the response was complete\.$/u);
  });

  test('an answer without Content-Length is read until the connection closes', async (t) => {
    const url = await serveRaw(t, (socket) => {
      socket.end(`HTTP/1.1 200 OK\r\n\r\n${JSON.stringify(INFO).padEnd(600_000)}`);
    });
    assert.equal((await call(url)).kind, 'answered');
  });

  test('no answer, an answer that is not HTTP, and an upgrade that was not requested are reported as unreachable', async (t) => {
    await failure(call(await serveRaw(t, (socket) => socket.end())), 'unreachable');
    await failure(
      call(await serveRaw(t, (socket) => socket.end('220 smtp ready\r\n'))),
      'unreachable',
      /HTTP/u,
    );
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
    await failure(call(await serveRaw(t, (socket) => socket.write(upgrade))), 'unreachable');
  });

  test('a refused port, an unknown host name, and TLS to a plain HTTP server are told apart', async (t) => {
    await failure(call(`http://127.0.0.1:${await freePort()}/`), 'refused');
    const unknown: net.LookupFunction = (_name, _options, done) =>
      done(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), '');
    await failure(call('http://shop.test/', { lookup: unknown }), 'unreachable', /name shop\.test/u);
    const plain = await serve(t, answeringJson(INFO));
    await failure(call(plain.replace('http:', 'https:')), 'tls');
  });
});

describe('the shape of the answer', () => {
  test('unless found is true the product does not exist, and no other field is needed', async (t) => {
    for (const found of [false, null, 1, 'true', undefined]) {
      await failure(call(await serve(t, answeringJson({ found }))), 'not_found', /no product "P1"\.$/u);
    }
    const url = await serve(t, answeringJson({ found: false, message: 'sold\nout' }));
    await failure(call(url), 'not_found', /its message: "sold out"\.$/u);
  });

  const WRONG: [string, unknown][] = [
    ['the answer must be a JSON object', [INFO]],
    ['the answer must be a JSON object', null],
    ['the answer must be a JSON object', 'found'],
    ['goods_name must be text', { ...INFO, goods_name: 1 }],
    ['goods_name is missing', { ...INFO, goods_name: undefined }],
    ['goods_name must be at most', { ...INFO, goods_name: 'x'.repeat(TEXT_CHARS_MAX + 1) }],
    ['goods_name must not contain the character U+0000', { ...INFO, goods_name: 'a\u0000' }],
    ['is_monthly must be an integer', { ...INFO, is_monthly: '1' }],
    ['is_monthly must be an integer', { ...INFO, is_monthly: true }],
    ['is_monthly must be an integer', { ...INFO, is_monthly: 1.5 }],
    ['is_monthly is missing', { ...INFO, is_monthly: undefined }],
    ['options must be an array', { ...INFO, options: {} }],
    ['options must be an array', { ...INFO, options: null }],
    ['options is missing', { ...INFO, options: undefined }],
    [`options must have at most ${OPTIONS_MAX}`, { ...INFO, options: Array(OPTIONS_MAX + 1).fill(0) }],
    ['options.0 must be an object', { ...INFO, options: ['A1'] }],
    ['options.1 must be an object', { ...INFO, options: [OPTION, [OPTION]] }],
    ...['opt_group', 'power', 'option_code'].flatMap((name): [string, unknown][] => [
      [`options.1.${name} must be text`, withOption({ [name]: -1 })],
      [`options.1.${name} must be text`, withOption({ [name]: null })],
      [`options.1.${name} is missing`, withOption({ [name]: undefined })],
      [`options.1.${name} must not contain half of a surrogate pair`, withOption({ [name]: '\ud800' })],
    ]),
    ['options.1.stock must be an integer', withOption({ stock: '3' })],
    ['options.1.stock must be an integer', withOption({ stock: 3.5 })],
    ['options.1.stock must be an integer', withOption({ stock: 1e300 })],
    ['options.1.stock is missing', withOption({ stock: undefined })],
    ['options.1.hidden must be a boolean or an integer', withOption({ hidden: 'N' })],
    ['options.1.hidden must be a boolean or an integer', withOption({ hidden: 1.5 })],
    ['options.1.hidden is missing', withOption({ hidden: undefined })],
  ];

  function withOption(change: Record<string, unknown>): unknown {
    return { ...INFO, options: [OPTION, { ...OPTION, ...change }] };
  }

  test('5,000 options and texts of 1,000 characters are accepted', async (t) => {
    assert.deepEqual([OPTIONS_MAX, TEXT_CHARS_MAX], [5_000, 1_000]);
    const info = {
      ...INFO,
      goods_name: '😀'.repeat(TEXT_CHARS_MAX),
      options: Array.from({ length: OPTIONS_MAX }, () => OPTION),
    };
    const answer = await call(await serve(t, answeringJson(info)));
    // Not compared as a whole: the message about a difference would take a minute.
    assert.equal(answer.kind, 'answered');
    assert.deepEqual(
      [answer.info.goods_name, answer.info.options.length],
      [info.goods_name, info.options.length],
    );
  });

  test('the message names the wrong field', async (t) => {
    let answer: unknown;
    const url = await serve(t, (request, response) => answeringJson(answer)(request, response));
    for (const [fault, value] of WRONG) {
      answer = value;
      const message = await failure(call(url), 'wrong_shape');
      assert.ok(message.includes(`cannot be used: ${fault}`), message);
    }
  });
});

describe('addresses', () => {
  const PRIVATE = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ];
  const PUBLIC = [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '198.17.0.1',
  ];
  /** Ways to write 127.0.0.1 and ::1 in a URL. */
  const LOOPBACK = [
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1',
    '１２７.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
  ];
  const PUBLIC_V6 = ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1'];

  /** A lookup that returns one of the answers per call, and repeats the last one. */
  function answers(...given: (string | string[])[]): net.LookupFunction {
    let index = 0;
    return (_name, options, done) => {
      const answer = given[Math.min(index++, given.length - 1)] ?? [];
      const all = [answer].flat().map((address) => ({ address, family: net.isIP(address) }));
      if (options.all === true) done(null, all);
      else done(null, all[0]?.address ?? '', all[0]?.family);
    };
  }

  /** The addresses that a socket would connect to, or the refusal. Nothing is connected. */
  function judged(resolve: net.LookupFunction, all = true): unknown {
    let outcome: unknown;
    guardedLookup(resolve, false)('shop.test', { all }, (error, address) => {
      outcome = error instanceof AddressNotAllowedError ? { refused: error.address } : (error ?? address);
    });
    return outcome;
  }

  test('only globally routable unicast is public', () => {
    for (const ip of PRIVATE) assert.equal(isPublicAddress(ip), false, ip);
    for (const ip of [...PUBLIC, ...PUBLIC_V6]) assert.equal(isPublicAddress(ip), true, ip);
    for (const text of [
      '',
      'localhost',
      '0177.0.0.1',
      '2130706433',
      '0x7f.1',
      '8.8.8',
      '8.8.8.8:80',
      '[::1]',
    ]) {
      assert.equal(isPublicAddress(text), false, text);
    }
  });

  test("a cloud provider's metadata service is refused in every form", () => {
    // The IPv4 address, and its forms inside IPv6: mapped, compatible, translated, NAT64 (two prefixes), 6to4, Teredo.
    for (const [ip, hex] of [
      ['169.254.169.254', 'a9fe:a9fe'], // AWS, Google, Azure, DigitalOcean, OpenStack
      ['169.254.170.2', 'a9fe:aa02'], // AWS, containers
      ['168.63.129.16', 'a83f:8110'], // Azure
      ['100.100.100.200', '6464:64c8'], // Alibaba
      ['192.0.0.192', 'c000:c0'], // Oracle
    ] as const) {
      const inverted = hex.split(':').map((part) => (0xffff - Number.parseInt(part, 16)).toString(16));
      for (const form of [
        ip,
        `::ffff:${ip}`,
        `::ffff:${hex}`,
        `::${ip}`,
        `::ffff:0:${hex}`,
        `64:ff9b::${ip}`,
        `64:ff9b:1::${hex}`,
        `2002:${hex}::1`,
        `2001:0:${hex}::1`,
        `2001:0:4136:e378:8000:63bf:${inverted.join(':')}`,
      ]) {
        assert.equal(isPublicAddress(form), false, form);
        assert.deepEqual(judged(answers(form)), { refused: form });
      }
    }
    for (const ip of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe']) {
      assert.equal(isPublicAddress(ip), false, ip);
    }
    for (const ip of ['168.63.129.15', '168.63.129.17']) assert.equal(isPublicAddress(ip), true, ip);
  });

  // This function sends nothing, so even with a broken rule no request would reach these addresses.
  test('an address in the URL that is not public is refused in every spelling', () => {
    const written = PRIVATE.filter((ip) => !ip.includes('%')).map((ip) =>
      ip.includes(':') ? `[${ip}]` : ip,
    );
    for (const host of [...LOOPBACK, ...written]) {
      assert.equal(isRefusedHost(bareHost(new URL(`http://${host}/`))), true, host);
    }
    for (const host of [...PUBLIC, ...PUBLIC_V6.map((ip) => `[${ip}]`), 'shop.test']) {
      assert.equal(isRefusedHost(bareHost(new URL(`http://${host}/`))), false, host);
    }
  });

  test('no connection is made to a refused address in the URL', async (t) => {
    let connections = 0;
    const server = net.createServer(() => connections++);
    t.after(() => server.close());
    const port = await listen(server);
    for (const host of LOOPBACK) {
      await failure(call(`http://${host}:${port}/`, { allowPrivate: false }), 'address_not_allowed');
    }
    assert.equal(connections, 0);
  });

  test('a host name that resolves to a refused address, alone or among others, is refused', () => {
    for (const ip of PRIVATE) {
      for (const answer of [ip, [ip], ['8.8.8.8', ip], [ip, '8.8.8.8']]) {
        for (const all of [true, false]) {
          assert.deepEqual(judged(answers(answer), all), { refused: ip }, `${ip} in ${String(answer)}`);
        }
      }
    }
  });

  test('no connection is made to a host name that resolves to a refused address, and the message names the address', async () => {
    for (const name of ['http://shop.test:1/', 'https://shop.test:1/', 'http://localhost:1/']) {
      for (const answer of ['127.0.0.1', ['127.0.0.1', '::1'], '::1']) {
        const refused = call(name, { allowPrivate: false, lookup: answers(answer) });
        await failure(refused, 'address_not_allowed', / resolves to (127\.0\.0\.1|::1), /u);
      }
    }
  });

  test('a lookup without any address fails, and an invalid address is refused', async () => {
    await failure(call('http://shop.test/', { allowPrivate: false, lookup: answers([]) }), 'unreachable');
    assert.deepEqual(judged(answers('shop')), { refused: 'shop' });
  });

  test('a host name is checked at every lookup, on exactly the addresses that the socket gets', () => {
    const lookup = guardedLookup(answers(['8.8.8.8', '2606:4700::1'], ['127.0.0.1'], '8.8.4.4'), false);
    const given: unknown[] = [];
    for (const all of [true, true, false]) {
      lookup('shop.test', { all }, (error, address) => given.push(error?.constructor ?? address));
    }
    const both = [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ];
    assert.deepEqual(given, [both, AddressNotAllowedError, '8.8.4.4']);
  });

  test('one call resolves the host name only once, so a second DNS answer is never used', async (t) => {
    const { port } = new URL(await serve(t, answeringJson(INFO)));
    let lookups = 0;
    const lookup: net.LookupFunction = (name, options, done) => {
      lookups++;
      answers('127.0.0.1')(name, options, done);
    };
    assert.equal((await call(`http://shop.test:${port}/`, { lookup })).kind, 'answered');
    assert.equal(lookups, 1);
  });

  test('if private addresses are allowed, a host name on loopback is reached', async (t) => {
    const { port } = new URL(await serve(t, answeringJson(INFO)));
    const answer = await call(`http://shop.test:${port}/`, { lookup: answers('127.0.0.1') });
    assert.equal(answer.kind, 'answered');
  });
});

describe('the api_url', () => {
  test('http and https without a user name are accepted', () => {
    for (const text of [
      'http://a.test',
      'HTTPS://a.test:8443/x?y=1',
      'http://[::1]/',
      'https://렌즈.test/정보',
    ]) {
      assert.equal(checkApiUrl(text).ok, true, text);
    }
    const longest = 'http://a.test/'.padEnd(HTTP_URL_CHARACTERS_MAX, 'x');
    assert.equal(checkApiUrl(longest).ok, true);
    assert.equal(checkApiUrl(`${longest}x`).ok, false);
  });

  const BAD = [
    '',
    'a.test',
    '/info',
    'ftp://a.test/',
    'file:///etc/passwd',
    'javascript:1',
    'http:a.test',
    'http:/a.test',
    'http://',
    'https://?x',
    'http://a.test:99999/',
    'http://[::1',
    'http://1.2.3.4.5/',
    'http://a b/',
    'http://user@a.test/',
    'http://user:hush@a.test/',
    'http://:hush@a.test/',
    ' http://a.test/',
    'http://a.test/\n',
    'http://a.te\tst/',
    'http://a.test/\u0000',
    'http://a.test/\ud800',
  ];

  /** If a bad URL were called by mistake, no name server would be asked. */
  const noAddress: net.LookupFunction = (_name, _options, done) => done(null, []);

  test('any other URL is refused, with a message that does not repeat it', async () => {
    for (const text of BAD) {
      const checked = checkApiUrl(text);
      assert.ok(!checked.ok, text);
      assert.doesNotMatch(faultText(checked.fault), /hush|passwd/u);
      await failure(call(text, { lookup: noAddress }), 'bad_url');
    }
  });
});
