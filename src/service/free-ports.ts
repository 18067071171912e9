// Finds a used port before the start creates a database or migrates one.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';

/** Throws what `listen` would throw, such as EADDRINUSE. */
export async function ensurePortsAreFree({
  host,
  port,
  internal_port,
}: Pick<Config, 'host' | 'port' | 'internal_port'>): Promise<void> {
  for (const wanted of [port, internal_port ?? 0]) {
    if (wanted === 0) continue; // any free port
    const server = createServer().listen({ host, port: wanted, exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}
