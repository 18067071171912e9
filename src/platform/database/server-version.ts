// Requires PostgreSQL 14 or newer, and finds out how many connections it allows.
import pg from 'pg';
import { systemError } from '../log/system-error.ts';
import { sqlState } from './failures.ts';

const SERVER_MAJOR_MIN = 14;
const CONNECT_TIMEOUT_MS = 10_000;

export class UnsupportedServer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedServer';
  }
}

/** Without reserved connections. null: the role or the database has no limit. */
const CONNECTIONS = `
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true), '0')::int as of_server,
  (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as of_role,
  (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as of_database`;

export interface ServerFacts {
  /** Connections that this role may have. */
  readonly connections_max: number;
}

export async function ensureSupportedServer(url: string): Promise<ServerFacts> {
  const client = clientFor(url);
  try {
    await client.connect();
    const { rows } = await client.query<{
      server_version_num: string;
      server_encoding: string;
      of_server: number;
      of_role: number | null;
      of_database: number | null;
    }>(
      `select current_setting('server_version_num') as server_version_num,
              current_setting('server_encoding') as server_encoding, ${CONNECTIONS}`,
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
    const { of_server, of_role, of_database } = rows[0];
    return { connections_max: Math.min(of_server, of_role ?? Infinity, of_database ?? Infinity) };
  } catch (error) {
    if (error instanceof UnsupportedServer) throw error;
    throw new UnsupportedServer(refusalOf(error, client));
  } finally {
    await client.end().catch(() => {});
  }
}

/** The message for a server that was reached but refused the connection. */
function refusalOf(error: unknown, { host, port, database, user }: pg.Client): string {
  const at = `${host}:${port}`;
  const reason = reasonOf(error);
  const code = sqlState(error);
  if (code === undefined) return `The database ${database} at ${at} cannot be reached: ${reason}.`;
  if (code.startsWith('28'))
    return `The database server at ${at} refuses the login of ${user}: ${reason}. Check user name and password in DATABASE_URL, and pg_hba.conf of the server.`;
  if (code === '3D000')
    return `The database server at ${at} has no such database: ${reason}. Create it, or correct the name in DATABASE_URL.`;
  return `The database ${database} at ${at} refuses connections: ${reason}.`;
}

function clientFor(url: string): pg.Client {
  try {
    return new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  } catch (error) {
    if (systemError(error).syscall === undefined) throw error;
    // A file named in the URL, such as sslrootcert, cannot be read.
    throw new UnsupportedServer(`The database cannot be reached: ${reasonOf(error)}.`);
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || String(systemError(error).code) : String(error);
