// Connections that nobody has said a word on. Browsers and proxies open some ahead, and Node takes them for busy.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** From now on; the answer closes those that are unused at the moment. */
export function followUnused(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}
