// The service under test: a separate process on its own database.
import pg from 'pg';
import { readFile } from 'node:fs/promises';
import { onDatabase, startService, type ServiceProcess } from '../../kit/process.ts';

export interface Target {
  service: ServiceProcess;
  pool: pg.Pool;
  isAlive(): boolean;
  /** Resident memory of the process, or null if the system does not report it. */
  residentMegabytes(): Promise<number | null>;
  stop(): Promise<void>;
}

export async function startTarget(databaseUrl: string): Promise<Target> {
  const service = await startService({
    ...onDatabase(databaseUrl),
    SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    LOG_LEVEL: 'error',
    MALLOC_ARENA_MAX: '2',
  });
  // The service has its own process group, so it would outlive this process.
  const end = (): void => service.signal('SIGKILL');
  process.once('exit', end);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3, application_name: 'sluice-fuzz' });
  return {
    service,
    pool,
    isAlive: () => service.isRunning(),
    async residentMegabytes() {
      const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8').catch(() => '');
      const kilobytes = /VmRSS:\s+(\d+) kB/.exec(status)?.[1];
      return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
    },
    async stop() {
      await service.stop();
      process.off('exit', end);
      await pool.end();
    },
  };
}
