// Commands that wait for rows locked by other transactions, with one queue per row. A few lanes wait for one row each;
// the sweep retries the other rows without waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import { channelOfCommand, type Command, type Outcome } from '../rules/commands.ts';
import type { ContendedRows } from '../rules/contended-rows.ts';
import type { RowRef } from '../rules/missing-locks.ts';
import { DatabaseUnavailable } from '../../platform/database/failures.ts';
import type { RowIds } from './reads-store.ts';
import type { BatchRunner, GateObserver, Verdict, Work } from './batch-runner.ts';
import { Overloaded } from '../../platform/queues/coalescer.ts';
import { hasRoom } from '../../platform/queues/fair-queue.ts';

/** A command that changed queues this often runs alone and waits for all its rows. */
const MOVES_MAX = 3;

/** Pause between two sweeps: a minimum, and a multiple of the duration of the last sweep. */
const SWEEP_PAUSE_MS_MIN = 20;
const SWEEP_PAUSE_TIMES = 4;

interface Waiting {
  readonly command: Command;
  readonly since: number;
  /** How often the command changed queues. */
  moves: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Queue {
  readonly row: RowRef;
  /** In order of arrival. */
  waiting: Waiting[];
  /** A lane or the sweep is working on it. */
  isServed: boolean;
}

interface HeldLimits {
  /** Limit on waiting commands over all rows. */
  held_items_max: number;
  batch_items_max: number;
  batch_weight_max: number;
  patience_ms: number;
}

const NOTHING_SKIPPED: RowIds = { order_ids: [], variant_ids: [] };

export class HeldRows {
  /** By `keyOf`, least recently served first. */
  readonly #queues = new Map<string, Queue>();
  readonly #freeLanes: BatchRunner[];
  readonly #sweeper: BatchRunner;
  readonly #observer: GateObserver;
  readonly #limits: HeldLimits;
  readonly #weigh: (command: Command) => number;
  readonly #contended: ContendedRows | null;
  readonly #atWork = new Set<Promise<void>>();
  #isSweeping = false;
  #size = 0;

  constructor(
    runners: { lanes: readonly BatchRunner[]; sweeper: BatchRunner },
    observer: GateObserver,
    limits: HeldLimits,
    weigh: (command: Command) => number,
    contended: ContendedRows | null,
  ) {
    this.#contended = contended;
    this.#freeLanes = [...runners.lanes];
    this.#sweeper = runners.sweeper;
    this.#observer = observer;
    this.#limits = limits;
    this.#weigh = weigh;
  }

  /** Number of waiting commands, excluding batches in flight. */
  get size(): number {
    return this.#size;
  }

  waitingOf(channelId: number | null): number {
    let count = 0;
    for (const { waiting } of this.#queues.values())
      for (const { command } of waiting) if (channelOfCommand(command) === channelId) count += 1;
    return count;
  }

  /** Rows with waiting commands. Later commands on these rows must queue behind them. */
  get rows(): RowIds {
    if (this.#queues.size === 0) return NOTHING_SKIPPED;
    const order_ids: number[] = [];
    const variant_ids: number[] = [];
    for (const { row } of this.#queues.values())
      (row.table === 'orders' ? order_ids : variant_ids).push(row.id);
    return { order_ids, variant_ids };
  }

  /** Resolves to the outcome of the command; rejects if too many commands wait, of all channels or of this one. */
  setAside(command: Command, row: RowRef): Promise<Outcome> {
    const channelId = channelOfCommand(command);
    if (!hasRoom(this.#limits.held_items_max, this.#size, channelId, this.waitingOf(channelId)))
      return Promise.reject(new Overloaded());
    return new Promise((resolve, reject) => {
      this.#enqueue({ command, since: performance.now(), moves: 0, resolve, reject }, row);
      this.#assign();
    });
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork);
  }

  #enqueue(waiting: Waiting, row: RowRef): void {
    const key = keyOf(row);
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = { row, waiting: [], isServed: false };
      this.#queues.set(key, queue);
    }
    queue.waiting.push(waiting);
    this.#size += 1;
  }

  /** Gives each free lane a row; the sweep handles the other rows. */
  #assign(): void {
    for (const queue of this.#queues.values()) {
      if (queue.isServed) continue;
      const lane = this.#freeLanes.pop();
      if (lane) this.#follow(this.#serve(queue, lane));
      else if (!this.#isSweeping) this.#follow(this.#sweep());
      if (!lane) return;
    }
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#atWork.delete(followed));
    this.#atWork.add(followed);
  }

  /** Waits for the row without holding another. The commands in its queue by then become one batch. */
  async #serve(queue: Queue, lane: BatchRunner): Promise<void> {
    queue.isServed = true;
    const present = new Set(queue.waiting);
    let taken: Waiting[] = [];
    const mustWait = (queue.waiting[0]?.moves ?? 0) >= MOVES_MAX;
    const take = (): Command[] => {
      taken = this.#takeBatch([queue], mustWait ? 1 : this.#limits.batch_items_max);
      return taken.map(commandOf);
    };
    const work: Work = mustWait
      ? { take, behind: null, locking: 'wait' }
      : { take, behind: queue.row, locking: NOTHING_SKIPPED, onLocked: this.#noteLocked(queue.row) };
    const verdicts = await lane.run(work).catch((error: unknown): Verdict[] => {
      // The row could not be locked in time. Only commands present from the start have waited the whole time; others may
      // have come back to the front of the queue meanwhile.
      taken = queue.waiting.filter((waiting) => present.has(waiting));
      queue.waiting = queue.waiting.filter((waiting) => !present.has(waiting));
      this.#size -= taken.length;
      for (const _ of taken) this.#observer.failure(error);
      return taken.map(() => ({ error }));
    });
    this.#answer(taken, verdicts, (waiting, row) => {
      waiting.moves += 1;
      return row;
    });
    this.#freeLanes.push(lane);
    this.#release([queue]);
    this.#assign();
  }

  #noteLocked({ table, id }: RowRef): ((waited: boolean) => void) | null {
    const contended = this.#contended;
    return contended && table === 'stock' ? (waited) => contended.locked(id, waited) : null;
  }

  /** Retries the rows without a lane and skips rows that are still locked. */
  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    for (;;) {
      const queues = [...this.#queues.values()].filter(isUnserved);
      if (queues.length === 0) break;
      const started = performance.now();
      const taken = this.#takeBatch(queues, this.#limits.batch_items_max);
      // Commands that did not fit keep their position and may get a lane meanwhile.
      const served = queues.filter((queue) => queue.isServed);
      const commands = taken.map(commandOf);
      const verdicts = await this.#sweeper.run({
        take: () => commands,
        behind: null,
        locking: NOTHING_SKIPPED,
      });
      this.#answer(taken, verdicts, (waiting, row) => (this.#isLate(waiting) ? null : row));
      this.#release(served);
      this.#assign();
      const took = performance.now() - started;
      await sleep(Math.max(SWEEP_PAUSE_MS_MIN, SWEEP_PAUSE_TIMES * took));
    }
    this.#isSweeping = false;
  }

  #isLate({ since }: Waiting): boolean {
    return performance.now() - since >= this.#limits.patience_ms;
  }

  /**
   * Commands on rows that are still held return to the front of a queue. If `rowFor` returns null, they are rejected.
   */
  #answer(
    taken: readonly Waiting[],
    verdicts: readonly Verdict[],
    rowFor: (waiting: Waiting, held: RowRef) => RowRef | null,
  ): void {
    const arrived = new Map<Queue, Waiting[]>();
    for (const [index, waiting] of taken.entries()) {
      const verdict = verdicts[index] ?? NO_VERDICT;
      if ('result' in verdict) waiting.resolve(verdict.result);
      else if ('error' in verdict) waiting.reject(verdict.error);
      else {
        const row = rowFor(waiting, verdict.held);
        const queue = row && this.#queues.get(keyOf(row));
        if (queue && !arrived.has(queue)) arrived.set(queue, queue.waiting.splice(0));
        if (row) this.#enqueue(waiting, row);
        else this.#giveUp(waiting);
      }
    }
    for (const [queue, later] of arrived) queue.waiting.push(...later);
  }

  #giveUp(waiting: Waiting): void {
    const error = new DatabaseUnavailable(new Error('another transaction holds a row for too long'));
    this.#observer.failure(error);
    waiting.reject(error);
  }

  /** Marks the queues from which it takes commands as served. */
  #takeBatch(queues: readonly Queue[], itemsMax: number): Waiting[] {
    const taken: Waiting[] = [];
    let weight = 0;
    for (const queue of queues) {
      let size = 0;
      for (const { command } of queue.waiting) {
        weight += this.#weigh(command);
        const count = taken.length + size;
        if (count > 0 && (count >= itemsMax || weight > this.#limits.batch_weight_max)) {
          taken.push(...this.#remove(queue, size));
          return taken;
        }
        size += 1;
        queue.isServed = true;
      }
      taken.push(...this.#remove(queue, size));
    }
    return taken;
  }

  #remove(queue: Queue, count: number): Waiting[] {
    const removed = queue.waiting.splice(0, count);
    this.#size -= removed.length;
    return removed;
  }

  #release(queues: readonly Queue[]): void {
    for (const queue of queues) {
      queue.isServed = false;
      this.#queues.delete(keyOf(queue.row));
      if (queue.waiting.length > 0) this.#queues.set(keyOf(queue.row), queue);
    }
  }
}

const keyOf = ({ table, id }: RowRef): string => `${table}:${id}`;
const commandOf = ({ command }: Waiting): Command => command;
const isUnserved = ({ isServed }: Queue): boolean => !isServed;
const NO_VERDICT: Verdict = { error: new RangeError('a batch returned fewer verdicts than it had commands') };
