// The outbound call against a malicious channel: attacks that test/channel-client.test.ts does not cover, and the same
// attacks through the whole service, where nothing may change and nothing may leak.
import assert from 'node:assert/strict';
import * as net from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isPublicAddress, isRefusedHost } from '../src/platform/outbound/address.ts';
import { checkApiUrl } from '../src/core/channels/api-url.ts';
import { ANSWER_BYTES_MAX, bareHost } from '../src/platform/outbound/exchange.ts';
import { fetchProductInfo, type ProductInfoCall } from '../src/core/registration/fetch.ts';
import { fixtures } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { channelFailureText } from '../src/platform/outbound/failure-words.ts';
import { listen } from '../verify/kit/ports.ts';

const API_KEY = 'sluice_0b2f6f6e-5a0e-4f0e-9d55-3c1f0c4c7a11';
const OPTION = { opt_group: 'L', power: '-1.00', option_code: 'A1', stock: 3, hidden: false };
const INFO = { found: true, goods_name: 'Lens', is_monthly: 1, options: [OPTION] };
const GOOD = JSON.stringify(INFO);

const service = await startTestService();
const guarded = await startTestService({
  database: service.database,
  env: { SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '0' },
});
const make = fixtures(service);

interface Hostile {
  url: string;
  port: number;
  connections(): number;
  /** Everything received, over all connections. */
  received(): string;
}

/** Sends the given bytes regardless of the request. */
async function hostile(
  t: TestContext,
  attack: string | Buffer | ((socket: net.Socket) => void),
): Promise<Hostile> {
  let connections = 0;
  let received = '';
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.once('data', () => (typeof attack === 'function' ? attack(socket) : socket.end(attack)));
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/info`,
    port,
    connections: () => connections,
    received: () => received,
  };
}

const call = (apiUrl: string, rest: Partial<ProductInfoCall> = {}) =>
  fetchProductInfo({
    apiUrl,
    apiKey: API_KEY,
    usercode: 'P1',
    allowPrivate: true,
    timeoutMs: 20_000,
    ...rest,
  });

async function refused(answer: ReturnType<typeof call>, ...reasons: string[]): Promise<string> {
  const result = await answer;
  assert.equal(result.kind, 'failed', JSON.stringify(result).slice(0, 300));
  const text = channelFailureText(result);
  assert.ok(reasons.includes(result.reason), `${result.reason}: ${text}`);
  assert.ok(!JSON.stringify([text, result]).includes(API_KEY));
  assert.doesNotMatch(text, /\p{C}/u);
  assert.ok(text.length < 600, `${text.length} characters`);
  return text;
}

const framed = (body: string | Buffer, head = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);

describe('disguised private addresses', () => {
  const LOOPBACK = [
    '017700000001',
    '0x7f.0x0.0x0.0x1',
    '0X7F000001',
    '127.0.1',
    '0x7f.1',
    '0177.0.0.0x1',
    '00000177.0.0.1',
    '%31%32%37.0.0.1',
    '１２７。０。０。１',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
  ];

  test('private IPv4 addresses inside IPv6 and special-purpose addresses are not public', () => {
    const addresses = [
      '::ffff:7f00:1',
      '::ffff:a9fe:a9fe',
      '0:0:0:0:0:ffff:169.254.169.254',
      '::169.254.169.254',
      '64:ff9b::169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1:ffff::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      'fe80::a9fe:a9fe%lo',
      'fe80::1%25eth0',
      '::1%lo',
      'fd00:ec2::254',
      'ff01::1',
      'ff05::2',
      '::ffff:0:0',
      '0::0',
      '169.254.170.2',
      '100.100.100.200',
      '192.0.0.192',
      '0.0.0.0',
      '255.255.255.255',
      '224.0.0.251',
      '233.252.0.1',
    ];
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
  });

  // Only checks the rule: even if it were broken, nothing would be sent to these addresses.
  test('a private address in the URL is refused in every notation', () => {
    const hosts = [
      ...LOOPBACK,
      '4294967295',
      '0',
      '0.0.0.0',
      '[::]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[::127.0.0.1]',
      '2852039166',
      '0xA9FEA9FE',
      '0251.0376.0251.0376',
      '169.254.43518',
      '[::ffff:a9fe:a9fe]',
      '[fd00:ec2::254]',
      '100.100.100.200',
      '[fe80::1]',
      '[ff02::1]',
      '224.0.0.1',
    ];
    for (const host of hosts) {
      assert.equal(isRefusedHost(bareHost(new URL(`http://${host}/`))), true, host);
    }
  });

  test('a loopback address in the URL is refused in every notation, before a connection is made', async (t) => {
    const target = await hostile(t, framed(GOOD));
    // Resolves the names for loopback: the system resolver might send `localhost.` to a name server.
    const lookup: net.LookupFunction = (_name, _options, done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    for (const host of [...LOOPBACK, 'LOCALHOST', 'localhost.']) {
      const apiUrl = `http://${host}:${target.port}/`;
      await refused(call(apiUrl, { allowPrivate: false, lookup }), 'address_not_allowed');
    }
    assert.equal(target.connections(), 0);
  });

  test('a URL with an IPv6 zone id cannot be saved', () => {
    for (const host of ['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]', '[::1%lo]'])
      assert.equal(checkApiUrl(`http://${host}/`).ok, false, host);
  });

  test('a name that is public when saved and resolves to a private address later is refused at every call', async (t) => {
    const target = await hostile(t, framed(GOOD));
    let asked = 0;
    const rebinding: net.LookupFunction = (_name, options, done) => {
      asked += 1;
      // The test never connects to the public address: the lookup below, before the calls, uses it up.
      const address = asked === 1 ? '8.8.8.8' : '127.0.0.1';
      if (options.all === true) done(null, [{ address, family: 4 }]);
      else done(null, address, 4);
    };
    // This lookup stands for a check before the calls.
    await new Promise<void>((resolve) => {
      rebinding('shop.test', { all: true }, () => resolve());
    });
    for (let turn = 0; turn < 3; turn++) {
      const apiUrl = `http://shop.test:${target.port}/`;
      await refused(call(apiUrl, { allowPrivate: false, lookup: rebinding }), 'address_not_allowed');
    }
    assert.equal(target.connections(), 0);
    assert.equal(asked, 4);
  });

  test('the connection goes to the checked address; the name is not resolved again', async (t) => {
    const target = await hostile(t, framed(GOOD));
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
    const lookup: net.LookupFunction = (_name, options, done) => {
      const address = answers.shift() ?? '';
      if (options.all === true) done(null, [{ address, family: 4 }]);
      else done(null, address, 4);
    };
    assert.equal((await call(`http://shop.test:${target.port}/`, { lookup })).kind, 'answered');
    assert.deepEqual(answers, ['127.0.0.2', '127.0.0.3']);
  });
});

describe('malicious responses', () => {
  test('a redirect is not followed, and its address is not shown, even with a valid body or several addresses', async (t) => {
    const inside = await hostile(t, framed(GOOD));
    for (const status of [300, 301, 302, 303, 305, 307, 308, 399]) {
      const location = `Location: ${inside.url}?secret=1\r\nLocation: http://127.0.0.1:1/elsewhere\r\nRefresh: 0; url=${inside.url}\r\n`;
      const head = `HTTP/1.1 ${status} Go\r\n${location}Content-Length: ${GOOD.length}\r\n\r\n${GOOD}`;
      const { url } = await hostile(t, head);
      assert.doesNotMatch(await refused(call(url), 'redirect'), /secret|elsewhere/);
    }
    assert.equal(inside.connections(), 0);
  });

  test('a compressed response is never decompressed, whatever its headers say', async (t) => {
    const large = Buffer.alloc(32 * ANSWER_BYTES_MAX, ' ');
    const bombs = {
      gzip: gzipSync(large),
      deflate: deflateSync(large),
      br: brotliCompressSync(Buffer.alloc(ANSWER_BYTES_MAX, ' ')),
    };
    const before = process.memoryUsage().rss;
    for (const [encoding, bomb] of Object.entries(bombs)) {
      for (const name of [encoding, encoding.toUpperCase(), ` ${encoding} , identity`, `x-${encoding}`])
        await refused(
          call((await hostile(t, framed(bomb, `Content-Encoding: ${name}\r\n`))).url),
          'not_json',
        );
      await refused(call((await hostile(t, framed(bomb))).url), 'not_json', 'too_large');
      const transfer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: ${encoding}, chunked\r\n\r\n${bomb.length.toString(16)}\r\n`;
      const whole = Buffer.concat([Buffer.from(transfer), bomb, Buffer.from('\r\n0\r\n\r\n')]);
      await refused(call((await hostile(t, whole)).url), 'not_json', 'too_large', 'unreachable');
    }
    const grown = (process.memoryUsage().rss - before) / ANSWER_BYTES_MAX;
    assert.ok(grown < 200, `grew by ${Math.round(grown)} MiB`);
  });

  test('endless headers, many or long, end the call and are not buffered', async (t) => {
    const flood = (line: string) => (socket: net.Socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(line)) {
          // Writes as fast as the client reads.
        }
      };
      socket.on('drain', more);
      more();
    };
    await refused(call((await hostile(t, flood('X-A: b\r\n'.repeat(500)))).url), 'too_large', 'unreachable');
    await refused(call((await hostile(t, flood('x'.repeat(10_000)))).url), 'too_large', 'unreachable');
    await refused(
      call((await hostile(t, flood('HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)))).url, { timeoutMs: 1_000 }),
      'timeout',
      'too_large',
      'unreachable',
    );
    const trailers = (socket: net.Socket): void => {
      socket.write(
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n`,
      );
      flood('X-Trailer: y\r\n'.repeat(500))(socket);
    };
    await refused(call((await hostile(t, trailers)).url), 'too_large', 'unreachable');
  });

  test('a body that arrives byte by byte is cut off by the timeout of the whole call', async (t) => {
    const drip = (socket: net.Socket): void => {
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const timer = setInterval(() => socket.write('1\r\n \r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    };
    // Without that timeout the call would never end.
    await refused(call((await hostile(t, drip)).url, { timeoutMs: 600 }), 'timeout');
  });

  test('an endless body in tiny chunks is refused as too large', async (t) => {
    const chunks = (socket: net.Socket): void => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write('1\r\n \r\n'.repeat(2_000))) {
          // Writes as fast as the client reads.
        }
      };
      socket.on('drain', more);
      more();
    };
    await refused(call((await hostile(t, chunks)).url, { timeoutMs: 20_000 }), 'too_large');
  });

  test('unusual status codes are reported or refused, never treated as success', async (t) => {
    for (const status of ['201', '202', '203', '206', '226', '299', '418', '451', '599', '999', '600'])
      await refused(
        call((await hostile(t, framed(GOOD).toString().replace('200 OK', `${status} X`))).url),
        'http_status',
        'unreachable',
      );
    for (const line of [
      'HTTP/1.1 0200 OK',
      'HTTP/1.1 20 OK',
      'HTTP/1.1 -200 OK',
      'HTTP/9.9 200 OK',
      'HTTP/1.1 2OO OK',
      'ICY 200 OK',
    ])
      await refused(
        call((await hostile(t, framed(GOOD).toString().replace('HTTP/1.1 200 OK', line))).url),
        'unreachable',
        'http_status',
      );
  });

  test('data after the end of the response, and a second response, are not read', async (t) => {
    const behind = Buffer.concat([
      framed(GOOD),
      framed(JSON.stringify({ ...INFO, goods_name: 'Other' })),
      Buffer.alloc(ANSWER_BYTES_MAX),
    ]);
    const answer = await call((await hostile(t, behind)).url);
    // If that data arrives in the same TCP segment, the parser may see it and fail; then there is no answer at all.
    if (answer.kind === 'answered') assert.deepEqual(answer.info, INFO);
    else assert.equal(answer.reason, 'unreachable');
  });

  test('a response with two lengths, a length and chunks, or an invalid length is refused', async (t) => {
    for (const head of [
      `Content-Length: ${GOOD.length}\r\nContent-Length: 5\r\n`,
      `Content-Length: ${GOOD.length}\r\nTransfer-Encoding: chunked\r\n`,
      'Content-Length: -1\r\n',
      'Content-Length: 99999999999999999999\r\n',
      'Content-Length: 0x10\r\n',
    ])
      await refused(
        call((await hostile(t, `HTTP/1.1 200 OK\r\n${head}\r\n${GOOD}`)).url),
        'unreachable',
        'too_large',
        'not_json',
      );
  });

  test('deeply nested, duplicate and prototype keys are refused and have no side effect', async (t) => {
    const bodies: [string, string[]][] = [
      ['{"found":true,"a":'.repeat(50_000) + '1' + '}'.repeat(50_000), ['not_json', 'wrong_shape']],
      [
        GOOD.replace('"options":[', `"options":[${'['.repeat(100_000)}${']'.repeat(100_000)},`),
        ['not_json', 'wrong_shape'],
      ],
      ['{"__proto__":{"found":true,"goods_name":"x","is_monthly":0,"options":[]}}', ['not_found']],
      ['{"found":true,"__proto__":{"goods_name":"x","is_monthly":0,"options":[]}}', ['wrong_shape']],
      ['{"constructor":{"prototype":{"found":true}}}', ['not_found']],
      [GOOD.replace('{"found":true', '{"found":true,"found":false'), ['not_found']],
      [GOOD.replace('"stock":3', '"stock":3,"stock":1e400'), ['wrong_shape']],
      [GOOD.replace('"stock":3', '"stock":9007199254740993'), ['wrong_shape']],
    ];
    for (const [body, reasons] of bodies)
      await refused(call((await hostile(t, framed(body))).url), ...reasons);
    assert.equal(({} as { found?: unknown }).found, undefined);
  });

  test('a message of the channel is shown as one short line without control characters', async (t) => {
    const message = `\u001b[31mred\u0007 \u202eevil\r\nX-Injected: 1 ${API_KEY} ${'y'.repeat(10_000)}`;
    const text = await refused(
      call((await hostile(t, framed(JSON.stringify({ found: false, message })))).url),
      'not_found',
    );
    assert.doesNotMatch(text, /\n|X-Injected: 1 sluice_/);
  });
});

describe('requests to a channel', () => {
  test('line breaks and header text in the usercode stay in the query: one request, no injected header', async (t) => {
    const usercodes = [
      'x\r\nX-Evil: 1',
      'x HTTP/1.1\r\nHost: evil\r\n\r\nGET /admin HTTP/1.1',
      '\n\n',
      'x\u0000y',
      '\u2028\u010a\u010d',
      '#\r\n',
      '&a=b',
      '%0d%0aX-Evil:%201',
    ];
    const target = await hostile(t, framed(GOOD));
    for (const usercode of usercodes)
      assert.equal((await call(target.url, { usercode })).kind, 'answered', usercode);
    const requests = target.received().split('GET ').slice(1);
    assert.equal(requests.length, usercodes.length);
    for (const [index, request] of requests.entries()) {
      const [line = '', ...headers] = request.split('\r\n');
      assert.equal(
        new URL(line.split(' ')[0] ?? '', 'http://x').searchParams.get('usercode'),
        usercodes[index],
      );
      assert.deepEqual(
        headers
          .filter((header) => header !== '')
          .map((header) => header.split(':')[0]?.toLowerCase())
          .toSorted((one, other) => ((one ?? '') < (other ?? '') ? -1 : 1)),
        ['accept', 'accept-encoding', 'connection', 'host', 'user-agent', 'x-api-key'],
      );
    }
  });

  test('a usercode with a lone surrogate is refused with a reason and throws no exception', async (t) => {
    const target = await hostile(t, framed(GOOD));
    await refused(call(target.url, { usercode: 'x\ud800' }), 'bad_url');
    assert.equal(target.connections(), 0);
  });
});

describe('through the service', () => {
  const infoOf = (at: typeof service, id: number, usercode = 'P1') =>
    at.admin('POST', `/channels/${id}/product-info/apply`, { usercode });

  test('a malicious response becomes a 422; products, mappings and audit do not change', async (t) => {
    const attacks: (string | Buffer)[] = [
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n',
      framed('['.repeat(100_000)),
      framed(GOOD, 'Content-Encoding: gzip\r\n'),
      framed(GOOD.replace('Lens', String.raw`Le\u0000ns`)),
      framed(GOOD.replace('"A1"', String.raw`"\ud800"`)),
      'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 11\r\n\r\n{}',
      'rubbish',
      '',
    ];
    const count = async () =>
      (
        await service.service.services.pool.query(
          'select (select count(*) from product) p, (select count(*) from mapping) m, (select count(*) from audit) a',
        )
      ).rows[0];
    for (const attack of attacks) {
      const channel = await make.channel({ api_url: (await hostile(t, attack)).url });
      const before = await count();
      const answer = await infoOf(service, channel.id);
      assert.equal(answer.status, 422, answer.text);
      assert.ok(!answer.text.includes(channel.api_key));
      assert.deepEqual(await count(), before);
    }
  });

  test('private addresses are refused unless the configuration allows them', async (t) => {
    const target = await hostile(t, framed(GOOD));
    for (const url of [
      target.url,
      `http://localhost:${target.port}/`,
      `http://[::ffff:127.0.0.1]:${target.port}/`,
      `http://2130706433:${target.port}/`,
    ]) {
      const channel = await make.channel({ api_url: url });
      const answer = await infoOf(guarded, channel.id);
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.text, /is not a public address/);
    }
    assert.equal(target.connections(), 0);
  });

  test('a channel whose response never ends does not delay other requests', async (t) => {
    const { url } = await hostile(t, (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n{'));
    const slow = await make.channel({ api_url: url });
    const calls = Array.from({ length: 20 }, () => infoOf(service, slow.id));
    const { channel, sku } = await make.setting(10);
    for (let turn = 0; turn < 20; turn++) assert.equal(await make.available(channel, sku), 10);
    for (const { status } of await Promise.all(calls)) assert.equal(status, 422);
  });
});

test('a call ignores proxy settings in the environment', async (t) => {
  const proxy = await hostile(t, framed(GOOD));
  const target = await hostile(t, framed(GOOD));
  const settings = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: '1' };
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, settings);
  try {
    assert.equal((await call(target.url)).kind, 'answered');
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  assert.deepEqual([proxy.connections(), target.connections()], [0, 1]);
});
