// The state of the database: as a message for /readyz, as a label for metrics.
import { clockSkew } from '../values/clock-skew.ts';
import pg from 'pg';
import {
  connectionConfig,
  endConnection,
  HOT_CONNECTION_LIMITS,
  type ConnectionLimits,
} from './connections.ts';
import { rows, statement } from './database.ts';
import { DatabaseUnavailable, failureOf, InRecovery, isOutOfTransactionIds, sqlState } from './failures.ts';
import type { Patience } from './patience.ts';
import type { PipelinedConnection } from './pipelined-connection.ts';

const MESSAGES = {
  ready: 'The database is available.',
  unreachable: 'The database cannot be reached.',
  starting: 'The database is starting up or shutting down.',
  silent: 'The database does not respond.',
  refused: "The database refuses the service's login.",
  connections: 'The database accepts no more connections.',
  recovery: 'The database is in recovery.',
  read_only: 'The database is read-only.',
  disk_full: 'The disk of the database is full.',
  memory: 'The database is out of memory.',
  failing: 'The disk of the database reports errors.',
  blocked: 'Some orders wait for rows that another transaction has locked.',
  slow: 'The database is too slow.',
} as const;

export type DatabaseState = keyof typeof MESSAGES;
export const DATABASE_STATES: readonly string[] = Object.keys(MESSAGES);

export interface DatabaseHealth {
  state: DatabaseState;
  /** One sentence for people. */
  message: string;
  /** With `blocked`: the processes that hold the rows. */
  blockers?: readonly Blocker[];
}

interface Blocker {
  pid: number;
  application_name: string;
}

/** Requests wait during these states, up to SLUICE_RETRY_TIMEOUT_MS. */
const AWAY = new Set<DatabaseState>(['unreachable', 'starting', 'silent', 'recovery']);

/** Longest wait of /readyz, below the usual timeout of orchestrators. */
const PROBE_MS_MAX = 2_000;
/** How long a state in `NOTED` is kept before it is checked again. */
const NOTED_STANDS_MS = 2_000;
/**
 * Lock waits longer than this count as `blocked`. Batches of two processes often wait for each other, but not this
 * long.
 */
const BLOCKED_AFTER_MS = 1_000;

/** States that a simple query does not reveal. */
const NOTED = new Set<DatabaseState>(['connections', 'disk_full', 'memory', 'failing']);

/** application_name of the gate's connections. */
export const GATE_CONNECTION = 'sluice-gate';

const PING = statement(
  'health_ping',
  `select pg_is_in_recovery() as in_recovery, current_setting('transaction_read_only')::bool as read_only,
          extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
          (select coalesce(json_agg(json_build_object('pid', h.pid, 'application_name', h.application_name) order by h.pid), '[]')
           from pg_stat_activity h
           where h.application_name not like '${GATE_CONNECTION}%' and h.pid in (
             select unnest(pg_blocking_pids(g.pid)) from pg_stat_activity g
             where g.datname = current_database() and g.application_name like '${GATE_CONNECTION}%'
               and g.wait_event_type = 'Lock' and g.query_start < now() - make_interval(secs => $1))) as blockers`,
);

interface Pinged {
  now_ms: number;
  in_recovery: boolean;
  read_only: boolean;
  blockers: Blocker[];
}

/** More rows than work_mem holds, so that they are written to a temporary file: 1 MB on the database's disk. */
const SPILL = { settings: { work_mem: '64kB' }, text: 'select count(*) from generate_series(1, 50000)' };

interface HealthOptions {
  /** Called for every failure that is noted. */
  onFailure: (state: DatabaseState) => void;
  /** Called with the result of every check. */
  onChecked?: (health: DatabaseHealth) => void;
  /** Called with the difference of the clocks, see `clockSkew`. */
  onClock?: (skew_ms: number) => void;
  /** While requests wait for the database, an outage does not make the process unready. */
  patience?: Patience;
  limits?: ConnectionLimits;
}

export class HealthCheck {
  readonly #connection: PipelinedConnection;
  readonly #url: string;
  readonly #options: HealthOptions;
  #noted: { state: DatabaseState; at: number } | null = null;
  #checking: Promise<DatabaseHealth> | null = null;
  #last: DatabaseState | null = null;
  #hasBeenReady = false;
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(connection: PipelinedConnection, url: string, options: HealthOptions) {
    this.#connection = connection;
    this.#url = url;
    this.#options = options;
  }

  /** Records the error of a failed statement. */
  note(error: unknown): void {
    if (failureOf(error) === 'unexpected') return;
    const state = stateOf(error);
    this.#options.onFailure(state);
    if (NOTED.has(state)) this.#noted = { state, at: performance.now() };
    // Finds the blocking processes, so that they appear in the log.
    if (state === 'blocked' || state === 'slow') this.#look();
  }

  #look(): void {
    this.check().catch(() => {});
  }

  /** The state behind an error; a statement that timed out on a lock is `blocked`, not `slow`. */
  stateFor(error: unknown): DatabaseState {
    const state = stateOf(error);
    return state === 'slow' && this.#last === 'blocked' ? 'blocked' : state;
  }

  /** Requests wait for the database, or get 503 because it is unavailable. */
  get isAway(): boolean {
    return this.#options.patience?.isAway === true;
  }

  /** Concurrent calls share one check. */
  check(): Promise<DatabaseHealth> {
    this.#checking ??= this.#checkNow().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /**
   * Whether this process should receive requests. It stays ready during a short outage, because requests wait for its
   * end and a load balancer would otherwise remove every process; and with locked rows, because they affect few orders.
   */
  async readiness(): Promise<{ isReady: boolean; message: string }> {
    const { state, message } = await this.check();
    const isWaitedFor = AWAY.has(state) && this.#hasBeenReady && this.#options.patience?.isOver === false;
    return { isReady: state === 'ready' || state === 'blocked' || isWaitedFor, message };
  }

  async #checkNow(): Promise<DatabaseHealth> {
    const found = await this.#inTime();
    const { patience, onChecked } = this.#options;
    if (AWAY.has(found.state)) patience?.notice(new Error(found.message));
    if (found.state === 'ready') this.#hasBeenReady = true;
    this.#last = found.state;
    onChecked?.(found);
    // Unlike the end of an outage, nothing else notices when the rows are released.
    if (found.state === 'blocked') this.#lookAgain();
    return found;
  }

  #lookAgain(): void {
    clearTimeout(this.#again);
    if (!this.#isClosed) this.#again = setTimeout(() => this.#look(), BLOCKED_AFTER_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
  }

  async #inTime(): Promise<DatabaseHealth> {
    const late = Promise.withResolvers<DatabaseHealth>();
    const timer = setTimeout(() => late.resolve(health('silent')), PROBE_MS_MAX);
    try {
      return await Promise.race([this.#lookNow(), late.promise]);
    } catch (error) {
      if (failureOf(error) === 'unexpected') throw error;
      return health(stateOf(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookNow(): Promise<DatabaseHealth> {
    const pinged = await this.#ping().catch((error: unknown) => {
      // An idle connection may have been lost earlier without being noticed.
      if (failureOf(error) !== 'connection') throw error;
      return this.#ping();
    });
    if (pinged?.in_recovery) return health('recovery');
    if (pinged?.read_only) return health('read_only');
    if (pinged && pinged.blockers.length > 0) return blockedBy(pinged.blockers);
    return health((await this.#stillNoted()) ?? 'ready');
  }

  async #ping(): Promise<Pinged | undefined> {
    const client = await this.#connection.get();
    try {
      const sent_ms = Date.now();
      const [pinged] = await rows<Pinged>(client, PING, [BLOCKED_AFTER_MS / 1000]);
      if (pinged) this.#options.onClock?.(clockSkew({ sent_ms, received_ms: Date.now() }, pinged.now_ms));
      return pinged;
    } catch (error) {
      if (failureOf(error) === 'connection') this.#connection.drop(client);
      throw error;
    }
  }

  async #stillNoted(): Promise<DatabaseState | null> {
    const noted = this.#noted;
    if (noted === null) return null;
    if (performance.now() - noted.at < NOTED_STANDS_MS) return noted.state;
    const found = await this.#findWithWork();
    if (found === null && this.#noted === noted) this.#noted = null;
    return found;
  }

  /** Tests what may have failed: opens a new connection and writes a temporary file. */
  async #findWithWork(): Promise<DatabaseState | null> {
    const limits = this.#options.limits ?? HOT_CONNECTION_LIMITS;
    const client = new pg.Client(connectionConfig(this.#url, 'sluice-health', limits, SPILL.settings));
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(SPILL.text);
      return null;
    } catch (error) {
      return stateOf(error);
    } finally {
      void endConnection(client);
    }
  }
}

const health = (state: DatabaseState): DatabaseHealth => ({ state, message: MESSAGES[state] });

const blockedBy = (blockers: readonly Blocker[]): DatabaseHealth => {
  const names = blockers.map(({ pid, application_name }) => `${pid} (${application_name || 'no name'})`);
  const message = `Some orders wait for rows locked by process ${names.join(', ')} of PostgreSQL.`;
  return { state: 'blocked', message, blockers };
};

export const healthOf = (error: unknown): DatabaseHealth => health(stateOf(error));

/** The state that an error indicates. */
function stateOf(error: unknown): DatabaseState {
  if (error instanceof DatabaseUnavailable) return stateOf(error.cause);
  if (error instanceof InRecovery) return 'recovery';
  const code = sqlState(error);
  if (code === undefined) return isSilence(error) ? 'silent' : 'unreachable';
  if (code === '53100') return 'disk_full';
  if (code === '53200') return 'memory';
  if (code === '25006' || isOutOfTransactionIds(error)) return 'read_only';
  if (code === '58030') return 'failing';
  if (code === '55P03' || code.startsWith('40')) return 'blocked';
  if (code === '57014') return 'slow';
  if (code.startsWith('53')) return 'connections';
  if (code.startsWith('28') || code === '3D000') return 'refused';
  return code.startsWith('57P') ? 'starting' : 'unreachable';
}

export const healthMessage = (error: unknown): string => MESSAGES[stateOf(error)];

const isSilence = (error: unknown): boolean =>
  error instanceof Error && /Query read timeout|timeout expired|ETIMEDOUT/.test(error.message);
