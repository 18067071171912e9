// A database of one's own, cloned from the migrated template in a few milliseconds.
import pg from 'pg';

export const TEMPLATE_DATABASE = 'sluice_template';

let sequence = 0;

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set: run tests with "npm test -- <files>", which starts the server`);
  }
  return value;
}

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: environment('TEST_DATABASE_ADMIN_URL') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  url: string;
  /** The same database as its superuser: to kill backends, to tamper. */
  adminUrl: string;
  drop(): Promise<void>;
}

/** Migrated and empty; `template: null` gives a database without any schema. */
export async function createDatabase(template: string | null = TEMPLATE_DATABASE): Promise<TestDatabase> {
  const name = `t_${process.pid}_${++sequence}`;
  await asAdmin(
    `create database ${name} owner sluice ${template ? `template ${template} strategy file_copy` : ''}`,
  );
  const at = (base: string): string => {
    const url = new URL(base);
    url.pathname = `/${name}`;
    return url.href;
  };
  return {
    url: at(environment('TEST_DATABASE_URL')),
    adminUrl: at(environment('TEST_DATABASE_ADMIN_URL')),
    drop: () => asAdmin(`drop database if exists ${name} with (force)`),
  };
}
