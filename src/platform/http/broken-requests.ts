// Answers requests that Node cannot pass to a route (contract 7.5a, 7.5b and 10.1).
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { REASON_HEADER, type TransportReason } from './reason.ts';
import { failureAt } from './refuse.ts';
import type { SecurityHeaders } from './security-headers.ts';

/** A client that never closes its side would hold the connection, and delay the shutdown. */
const LINGER_MS = 2_000;

/** The request itself was not at fault: the client may retry it. */
const LATE = { error: 'The request did not arrive in time. Please send it again.' };

interface Exchange {
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** The response before it on the connection, which may still be in progress (pipelining). */
  before: ServerResponse | undefined;
}

/** The current exchange of a connection. */
const exchanges = new WeakMap<Socket, Exchange>();

/** Connections whose final response is being sent; further input is read and ignored. */
const closing = new WeakSet<Socket>();

/**
 * Called for each request before it is served. Returns the previous response of the connection, which may be in
 * progress.
 */
export function followExchange(
  request: IncomingMessage,
  response: ServerResponse,
): ServerResponse | undefined {
  const exchange = exchanges.get(request.socket);
  const before = exchange?.response;
  if (exchange) {
    exchange.request = request;
    exchange.response = response;
    exchange.before = before;
  } else {
    exchanges.set(request.socket, { request, response, before });
  }
  response.on('finish', forgetExchange);
  // No protocol upgrade is supported, but Node may stop reading from such a connection: the next request would hang.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  return before;
}

/**
 * Otherwise every open connection would retain its last exchanges, and V8 would move them all to the old generation
 * (docs/performance.md). If the response was sent before the request was complete, the exchange is still needed for the
 * handling of the remaining bytes.
 */
function forgetExchange(this: ServerResponse): void {
  const exchange = exchanges.get(this.req.socket);
  if (exchange?.response !== this || !this.req.complete) return;
  exchange.request = undefined;
  exchange.response = undefined;
  exchange.before = undefined;
}

/** Handles idle connections, and requests that Node emits as other events. */
export function handleUnrouted(server: Server, headers: SecurityHeaders, idleMs: number): void {
  server.setTimeout(idleMs, dropIdle);
  // Node would answer 417 without a body; unknown expectations may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Node would close the connection, and earlier requests would get no response.
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const answer = finalAnswer(
      '404 Not Found',
      'not_found',
      { error: 'There is nothing at this path.' },
      headers,
    );
    afterwards(exchanges.get(socket)?.response, () => hangUp(socket, answer));
  });
}

/** A complete request whose response was not sent yet. */
export function awaitsResponse(socket: Socket): boolean {
  const { request, response } = exchanges.get(socket) ?? {};
  return request?.complete === true && !isSent(response);
}

/** After the idle timeout: a connection whose response is still being prepared stays open; otherwise it is closed. */
function dropIdle(socket: Socket): void {
  const owed = exchanges.get(socket)?.response?.writableEnded === false;
  if (!owed || socket.writableLength > 0) socket.destroy();
}

export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: SecurityHeaders,
): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // Node emits the error again for every chunk after the first broken one. Destroying the socket would reset the
  // connection, and the client could lose the response.
  if (closing.has(socket)) return;
  closing.add(socket);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { request, response, before } = exchanges.get(socket) ?? {};
  const hangUpSilently = (): void => afterwards(response, () => hangUp(socket, ''));
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const answer = (): void => hangUp(socket, isLate ? late(headers) : notHttp(headers));
  if (request?.complete !== false) {
    // Invalid bytes after a valid request: that request gets its own response first.
    if (isSent(response)) answer();
    else hangUpSilently();
    return;
  }
  afterwards(before, () => {
    // The broken rest of a request that was already refused by its headers gets no second response.
    if (response?.headersSent) hangUpSilently();
    else answer();
  });
}

/** Sent, not only written: it may wait for earlier responses. */
const isSent = (response: ServerResponse | undefined): boolean => response?.writableFinished !== false;

/** After the response was sent, or now if there is none. */
function afterwards(response: ServerResponse | undefined, work: () => void): void {
  if (isSent(response)) work();
  else response?.once('finish', work);
}

const late = (headers: SecurityHeaders): string =>
  finalAnswer('408 Request Timeout', 'request_timeout', LATE, headers);

const notHttp = (headers: SecurityHeaders): string =>
  finalAnswer(
    '422 Unprocessable Entity',
    'validation',
    failureAt('request', 'The request is not valid HTTP.'),
    headers,
  );

/** The body fits both APIs, because an unreadable request has no path. */
function finalAnswer(
  status: string,
  reason: TransportReason,
  content: object,
  headers: SecurityHeaders,
): string {
  const body = JSON.stringify(content);
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${lines}${REASON_HEADER}: ${reason}\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Not destroyed immediately: unread bytes would cause a reset, which can overtake the response. */
function hangUp(socket: Socket, finalResponse: string): void {
  socket.end(finalResponse);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
