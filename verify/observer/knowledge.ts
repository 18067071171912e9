// What the observer knows of the service: the world at the start, the orders, and the violations that were found. The
// verdicts on requests read it and add to it.
import type { KnownOrder } from './known-order.ts';
import { OrderStates } from './order-states.ts';
import type { Finding, OrderBody } from './requests.ts';
import { StockBook } from './stock-book.ts';
import type { Channel, Sku, World } from './world.ts';

/** On a service shared with other clients, finished orders beyond this number are forgotten. */
const ORDERS_MAX = 50_000;

export class Knowledge {
  readonly world: World;
  readonly stock: StockBook | null;
  readonly orders = new Map<string, KnownOrder>();
  /** One sentence per violation. */
  readonly broken = new Set<string>();
  readonly #ids = new Map<number, string>();
  readonly #skus: ReadonlyMap<string, Sku>[];
  readonly #onViolation: (sentence: string) => void;

  constructor(world: World, onViolation: (sentence: string) => void) {
    this.world = world;
    this.stock = world.stock === null ? null : new StockBook(world);
    this.#skus = world.channels.map(({ skus }) => new Map(skus.map((one) => [one.sku, one])));
    this.#onViolation = onViolation;
  }

  /** True if there are no other clients or operators. */
  get isAlone(): boolean {
    return this.stock !== null;
  }

  channel(place: number): Channel {
    const channel = this.world.channels[place];
    if (!channel) throw new RangeError(`there is no channel ${place}`);
    return channel;
  }

  sku(channel: number, sku: string): Sku | undefined {
    return this.#skus[channel]?.get(sku);
  }

  /** The order with this number; created on first use. */
  order(channel: number, body: OrderBody): KnownOrder {
    const known = this.orders.get(body.order_number);
    if (known) return known;
    const needs = new Map<string, number>();
    for (const { sku, quantity } of body.items) {
      const variant = this.sku(channel, sku)?.variant_code;
      if (variant !== undefined) needs.set(variant, (needs.get(variant) ?? 0) + quantity);
    }
    const order: KnownOrder = {
      channel,
      body,
      needs,
      sent: 0,
      created: 0,
      lost: 0,
      shown: null,
      states: new OrderStates(body.status),
      reported: new Set(),
      reached: new Set(),
      lost_reports: 0,
      lines: [],
    };
    if (!this.isAlone && this.orders.size >= ORDERS_MAX) this.forget([...this.orders.keys()][0] ?? '');
    this.orders.set(body.order_number, order);
    this.stock?.asked(order);
    return order;
  }

  /** Forgets an order that gets no more requests. The sums still include it. */
  forget(number: string): void {
    const shown = this.orders.get(number)?.shown;
    if (shown) this.#ids.delete(shown.id);
    this.orders.delete(number);
  }

  /** Registers the id of an order. Returns the other order that already has it, if any. */
  takeId(id: number, number: string): string | undefined {
    const owner = this.#ids.get(id);
    if (owner === undefined) this.#ids.set(id, number);
    return owner === number ? undefined : owner;
  }

  /** Records a violation. Identical sentences count once. `channel` null: not specific to a channel. */
  addViolation(channel: number | null, sentence: string, order?: KnownOrder): Finding {
    const proof = order && order.lines.length > 0 ? ` (lines ${order.lines.join(', ')})` : '';
    const whose = channel === null ? '' : `${this.channel(channel).name}: `;
    const text = `${whose}${sentence}${proof}`;
    if (!this.broken.has(text)) {
      this.broken.add(text);
      this.#onViolation(text);
    }
    return { kind: 'broken', words: sentence };
  }

  /** The same for an order, in a sentence that begins with its number. */
  addOrderViolation(order: KnownOrder, words: string): Finding {
    return this.addViolation(order.channel, `order ${order.body.order_number} ${words}.`, order);
  }
}
