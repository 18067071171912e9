// Chooses at random what to send next, based on the account. One command at a time per order, except where concurrent
// commands are the test.
import type { KnownOrder } from '../observer/known-order.ts';
import type { OrderLine, ServiceRequest } from '../observer/requests.ts';
import type { Account } from './account.ts';
import type { Command } from './ledger.ts';
import type { Random } from '../kit/random.ts';
import { isOpen, STATUSES, type Status } from '../observer/order-states.ts';
import type { Item, Catalogue } from './catalogue.ts';

/** Either a new command, or the number of an earlier command to resend. */
export type Send = { command: Command; copies: number } | { again: number };

export interface Task {
  /** The order or item that this task locks: no other task sends for it. */
  holds: string | null;
  sends: Send[];
}

export type ReadRequest = Extract<ServiceRequest, { kind: 'lookup' | 'list' }>;

const RECIPIENT = {
  recipient_name: 'Kim Minji',
  recipient_phone: '010-1234-5678',
  shipping_address: 'Seoul',
};

const WEIGHTS = {
  order: 40,
  advance: 34,
  resend: 6,
  repeat: 4,
  illegal: 3,
  twice: 3,
  rivals: 2,
  foreign_order: 1,
  foreign_report: 1,
  adjust: 2,
  count: 1,
  lookup: 3,
  list: 0.3,
};
type Choice = keyof typeof WEIGHTS;

const NEXT: Record<number, readonly Status[]> = {
  0: [1, 1, 2, 9, 3, 88],
  1: [2, 2, 9, 3, 88],
  2: [9, 3, 3, 88],
  9: [3, 3, 88],
};
/** The maximum number of finished orders that are kept for resends. */
const CLOSED_MAX = 2_000;
/** With more open orders than this, the next command closes or advances one, so that memory stays bounded over hours. */
const OPEN_MAX = 5_000;
const TOP_UP = 40;

export class TrafficPlan {
  readonly #catalogue: Catalogue;
  readonly #account: Account;
  readonly #random: Random;
  readonly #open: string[] = [];
  readonly #closed: string[] = [];
  readonly #counted: Item | undefined;
  #counting = false;
  #quantity: number;
  #sequence = 0;

  constructor(catalogue: Catalogue, account: Account, random: Random) {
    this.#catalogue = catalogue;
    this.#account = account;
    this.#random = random;
    this.#counted = catalogue.items.find(({ kind }) => kind === 'counted');
    this.#quantity = this.#counted?.quantity ?? 0;
  }

  next(): Task | ReadRequest {
    const choice = this.#open.length > OPEN_MAX ? 'advance' : this.#random.named(WEIGHTS);
    return this.#make(choice) ?? this.#newOrder(1);
  }

  /**
   * Call it when all sends of a task are answered or need no answer. Returns an order that will not be used
   * again, or null.
   */
  release({ holds }: Task): string | null {
    if (holds === null) return null;
    if (holds === this.#counted?.variant_code) {
      this.#counting = false;
      return null;
    }
    const order = this.#account.observer.orders.get(holds);
    if (order?.shown && isOpen(order.states.furthest)) this.#open.push(holds);
    else if (this.#closed.length < CLOSED_MAX) this.#closed.push(holds);
    else {
      const place = this.#random.between(0, CLOSED_MAX - 1);
      const evicted = this.#closed[place] as string;
      this.#closed[place] = holds;
      return evicted;
    }
    return null;
  }

  #make(choice: Choice): Task | ReadRequest | null {
    switch (choice) {
      case 'order':
        return this.#newOrder(1);
      case 'twice':
        return this.#newOrder(2);
      case 'adjust':
        return this.#adjust();
      case 'count':
        return this.#count();
      case 'lookup': {
        const { channel, sku } = this.#random.pick(this.#catalogue.skus);
        return { kind: 'lookup', channel, sku };
      }
      case 'list':
        return { kind: 'list', channel: this.#anyChannel(), etag: null };
      case 'advance':
      case 'rivals':
        return this.#withOrder(this.#open, (order) => this.#onOpen(choice, order));
      case 'resend':
      case 'repeat':
      case 'illegal':
      case 'foreign_order':
      case 'foreign_report':
        return this.#withOrder(this.#random.chance(0.5) ? this.#open : this.#closed, (order) =>
          this.#onAny(choice, order),
        );
    }
  }

  #withOrder(pool: string[], make: (order: KnownOrder) => Send[]): Task | null {
    if (pool.length === 0) return null;
    const place = this.#random.between(0, pool.length - 1);
    const number = pool[place] as string;
    const order = this.#account.observer.orders.get(number);
    if (!order) throw new RangeError(`order ${number} is not in the account`);
    const sends = make(order);
    if (sends.length === 0) return null;
    pool[place] = pool.at(-1) as string;
    pool.pop();
    return { holds: number, sends };
  }

  #onOpen(choice: 'advance' | 'rivals', order: KnownOrder): Send[] {
    if (choice === 'rivals') return [report(order, 3), report(order, 88)];
    const copies = this.#random.chance(0.05) ? 2 : 1;
    return [report(order, this.#random.pick(NEXT[order.states.furthest] ?? [88]), copies)];
  }

  #onAny(
    choice: 'resend' | 'repeat' | 'illegal' | 'foreign_order' | 'foreign_report',
    order: KnownOrder,
  ): Send[] {
    const { intake, last_report } = this.#account.commandsOn(order.body.order_number);
    if (choice === 'resend') return [{ again: intake }];
    if (!order.shown) return [];
    const other = this.#random.pick(
      [...this.#catalogue.channels.keys()].filter((one) => one !== order.channel),
    );
    switch (choice) {
      case 'repeat':
        return last_report === null ? [] : [{ again: last_report }];
      case 'illegal':
        return [report(order, this.#random.pick(STATUSES))];
      case 'foreign_order': {
        const body = { ...order.body, items: [this.#line(other, 'plain')] };
        return [{ command: { kind: 'order', channel: other, body }, copies: 1 }];
      }
      case 'foreign_report':
        return [{ command: { ...reportOf(order, this.#random.pick(STATUSES)), channel: other }, copies: 1 }];
    }
  }

  #newOrder(copies: number): Task {
    const random = this.#random;
    const channel = this.#anyChannel();
    const shape = random.named({ plain: 45, contended: 30, backorder: 12, mixed: 10, beyond: 2, bare: 1 });
    const order_number = `D${channel}-${++this.#sequence}`;
    const body = {
      order_number,
      ...RECIPIENT,
      status: random.chance(0.3) ? (0 as const) : (1 as const),
      is_backorder: shape === 'backorder',
      items: this.#lines(channel, shape),
    };
    return { holds: order_number, sends: [{ command: { kind: 'order', channel, body }, copies }] };
  }

  #anyChannel(): number {
    return this.#random.between(0, this.#catalogue.channels.length - 1);
  }

  #lines(channel: number, shape: string): OrderLine[] {
    const kinds = (...all: Item['kind'][]): OrderLine[] =>
      Array.from({ length: this.#random.between(1, 4) }, () => this.#line(channel, this.#random.pick(all)));
    if (shape === 'contended') return kinds('contended');
    if (shape === 'backorder') return kinds('reserved', 'plain');
    if (shape === 'mixed') return kinds('plain', 'contended', 'reserved');
    if (shape === 'bare') return [...kinds('plain'), this.#line(channel, 'bare')];
    if (shape === 'beyond')
      return [...kinds('plain'), { ...this.#line(channel, 'contended'), quantity: 1_000_000 }];
    return kinds('plain');
  }

  /** Prices are whole numbers, so that every amount can be computed without rounding. */
  #line(channel: number, kind: Item['kind']): OrderLine {
    const skus = this.#catalogue.skus.filter((one) => one.channel === channel && one.item.kind === kind);
    const { sku } = this.#random.pick(skus);
    return { sku, quantity: this.#random.between(1, 3), unit_price: this.#random.between(0, 50_000) };
  }

  #adjust(): Task {
    const item = this.#random.pick(
      this.#catalogue.items.filter(({ kind }) => kind === 'contended' || kind === 'reserved'),
    );
    const lowers = item.kind === 'reserved' && this.#random.chance(0.3);
    const amount = this.#random.between(1, TOP_UP);
    const command: Command = {
      kind: 'adjust',
      variant_code: item.variant_code,
      delta: lowers ? -amount : amount,
      reason: `adjustment ${++this.#sequence}`,
    };
    return { holds: null, sends: [{ command, copies: 1 }] };
  }

  #count(): Task | null {
    if (this.#counting || !this.#counted) return null;
    this.#counting = true;
    const { variant_code } = this.#counted;
    const expected_quantity = this.#quantity;
    this.#quantity += 1;
    const command: Command = { kind: 'count', variant_code, expected_quantity, quantity: this.#quantity };
    return { holds: variant_code, sends: [{ command, copies: 1 }] };
  }
}

/** Releases a finished task, and forgets its order and stock changes if they will not be used again. */
export function finish(task: Task, numbers: readonly number[], plan: TrafficPlan, account: Account): void {
  const unreachable = plan.release(task);
  if (unreachable !== null) account.forget(unreachable);
  else account.forgetStockChanges(numbers);
}

const reportOf = ({ channel, body: { order_number } }: KnownOrder, status: Status) => ({
  kind: 'report' as const,
  channel,
  order_number,
  status,
});

const report = (order: KnownOrder, status: Status, copies = 1): Send => ({
  command: reportOf(order, status),
  copies,
});
