// Puts the parts together over one database, and takes them apart in order.
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { timestampFormat } from './domain/timestamps.ts';
import { ChannelDirectory } from './engine/channel-directory.ts';
import { Gate } from './engine/gate.ts';
import { Inventory } from './engine/inventory.ts';
import { buildApp } from './http/app.ts';
import type { Services } from './http/services.ts';
import { createSealer } from './keys.ts';
import { createMetrics } from './metrics.ts';
import { createPool } from './store/database.ts';
import { trimJournal } from './store/journal.ts';
import { Session } from './store/session.ts';

const JOURNAL_TRIM_MS = 60_000;
const STOP_SWEEP_MS = 50;

export interface Service {
  readonly app: FastifyInstance;
  readonly services: Services;
  /** Listens and returns the origin, e.g. http://127.0.0.1:8080. */
  listen(): Promise<string>;
  /** Finishes what is in flight, then lets go of the database. */
  stop(): Promise<void>;
}

export async function createService(
  config: Config,
  database: { url: string; secret: string },
  logger: FastifyBaseLogger,
): Promise<Service> {
  const { url, secret } = database;
  const pool = createPool(url);
  const gateSession = new Session(url, 'sluice-gate');
  const readSession = new Session(url, 'sluice-read');
  const metrics = createMetrics();
  const gate = new Gate(gateSession, metrics);
  metrics.watchQueue(() => gate.waiting);
  const directory = new ChannelDirectory(url, pool);
  const services: Services = {
    config,
    pool,
    gate,
    directory,
    metrics,
    inventory: new Inventory(readSession),
    sealer: createSealer(secret),
    formatTimestamp: timestampFormat(config.timezone),
  };
  const app = await buildApp(services, logger);
  await directory.open();
  const trimming = setInterval(() => {
    // A missed round does no harm; the next one trims more.
    trimJournal(pool).catch(() => {});
  }, JOURNAL_TRIM_MS);
  trimming.unref();

  return {
    app,
    services,
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      const { address, port, family } = app.server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    },
    async stop() {
      clearInterval(trimming);
      // A connection whose last request ends only now is idle too late for close() to see it.
      const sweeping = setInterval(() => app.server.closeIdleConnections(), STOP_SWEEP_MS);
      await app.close();
      clearInterval(sweeping);
      await gate.idle();
      await Promise.all([directory.close(), gateSession.close(), readSession.close()]);
      await pool.end();
    },
  };
}
