// Batches concurrent work. While one batch is in flight, new items wait; when it returns, the waiting items form the
// next batch (with many clients, half of them). An idle service adds no delay, a busy one batches by itself; only for
// clients that were just answered a batch waits briefly. Owners of items (channels) take turns for the places of a batch;
// in it their items keep the order of arrival. The coalescer knows neither SQL nor orders.
import { FairQueue, type Owner } from './fair-queue.ts';

/** The queue is full: the caller should answer 503, and the client should retry later. */
export class Overloaded extends Error {
  constructor(message = 'the queue is full') {
    super(message);
    this.name = 'Overloaded';
  }
}

export interface CoalescerLimits {
  /** Longest queue; `submit` rejects further items. An owner gets a share (`FairQueue`). */
  queue_items_max: number;
  /** Largest batch by items and by weight; one item always fits. */
  batch_items_max: number;
  batch_weight_max: number;
  /** From this number of clients on, a batch takes half of them; default `HALVED_MIN`. */
  halved_clients_min?: number;
}

interface Waiting<Item, Result> {
  /** Ascends with each item. */
  arrival: number;
  item: Item;
  weight: number;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: unknown) => void;
}

/** The result of one item, or its own error. */
export type Answer<Result> = { result: Result } | { error: unknown };

/** An answer, or a promise of one that is resolved after the batch. */
export type Settled<Result> = Answer<Result> | { later: Promise<Result> };

/**
 * How long to wait for the clients of the last batch to return, as a share of its duration. A lone client never
 * waits.
 */
const RETURN_SHARE = 0.1;
const RETURN_MS_MAX = 20;

/** How long a batch waits for more items while each turn of the event loop brings some. */
const GATHER_MS_MAX = 20;

/** Small batches are not halved, because each batch has a fixed cost. */
const HALVED_MIN = 16;

export class Coalescer<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Settled<Result>[]>;
  readonly #limits: CoalescerLimits;
  readonly #weigh: (item: Item) => number;
  readonly #ownerOf: (item: Item) => Owner;
  readonly #halved_min: number;
  readonly #queue: FairQueue<Waiting<Item, Result>>;
  /** Of the waiting items. */
  #weight = 0;
  #arrived = 0;
  #running: Promise<void> | null = null;
  /** The last batch: number of answered items, duration, and end. */
  #last = { size: 0, ms: 0, ended: 0 };

  constructor(
    run: (items: Item[]) => Promise<Settled<Result>[]>,
    limits: CoalescerLimits,
    weigh: (item: Item) => number = () => 1,
    ownerOf: (item: Item) => Owner = () => null,
  ) {
    this.#run = run;
    this.#limits = limits;
    this.#weigh = weigh;
    this.#ownerOf = ownerOf;
    this.#queue = new FairQueue(limits.queue_items_max);
    this.#halved_min = limits.halved_clients_min ?? HALVED_MIN;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  waitingOf(owner: Owner): number {
    return this.#queue.lengthOf(owner);
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  submit(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const weight = this.#weigh(item);
      const waiting = { arrival: (this.#arrived += 1), item, weight, resolve, reject };
      if (!this.#queue.push(this.#ownerOf(item), waiting)) throw new Overloaded();
      this.#weight += weight;
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when the queue is empty, nothing is in flight and every item is answered. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
    await nextTurn();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const batch = this.#takeBatch();
      const settled = await this.#settle(batch);
      // Start the next batch before resolving this one, so that the database works while the answers are written.
      if (this.#queue.length >= this.#enough()) setImmediate(answer, batch, settled);
      else answer(batch, settled);
    }
    this.#running = null;
  }

  /**
   * Items that arrive join the batch as long as each turn of the event loop brings more. Clients that were answered
   * together return together; without this they split into groups that wait for each other's batches. The batch also
   * waits for clients that were just answered, for a fraction of the last batch's duration. A batch that is full by weight
   * waits for nothing, and none waits for long: large bodies of one channel, which are parsed one in each turn, delayed the
   * first batch, with a small lookup of another channel in it, until all 300 of them had arrived.
   */
  async #gather(): Promise<void> {
    const enough = this.#enough();
    const now = performance.now();
    const { ms, ended } = this.#last;
    // Stop waiting for returning clients after one batch duration.
    const until = now - ended < ms ? now + Math.min(RETURN_SHARE * ms, RETURN_MS_MAX) : now;
    const { batch_weight_max } = this.#limits;
    let seen: number;
    do {
      seen = this.#queue.length;
      if (seen >= enough || this.#weight >= batch_weight_max) return;
      await nextTurn();
    } while (
      (this.#queue.length > seen && performance.now() < now + GATHER_MS_MAX) ||
      (this.#queue.length < this.#last.size && performance.now() < until)
    );
  }

  /** With many clients a batch takes half of them, so that service and database overlap. */
  #enough(): number {
    const clients = this.#last.size + this.#queue.length;
    const enough = clients < this.#halved_min ? Infinity : Math.ceil(clients / 2);
    return Math.min(enough, this.#limits.batch_items_max);
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { batch_weight_max } = this.#limits;
    const enough = this.#enough();
    const batch: Waiting<Item, Result>[] = [];
    let weight = 0;
    const fits = (next: Waiting<Item, Result>): boolean => {
      weight += next.weight;
      return batch.length === 0 || (batch.length < enough && weight <= batch_weight_max);
    };
    for (let next = this.#queue.shift(fits); next; next = this.#queue.shift(fits)) {
      batch.push(next);
      this.#weight -= next.weight;
    }
    return batch.toSorted((a, b) => a.arrival - b.arrival);
  }

  async #settle(batch: readonly Waiting<Item, Result>[]): Promise<Settled<Result>[]> {
    const started = performance.now();
    try {
      const settled = await this.#run(batch.map(itemOf));
      const ended = performance.now();
      this.#last = { size: settled.filter(isAnswered).length, ms: ended - started, ended };
      if (settled.length !== batch.length) throw new RangeError('a batch must return one result per item');
      return settled;
    } catch (error) {
      return batch.map(() => ({ error }));
    }
  }
}

const isAnswered = <Result>(one: Settled<Result>): boolean => !('later' in one);
const itemOf = <Item>({ item }: { item: Item }): Item => item;

const MISSING: Settled<never> = { error: new RangeError('a batch returned fewer results than it had items') };

function answer<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  settled: readonly Settled<Result>[],
): void {
  for (const [index, waiting] of batch.entries()) {
    const one = settled[index] ?? MISSING;
    if ('error' in one) waiting.reject(one.error);
    else waiting.resolve('later' in one ? one.later : one.result);
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
