// Forwards one request to the service and its answer back, byte for byte, and records both.
import { request as requestOf, type Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { BODY_BYTES_MAX } from '../../src/platform/http/options.ts';
import { Tap, type Body } from './body.ts';
import type { Fault } from './faults.ts';

export interface Passed {
  sent: Tap;
  /** null: no answer */
  answer: { status: number; headers: IncomingMessage['headers']; body: Tap } | null;
  duration_ms: number;
}

/** A request in flight. */
export interface ForwardedRequest {
  /** Resolves when the answer was sent or the client disconnected. Never rejects. */
  finished: Promise<Passed>;
  abort(): void;
}

const UNREACHABLE = JSON.stringify({
  error: 'The sandbox cannot take this request right now. Please send it again.',
});

export function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: { origin: URL; agent: Agent },
  fault: Fault | null,
): ForwardedRequest {
  const began = performance.now();
  const passed: Passed = { sent: new Tap(), answer: null, duration_ms: 0 };
  const forwarded = requestOf({
    agent: target.agent,
    host: target.origin.hostname,
    port: target.origin.port,
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: headersOf(incoming),
  });
  const finished = new Promise<Passed>((resolve) => {
    outgoing.once('close', () => {
      passed.duration_ms = Math.round((performance.now() - began) * 10) / 10;
      // The client may have closed the connection; then discard the rest of the answer.
      forwarded.destroy();
      resolve(passed);
    });
  });
  incoming.on('data', (chunk: Buffer) => passed.sent.add(chunk));
  if (isTooLong(incoming)) forwarded.flushHeaders();
  else incoming.pipe(forwarded);
  forwarded.on('response', (answer) => {
    const { statusCode: status = 502, statusMessage, rawHeaders, headers } = answer;
    const body = new Tap();
    passed.answer = { status, headers, body };
    if (fault?.kind === 'reset') return void incoming.socket.resetAndDestroy();
    const passBack = (): void => {
      outgoing.writeHead(status, statusMessage, rawHeaders);
      answer.on('data', (chunk: Buffer) => body.add(chunk));
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    };
    if (fault?.kind !== 'slow') {
      passBack();
      return;
    }
    const timer = setTimeout(passBack, fault.ms);
    outgoing.once('close', () => clearTimeout(timer));
  });
  // This also happens when the service answers and closes before it has read the whole body.
  forwarded.on('error', () => {
    if (passed.answer !== null) return;
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(UNREACHABLE);
  });
  return { finished, abort: () => outgoing.destroy() };
}

/** Reads the request and answers it without the service. `replyTo` gets the body. */
export function answerInstead(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  replyTo: (sent: Body) => { status: number; headers: Record<string, string>; body: object },
): ForwardedRequest {
  const began = performance.now();
  const passed: Passed = { sent: new Tap(), answer: null, duration_ms: 0 };
  incoming.on('data', (chunk: Buffer) => passed.sent.add(chunk));
  incoming.on('end', () => {
    const { status, headers, body } = replyTo(passed.sent.sent());
    const bytes = Buffer.from(JSON.stringify(body));
    const tap = new Tap();
    tap.add(bytes);
    passed.answer = { status, headers, body: tap };
    outgoing.writeHead(status, headers).end(bytes);
  });
  const finished = new Promise<Passed>((resolve) => {
    outgoing.once('close', () => {
      passed.duration_ms = Math.round((performance.now() - began) * 10) / 10;
      resolve(passed);
    });
  });
  return { finished, abort: () => outgoing.destroy() };
}

/**
 * Whether the service refuses the request because of its Content-Length. Then the body is not forwarded: the
 * service closes without reading it, and the connection reset could arrive before the answer.
 */
const isTooLong = ({ url, headers }: IncomingMessage): boolean =>
  url?.startsWith('/api/') === true && Number(headers['content-length'] ?? 0) > BODY_BYTES_MAX;

/**
 * The headers as received. A request without body headers gets a length of 0; otherwise Node would send it
 * chunked.
 */
function headersOf({ method, headers, rawHeaders }: IncomingMessage): string[] {
  const saysBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return saysBody || method === 'GET' || method === 'HEAD'
    ? rawHeaders
    : [...rawHeaders, 'Content-Length', '0'];
}
