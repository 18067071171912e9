// Connections at the end of a service. Node closes those that are idle between two requests; neither the unused ones nor those
// with half a request, because it stops looking for late requests as soon as a server is closed.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isOwedAnAnswer } from './broken-requests.ts';

/** How long the rest of a request may take to arrive once the service stops, and then its client to read the 408. */
const REST_MS = 1_500;
const READ_MS = 300;

export interface OpenConnections {
  /** Called again and again while the service stops. `ms`: for how long it has been. */
  sweep(ms: number): void;
}

export function followConnections(server: Server): OpenConnections {
  const open = new Set<Socket>();
  const told = new WeakSet<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    sweep(ms) {
      server.closeIdleConnections();
      for (const socket of open) {
        // Browsers and proxies open some ahead.
        if (socket.bytesRead === 0) socket.destroy();
        else if (ms >= REST_MS && !isOwedAnAnswer(socket)) giveUp(socket, ms);
      }
    },
  };

  function giveUp(socket: Socket, ms: number): void {
    if (ms >= REST_MS + READ_MS) socket.destroy();
    else if (!told.has(socket)) {
      told.add(socket);
      const late = Object.assign(new Error('the service stops'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      server.emit('clientError', late, socket);
    }
  }
}
