// The gate: lock → decide → write, one transaction a batch. Intake and status reports pass nowhere else.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Changes, Command, Outcome } from '../domain/commands.ts';
import { decide, isEmpty } from '../domain/decide.ts';
import { inOneWrite } from '../store/connections.ts';
import { together } from '../store/database.ts';
import { DatabaseUnavailable, failureOf, isUniqueViolation } from '../store/failures.ts';
import { awaitStandbys, commit, rollback } from '../store/transactions.ts';
import { writeChanges } from '../store/gate-writes.ts';
import { pauseMs } from '../store/patience.ts';
import type { Session } from '../store/session.ts';
import { Coalescer, type CoalescerLimits, type Settled } from './coalescer.ts';
import { loadWorld, StaleLocks } from './load-world.ts';

const GATE_LIMITS: CoalescerLimits = {
  queue_items_max: 1_024,
  batch_items_max: 256,
  batch_weight_max: 4_096, // order lines
};

export interface GateObserver {
  /** One committed or refused batch. */
  batch(size: number, seconds: number): void;
  outcome(outcome: Outcome): void;
  retry(reason: string, error: unknown): void;
  failure(error: unknown): void;
}

interface GateOptions {
  /**
   * How long a batch keeps trying while the database is away or somebody is faster; then 503. The batches behind one
   * that gave up try once, until one goes through: whoever waits for a database that is away for longer is told soon.
   */
  patience_ms: number;
  limits?: CoalescerLimits;
}

export class Gate {
  readonly #session: Session;
  readonly #observer: GateObserver;
  readonly #coalescer: Coalescer<Command, Outcome>;
  /** The connection behind which nothing is seen that a failover could still take away. */
  #settledOn: pg.Client | null = null;
  /** How many commands wait at the most. */
  readonly capacity: number;
  readonly #patienceMsMax: number;
  #patienceMs: number;

  constructor(session: Session, observer: GateObserver, { patience_ms, limits = GATE_LIMITS }: GateOptions) {
    this.#patienceMsMax = patience_ms;
    this.#patienceMs = patience_ms;
    this.#session = session;
    this.#observer = observer;
    this.capacity = limits.queue_items_max;
    this.#coalescer = new Coalescer(
      (commands) => this.#runBatch(commands),
      limits,
      (command) => (command.kind === 'intake' ? command.lines.length : 1),
    );
  }

  get waiting(): number {
    return this.#coalescer.waiting;
  }

  /** Asked before a request is looked at: saying no early is what keeps an overloaded service at full speed. */
  get isFull(): boolean {
    return this.#coalescer.isFull;
  }

  submit(command: Command): Promise<Outcome> {
    return this.#coalescer.submit(command);
  }

  idle(): Promise<void> {
    return this.#coalescer.idle();
  }

  async #runBatch(commands: readonly Command[]): Promise<Settled<Outcome>[]> {
    const started = performance.now();
    const settled = await this.#settle(commands);
    this.#observer.batch(commands.length, (performance.now() - started) / 1000);
    for (const one of settled) {
      if ('result' in one) this.#observer.outcome(one.result);
      else this.#observer.failure(one.error);
    }
    return settled;
  }

  /** An unexpected failure splits the batch, so that one poisonous command fails alone. */
  async #settle(commands: readonly Command[]): Promise<Settled<Outcome>[]> {
    try {
      const outcomes = await this.#persist(commands);
      return outcomes.map(settledWith);
    } catch (error) {
      if (commands.length === 1 || error instanceof DatabaseUnavailable)
        return commands.map(() => ({ error }));
      this.#observer.retry('split', error);
      const half = Math.ceil(commands.length / 2);
      return [
        ...(await this.#settle(commands.slice(0, half))),
        ...(await this.#settle(commands.slice(half))),
      ];
    }
  }

  /** Runs the batch until it is committed, fails for good, or patience ends. */
  async #persist(commands: readonly Command[]): Promise<Outcome[]> {
    const attempts = new Map<string, Outcome[]>();
    // Not the time of day, which may jump.
    const deadline = performance.now() + this.#patienceMs;
    for (let failures = 1; ; failures++) {
      try {
        const outcomes = await this.#attempt(commands, attempts);
        this.#patienceMs = this.#patienceMsMax;
        return outcomes;
      } catch (error) {
        const reason = retryReason(error);
        if (reason === null) throw error;
        this.#observer.retry(reason, error);
        if (performance.now() >= deadline) {
          if (failureOf(error) !== 'unexpected') this.#patienceMs = 0;
          throw new DatabaseUnavailable(error);
        }
        await sleep(pauseMs(failures));
      }
    }
  }

  /**
   * One transaction. `attempts` holds the outcomes of earlier tries whose COMMIT got no answer: the journal
   * tells, behind the same locks, whether one of them is there. Never guessed, never run twice.
   */
  async #attempt(commands: readonly Command[], attempts: Map<string, Outcome[]>): Promise<Outcome[]> {
    const client = await this.#session.get();
    try {
      // What is found already done is answered without a write, and so without the wait of a COMMIT.
      if (this.#settledOn !== client) await awaitStandbys(client);
      this.#settledOn = client;
      const { world, committed } = await inOneWrite(client, () =>
        loadWorld(client, commands, [...attempts.keys()]),
      );
      const [settled] = committed.map((batch) => attempts.get(batch));
      if (settled) {
        this.#endUnwritten(client);
        return settled;
      }
      const { outcomes, changes } = decide(commands, world);
      if (isEmpty(changes)) {
        this.#endUnwritten(client);
        return outcomes;
      }
      const batch = randomUUID();
      attempts.set(batch, outcomes);
      await inOneWrite(client, () => commitChanges(client, changes, batch));
      return outcomes;
    } catch (error) {
      if (failureOf(error) === 'connection') this.#session.drop(client);
      else this.#endUnwritten(client);
      throw error;
    }
  }

  /** Nobody waits for this answer: the next batch is sent behind it on the same connection. */
  #endUnwritten(client: pg.Client): void {
    rollback(client).catch(() => this.#session.drop(client));
  }
}

const settledWith = (result: Outcome): Settled<Outcome> => ({ result });

/** Second round trip: all writes and the COMMIT behind them. */
async function commitChanges(client: pg.Client, changes: Changes, batch: string): Promise<void> {
  const written = together(writeChanges(client, changes, batch));
  await together([written, commit(client)]);
}

/** Why the same commands may simply run again, or null where that would not help. */
function retryReason(error: unknown): string | null {
  if (error instanceof StaleLocks) return 'stale_locks';
  // Another process took the number after we looked for it; the next try finds its order.
  if (isUniqueViolation(error, 'orders_order_number_key')) return 'order_number';
  const failure = failureOf(error);
  return failure === 'unexpected' ? null : failure;
}
