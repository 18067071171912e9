// Deliveries of one endpoint that wait in this process. Events of one order (or one alert) share a queue and are sent
// one after the other. Different queues are sent concurrently.
import type { DeliverySubject } from './payload.ts';
import type { Delivery } from './deliveries-store.ts';

export interface WaitingDelivery {
  delivery: Delivery;
  subject: DeliverySubject;
  /** When the subject was read, by `performance.now()`. */
  read_at: number;
}

/** The first delivery of a queue. */
export interface Turn {
  key: string;
  waiting: WaitingDelivery;
}

const keyOf = ({ order_id, alert_id }: Delivery): string => `${order_id ?? ''}/${alert_id ?? ''}`;

export class DeliveryQueues {
  readonly #queues = new Map<string, WaitingDelivery[]>();
  /** Queues whose first delivery is in flight. */
  readonly #busy = new Map<string, WaitingDelivery[]>();
  /** Ids of deliveries that wait here, or whose last attempt is not stored yet. */
  readonly #known = new Set<number>();
  #count = 0;
  #lastId = 0;

  /** Number of waiting deliveries. */
  get count(): number {
    return this.#count;
  }

  /** The highest id that was added. */
  get lastId(): number {
    return this.#lastId;
  }

  isKnown(id: number): boolean {
    return this.#known.has(id);
  }

  /** Adds deliveries in the order of their events. Known deliveries are skipped. */
  add(list: readonly WaitingDelivery[]): void {
    for (const waiting of list) {
      const { id } = waiting.delivery;
      if (this.#known.has(id)) continue;
      this.#known.add(id);
      this.#lastId = Math.max(this.#lastId, id);
      const key = keyOf(waiting.delivery);
      const queue = this.#busy.get(key) ?? this.#queues.get(key);
      if (queue) queue.push(waiting);
      else this.#queues.set(key, [waiting]);
      this.#count += 1;
    }
  }

  /** The first deliveries of idle queues, if they are due. */
  due(now_ms: number, limit: number): Turn[] {
    const due: Turn[] = [];
    for (const [key, [waiting]] of this.#queues) {
      if (due.length === limit) break;
      if (waiting && waiting.delivery.next_attempt_at.getTime() <= now_ms) due.push({ key, waiting });
    }
    return due;
  }

  /** The delivery with the earliest next attempt, due or not; null: none waits. */
  next(): Turn | null {
    let found: Turn | null = null;
    for (const [key, [waiting]] of this.#queues) {
      if (!waiting) continue;
      if (!found || waiting.delivery.next_attempt_at < found.waiting.delivery.next_attempt_at)
        found = { key, waiting };
    }
    return found;
  }

  /** Called when the first delivery of a queue is sent. The queue is busy until `end`. */
  begin(key: string): void {
    const queue = this.#queues.get(key);
    if (!queue) throw new RangeError(`there is no idle queue ${key}`);
    this.#queues.delete(key);
    this.#busy.set(key, queue);
  }

  /** `isDone`: the first delivery needs no further attempt. */
  end(key: string, isDone: boolean): void {
    const queue = this.#busy.get(key);
    if (!queue) throw new RangeError(`there is no busy queue ${key}`);
    this.#busy.delete(key);
    if (isDone) {
      queue.shift();
      this.#count -= 1;
    }
    if (queue.length > 0) this.#queues.set(key, queue);
  }

  /** Called when the last attempt is stored, because the delivery will not be read again. */
  forget(id: number): void {
    this.#known.delete(id);
  }

  /** Makes the first delivery of every queue due. */
  release(now: Date): void {
    for (const [waiting] of [...this.#queues.values(), ...this.#busy.values()])
      if (waiting) waiting.delivery.next_attempt_at = now;
  }
}
