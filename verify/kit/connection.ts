// Connections of a test to a database, separate from those of the service.
import pg from 'pg';

/** The server may close it at any moment: only the running query fails, not the test process. */
export async function connect(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  client.on('error', () => {});
  await client.connect();
  return client;
}

export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export const query = <T extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<T[]> => connected(url, async (client) => (await client.query<T>(sql, values)).rows);
