// What Node cannot hand to a route: answered here, by the rules of every other answer (contract 7.5a, 7.5b and 10.1).
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { REASON_HEADER, type Reason } from '../channel/reasons.ts';
import type { SecurityHeaders } from './security-headers.ts';
import { failureAt } from '../validation.ts';

/** A client that never closes its side would hold the connection, and the service's stop, for ever. */
const LINGER_MS = 2_000;

/** Not a fault of what was sent: the same request may be sent again. */
const LATE = { error: 'The request did not arrive in time. Please send it again.' };

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Of the request before it on the connection; pipelined, it may still be on its way. */
  before: ServerResponse | undefined;
}

/** What is, or last was, being answered on a connection. */
const exchanges = new WeakMap<Socket, Exchange>();

/** Their last answer is on its way; whatever else arrives on them is read and ignored. */
const closing = new WeakSet<Socket>();

/** For each request, before it is served. Returns the answer before it on the connection, which may be under way. */
export function followExchange(
  request: IncomingMessage,
  response: ServerResponse,
): ServerResponse | undefined {
  const before = exchanges.get(request.socket)?.response;
  exchanges.set(request.socket, { request, response, before });
  // No protocol is upgraded to here, yet Node may read nothing more on such a connection: the next request would wait.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  return before;
}

/** Idle connections, and requests that Node does not hand out as such. */
export function closeIdleAndOdd(server: Server, headers: SecurityHeaders, idleMs: number): void {
  server.setTimeout(idleMs, dropIdle);
  // By itself Node says "100 Continue" in the middle of the answer that this one waits for; unsaid, it does no harm.
  server.on('checkContinue', (request, response) => {
    if (response.socket) response.writeContinue();
    server.emit('request', request, response);
  });
  // By itself Node answers 417 without a body; an expectation that means nothing to us may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // By itself Node hangs up, and what was asked before on the connection goes without its answer.
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

/** A complete request whose answer is not out yet. */
export function isOwedAnAnswer(socket: Socket): boolean {
  const { request, response } = exchanges.get(socket) ?? {};
  return request?.complete === true && !isSent(response);
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
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // Node says so again for every piece that arrives behind the first broken one. To destroy the socket then would reset the
  // connection, and the client could lose the answer that it has not read yet.
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
    // Rubbish behind a good request: that one gets its own answer, an order may have been taken.
    if (isSent(response)) answer();
    else hangUpSilently();
    return;
  }
  afterwards(before, () => {
    // The broken rest of a request that was refused by its head: it has its answer, and gets no second one.
    if (response?.headersSent) hangUpSilently();
    else answer();
  });
}

/** Not only written: that may still wait for the answers to earlier requests. */
const isSent = (response: ServerResponse | undefined): boolean => response?.writableFinished !== false;

/** When the answer has gone out, or at once where there is none under way. */
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

/** Whichever API was meant: what cannot be read has no path. */
function finalAnswer(status: string, reason: Reason, content: object, headers: SecurityHeaders): string {
  const body = JSON.stringify(content);
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${lines}${REASON_HEADER}: ${reason}\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Not destroyed at once: bytes still unread would turn into a reset, which can overtake the answer. */
function hangUp(socket: Socket, finalResponse: string): void {
  socket.end(finalResponse);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
