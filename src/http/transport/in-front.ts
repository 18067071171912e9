// Listeners that look at a request before the framework does.
import type { RequestListener, Server } from 'node:http';

/** Replaces the server's own listener by one that is given it. Later ones stand in front of earlier ones. */
export function putInFront(server: Server, listenerOver: (serve: RequestListener) => RequestListener): void {
  const [serve] = server.listeners('request') as RequestListener[];
  if (!serve) throw new Error('the server has no listener yet');
  server.removeListener('request', serve);
  server.on('request', listenerOver(serve));
}
