// Sums that reveal an oversell. The bounds hold for every possible order of execution: a certain acceptance
// counts from its answer, a possible release from its request.
import type { KnownOrder } from './known-order.ts';
import { grantKey, type Grant, type Stock, type World } from './world.ts';

interface Sums {
  start: Stock;
  /** Manual changes: possibly added, certainly added, possibly removed. */
  added_sent: number;
  added: number;
  lowered_sent: number;
  lowered: number;
  /** Quantities of normal orders that were certainly accepted. */
  accepted: number;
  /** Of those, possibly cancelled. */
  released: number;
  /** Quantities of all orders sent. */
  asked: number;
  /** Quantities of all orders with a shipment report sent. */
  ship_sent: number;
  shipped: number;
}

interface Ahead {
  grant: Grant;
  asked: number;
  /** Certainly accepted, and neither shipped nor cancelled. */
  open: number;
}

export class StockBook {
  readonly #sums = new Map<string, Sums>();
  readonly #ahead = new Map<string, Ahead>();

  constructor({ stock, grants }: World) {
    for (const [code, start] of stock ?? []) {
      const none = {
        added_sent: 0,
        added: 0,
        lowered_sent: 0,
        lowered: 0,
        accepted: 0,
        released: 0,
        asked: 0,
        ship_sent: 0,
        shipped: 0,
      };
      this.#sums.set(code, { start, ...none });
    }
    for (const [key, grant] of grants) this.#ahead.set(key, { grant, asked: 0, open: 0 });
  }

  asked(order: KnownOrder): void {
    for (const [code, quantity] of order.needs) {
      this.#add(code, 'asked', quantity);
      const ahead = order.body.is_backorder ? this.#aheadOf(order, code) : undefined;
      if (ahead) ahead.asked += quantity;
    }
  }

  /** Returns a sentence for each variant that was oversold. */
  accepted(order: KnownOrder): string[] {
    return [...order.needs].flatMap(([code, quantity]) => {
      if (order.body.is_backorder) return this.#acceptedAhead(order, code, quantity);
      const sums = this.#add(code, 'accepted', quantity);
      if (!sums) return [];
      const live = sums.accepted - sums.released;
      const most = sellable(sums, sums.added_sent);
      return live > most
        ? [
            `${code} is oversold: ${live} are accepted and not cancelled, but no more than ${most} could be sold.`,
          ]
        : [];
    });
  }

  #acceptedAhead(order: KnownOrder, code: string, quantity: number): string[] {
    const ahead = this.#aheadOf(order, code);
    if (!ahead) return [];
    ahead.open += quantity;
    const { reserve_quota, backordered_qty } = ahead.grant;
    return reserve_quota > 0 && ahead.open > reserve_quota - backordered_qty
      ? [
          `${code}: backorders exceed the quota: ${ahead.open} are backordered, but the quota left was ${reserve_quota - backordered_qty}.`,
        ]
      : [];
  }

  cancelling(order: KnownOrder): void {
    for (const [code, quantity] of order.needs) {
      if (order.body.is_backorder) this.#closeAhead(order, code, quantity);
      else this.#add(code, 'released', quantity);
    }
  }

  shipping(order: KnownOrder): void {
    for (const [code, quantity] of order.needs) {
      this.#add(code, 'ship_sent', quantity);
      if (order.body.is_backorder) this.#closeAhead(order, code, quantity);
    }
  }

  shipped(order: KnownOrder): string[] {
    return [...order.needs].flatMap(([code, quantity]) => {
      const sums = this.#add(code, 'shipped', quantity);
      const most = sums ? sums.start.quantity + sums.added_sent : Infinity;
      return sums && sums.shipped > most
        ? [`${sums.shipped} of ${code} are shipped, but no more than ${most} were ever in the warehouse.`]
        : [];
    });
  }

  adjusting(code: string, delta: number): void {
    this.#add(code, delta > 0 ? 'added_sent' : 'lowered_sent', Math.abs(delta));
  }

  adjusted(code: string, delta: number): void {
    this.#add(code, delta > 0 ? 'added' : 'lowered', Math.abs(delta));
  }

  /**
   * True if the quantities of all orders sent fit into the stock together; then no order may be refused for
   * lack of stock.
   */
  mustAccept(order: KnownOrder): boolean {
    return [...order.needs].every(([code, quantity]) => {
      const sums = this.#sums.get(code);
      if (!sums) return false;
      if (!order.body.is_backorder)
        return common(sums.start) + sums.added - sums.lowered_sent - sums.asked >= 0;
      const ahead = this.#aheadOf(order, code);
      if (!ahead || ahead.grant.reserve_quota === 0) return true;
      return ahead.grant.reserve_quota - ahead.grant.backordered_qty >= Math.max(ahead.asked, quantity);
    });
  }

  mustShip(order: KnownOrder): boolean {
    return [...order.needs.keys()].every((code) => {
      const sums = this.#sums.get(code);
      return sums !== undefined && sums.start.quantity + sums.added - sums.lowered_sent - sums.ship_sent >= 0;
    });
  }

  /** The quantity of a variant that is certainly taken now: the input of `availableMax` for a lookup sent now. */
  takenNow(code: string): number {
    return this.#sums.get(code)?.accepted ?? 0;
  }

  availableMax(code: string, takenThen: number): number {
    const sums = this.#sums.get(code);
    if (!sums) return 0;
    return Math.max(0, sellable(sums, sums.added_sent) - Math.max(0, takenThen - sums.released));
  }

  /** As confirmed by answers; unanswered adjustments are not included. */
  quantityNow(code: string): number | null {
    const sums = this.#sums.get(code);
    return sums ? sums.start.quantity + sums.added - sums.lowered : null;
  }

  #add(code: string, name: Exclude<keyof Sums, 'start'>, quantity: number): Sums | undefined {
    const sums = this.#sums.get(code);
    if (sums) sums[name] += quantity;
    return sums;
  }

  #aheadOf = ({ channel }: KnownOrder, code: string): Ahead | undefined =>
    this.#ahead.get(grantKey(channel, code));

  #closeAhead(order: KnownOrder, code: string, quantity: number): void {
    // Count it once, at the first of shipping and cancelling.
    if (order.reported.has(3) || order.reported.has(88)) return;
    const ahead = this.#aheadOf(order, code);
    if (ahead) ahead.open -= quantity;
  }
}

const common = ({ quantity, unshipped, allocated, backordered }: Stock): number =>
  quantity - unshipped - allocated - backordered;

/** Contract 2.3.1 at the start, plus additions and all pre-allocations; at most the physical stock. */
const sellable = ({ start }: Sums, added: number): number =>
  Math.min(
    Math.max(0, common(start) + added) + start.allocated,
    Math.max(0, start.quantity - start.unshipped + added),
  );
