// What Node cannot hand to a route: answered here, by the rules of every other answer (decisions 21 and 25).
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SecurityHeaders } from './security-headers.ts';
import { failureAt } from './validation.ts';

/** A client that never closes its side would hold the connection, and the service's stop, for ever. */
const LINGER_MS = 500;

/** Not a fault of what was sent: the same request may be sent again. */
const LATE = { error: 'The request did not arrive in time. Please send it again.' };

/** What is, or last was, being answered on a connection. */
const exchanges = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();

export function followExchanges(server: Server, idleMs: number): void {
  server.setTimeout(idleMs, dropIdle);
  server.on('request', (request, response) => exchanges.set(request.socket, { request, response }));
  // By itself Node answers 417 without a body; an expectation that means nothing to us may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Nothing moved for long. A connection that waits for us stays, one whose client does not read its answer goes. */
function dropIdle(socket: Socket): void {
  const owed = exchanges.get(socket)?.response.writableEnded === false;
  if (!owed || socket.writableLength > 0) socket.destroy();
}

export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: SecurityHeaders,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { request, response } = exchanges.get(socket) ?? {};
  if (request?.complete && response?.writableEnded === false) {
    // Rubbish behind a good request: that one gets its own answer, an order may have been taken.
    response.once('finish', () => hangUp(socket, ''));
    return;
  }
  if (request?.complete === false && response?.writableEnded) {
    // Answered before all of it was there; a second answer would be taken for that of the next request.
    hangUp(socket, '');
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = isLate ? '408 Request Timeout' : '422 Unprocessable Entity';
  const body = JSON.stringify(isLate ? LATE : failureAt('request', 'The request is not valid HTTP.'));
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  hangUp(
    socket,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `${lines}X-Request-Id: ${randomUUID()}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Not destroyed at once: bytes still unread would turn into a reset, which can overtake the answer. */
function hangUp(socket: Socket, lastWords: string): void {
  socket.end(lastWords);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
