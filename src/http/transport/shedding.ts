// Saying no under overload, before Fastify has spent anything on the request. At twice the load the service can
// carry, half of the requests end here; through routing, hooks and error handling they took a fifth of the orders
// that could have been accepted.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { REASON_HEADER, type Reason } from '../channel/reasons.ts';
import { ORDERS_PATH } from '../channel/paths.ts';
import { putInFront } from './in-front.ts';
import type { SecurityHeaders } from './security-headers.ts';

const BODY = Buffer.from(
  JSON.stringify({ error: 'The service cannot take this request right now. Please send it again.' }),
);
export const RETRY_AFTER_SECONDS = 1;

interface Shedding {
  /** True: what waits for the gate is as much as may wait. */
  isFull: () => boolean;
  requestIdOf: (request: IncomingMessage) => string;
  headers: SecurityHeaders;
  onShed: () => void;
}

export function shedWhenFull(server: Server, { isFull, requestIdOf, headers, onShed }: Shedding): void {
  putInFront(server, (serve) => (request, response) => {
    if (!isFull() || !isForTheGate(request)) {
      serve(request, response);
      return;
    }
    onShed();
    refuse(response, requestIdOf(request), headers);
  });
}

/** Orders and reports. */
const isForTheGate = ({ method, url }: IncomingMessage): boolean =>
  method === 'POST' && url?.startsWith(ORDERS_PATH) === true;

function refuse(response: ServerResponse, requestId: string, headers: SecurityHeaders): void {
  response.writeHead(503, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': BODY.length,
    'retry-after': String(RETRY_AFTER_SECONDS),
    'x-request-id': requestId,
    [REASON_HEADER]: 'overloaded' satisfies Reason,
  });
  response.end(BODY);
}
