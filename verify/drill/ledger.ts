// The driver's ledger: a file of everything sent and answered, one JSON fact per line. A request is on disk before it is
// sent.
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { ServiceAnswer, ServiceRequest } from '../observer/requests.ts';
import type { Catalogue } from './catalogue.ts';

/** An adjustment is not idempotent and so never resent: its unique reason shows whether it was executed. */
export type Command = Exclude<ServiceRequest, { kind: 'lookup' | 'list' }>;

/**
 * `sent` numbers the attempts. The first attempt carries the command; later attempts refer to it by the number of the
 * first.
 */
export type Fact =
  | { catalogue: Catalogue }
  | { sent: number; command: Command }
  | { sent: number; again: number }
  | { answered: number; answer: ServiceAnswer }
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

  /** Creates a new file; fails if it exists. */
  static async create(path: string): Promise<Ledger> {
    return new Ledger(await open(path, 'ax', 0o600));
  }

  /** Returns its line number, starting with 1. */
  write(fact: Fact): number {
    this.#pending.push(`${JSON.stringify(fact)}\n`);
    this.#lines += 1;
    return this.#lines;
  }

  /** Resolves once everything written so far is on disk; concurrent callers share one fsync. */
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
    // Wait one turn of the event loop, so that all requests about to be sent share this fsync.
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
