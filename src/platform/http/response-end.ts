// Tells when a response has ended: it was sent, or its connection was closed. Some versions of Node 24 do not report the
// end of the connection to a pipelined response that is still waiting, and its memory would never be released.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One listener per connection, however many requests are in flight on it. */
const endings = new WeakMap<Socket, Set<() => void>>();

/** Does the work exactly once. */
export function whenOver({ socket }: IncomingMessage, response: ServerResponse, work: () => void): void {
  if (socket.closed) {
    work();
    return;
  }
  const works = endings.get(socket) ?? listened(socket);
  const over = (): void => {
    if (works.delete(over)) work();
  };
  works.add(over);
  response.once('close', over);
}

/** Aborted when the response has ended; before that, the client is still there. */
export function goneSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const ended = new AbortController();
  whenOver(request, response, () => ended.abort());
  return ended.signal;
}

function listened(socket: Socket): Set<() => void> {
  const works = new Set<() => void>();
  endings.set(socket, works);
  socket.once('close', () => {
    for (const over of works) over();
  });
  return works;
}
