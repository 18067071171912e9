// The gate: intake and status reports pass nowhere else. One batch is in flight; commands that need a row which
// another transaction holds are set aside, so that they delay nobody else.
import type { Command, Outcome } from '../domain/commands.ts';
import type { PipelinedConnection } from '../store/pipelined-connection.ts';
import { BatchRunner, BatchPatience, type GateObserver, type Verdict } from './batch-runner.ts';
import { Coalescer, Overloaded, type CoalescerLimits, type Settled } from './coalescer.ts';
import { HeldRows } from './held-rows.ts';

const GATE_LIMITS: CoalescerLimits = {
  queue_items_max: 1_024,
  batch_items_max: 256,
  batch_weight_max: 4_096, // order lines
};

/** Of the queue: how much of it commands on held rows may use. The rest is for everybody else. */
const HELD_SHARE_MAX = 0.5;

/** Connections beside the first: lanes that wait for one held row each, and one for the sweep. Opened when needed. */
const LANES = 4;
export const GATE_CONNECTIONS = 1 + LANES + 1;

interface GateOptions {
  /** See `BatchPatience`. */
  patience_ms: number;
  limits?: CoalescerLimits;
}

const weigh = (command: Command): number => (command.kind === 'intake' ? command.lines.length : 1);

export class Gate {
  readonly #runner: BatchRunner;
  readonly #held: HeldRows;
  readonly #coalescer: Coalescer<Command, Outcome>;
  /** How many commands wait at the most. */
  readonly capacity: number;

  /** `connections`: GATE_CONNECTIONS of them. */
  constructor(
    connections: readonly PipelinedConnection[],
    observer: GateObserver,
    { patience_ms, limits = GATE_LIMITS }: GateOptions,
  ) {
    const patience = new BatchPatience(patience_ms);
    const runners = connections.map((connection) => new BatchRunner(connection, observer, patience));
    const [first, sweeper, ...lanes] = runners;
    if (!first || !sweeper || lanes.length !== LANES) throw new RangeError('too few connections for a gate');
    this.capacity = limits.queue_items_max;
    this.#runner = first;
    const held_items_max = Math.ceil(HELD_SHARE_MAX * limits.queue_items_max);
    this.#held = new HeldRows(
      { lanes, sweeper },
      observer,
      { ...limits, held_items_max, patience_ms },
      weigh,
    );
    this.#coalescer = new Coalescer((commands) => this.#runBatch(commands), limits, weigh);
  }

  /** All commands that wait, those for held rows included. */
  get waiting(): number {
    return this.#coalescer.waiting + this.#held.size;
  }

  /** Of those, the ones for rows that another transaction holds. */
  get held(): number {
    return this.#held.size;
  }

  /** Asked before a request is looked at: saying no early is what keeps an overloaded service at full speed. */
  get isFull(): boolean {
    return this.waiting >= this.capacity;
  }

  submit(command: Command): Promise<Outcome> {
    return this.isFull ? Promise.reject(new Overloaded()) : this.#coalescer.submit(command);
  }

  async idle(): Promise<void> {
    // A batch sets commands aside, never the other way round.
    await this.#coalescer.idle();
    await this.#held.idle();
  }

  async #runBatch(commands: readonly Command[]): Promise<Settled<Outcome>[]> {
    const verdicts = await this.#runner.run({
      take: () => commands,
      behind: null,
      locking: this.#held.rows,
    });
    return verdicts.map((verdict, index) => this.#settled(commands[index] as Command, verdict));
  }

  #settled(command: Command, verdict: Verdict): Settled<Outcome> {
    if (!('held' in verdict)) return verdict;
    const later = this.#held.setAside(command, verdict.held);
    // It may fail before the batch is answered, when nobody listens yet.
    later.catch(() => {});
    return { later };
  }
}
