// The test suite's server, started when the first test needs it.
import { connected } from '../kit/connection.ts';
import { globalSetup, globalTeardown } from '../kit/global-setup.ts';

export class DatabaseForTests {
  #isOpen = false;

  async open(): Promise<void> {
    if (!this.#isOpen) await globalSetup();
    this.#isOpen = true;
  }

  /** Drops the databases of a test process that ended at its first failure and did not clean up. */
  async dropOf(pid: number): Promise<void> {
    await connected(process.env['TEST_DATABASE_ADMIN_URL'] ?? '', async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select datname as name from pg_database where datname like $1`,
        [`t\\_${pid}\\_%`],
      );
      for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
    });
  }

  async close(): Promise<void> {
    if (this.#isOpen) await globalTeardown();
  }
}
