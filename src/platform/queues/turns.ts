// Limits how much work of one kind runs at a time. What exceeds the limit waits in a bounded queue in which owners (a
// channel, an operator) take turns. A client that closes its connection gives its place back.
import { Overloaded } from './coalescer.ts';
import { FairQueue, type Owner } from './fair-queue.ts';

/** The client closed its connection before its turn: there is nothing to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection while it waited');
    this.name = 'ClientGone';
  }
}

export interface TurnLimits {
  at_once_max: number;
  /** Of one owner; default `at_once_max`. */
  at_once_per_owner_max?: number;
  waiting_max: number;
  /** Longest wait; default: no limit. */
  wait_ms_max?: number;
}

interface Waiting {
  owner: Owner;
  begin: () => void;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: FairQueue<Waiting>;
  readonly #running = new Map<Owner, number>();
  #count = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#waiting = new FairQueue(limits.waiting_max);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#count;
  }

  /** Runs `work` when it is the owner's turn. Rejects with `Overloaded`, or with `ClientGone` if `gone` comes first. */
  async run<T>(owner: Owner, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    const done = await this.take(owner, gone);
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** Resolves to a function that ends the turn; call it once. */
  async take(owner: Owner, gone?: AbortSignal): Promise<() => void> {
    if (gone?.aborted) throw new ClientGone();
    if (this.#isFree(owner) && this.#waiting.length === 0) this.#begin(owner);
    else await this.#wait(owner, gone);
    return () => this.#end(owner);
  }

  #wait(owner: Owner, gone: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { owner, begin: resolve };
    if (!this.#waiting.push(owner, waiting)) throw new Overloaded();
    const leave = (error: Error): void => {
      if (this.#waiting.remove(owner, waiting)) reject(error);
    };
    const onGone = (): void => leave(new ClientGone());
    gone?.addEventListener('abort', onGone, { once: true });
    const { wait_ms_max } = this.#limits;
    const timer =
      wait_ms_max === undefined ? undefined : setTimeout(() => leave(new Overloaded()), wait_ms_max).unref();
    // Other owners may have used up only their own share.
    this.#next();
    return promise.finally(() => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', onGone);
    });
  }

  #isFree(owner: Owner): boolean {
    const { at_once_max, at_once_per_owner_max = at_once_max } = this.#limits;
    return this.#count < at_once_max && (this.#running.get(owner) ?? 0) < at_once_per_owner_max;
  }

  #begin(owner: Owner): void {
    this.#count += 1;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
  }

  #end(owner: Owner): void {
    const left = (this.#running.get(owner) ?? 0) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    this.#count -= 1;
    this.#next();
  }

  #next(): void {
    for (;;) {
      const next = this.#waiting.shiftOf((owner) => this.#isFree(owner));
      if (!next) return;
      this.#begin(next.owner);
      next.begin();
    }
  }
}
