// The ledger outside: a file of what was sent and what was answered, kept by whoever sends. One line a fact, as
// JSON. What is about to be sent is on disk before it leaves.
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Status } from '../kit/order-states.ts';
import type { World } from './world.ts';

export interface OrderLine {
  sku: string;
  quantity: number;
  /** A whole number, so that every amount can be computed without rounding. */
  unit_price: number;
}

/** `owner`: the number belongs to that other channel's order, and must be refused here. */
export interface OrderCommand {
  kind: 'order';
  channel_id: number;
  order_number: string;
  status: 0 | 1;
  is_backorder: boolean;
  items: OrderLine[];
  owner?: number;
}

export interface ReportCommand {
  kind: 'report';
  channel_id: number;
  order_number: string;
  status: Status;
}

/** Not safe to send twice, and so never sent again: the reason, used once, tells whether it happened. */
export interface AdjustCommand {
  kind: 'adjust';
  variant_code: string;
  delta: number;
  reason: string;
}

/** Compare and set: safe to send again. */
export interface CountCommand {
  kind: 'count';
  variant_code: string;
  expected_quantity: number;
  quantity: number;
}

export type Command = OrderCommand | ReportCommand | AdjustCommand | CountCommand;

export type Outcome =
  | { kind: 'taken'; created: boolean; id: number; status: Status; created_at: string }
  | { kind: 'refused' }
  | { kind: 'elsewhere' }
  | { kind: 'moved'; id: number; status: Status }
  | { kind: 'illegal'; current: Status }
  | { kind: 'short'; current: Status }
  | { kind: 'not_found' }
  | { kind: 'adjusted' }
  | { kind: 'counted' }
  | { kind: 'stale' };

/**
 * `sent` numbers the attempts; the first attempt of a command carries it, later ones name it by its own number,
 * which is the one of its first attempt.
 */
export type Fact =
  | { world: World }
  | { sent: number; command: Command }
  | { sent: number; again: number }
  | { answered: number; outcome: Outcome }
  | { unknown: number; reason: string }
  | { violation: string }
  | { note: string };

export class Ledger {
  readonly #file: FileHandle;
  #pending: string[] = [];
  #flushing: Promise<void> | null = null;
  #lines = 0;
  #durable = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** A new file; an old one is never written over. */
  static async create(path: string): Promise<Ledger> {
    return new Ledger(await open(path, 'ax', 0o600));
  }

  /** Returns the number of its line, the first being 1. */
  write(fact: Fact): number {
    this.#pending.push(`${JSON.stringify(fact)}\n`);
    this.#lines += 1;
    return this.#lines;
  }

  /** Resolves once everything written so far is on disk; callers of one moment share one fsync. */
  async flushed(): Promise<void> {
    const wanted = this.#lines;
    while (this.#durable < wanted) {
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = null;
      });
      await this.#flushing;
    }
  }

  async #flush(): Promise<void> {
    // The next turn: everything that is about to be sent now goes with it.
    await new Promise(setImmediate);
    const text = this.#pending.join('');
    const upTo = this.#lines;
    this.#pending = [];
    await this.#file.appendFile(text);
    await this.#file.datasync();
    this.#durable = upTo;
  }

  async close(): Promise<void> {
    await this.flushed();
    await this.#file.close();
  }
}

export async function* readLedger(path: string): AsyncGenerator<{ line: number; fact: Fact }> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    line += 1;
    yield { line, fact: JSON.parse(text) as Fact };
  }
}
