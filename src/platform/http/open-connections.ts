// Open connections during a stop. Node closes idle ones, but neither unused ones nor those with a partial request,
// because it stops checking timeouts when a server is closed.
import type { Server } from 'node:http';
import { Server as Listener, type Socket } from 'node:net';
import { awaitsResponse } from './broken-requests.ts';

/** Time for the rest of a partial request to arrive during a stop, and then for its client to read the 408. */
const REST_MS = 1_500;
const READ_MS = 300;

export interface OpenConnections {
  /** Called periodically during a stop. `ms`: time since the stop began. */
  sweep(ms: number): void;
  /**
   * Accepts no more connections, and resolves when none is open any more, or when `signal` is aborted. Until then all of
   * them are served.
   */
  runOut(signal: AbortSignal): Promise<void>;
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
        // Browsers and proxies open connections before they need them.
        if (socket.bytesRead === 0) socket.destroy();
        else if (ms >= REST_MS && !awaitsResponse(socket)) giveUp(socket, ms);
      }
    },
    async runOut(signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve());
      // Not `close` of the HTTP server: it closes idle connections and stops checking timeouts.
      Listener.prototype.close.call(server, () => resolve());
      if (!signal.aborted) await promise;
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
