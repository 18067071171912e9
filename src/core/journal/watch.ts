// Wakes requests that wait for a change. One small query serves all of them and is repeated while a request waits. A
// waiting request holds no connection to the database, and a thousand requests cost no more than one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { readChangedChannels } from './since-store.ts';
import type { Snapshot } from './snapshot-rules.ts';

export type WatchKind = 'stock' | 'orders';

export interface Watch {
  /** Resolves when something may have changed, and when polling stops because of an error or shutdown. */
  readonly changed: Promise<void>;
  end(): void;
}

const POLL_MS = 100;
/** Share of the time spent on polling. Under load a poll takes longer, so the interval grows. */
const POLL_SHARE_MAX = 0.1;

export class ChangeWatch {
  readonly #read: (since: Snapshot | null) => ReturnType<typeof readChangedChannels>;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Resolves after the first read; null: not polling. */
  #begun: Promise<void> | null = null;
  #isClosed = false;

  constructor(read: (since: Snapshot | null) => ReturnType<typeof readChangedChannels>) {
    this.#read = read;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get waiting(): number {
    let count = 0;
    for (const waiting of this.#waiting.values()) count += waiting.size;
    return count;
  }

  /** After this promise resolves, every change that is not visible yet will end the watch. */
  async watch(kind: WatchKind, channelId: number): Promise<Watch> {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const key = `${kind}:${channelId}`;
    const waiting = this.#waiting.get(key) ?? new Set();
    waiting.add(resolve);
    this.#waiting.set(key, waiting);
    if (this.#isClosed) resolve();
    else await (this.#begun ??= this.#begin());
    return {
      changed,
      end: () => {
        waiting.delete(resolve);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
      },
    };
  }

  /** Ends all watches. Later watches end immediately. */
  close(): void {
    this.#isClosed = true;
    this.#wakeAll();
  }

  async #begin(): Promise<void> {
    try {
      const { snapshot } = await this.#read(null);
      void this.#poll(snapshot);
    } catch {
      this.#stop();
    }
  }

  async #poll(first: Snapshot): Promise<void> {
    let since = first;
    let took = 0;
    while (this.#waiting.size > 0 && !this.#isClosed) {
      await sleep(Math.max(POLL_MS, took / POLL_SHARE_MAX), undefined, { ref: false });
      // A read after `close` would open the connection again.
      if (this.#isClosed) break;
      const began = performance.now();
      try {
        const { snapshot, stock, orders } = await this.#read(since);
        since = snapshot;
        for (const id of stock) this.#wake(`stock:${id}`);
        for (const id of orders) this.#wake(`orders:${id}`);
      } catch {
        break;
      }
      took = performance.now() - began;
    }
    this.#stop();
  }

  /** Stops polling. Each waiting request then reads the changes itself; the next watch starts polling again. */
  #stop(): void {
    this.#begun = null;
    this.#wakeAll();
  }

  #wake(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const resolve of waiting ?? []) resolve();
  }

  #wakeAll(): void {
    for (const key of this.#waiting.keys()) this.#wake(key);
  }
}
