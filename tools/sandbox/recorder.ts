// The last requests of each key, in memory and already masked.
import type { Note } from './explain.ts';

export interface Exchange {
  at: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  /** From the answer's `X-Request-Id`. */
  request_id: string | null;
  /** For a refusal: its `Sluice-Error` and the page about it. */
  error: { reason: string; link: string } | null;
  /** From `X-Sandbox-Fault`. */
  fault: string | null;
  /** Masked; null: none, or it cannot be shown. */
  request_body: string | null;
  answer_body: string | null;
  notes: Note[];
}

const EXCHANGES_MAX = 100;
/** For requests without a known key. */
const NOBODY = '';

export class Recorder {
  readonly #groups = new Map<string, Exchange[]>();
  /** By group and order number: the hash of the first body. */
  readonly #orders = new Map<string, Map<string, string>>();

  /** `group`: the hash of a valid key; null: no known key. */
  add(group: string | null, exchange: Exchange): void {
    const name = group ?? NOBODY;
    const list = this.#groups.get(name) ?? [];
    this.#groups.set(name, [exchange, ...list.slice(0, EXCHANGES_MAX - 1)]);
  }

  /** Newest first. */
  of(group: string | null): readonly Exchange[] {
    return this.#groups.get(group ?? NOBODY) ?? [];
  }

  /** Remembers the body of this order number. */
  noteOrder(group: string, orderNumber: string, bodyHash: string): void {
    const orders = this.#orders.get(group) ?? new Map<string, string>();
    this.#orders.set(group, orders.set(orderNumber, bodyHash));
    const [oldest] = orders.keys();
    if (orders.size > EXCHANGES_MAX && oldest !== undefined) orders.delete(oldest);
  }

  /** Whether this order was first accepted with a different body; false if unknown. */
  isOtherBody(group: string, orderNumber: string, bodyHash: string): boolean {
    return (this.#orders.get(group)?.get(orderNumber) ?? bodyHash) !== bodyHash;
  }

  clear(): void {
    this.#groups.clear();
    this.#orders.clear();
  }
}
