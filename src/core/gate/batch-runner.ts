// Runs batches on one connection: lock → decide → write, one transaction per batch, with retries.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Changes, Command, Outcome } from '../rules/commands.ts';
import { decide, hasNoChanges } from '../rules/decide.ts';
import type { RowRef } from '../rules/missing-locks.ts';
import { together, type Tx } from '../../platform/database/database.ts';
import {
  DatabaseUnavailable,
  failureOf,
  isUniqueViolation,
  sqlState,
} from '../../platform/database/failures.ts';
import { tryStockRow, waitForRow, type Locking } from './reads-store.ts';
import { writeChanges } from './writes-store.ts';
import { pauseMs } from '../../platform/database/patience.ts';
import type { PipelinedConnection } from '../../platform/database/pipelined-connection.ts';
import { inOneRoundTrip, inRoundTrips, type StatementWatch } from '../../platform/database/round-trip.ts';
import { awaitStandbys, begin, beginAnew, commit, rollback } from '../../platform/database/transactions.ts';
import type { Answer } from '../../platform/queues/coalescer.ts';
import { loadBatch, StaleLocks } from './load-batch.ts';

export interface GateObserver {
  /** One committed or refused batch, without the commands on locked rows. */
  batch(size: number, seconds: number): void;
  outcome(outcome: Outcome): void;
  retry(reason: string, error: unknown): void;
  failure(error: unknown): void;
  /** Called for each batch; undefined: tracing is off. */
  traced?: () => BatchTrace;
}

/** Records the trace of a batch; implemented in `traces.ts`, which is loaded only if a receiver is configured. */
export interface BatchTrace {
  /** Called with the commands of the batch, which it returns. */
  took(commands: readonly Command[]): readonly Command[];
  /** Called when a round trip begins. */
  statements(): StatementWatch | undefined;
  retried(reason: string): void;
  ended(verdicts: readonly Verdict[]): void;
}

/**
 * How long a batch is retried during a database outage or a conflict before the answer is 503. After one batch has
 * given up on the database, later ones try only once until one succeeds, so that clients get a fast 503 in a long
 * outage. Shared by all runners of a gate.
 */
export class BatchPatience {
  readonly #ms_max: number;
  ms: number;

  constructor(ms_max: number) {
    this.#ms_max = ms_max;
    this.ms = ms_max;
  }

  isBack(): void {
    this.ms = this.#ms_max;
  }

  /** Giving up on one locked row does not mean that the database is unavailable. */
  gaveUp(error: unknown): void {
    const failure = failureOf(error);
    if (failure === 'connection' || failure === 'unavailable') this.ms = 0;
  }
}

export interface Work {
  /** Called once; with `behind`, after that row is locked. */
  take(): readonly Command[];
  /** The row to wait for before other rows are locked; null: none. */
  behind: RowRef | null;
  locking: Locking;
  trace?: BatchTrace;
  /** Called when `behind`, a stock row, is locked; `waited`: another transaction had locked it. */
  onLocked?: ((waited: boolean) => void) | null;
}

/** The answer to a command, or `held`: it was not decided because another transaction holds this row. */
export type Verdict = Answer<Outcome> | { held: RowRef };

/** State kept between the attempts at one batch. */
interface Tries {
  /** null: `take` was not called yet. */
  commands: readonly Command[] | null;
  /** Commands without an outcome in the attempts in `lost`, because their rows were held. */
  held: ReadonlyMap<Command, RowRef>;
  /** Outcomes of attempts whose COMMIT got no response, by batch id, in the order of the commands not in `held`. */
  lost: Map<string, Outcome[]>;
}

/**
 * After a batch without changes, wait this long for the next batch to send the ROLLBACK. Its rows stay locked
 * meanwhile.
 */
const GATHERING_MS = 2;

const NONE_HELD: ReadonlyMap<Command, RowRef> = new Map();

export class BatchRunner {
  readonly #connection: PipelinedConnection;
  readonly #observer: GateObserver;
  /** The connection on which `awaitStandbys` has run: a failover cannot lose what the connection reads. */
  #settledOn: pg.Client | null = null;
  readonly #patience: BatchPatience;
  readonly #later: (end: () => void) => unknown;
  /** The connection whose transaction wrote nothing and still needs its ROLLBACK. */
  #unended: pg.Client | null = null;

  /** `is_shared`: lanes or other workers want the rows that this runner locks, so its ROLLBACK is not delayed. */
  constructor(
    connection: PipelinedConnection,
    observer: GateObserver,
    { patience, is_shared }: { patience: BatchPatience; is_shared: boolean },
  ) {
    this.#connection = connection;
    this.#observer = observer;
    this.#patience = patience;
    this.#later = is_shared ? (end) => process.nextTick(end) : (end) => setTimeout(end, GATHERING_MS);
  }

  /** One verdict per command. Throws only before the commands are taken: `behind` could not be locked. */
  async run(work: Work): Promise<Verdict[]> {
    const started = performance.now();
    const trace = this.#observer.traced?.();
    const traced = trace ? { ...work, take: () => trace.took(work.take()), trace } : work;
    const verdicts = await this.#settle(traced, { commands: null, held: NONE_HELD, lost: new Map() });
    let size = 0;
    for (const one of verdicts) {
      if ('held' in one) continue;
      size += 1;
      if ('result' in one) this.#observer.outcome(one.result);
      else this.#observer.failure(one.error);
    }
    if (size > 0) this.#observer.batch(size, (performance.now() - started) / 1000);
    trace?.ended(verdicts);
    return verdicts;
  }

  /** An unexpected failure splits the batch in halves, so that one failing command fails alone. */
  async #settle(work: Work, tries: Tries): Promise<Verdict[]> {
    try {
      return await this.#persist(work, tries);
    } catch (error) {
      const { commands } = tries;
      if (commands === null) throw error;
      if (commands.length === 1 || error instanceof DatabaseUnavailable)
        return commands.map(() => ({ error }));
      this.#observer.retry('split', error);
      work.trace?.retried('split');
      const verdicts: Verdict[] = [];
      for (const half of halvesOf(commands, tries))
        verdicts.push(...(await this.#settle({ ...work, behind: null }, half)));
      return verdicts;
    }
  }

  /** Runs the batch until it is committed, fails permanently, or times out. */
  async #persist(work: Work, tries: Tries): Promise<Verdict[]> {
    // Monotonic: the system time may jump.
    const deadline = performance.now() + this.#patience.ms;
    if (work.behind === null) tries.commands ??= work.take();
    for (let failures = 1; ; failures++) {
      try {
        const verdicts = await this.#attempt(work, tries);
        this.#patience.isBack();
        return verdicts;
      } catch (error) {
        const reason = retryReason(error);
        if (reason === null) throw error;
        this.#observer.retry(reason, error);
        work.trace?.retried(reason);
        if (performance.now() >= deadline || this.#connection.isClosed) {
          this.#patience.gaveUp(error);
          throw new DatabaseUnavailable(error);
        }
        await sleep(pauseMs(failures));
      }
    }
  }

  /**
   * One transaction. After a COMMIT without a response, the journal, read under the same locks, tells whether the batch
   * was committed. Such an attempt waits for its locks, because the previous one may still be committing and hold them.
   */
  async #attempt(work: Work, tries: Tries): Promise<Verdict[]> {
    const { lost } = tries;
    const isFirst = lost.size === 0;
    const client = await this.#connection.get();
    try {
      // A resend is answered without a COMMIT, so nothing else would wait for the standbys.
      if (this.#settledOn !== client) await awaitStandbys(client);
      this.#settledOn = client;
      const behind = isFirst ? work.behind : null;
      if (behind) await lockAlone(client, behind, work.onLocked, this.#opening(client));
      const commands = (tries.commands ??= work.take());
      const remaining = without(tries.held, commands);
      const { state, committed, held } = await inOneRoundTrip(
        client,
        (tx) =>
          loadBatch(tx, remaining, {
            attempts: [...lost.keys()],
            locking: isFirst ? work.locking : 'wait',
            open: behind ? null : this.#opening(client),
          }),
        work.trace?.statements(),
      );
      const [settled] = committed.map((batch) => lost.get(batch));
      if (settled) {
        this.#endUnwritten(client);
        return verdictsOf(commands, settled, tries.held);
      }
      const { outcomes, changes } = decide(without(held, remaining), state);
      const aside = held.size === 0 ? tries.held : new Map([...tries.held, ...held]);
      if (hasNoChanges(changes)) {
        this.#endUnwritten(client);
        return verdictsOf(commands, outcomes, aside);
      }
      tries.held = aside;
      const batch = randomUUID();
      lost.set(batch, outcomes);
      const written = inOneRoundTrip(
        client,
        (tx) => commitChanges(tx, changes, batch),
        work.trace?.statements(),
      );
      await written.catch((error: unknown) => {
        if (isRolledBack(error)) lost.delete(batch);
        throw error;
      });
      return verdictsOf(commands, outcomes, aside);
    } catch (error) {
      if (failureOf(error) === 'connection') this.#connection.drop(client);
      else this.#rollBack(client);
      throw error;
    }
  }

  /**
   * If the next batch begins soon, it sends this ROLLBACK with its own statements. As a separate round trip the
   * ROLLBACK took 3 % of the service's time for refused orders.
   */
  #endUnwritten(client: pg.Client): void {
    this.#unended = client;
    this.#later(() => {
      if (this.#unended === client) this.#rollBack(client);
    });
  }

  #rollBack(client: pg.Client): void {
    this.#unended = null;
    rollback(inRoundTrips(client)).catch(() => this.#connection.drop(client));
  }

  /** The statements that begin the next transaction on the connection. */
  #opening(client: pg.Client): typeof begin {
    if (this.#unended !== client) return begin;
    this.#unended = null;
    return beginAnew;
  }
}

/** Waits for the row without holding any other lock. */
async function lockAlone(
  client: pg.Client,
  row: RowRef,
  onLocked: Work['onLocked'],
  open: typeof begin,
): Promise<void> {
  const [, wasFree] = await inOneRoundTrip(client, (tx) =>
    together([open(tx), onLocked ? tryStockRow(tx, row.id) : Promise.resolve(null), waitForRow(tx, row)]),
  );
  onLocked?.(wasFree === 0);
}

const without = (held: ReadonlyMap<Command, RowRef>, commands: readonly Command[]): readonly Command[] =>
  held.size === 0 ? commands : commands.filter((command) => !held.has(command));

/** Each half gets its part of the outcomes in `lost`, which do not include held commands. */
function halvesOf(commands: readonly Command[], { held: aside, lost }: Tries): Tries[] {
  const middle = Math.ceil(commands.length / 2);
  const held = lost.size > 0 ? aside : NONE_HELD;
  const decided = without(held, commands.slice(0, middle)).length;
  const first = new Map<string, Outcome[]>();
  const second = new Map<string, Outcome[]>();
  for (const [batch, outcomes] of lost) {
    first.set(batch, outcomes.slice(0, decided));
    second.set(batch, outcomes.slice(decided));
  }
  return [
    { commands: commands.slice(0, middle), held, lost: first },
    { commands: commands.slice(middle), held, lost: second },
  ];
}

const settledWith = (result: Outcome): Verdict => ({ result });

/** `outcomes` belong to the commands that are not held, in order. */
function verdictsOf(
  commands: readonly Command[],
  outcomes: readonly Outcome[],
  held: ReadonlyMap<Command, RowRef>,
): Verdict[] {
  if (held.size === 0) return outcomes.map(settledWith);
  let next = 0;
  return commands.map((command) => {
    const row = held.get(command);
    if (row) return { held: row };
    const result = outcomes[next++];
    if (!result) throw new RangeError('a command of the batch has no outcome');
    return { result };
  });
}

/** Second round trip: all writes and the COMMIT. */
async function commitChanges(tx: Tx, changes: Changes, batch: string): Promise<void> {
  const written = together(writeChanges(tx, changes, batch));
  await together([written, commit(tx)]);
}

/** PostgreSQL reported the error, so nothing was committed. After any other failure the COMMIT may have succeeded. */
function isRolledBack(error: unknown): boolean {
  const failure = failureOf(error);
  return failure === 'conflict' || (failure === 'unexpected' && sqlState(error) !== undefined);
}

/** Why the same commands can be retried, or null if a retry would not help. */
function retryReason(error: unknown): string | null {
  if (error instanceof StaleLocks) return 'stale_locks';
  // Another process inserted the number after our read; the next attempt finds its order.
  if (isUniqueViolation(error, 'orders_order_number_key')) return 'order_number';
  const failure = failureOf(error);
  return failure === 'unexpected' ? null : failure;
}
