// The server of the test suite, started when the first test needs it.
import pg from 'pg';
import { globalSetup, globalTeardown } from '../test/kit/global-setup.ts';

export interface DatabaseForTests {
  open(): Promise<void>;
  /** A test process that ended at its first failure did not clean up. */
  dropOf(pid: number): Promise<void>;
  close(): Promise<void>;
}

export function databaseForTests(): DatabaseForTests {
  let client: pg.Client | null = null;
  return {
    async open() {
      if (client) return;
      await globalSetup();
      client = new pg.Client({ connectionString: process.env['TEST_DATABASE_ADMIN_URL'] ?? '' });
      await client.connect();
    },
    async dropOf(pid) {
      const found = await client?.query<{ name: string }>(
        `select datname as name from pg_database where datname like $1`,
        [`t\\_${pid}\\_%`],
      );
      for (const { name } of found?.rows ?? [])
        await client?.query(`drop database if exists ${name} with (force)`);
    },
    async close() {
      if (!client) return;
      await client.end();
      await globalTeardown();
    },
  };
}
