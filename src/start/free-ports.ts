// Finds a used port before the start creates a database or migrates one.
import { once } from 'node:events';
import { createServer } from 'node:net';

interface Ports {
  host: string;
  port: number;
  internal_port: number | null;
}

/** Throws what `listen` would throw, such as EADDRINUSE. */
export async function ensurePortsAreFree({ host, port, internal_port }: Ports): Promise<void> {
  for (const wanted of [port, internal_port ?? 0]) {
    if (wanted === 0) continue; // any free port
    const server = createServer().listen({ host, port: wanted, exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}
