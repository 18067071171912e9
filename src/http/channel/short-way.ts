// The short way for orders and reports: a plain request with a known key goes from the socket to the gate and back
// without the framework, which took a fifth of the service's time under load. Whatever is not plain, invalid bodies and
// failures included, is handed to the framework as if it had just arrived: there is one place for each of those answers.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { ActiveChannel } from '../../store/channels.ts';
import { parseJsonBody } from '../json-body.ts';
import type { Services } from '../services.ts';
import { BODY_BYTES_MAX, requestIdOf } from '../transport.ts';
import { bodyTest } from '../validation.ts';
import { takeOrder, takeReport } from './orders.ts';
import type { Answer } from './outcomes.ts';
import { OrderRequest, StatusRequest } from './schemas.ts';

const PREFIX = '/api/v1';
export const ORDERS_ROUTE = '/orders';
export const STATUS_ROUTE = '/orders/:orderNumber/status';
const ORDERS_PATH = `${PREFIX}${ORDERS_ROUTE}`;
/** Numbers that are the same in a path and out of it. */
const STATUS_PATH = /^\/api\/v1\/orders\/([\w.-]+)\/status$/;

const isOrder = bodyTest(OrderRequest);
const isReport = bodyTest(StatusRequest);

interface ShortWay {
  /** Every answer carries them. */
  headers: Readonly<Record<string, string>>;
  answered: (request: { id: string; route: string; status: number; seconds: number }) => void;
}

/** Failures of requests that were handed over after the gate had them; the framework answers these. */
const failures = new WeakMap<IncomingMessage, Error>();

export const failureOf = (request: IncomingMessage): Error | undefined => failures.get(request);

/** Puts itself in front of the server's own listener. */
export function takeShortWay(server: Server, services: Services, { headers, answered }: ShortWay): void {
  const serve = ownListener(server);
  server.removeListener('request', serve);
  server.on('request', (request, response) => {
    const plain = server.listening ? plainRequest(services, request) : null;
    if (plain) takeIn(plain, request, response);
    else serve(request, response);
  });

  function takeIn(plain: PlainRequest, request: IncomingMessage, response: ServerResponse): void {
    const started = performance.now();
    const route = `${PREFIX}${plain.order_number === null ? ORDERS_ROUTE : STATUS_ROUTE}`;
    request.once('data', (chunk: Buffer) => {
      const id = requestIdOf(request);
      const answer = chunk.length === plain.length ? work(services, plain, chunk, id) : null;
      if (!answer) {
        request.pause();
        request.unshift(chunk);
        serve(request, response);
        return;
      }
      void answer.then(
        ({ status, body }) => {
          send(response, status, id, body);
          return answered({ id, route, status, seconds: (performance.now() - started) / 1000 });
        },
        (error: Error) => {
          failures.set(request, error);
          serve(request, response);
        },
      );
    });
  }

  function send(response: ServerResponse, status: number, id: string, body: object): void {
    const text = JSON.stringify(body);
    response.writeHead(status, {
      'x-request-id': id,
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }
}

function ownListener(server: Server): RequestListener {
  const [listener] = server.listeners('request') as RequestListener[];
  if (!listener) throw new Error('the server has no listener yet');
  return listener;
}

interface PlainRequest {
  channel: ActiveChannel;
  /** null: a new order */
  order_number: string | null;
  length: number;
}

/** A POST of a known channel to one of the two paths, with a body of a length told in advance. */
function plainRequest(services: Services, { method, url, headers }: IncomingMessage): PlainRequest | null {
  if (method !== 'POST' || url === undefined || !url.startsWith(ORDERS_PATH)) return null;
  const order_number = url.length === ORDERS_PATH.length ? null : STATUS_PATH.exec(url)?.[1];
  if (order_number === undefined) return null;
  const length = Number(headers['content-length']);
  if (!(length > 0 && length <= BODY_BYTES_MAX)) return null;
  const key = headers['x-api-key'];
  const channel = typeof key === 'string' ? services.directory.known(key) : undefined;
  return channel ? { channel, order_number, length } : null;
}

/** null: the body is not what it should be, which the framework finds out again and says. */
function work(services: Services, plain: PlainRequest, bytes: Buffer, id: string): Promise<Answer> | null {
  const { channel, order_number } = plain;
  let body: unknown;
  try {
    body = parseJsonBody(bytes);
  } catch {
    return null;
  }
  if (order_number === null) return isOrder(body) ? takeOrder(services, channel.id, body) : null;
  if (!isReport(body)) return null;
  return takeReport(services, { channel_id: channel.id, order_number, request_id: id, body });
}
