// Connections to PostgreSQL: timeouts and checks.
import { Socket } from 'node:net';
import { callbackify } from 'node:util';
import pg from 'pg';
import { rows, statement, type Tx } from './database.ts';
import { DatabaseUnavailable, InRecovery } from './failures.ts';

export interface ConnectionLimits {
  connect_ms: number;
  statement_ms: number;
  lock_ms: number;
  idle_in_transaction_ms: number;
  /** Client-side timeout: the connection to an unresponsive server is dropped. */
  answer_ms: number;
  /** Opens the sockets, so that their owner can cut all of them off; without it, the driver opens them. */
  sockets?: DatabaseSockets | undefined;
}

/**
 * The sockets of a service to its database. The driver waits without a limit for a server that does not respond to the
 * end of a connection, and hides connections that are being opened.
 */
export class DatabaseSockets {
  readonly #open = new Set<Socket>();
  #isCutOff = false;

  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  open(): Socket {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    // Later, because the driver first connects the socket that it gets.
    if (this.#isCutOff) process.nextTick(() => socket.destroy(CUT_OFF));
    return socket;
  }

  /** Everything in flight fails at once, and so does everything that needs a connection later. */
  cutOff(): void {
    this.#isCutOff = true;
    for (const socket of this.#open) socket.destroy(CUT_OFF);
  }
}

const CUT_OFF = new DatabaseUnavailable(new Error('the service stops'));

/** Time for the server to report its own statement timeout. */
const ANSWER_GRACE_MS = 2_000;

export const connectionLimits = (
  statement_ms: number,
  given: { connect_ms: number; lock_ms: number; idle_transaction_ms: number },
  sockets?: DatabaseSockets,
): ConnectionLimits => ({
  sockets,
  connect_ms: given.connect_ms,
  statement_ms,
  lock_ms: given.lock_ms,
  idle_in_transaction_ms: given.idle_transaction_ms,
  answer_ms: statement_ms + ANSWER_GRACE_MS,
});

const USUAL = { connect_ms: 5_000, lock_ms: 5_000, idle_transaction_ms: 10_000 };
const POOL_LIMITS = connectionLimits(30_000, USUAL);
/** For the gate and the lookups: channels wait for these, so the timeouts are shorter. */
export const HOT_CONNECTION_LIMITS = connectionLimits(8_000, USUAL);

/** Settings of PostgreSQL for a connection, by name. */
type Settings = Readonly<Record<string, string>>;

/**
 * PostgreSQL compiles statements that it estimates as expensive, on servers where that is not turned off. It estimates
 * the limits of pages badly, and disabled kinds of scans as extremely expensive: compiling takes longer than they run.
 */
const EVERYWHERE: Settings = { jit: 'off' };

export function connectionConfig(
  url: string,
  applicationName: string,
  limits: ConnectionLimits,
  settings: Settings = {},
): pg.ClientConfig {
  const { address, options } = splitOptions(url);
  const { sockets } = limits;
  const ours = Object.entries({ ...EVERYWHERE, ...settings }).map(([name, value]) => `-c ${name}=${value}`);
  return {
    // The last one wins: the service relies on its own settings.
    options: [...options, ...ours].join(' '),
    connectionString: address,
    application_name: applicationName,
    connectionTimeoutMillis: limits.connect_ms,
    statement_timeout: limits.statement_ms,
    lock_timeout: limits.lock_ms,
    idle_in_transaction_session_timeout: limits.idle_in_transaction_ms,
    query_timeout: limits.answer_ms,
    keepAlive: true,
    ...(sockets && { stream: () => sockets.open() }),
  };
}

/**
 * The driver lets `options` and `application_name` of the URL replace those of the configuration. The names tell our
 * connections apart: health checks look for those of the gate.
 */
function splitOptions(url: string): { address: string; options: string[] } {
  const at = url.indexOf('?');
  if (at === -1) return { address: url, options: [] };
  const parameters = new URLSearchParams(url.slice(at));
  const options = parameters.getAll('options');
  parameters.delete('options');
  parameters.delete('application_name');
  return { address: `${url.slice(0, at)}?${parameters.toString()}`, options };
}

// The driver has this member, but its types do not declare it.
declare module 'pg' {
  interface Client {
    readonly connection: Connection;
  }
}

/** Destroys the socket without telling the server, which may not respond: everything in flight fails. */
export function dropConnection(client: pg.Client): void {
  client.connection.stream.destroy();
}

/** How long a server may take to answer the end of a connection. */
export const END_MS_MAX = 1_000;

/** Ends a connection also if the server does not respond: the driver would wait for it without a limit. */
export async function endConnection(client: pg.Client): Promise<void> {
  const late = setTimeout(() => dropConnection(client), END_MS_MAX);
  await client.end().catch(() => {});
  clearTimeout(late);
}

const POOL_CONNECTIONS_MAX = 10;
/**
 * Longer than the interval of periodic jobs, which would otherwise reconnect each time. In addition, closing the first
 * connection makes V8 deoptimize the code that handles sockets, which is then compiled again under load.
 */
const POOL_IDLE_MS = 10 * 60_000;

/**
 * Statements of the back office are planned for their values each time. After five runs PostgreSQL would keep one plan
 * for all values: made while a table was small, it scans the table and compares each row with each of 5,000 codes of a
 * file. The second import of 100,000 SKUs took five minutes instead of two seconds.
 */
export const PLAN_EACH_TIME: Settings = { plan_cache_mode: 'force_custom_plan' };

export function createPool(url: string, max = POOL_CONNECTIONS_MAX, limits = POOL_LIMITS): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(url, 'sluice', limits, PLAN_EACH_TIME),
    max,
    idleTimeoutMillis: POOL_IDLE_MS,
    verify: callbackify(requirePrimary),
  });
  return withErrorListeners(pool);
}

/**
 * A lost connection is reported by the statement that runs on it. Without these listeners, the error event would also
 * end the process, because a pool listens only to idle connections.
 */
export function withErrorListeners(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const IN_RECOVERY = statement('in_recovery', 'select pg_is_in_recovery() as in_recovery');

/**
 * Checked on every new connection: a proxy in front of the database may briefly route to a standby, and the connection
 * would be kept.
 */
export async function requirePrimary(tx: Tx): Promise<void> {
  const [state] = await rows<{ in_recovery: boolean }>(tx, IN_RECOVERY);
  if (state?.in_recovery) throw new InRecovery();
}
