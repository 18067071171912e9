// Requests of one connection are worked on one after the other. HTTP lets a client send several without waiting for the
// answers (pipelining), and Node hands them all out at once: a lookup behind an order could then be answered with the
// stock from before the order, although its answer comes later.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { whenOver } from './response-end.ts';
import { putInFront } from './in-front.ts';

/** The last request of each connection, as its answer. */
const last = new WeakMap<Socket, ServerResponse>();

export function answerInTurn(server: Server): void {
  putInFront(server, (serve) => (request, response) => {
    const { socket } = request;
    const before = last.get(socket);
    last.set(socket, response);
    if (!before || before.writableFinished) return serve(request, response);
    // Whoever hangs up gets no answer, so nothing is done for the requests that have not begun.
    return whenOver(request, before, () => {
      if (!socket.destroyed) serve(request, response);
    });
  });
}
