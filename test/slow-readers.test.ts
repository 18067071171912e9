// A client that reads a long response too slowly is disconnected; a slow source of the response is not its fault.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeIfSlow, isTooSlow } from '../src/platform/http/slow-readers.ts';

const MIB = 1024 * 1024;
const PATIENCE_MS = 200;
/** More than a client reads that takes one chunk at a time with pauses. */
const FAST = { patience_ms: PATIENCE_MS, bytes_per_s_min: 1024 * MIB };
const USUAL = { patience_ms: PATIENCE_MS, bytes_per_s_min: 16 * 1024 };

/** The client's socket, which has sent its request. */
async function serve(limits: typeof FAST, answer: (response: ServerResponse) => void): Promise<Socket> {
  const server = createServer((request, response) => {
    closeIfSlow(request, response, limits);
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  after(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  socket.write('GET / HTTP/1.1\r\nHost: s\r\nConnection: close\r\n\r\n');
  return socket;
}

const chunk = Buffer.alloc(MIB);

/** Never ends. */
function sendForever(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

test('a client that reads a little now and then is disconnected', async () => {
  const ended = Promise.withResolvers<void>();
  const socket = await serve(FAST, (response) => {
    response.once('close', () => ended.resolve());
    sendForever(response);
  });
  let isOver = false;
  void ended.promise.then(() => (isOver = true));
  let received = 0;
  while (!isOver) {
    received += (socket.read() as Buffer | null)?.length ?? 0;
    await sleep(10);
  }
  assert.ok(received > 0, 'it has read something');
});

test('a client that reads everything at once gets it, also from a source that pauses for longer than the limit', async () => {
  const socket = await serve(USUAL, (response) => {
    response.write(chunk);
    setTimeout(() => response.end(chunk), 3 * PATIENCE_MS);
  });
  let received = 0;
  socket.on('data', (data) => (received += data.length));
  await once(socket, 'close');
  assert.ok(received > 2 * MIB, `${received} bytes`);
});

test('what a client has read gives it more time', () => {
  const limits = { patience_ms: 1_000, bytes_per_s_min: 100 };
  for (const [delayed_ms, sent, expected] of [
    [1_000, 0, false],
    [1_001, 0, true],
    [3_000, 200, false],
    [3_001, 200, true],
  ] as const)
    assert.equal(isTooSlow({ delayed_ms, sent }, limits), expected, `${delayed_ms} ms, ${sent} bytes`);
});
