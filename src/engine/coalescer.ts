// While one batch is in flight, what arrives waits; when it returns, what waits leaves together, of many clients half at a
// time. There is no timer: an idle service adds no delay, a busy one batches itself. Knows neither SQL nor orders.

/** More work is waiting than may wait: the caller should answer 503 and the client come back later. */
export class Overloaded extends Error {
  constructor() {
    super('too much work is waiting');
    this.name = 'Overloaded';
  }
}

export interface CoalescerLimits {
  /** How many items wait at the most; beyond that, `submit` refuses. */
  queue_items_max: number;
  /** How many items and how much weight leave together at the most; one item always fits. */
  batch_items_max: number;
  batch_weight_max: number;
}

interface Waiting<Item, Result> {
  item: Item;
  weight: number;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: unknown) => void;
}

/** What became of one item: its result, or the failure that concerns it alone. */
export type Answer<Result> = { result: Result } | { error: unknown };

/** Or an answer that the batch does not wait for. */
export type Settled<Result> = Answer<Result> | { later: Promise<Result> };

/** Of the last batch's time: how long those it answered are waited for. A lone client never waits. */
const RETURN_SHARE = 0.1;
const RETURN_MS_MAX = 20;

/** Fewer are served together: each batch has a cost of its own. */
const HALVED_MIN = 16;

export class Coalescer<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Settled<Result>[]>;
  readonly #limits: CoalescerLimits;
  readonly #weigh: (item: Item) => number;
  #queue: Waiting<Item, Result>[] = [];
  #running: Promise<void> | null = null;
  /** The last batch: how many it answered, how long it took, and when that was. */
  #last = { size: 0, ms: 0, ended: 0 };

  constructor(
    run: (items: Item[]) => Promise<Settled<Result>[]>,
    limits: CoalescerLimits,
    weigh: (item: Item) => number = () => 1,
  ) {
    this.#run = run;
    this.#limits = limits;
    this.#weigh = weigh;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get isFull(): boolean {
    return this.#queue.length >= this.#limits.queue_items_max;
  }

  submit(item: Item): Promise<Result> {
    if (this.isFull) return Promise.reject(new Overloaded());
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ item, weight: this.#weigh(item), resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves once nothing waits, nothing is in flight and all are answered. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
    await nextTurn();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const batch = this.#takeBatch();
      const settled = await this.#settle(batch);
      // Who waits already leaves first: the next batch is on its way while the answers of this one are written.
      if (this.#queue.length >= this.#enough()) setImmediate(answer, batch, settled);
      else answer(batch, settled);
    }
    this.#running = null;
  }

  /**
   * What else arrives joins the batch, as long as each turn of the event loop brings more. Sixty clients answered
   * together come back together; without this they fall apart into groups that wait for each other's batches. Those
   * who were just answered are waited for, but only for a fraction of the time that their batch took.
   */
  async #gather(): Promise<void> {
    const enough = this.#enough();
    const now = performance.now();
    const { ms, ended } = this.#last;
    // Who has not come back in the time of a batch is gone.
    const until = now - ended < ms ? now + Math.min(RETURN_SHARE * ms, RETURN_MS_MAX) : now;
    let seen: number;
    do {
      seen = this.#queue.length;
      if (seen >= enough) return;
      await nextTurn();
    } while (
      this.#queue.length > seen ||
      (this.#queue.length < this.#last.size && performance.now() < until)
    );
  }

  /** Half of those who wait or were just answered, where they are many: one half is served while the other is asked. */
  #enough(): number {
    const clients = this.#last.size + this.#queue.length;
    const enough = clients < HALVED_MIN ? Infinity : Math.ceil(clients / 2);
    return Math.min(enough, this.#limits.batch_items_max);
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { batch_weight_max } = this.#limits;
    const enough = this.#enough();
    let size = 0;
    let weight = 0;
    for (const waiting of this.#queue) {
      weight += waiting.weight;
      if (size > 0 && (size >= enough || weight > batch_weight_max)) break;
      size += 1;
    }
    return this.#queue.splice(0, size);
  }

  async #settle(batch: readonly Waiting<Item, Result>[]): Promise<Settled<Result>[]> {
    const started = performance.now();
    try {
      const settled = await this.#run(batch.map(itemOf));
      const ended = performance.now();
      this.#last = { size: settled.filter(isAnswered).length, ms: ended - started, ended };
      if (settled.length !== batch.length) throw new RangeError('a batch must answer each of its items');
      return settled;
    } catch (error) {
      return batch.map(() => ({ error }));
    }
  }
}

const isAnswered = <Result>(one: Settled<Result>): boolean => !('later' in one);
const itemOf = <Item>({ item }: { item: Item }): Item => item;

function answer<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  settled: readonly Settled<Result>[],
): void {
  for (const [index, waiting] of batch.entries()) {
    const one = settled[index] as Settled<Result>;
    if ('error' in one) waiting.reject(one.error);
    else waiting.resolve('later' in one ? one.later : one.result);
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
