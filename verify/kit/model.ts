// The rules a second time, as simple as possible: a list of orders and the settings of administrators. Every number is
// summed from that list on each read; there are no counters that could drift. Written from the contract
// (docs/contract.md), with no code shared with src/core/rules.

export interface ModelLine {
  sku: string;
  quantity: number;
  /** in thousandths of the channel's currency */
  price: number;
}

export interface ModelOrder {
  readonly channel: number;
  readonly number: string;
  readonly status: number;
  readonly backorder: boolean;
  readonly lines: readonly { variant: number; quantity: number; unit: string }[];
  /** quantity drawn from the channel's pre-allocation, by variant */
  readonly drawn: ReadonlyMap<number, number>;
  readonly total: string;
  readonly history: readonly number[];
}

/** Contract 10.24; null: no limit. Percent of the stock that is not pre-allocated. */
export interface ModelLimits {
  line: number | null;
  unpaid: number | null;
  unpaidPercent: number | null;
  backordered: number | null;
}

/** What an administrator demands of a channel's orders: their prefix (contract 10.13), and limits. */
export interface ModelRules {
  prefix: string | null;
  limits: ModelLimits | null;
}

type KnownOrder = Pick<ModelOrder, 'channel' | 'number' | 'status' | 'backorder'> & {
  lines: readonly { variant: number; quantity: number }[];
  drawn?: ReadonlyMap<number, number> | undefined;
};

/** The second column of contract 3.2.11a, written out by hand: the steps from one status to another. */
export const WALKS: Readonly<Record<number, Readonly<Record<number, readonly number[]>>>> = {
  0: { 1: [1], 2: [1, 2], 9: [1, 9], 3: [1, 2, 3], 88: [88] },
  1: { 2: [2], 9: [9], 3: [2, 3], 88: [88] },
  2: { 9: [9], 3: [3], 88: [88] },
  9: { 3: [3], 88: [88] },
  3: {},
  88: {},
};

const OPEN = new Set([0, 1, 2, 9]);
const INT32_MAX = 2_147_483_647;

/** KRW for one unit, in millionths. */
const KRW_RATE = 1_000_000;

/** Thousandths of a currency times millionths of a rate, rounded half up to two decimals. */
function converted(thousandths: bigint, rate: number): string {
  const cents = (thousandths * BigInt(rate) + 5_000_000n) / 10_000_000n;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

/** The amounts of an order, at a rate in millionths. */
export function amountsOf(
  items: readonly { quantity: number; unit_price: number }[],
  rate: number,
): { total_amount: string; unit_prices: string[] } {
  const prices = items.map(({ unit_price }) => BigInt(Math.round(unit_price * 1000)));
  const total = items.reduce((sum, { quantity }, line) => sum + (prices[line] ?? 0n) * BigInt(quantity), 0n);
  return { total_amount: converted(total, rate), unit_prices: prices.map((price) => converted(price, rate)) };
}

/** An order as answers show it. */
export const orderWords = (
  status: number,
  total: string,
  lines: readonly { variant: number; quantity: number; unit: string }[],
): string =>
  `${status} ${total}: ${lines.map((line) => `${line.quantity} of ${line.variant} at ${line.unit}`).join(', ')}`;

export class Model {
  /** By number, which is unique across all channels; in order of intake. */
  readonly orders = new Map<string, ModelOrder>();
  readonly physical = new Map<number, number>();
  readonly mappings = new Map<string, number>();
  /** By channel; a missing channel has no rate, and its amounts are 0. */
  readonly rates = new Map<number, number>();
  /** By channel; a missing channel has neither a prefix nor limits. */
  readonly rules = new Map<number, ModelRules>();
  readonly #granted = new Map<string, number>();
  readonly #quota = new Map<string, number>();
  readonly #channels: readonly number[];

  constructor(channels: readonly number[]) {
    this.#channels = channels;
    for (const channel of channels) this.rates.set(channel, KRW_RATE);
  }

  /** An independent copy. */
  copy(): Model {
    const copy = new Model(this.#channels);
    for (const [to, from] of [
      [copy.orders, this.orders],
      [copy.physical, this.physical],
      [copy.mappings, this.mappings],
      [copy.rates, this.rates],
      [copy.rules, this.rules],
      [copy.#granted, this.#granted],
      [copy.#quota, this.#quota],
    ] as [Map<unknown, unknown>, Map<unknown, unknown>][]) {
      to.clear();
      for (const [key, value] of from) to.set(key, value);
    }
    return copy;
  }

  map(channel: number, sku: string, variant: number): void {
    this.mappings.set(`${channel}/${sku}`, variant);
  }

  unmap(channel: number, sku: string): void {
    this.mappings.delete(`${channel}/${sku}`);
  }

  /** null: no rate. */
  setRate(channel: number, rate: number | null): void {
    if (rate === null) this.rates.delete(channel);
    else this.rates.set(channel, rate);
  }

  /** False: refused, the expected quantity does not match. */
  setStock(variant: number, quantity: number, expected: number | null = null): boolean {
    if (expected !== null && this.physical.get(variant) !== expected) return false;
    this.physical.set(variant, quantity);
    return true;
  }

  /** False: refused, there is no stock row or physical stock would leave its limits. */
  adjustStock(variant: number, delta: number): boolean {
    const before = this.physical.get(variant);
    if (before === undefined || before + delta < 0 || before + delta > INT32_MAX) return false;
    this.physical.set(variant, before + delta);
    return true;
  }

  /** The administrator sets the live remainder. False: refused, there is no stock row. */
  setAllocation(channel: number, variant: number, allocated: number, quota: number): boolean {
    if (!this.physical.has(variant)) return false;
    const key = `${channel}/${variant}`;
    const change = allocated - this.allocatedQty(channel, variant);
    this.#granted.set(key, (this.#granted.get(key) ?? 0) + change);
    this.#quota.set(key, quota);
    return true;
  }

  #held(variant: number, backorder: boolean, channel?: number): number {
    let sum = 0;
    for (const order of this.orders.values()) {
      if (!OPEN.has(order.status) || order.backorder !== backorder) continue;
      if (channel !== undefined && order.channel !== channel) continue;
      for (const line of order.lines) if (line.variant === variant) sum += line.quantity;
    }
    return sum;
  }

  unshipped(variant: number): number {
    return this.#held(variant, false);
  }

  backordered(variant: number, channel?: number): number {
    return this.#held(variant, true, channel);
  }

  /** Held by unpaid normal orders of the channel. */
  unpaid(channel: number, variant: number): number {
    let sum = 0;
    for (const order of this.orders.values())
      if (order.channel === channel && order.status === 0 && !order.backorder)
        sum += sumOf(order.lines, variant);
    return sum;
  }

  allocatedQty(channel: number, variant: number): number {
    let left = this.#granted.get(`${channel}/${variant}`) ?? 0;
    for (const order of this.orders.values()) {
      if (order.channel === channel && order.status !== 88) left -= order.drawn.get(variant) ?? 0;
    }
    return left;
  }

  allocated(variant: number): number {
    return this.#channels.reduce((sum, channel) => sum + this.allocatedQty(channel, variant), 0);
  }

  quota(channel: number, variant: number): number {
    return this.#quota.get(`${channel}/${variant}`) ?? 0;
  }

  common(variant: number): number {
    const raw =
      (this.physical.get(variant) ?? 0) -
      this.unshipped(variant) -
      this.allocated(variant) -
      this.backordered(variant);
    return raw < 0 ? 0 : raw;
  }

  available(channel: number, variant: number): number {
    if (!this.physical.has(variant)) return 0;
    const promised = this.common(variant) + this.allocatedQty(channel, variant);
    const left = this.left(variant);
    return left < promised ? left : promised;
  }

  /** Contract 2.3.2b: physical stock that is not held by unshipped normal orders. */
  left(variant: number): number {
    const raw = (this.physical.get(variant) ?? 0) - this.unshipped(variant);
    return raw < 0 ? 0 : raw;
  }

  /** By how much unshipped normal orders and pre-allocations exceed physical stock. */
  overcommittedBy(variant: number): number {
    const free = (this.physical.get(variant) ?? 0) - this.unshipped(variant) - this.allocated(variant);
    return free < 0 ? -free : 0;
  }

  reserveRemaining(channel: number, variant: number): number {
    if (!this.physical.has(variant)) return 0;
    const left = this.quota(channel, variant) - this.backordered(variant, channel);
    return left < 0 ? 0 : left;
  }

  /** Adds an order in its current status, without its history; shipped quantities leave the stock. */
  restore({ drawn = new Map(), lines, ...order }: KnownOrder): void {
    const full = lines.map((line) => ({ ...line, unit: '' }));
    this.orders.set(order.number, { ...order, lines: full, drawn, total: '', history: [] });
    if (order.status !== 3) return;
    for (const { variant, quantity } of lines)
      this.physical.set(variant, (this.physical.get(variant) ?? 0) - quantity);
  }

  /** The outcome in one word, with the numbers that the answer must contain. */
  intake(command: {
    channel: number;
    number: string;
    status: number;
    backorder: boolean;
    lines: readonly ModelLine[];
    /** The number starts with the prefix of another channel, whatever the rules of the channels are. */
    reserved?: boolean;
    /** Instead of those in the rules of the channel. */
    limits?: ModelLimits | null;
  }): string {
    const prefix = this.rules.get(command.channel)?.prefix ?? null;
    if (prefix !== null && !command.number.startsWith(prefix)) return 'number_without_prefix';
    const known = this.orders.get(command.number);
    if (known?.channel === command.channel) return `resent ${wordsOf(known)}`;
    if (command.reserved || this.#isReserved(command)) return 'number_reserved';
    const rate = this.rates.get(command.channel) ?? 0;
    const lines: { variant: number; quantity: number; unit: string }[] = [];
    for (const { sku, quantity, price } of command.lines) {
      const variant = this.mappings.get(`${command.channel}/${sku}`);
      if (variant === undefined) return `sku_unmapped ${sku}`;
      if (!this.physical.has(variant)) return `stock_missing ${sku}`;
      lines.push({ variant, quantity, unit: converted(BigInt(price), rate) });
    }
    const drawn = new Map<number, number>();
    for (const [index, { variant }] of lines.entries()) {
      const wanted = sumOf(lines, variant);
      if (command.backorder) {
        const quota = this.quota(command.channel, variant);
        const left = quota - this.backordered(variant, command.channel);
        if (quota > 0 && left < wanted) {
          return `quota_insufficient ${command.lines[index]?.sku} ${wanted} ${Math.max(0, left)}`;
        }
      } else {
        const available = this.available(command.channel, variant);
        if (available < wanted)
          return `stock_insufficient ${command.lines[index]?.sku} ${wanted} ${available}`;
        drawn.set(variant, Math.max(0, wanted - this.common(variant)));
      }
      const beyond = this.#beyondLimit(command, variant, lines);
      if (beyond) return beyond;
    }
    if (known) return 'order_number_taken';
    const { channel, number, status, backorder } = command;
    const local = command.lines.reduce((sum, line) => sum + BigInt(line.price) * BigInt(line.quantity), 0n);
    const total = converted(local, rate);
    const order = { channel, number, status, backorder, lines, drawn, total, history: [status] };
    this.orders.set(number, order);
    return `created ${wordsOf(order)}`;
  }

  /** Contract 10.13. */
  #isReserved({ channel, number }: { channel: number; number: string }): boolean {
    for (const [owner, { prefix }] of this.rules)
      if (owner !== channel && prefix !== null && number.startsWith(prefix)) return true;
    return false;
  }

  /** Contract 10.24. */
  #beyondLimit(
    command: Parameters<Model['intake']>[0],
    variant: number,
    lines: readonly { variant: number; quantity: number }[],
  ): string | null {
    const { channel, backorder, status } = command;
    const limits = command.limits ?? this.rules.get(channel)?.limits;
    if (!limits) return null;
    const own = [...lines.entries()].filter(([, line]) => line.variant === variant);
    for (const [at, { quantity }] of own)
      if (limits.line !== null && quantity > limits.line)
        return `limit_exceeded ${command.lines[at]?.sku} ${quantity} ${limits.line}`;
    const wanted = own.reduce((sum, [, line]) => sum + line.quantity, 0);
    const rooms: number[] = [];
    if (backorder && this.quota(channel, variant) === 0 && limits.backordered !== null)
      rooms.push(limits.backordered - this.backordered(variant, channel));
    if (!backorder && status === 0) {
      const held = this.unpaid(channel, variant);
      const shared = Math.max(0, (this.physical.get(variant) ?? 0) - this.allocated(variant));
      if (limits.unpaid !== null) rooms.push(limits.unpaid - held);
      if (limits.unpaidPercent !== null)
        rooms.push(Number((BigInt(shared) * BigInt(limits.unpaidPercent)) / 100n) - held);
    }
    const room = Math.max(0, Math.min(...rooms));
    return wanted > room ? `limit_exceeded ${command.lines[own[0]?.[0] ?? 0]?.sku} ${wanted} ${room}` : null;
  }

  /** Contract 10.21, for an order past its expiry; `isOn`: its channel has an expiry. */
  expire(number: string, isOn: boolean): string {
    const order = this.orders.get(number);
    if (!order) return 'order_unknown';
    if (!isOn || order.status !== 0) return `reported ${wordsOf(order)}`;
    const gone = { ...order, status: 88, history: [...order.history, 88] };
    this.orders.set(number, gone);
    return `reported ${wordsOf(gone)}`;
  }

  report(command: { channel: number | null; number: string; status: number }): string {
    const order = this.orders.get(command.number);
    if (!order || (command.channel !== null && order.channel !== command.channel)) return 'order_unknown';
    if (order.status === command.status) return `reported ${wordsOf(order)}`;
    const walk = WALKS[order.status]?.[command.status];
    if (!walk) return `invalid_transition ${order.status} ${command.status}`;
    if (command.status === 3) {
      for (const { variant } of order.lines) {
        const wanted = sumOf(order.lines, variant);
        const physical = this.physical.get(variant) ?? 0;
        if (physical < wanted) return `shipment_short ${order.status} ${wanted} ${physical}`;
      }
      for (const line of order.lines) {
        this.physical.set(line.variant, (this.physical.get(line.variant) ?? 0) - line.quantity);
      }
    }
    const moved = { ...order, status: command.status, history: [...order.history, ...walk] };
    this.orders.set(order.number, moved);
    return `reported ${wordsOf(moved)}`;
  }
}

const wordsOf = (order: ModelOrder): string => orderWords(order.status, order.total, order.lines);

const sumOf = (lines: readonly { variant: number; quantity: number }[], variant: number): number =>
  lines.filter((line) => line.variant === variant).reduce((sum, line) => sum + line.quantity, 0);
