// The gate: every intake and status report passes it. One batch is in flight. Commands that need a row locked by
// another transaction are set aside, so that they do not delay the others. Channels take turns: a flood of orders of one
// channel delays an order of another one by one order, and leaves room for it in the queue.
import { channelOfCommand, type Command, type Outcome } from '../rules/commands.ts';
import { ContendedRows, type SetAside } from '../rules/contended-rows.ts';
import type { PipelinedConnection } from '../../platform/database/pipelined-connection.ts';
import { BatchRunner, BatchPatience, type GateObserver, type Verdict } from './batch-runner.ts';
import {
  Coalescer,
  Overloaded,
  type CoalescerLimits,
  type Settled,
} from '../../platform/queues/coalescer.ts';
import { hasRoom } from '../../platform/queues/fair-queue.ts';
import { HeldRows } from './held-rows.ts';

const GATE_LIMITS: CoalescerLimits = {
  queue_items_max: 1_024,
  batch_items_max: 256,
  batch_weight_max: 4_096, // order lines
};

/**
 * With several workers, batches of other workers already overlap with the answers of this one, so halving starts
 * later.
 */
const LIMITS_WITH_RIVALS: CoalescerLimits = { ...GATE_LIMITS, halved_clients_min: 64 };

/** Share of the queue that commands on held rows may use; the rest is for the other commands. */
const HELD_SHARE_MAX = 0.5;

/** Connections besides the first: lanes, each waiting for one held row, and one for the sweep. Opened on demand. */
const LANES = 4;
export const GATE_CONNECTIONS = 1 + LANES + 1;

interface GateOptions {
  /** See `BatchPatience`. */
  patience_ms: number;
  /** Other workers have their own gates over the same rows. */
  has_rivals?: boolean;
  limits?: CoalescerLimits;
}

const weigh = (command: Command): number => (command.kind === 'intake' ? command.lines.length : 1);

export class Gate {
  readonly #runner: BatchRunner;
  readonly #held: HeldRows;
  /** null: there are no other workers. */
  readonly #contended: ContendedRows | null;
  readonly #coalescer: Coalescer<Command, Outcome>;
  /** Length of the queue. */
  readonly capacity: number;
  #submitted = 0;

  /** `connections` must have GATE_CONNECTIONS elements. */
  constructor(
    connections: readonly PipelinedConnection[],
    observer: GateObserver,
    { patience_ms, has_rivals = false, limits = has_rivals ? LIMITS_WITH_RIVALS : GATE_LIMITS }: GateOptions,
  ) {
    const patience = new BatchPatience(patience_ms);
    const runners = connections.map(
      (connection, index) =>
        new BatchRunner(connection, observer, { patience, is_shared: has_rivals || index > 0 }),
    );
    const [first, sweeper, ...lanes] = runners;
    if (!first || !sweeper || lanes.length !== LANES) throw new RangeError('too few connections for a gate');
    this.capacity = limits.queue_items_max;
    this.#runner = first;
    this.#contended = has_rivals ? new ContendedRows() : null;
    const held_items_max = Math.ceil(HELD_SHARE_MAX * limits.queue_items_max);
    this.#held = new HeldRows(
      { lanes, sweeper },
      observer,
      { ...limits, held_items_max, patience_ms },
      weigh,
      this.#contended,
    );
    this.#coalescer = new Coalescer((commands) => this.#runBatch(commands), limits, weigh, channelOfCommand);
  }

  /** All waiting commands, including those on held rows. */
  get waiting(): number {
    return this.#coalescer.waiting + this.#held.size;
  }

  /** Orders and reports since the start of the process. */
  get submitted(): number {
    return this.#submitted;
  }

  /** Waiting commands on rows that another transaction holds. */
  get held(): number {
    return this.#held.size;
  }

  /** Checked before a request is processed: an early 503 preserves the throughput of an overloaded service. */
  get isFull(): boolean {
    return this.waiting >= this.capacity;
  }

  /** The same for one channel, which may not take the places of the others. */
  isFullFor(channelId: number | null): boolean {
    return !hasRoom(this.capacity, this.waiting, channelId, this.waitingOf(channelId));
  }

  waitingOf(channelId: number | null): number {
    return this.#coalescer.waitingOf(channelId) + this.#held.waitingOf(channelId);
  }

  submit(command: Command): Promise<Outcome> {
    if (this.isFullFor(channelOfCommand(command))) return Promise.reject(new Overloaded());
    this.#submitted += 1;
    const id = this.#contended && this.#contended.variantFor(command);
    return id === null
      ? this.#coalescer.submit(command)
      : this.#held.setAside(command, { table: 'stock', id });
  }

  async idle(): Promise<void> {
    // Batches set commands aside, so the coalescer must become idle first.
    await this.#coalescer.idle();
    await this.#held.idle();
  }

  async #runBatch(commands: readonly Command[]): Promise<Settled<Outcome>[]> {
    const verdicts = await this.#runner.run({
      take: () => commands,
      behind: null,
      locking: this.#held.rows,
    });
    this.#contended?.batchEnded(verdicts.flatMap(setAsideBy));
    return commands.map((command, index) => this.#settled(command, verdicts[index]));
  }

  #settled(command: Command, verdict: Verdict | undefined): Settled<Outcome> {
    if (!verdict) throw new RangeError('a batch returned fewer verdicts than it had commands');
    if (!('held' in verdict)) return verdict;
    const later = this.#held.setAside(command, verdict.held);
    // Avoids an unhandled rejection: `later` may reject before the batch is answered.
    later.catch(() => {});
    return { later };
  }
}

function setAsideBy(verdict: Verdict): SetAside[] {
  if (!('held' in verdict) || verdict.held.sku_key === undefined) return [];
  return [{ variant_id: verdict.held.id, sku_key: verdict.held.sku_key }];
}
