// The observer sees the requests and answers of concurrent clients, and reports impossible answers. Drills and
// the simulator call it for every answer; the check of a drill replays the ledger through it.
import { judgeOrder } from './orders.ts';
import { OrderStates, type Status } from './order-states.ts';
import { judgeList, judgeLookup } from './reads.ts';
import { judgeReport } from './reports.ts';
import {
  parsedJson,
  saidBy,
  requestWords,
  type ServiceAnswer,
  type Finding,
  type FindingKind,
  type OrderBody,
  type ReadAnswer,
  type ServiceRequest,
  type Judge,
} from './requests.ts';
import type { OrderShown } from './shapes.ts';
import { judgeAdjustment, judgeCount } from './stock-changes.ts';
import { StockBook } from './stock-book.ts';
import type { Channel, Sku, World } from './world.ts';

/** One order as its channel knows it. */
export interface KnownOrder {
  channel: number;
  body: OrderBody;
  /** Quantity by variant code; SKUs that are not mapped are not in it. */
  needs: ReadonlyMap<string, number>;
  /** Intake requests: sent, answered 201, and unanswered. */
  sent: number;
  created: number;
  lost: number;
  /** The first answer with this order. */
  shown: OrderShown | null;
  states: OrderStates;
  /** Statuses that were reported, and those that an answer confirmed. */
  reported: Set<Status>;
  reached: Set<Status>;
  lost_reports: number;
  /** The ledger lines about it, if there is a ledger. */
  lines: number[];
}

export interface Watcher {
  /** null: an administrator */
  onFinding?(channel: number | null, finding: Finding): void;
  onViolation?(sentence: string): void;
}

/** On a service shared with other clients, finished orders beyond this number are forgotten. */
const ORDERS_MAX = 50_000;
/**
 * Statuses of requests that were not processed; they are treated like a missing answer. A request that is
 * received too slowly gets 408, which also happens on a busy machine.
 */
const TURNED_AWAY = [408, 429, 503];

export class Observer {
  readonly world: World;
  readonly stock: StockBook | null;
  readonly orders = new Map<string, KnownOrder>();
  /** One sentence per violation. */
  readonly broken = new Set<string>();
  readonly #ids = new Map<number, string>();
  readonly #skus: ReadonlyMap<string, Sku>[];
  readonly #watcher: Watcher;

  constructor(world: World, watcher: Watcher = {}) {
    this.world = world;
    this.stock = world.stock === null ? null : new StockBook(world);
    this.#skus = world.channels.map(({ skus }) => new Map(skus.map((one) => [one.sku, one])));
    this.#watcher = watcher;
  }

  /** True if there are no other clients or operators. */
  get isAlone(): boolean {
    return this.stock !== null;
  }

  /**
   * Call it when a request is sent, and the returned function when its answer arrives. `line`: the line of the
   * ledger.
   */
  leaves(
    request: ServiceRequest,
    line?: number,
  ): (answer: ServiceAnswer | null, line?: number) => FindingKind {
    const channel = 'channel' in request ? request.channel : null;
    const verdict = this.#verdictOn(request);
    const order = this.#orderOf(request);
    const note = (at: number | undefined): void => {
      if (order && at !== undefined) order.lines.push(at);
    };
    note(line);
    return (answer, at) => {
      note(at);
      const read = answer && this.#read(channel, request, answer);
      if (read === null && order?.channel === channel)
        order[request.kind === 'order' ? 'lost' : 'lost_reports'] += 1;
      const found = read ? verdict(read) : notExecuted(request, answer);
      this.#watcher.onFinding?.(channel, found);
      return found.kind;
    };
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
      this.#watcher.onViolation?.(text);
    }
    return { kind: 'broken', words: sentence };
  }

  /** The same for an order, in a sentence that begins with its number. */
  addOrderViolation(order: KnownOrder, words: string): Finding {
    return this.addViolation(order.channel, `order ${order.body.order_number} ${words}.`, order);
  }

  #verdictOn(request: ServiceRequest): Judge {
    switch (request.kind) {
      case 'order':
        return judgeOrder(this, request.channel, request.body);
      case 'report':
        return judgeReport(this, request);
      case 'lookup':
        return judgeLookup(this, request.channel, request.sku);
      case 'list':
        return judgeList(this, request.channel, request.etag);
      case 'adjust':
        return judgeAdjustment(this, request);
      case 'count':
        return judgeCount(this, request);
    }
  }

  #orderOf(request: ServiceRequest): KnownOrder | undefined {
    if (request.kind === 'order') return this.orders.get(request.body.order_number);
    return request.kind === 'report' ? this.orders.get(request.order_number) : undefined;
  }

  /** Checks that apply to every answer. null: the request was turned away, which is like no answer. */
  #read(channel: number | null, request: ServiceRequest, answer: ServiceAnswer): ReadAnswer | null {
    const { status, request_id, retry_after, text } = answer;
    const words = `${requestWords(request)} was answered ${status}`;
    if (request_id === null) this.addViolation(channel, `${words} without an X-Request-Id.`);
    const isTurnedAway = TURNED_AWAY.includes(status);
    if (isTurnedAway && status !== 408 && retry_after === null)
      this.addViolation(channel, `${words} without a Retry-After.`);
    // On a shared service an operator may deactivate a channel or rotate its key.
    if (isTurnedAway || (status === 401 && !this.isAlone)) return null;
    return { ...answer, json: parsedJson(text) };
  }
}

const notExecuted = (request: ServiceRequest, answer: ServiceAnswer | null): Finding =>
  answer
    ? { kind: 'turned_away', words: saidBy(answer) }
    : { kind: 'unanswered', words: requestWords(request) };
