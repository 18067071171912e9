// The ledger outside: a file of what was sent and what was answered, kept by whoever sends. One line a fact, as
// JSON. What is about to be sent is on disk before it leaves.
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Answer, Request } from '../observer/requests.ts';
import type { World } from './world.ts';

/** An adjustment is not safe to send twice, and so never sent again: the reason, used once, tells whether it happened. */
export type Command = Exclude<Request, { kind: 'lookup' | 'list' }>;

/**
 * `sent` numbers the attempts; the first attempt of a command carries it, later ones name it by its own number,
 * which is the one of its first attempt.
 */
export type Fact =
  | { world: World }
  | { sent: number; command: Command }
  | { sent: number; again: number }
  | { answered: number; answer: Answer }
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
