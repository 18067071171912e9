// The test suite's server, started when the first test needs it.
import pg from 'pg';
import { globalSetup, globalTeardown } from '../kit/global-setup.ts';

export interface DatabaseForTests {
  open(): Promise<void>;
  /** Drops the databases of a test process that ended at its first failure and did not clean up. */
  dropOf(pid: number): Promise<void>;
  close(): Promise<void>;
}

export function databaseForTests(): DatabaseForTests {
  let pool: pg.Pool | null = null;
  return {
    async open() {
      if (pool) return;
      await globalSetup();
      pool = new pg.Pool({ connectionString: process.env['TEST_DATABASE_ADMIN_URL'] ?? '' });
    },
    async dropOf(pid) {
      const found = await pool?.query<{ name: string }>(
        `select datname as name from pg_database where datname like $1`,
        [`t\\_${pid}\\_%`],
      );
      for (const { name } of found?.rows ?? [])
        await pool?.query(`drop database if exists ${name} with (force)`);
    },
    async close() {
      if (!pool) return;
      await pool.end();
      await globalTeardown();
    },
  };
}
