// What every verdict needs: the world, what was sent and told so far, and where to say what is broken.
import { newOrder, type KnownOrder, type OrderBody } from './orders.ts';
import { StockBook } from './stock-book.ts';
import type { Channel, Sku, World } from './world.ts';

export interface Sent {
  channel: number;
  method: string;
  /** Below the base address, with its query. */
  path: string;
  body: unknown;
  if_none_match: string | null;
}

export interface Answer {
  status: number;
  json: unknown;
  text: string;
  headers: Headers;
  ms: number;
}

/** What a request came to, for the tallies and the view. */
export type Kind =
  | 'accepted'
  | 'resent'
  | 'refused'
  | 'paid'
  | 'preparing'
  | 'shipped'
  | 'cancelled'
  | 'repeated'
  | 'too_late'
  | 'short'
  | 'looked_up'
  | 'listed'
  | 'unchanged'
  | 'not_found'
  | 'turned_away'
  | 'unanswered';

export interface Happening {
  channel: number;
  kind: Kind;
  words: string;
  ms: number | null;
}

/** Finished orders stay within reach of resends, but not all of them for ever. */
const ORDERS_MAX = 50_000;

export class Books {
  readonly world: World;
  readonly stock: StockBook | null;
  readonly orders = new Map<string, KnownOrder>();
  readonly broken = new Set<string>();
  readonly #ids = new Map<number, string>();
  readonly #skus: ReadonlyMap<string, Sku>[];
  readonly #happened: (happening: Happening) => void;

  constructor(world: World, happened: (happening: Happening) => void) {
    this.world = world;
    this.stock = world.stock === null ? null : new StockBook(world);
    this.#skus = world.channels.map(({ skus }) => new Map(skus.map((one) => [one.sku, one])));
    this.#happened = happened;
  }

  /** Nobody else trades or administers. */
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

  /** The order of this number; a new one where it is the first time. */
  order(channel: number, body: OrderBody): KnownOrder {
    const known = this.orders.get(body.order_number);
    if (known) return known;
    const order = newOrder(channel, body, (sku) => this.sku(channel, sku)?.variant_code);
    if (!this.isAlone && this.orders.size >= ORDERS_MAX) this.#forgetOldest();
    this.orders.set(body.order_number, order);
    this.stock?.asked(order);
    return order;
  }

  /** Another order that has this id; undefined where there is none. */
  takeId(id: number, number: string): string | undefined {
    const owner = this.#ids.get(id);
    if (owner === undefined) this.#ids.set(id, number);
    return owner === number ? undefined : owner;
  }

  /** One sentence for each broken promise; the same one counts once. */
  broke(channel: number, sentence: string): void {
    this.broken.add(`${this.channel(channel).name}: ${sentence}`);
  }

  happened(channel: number, kind: Kind, words: string, answer: Answer | null): void {
    this.#happened({ channel, kind, words, ms: answer?.ms ?? null });
  }

  #forgetOldest(): void {
    const [oldest] = this.orders;
    if (!oldest) return;
    this.orders.delete(oldest[0]);
    if (oldest[1].shown) this.#ids.delete(oldest[1].shown.id);
  }
}

/** The first words of an answer, for a sentence. */
export const said = ({ status, text }: Answer): string => `${status} ${text.slice(0, 200)}`;
