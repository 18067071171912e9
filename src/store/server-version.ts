// PostgreSQL 14 or newer (ADMIN_API, DATABASE_URL).
import pg from 'pg';

const SERVER_MAJOR_MIN = 14;
const CONNECT_TIMEOUT_MS = 10_000;

export class UnsupportedServer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedServer';
  }
}

export async function ensureSupportedServer(url: string): Promise<void> {
  const client = clientFor(url);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string; server_encoding: string }>(
      `select current_setting('server_version_num') as server_version_num,
              current_setting('server_encoding') as server_encoding`,
    );
    const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
    if (major < SERVER_MAJOR_MIN) {
      throw new UnsupportedServer(
        `PostgreSQL ${major} is too old: version ${SERVER_MAJOR_MIN} or newer is needed.`,
      );
    }
    if (rows[0]?.server_encoding !== 'UTF8') {
      throw new UnsupportedServer(`The database must be encoded in UTF8, not ${rows[0]?.server_encoding}.`);
    }
  } catch (error) {
    if (error instanceof UnsupportedServer) throw error;
    const { host, port, database } = client;
    throw new UnsupportedServer(
      `The database ${database} at ${host}:${port} cannot be reached: ${reasonOf(error)}.`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}

function clientFor(url: string): pg.Client {
  try {
    return new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    // A file that the address names, such as sslrootcert.
    throw new UnsupportedServer(`The database cannot be reached: ${reasonOf(error)}.`);
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
