// The rules once more, as naively as possible: a list of orders and what administrators set. Every number is
// summed up from that list each time it is asked for; there are no counters that could drift. Written from the
// specification and DECISIONS.md, sharing nothing with src/domain.

export interface ModelLine {
  sku: string;
  quantity: number;
}

interface ModelOrder {
  channel: number;
  number: string;
  status: number;
  backorder: boolean;
  lines: { variant: number; quantity: number }[];
  /** what the order took out of its channel's pre-allocation, by variant */
  drawn: Map<number, number>;
  history: number[];
}

/** The second column of decision 17, walked by hand: which steps lead from one status to another. */
const WALKS: Record<number, Record<number, number[]>> = {
  0: { 1: [1], 2: [1, 2], 9: [1, 9], 3: [1, 2, 3], 88: [88] },
  1: { 2: [2], 9: [9], 3: [2, 3], 88: [88] },
  2: { 9: [9], 3: [3], 88: [88] },
  9: { 3: [3], 88: [88] },
  3: {},
  88: {},
};

const OPEN = new Set([0, 1, 2, 9]);

export class Model {
  readonly orders: ModelOrder[] = [];
  readonly physical = new Map<number, number>();
  readonly mappings = new Map<string, number>();
  readonly #granted = new Map<string, number>();
  readonly #quota = new Map<string, number>();

  map(channel: number, sku: string, variant: number): void {
    this.mappings.set(`${channel}/${sku}`, variant);
  }

  unmap(channel: number, sku: string): void {
    this.mappings.delete(`${channel}/${sku}`);
  }

  setStock(variant: number, quantity: number): void {
    this.physical.set(variant, quantity);
  }

  /** False: refused, physical stock would fall below 0. */
  adjustStock(variant: number, delta: number): boolean {
    const quantity = (this.physical.get(variant) ?? 0) + delta;
    if (quantity < 0) return false;
    this.physical.set(variant, quantity);
    return true;
  }

  /** The administrator sets the live remainder. */
  setAllocation(channel: number, variant: number, allocated: number, quota: number): void {
    const key = `${channel}/${variant}`;
    const change = allocated - this.allocatedQty(channel, variant);
    this.#granted.set(key, (this.#granted.get(key) ?? 0) + change);
    this.#quota.set(key, quota);
  }

  #held(variant: number, backorder: boolean, channel?: number): number {
    let sum = 0;
    for (const order of this.orders) {
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

  allocatedQty(channel: number, variant: number): number {
    let left = this.#granted.get(`${channel}/${variant}`) ?? 0;
    for (const order of this.orders) {
      if (order.channel === channel && order.status !== 88) left -= order.drawn.get(variant) ?? 0;
    }
    return left;
  }

  allocated(variant: number, channels: readonly number[]): number {
    return channels.reduce((sum, channel) => sum + this.allocatedQty(channel, variant), 0);
  }

  quota(channel: number, variant: number): number {
    return this.#quota.get(`${channel}/${variant}`) ?? 0;
  }

  common(variant: number, channels: readonly number[]): number {
    const raw =
      (this.physical.get(variant) ?? 0) -
      this.unshipped(variant) -
      this.allocated(variant, channels) -
      this.backordered(variant);
    return raw < 0 ? 0 : raw;
  }

  available(channel: number, variant: number, channels: readonly number[]): number {
    if (!this.physical.has(variant)) return 0;
    return this.common(variant, channels) + this.allocatedQty(channel, variant);
  }

  reserveRemaining(channel: number, variant: number): number {
    if (!this.physical.has(variant)) return 0;
    const left = this.quota(channel, variant) - this.backordered(variant, channel);
    return left < 0 ? 0 : left;
  }

  /** A word for what happens, with the numbers that the answer must name. */
  intake(
    command: {
      channel: number;
      number: string;
      status: number;
      backorder: boolean;
      lines: readonly ModelLine[];
    },
    channels: readonly number[],
  ): string {
    const known = this.orders.find((order) => order.number === command.number);
    if (known) return known.channel === command.channel ? `resent ${known.status}` : 'order_number_taken';
    const lines: { variant: number; quantity: number }[] = [];
    for (const { sku, quantity } of command.lines) {
      const variant = this.mappings.get(`${command.channel}/${sku}`);
      if (variant === undefined) return `sku_unmapped ${sku}`;
      if (!this.physical.has(variant)) return `stock_missing ${sku}`;
      lines.push({ variant, quantity });
    }
    const drawn = new Map<number, number>();
    for (const [index, { variant }] of lines.entries()) {
      const wanted = lines
        .filter((line) => line.variant === variant)
        .reduce((sum, line) => sum + line.quantity, 0);
      if (command.backorder) {
        const quota = this.quota(command.channel, variant);
        const left = quota - this.backordered(variant, command.channel);
        if (quota > 0 && left < wanted) {
          return `quota_insufficient ${command.lines[index]?.sku} ${wanted} ${Math.max(0, left)}`;
        }
      } else {
        const available = this.available(command.channel, variant, channels);
        if (available < wanted)
          return `stock_insufficient ${command.lines[index]?.sku} ${wanted} ${available}`;
        drawn.set(variant, Math.max(0, wanted - this.common(variant, channels)));
      }
    }
    const { channel, number, status, backorder } = command;
    this.orders.push({ channel, number, status, backorder, lines, drawn, history: [status] });
    return `created ${status}`;
  }

  report(command: { channel: number | null; number: string; status: number }): string {
    const order = this.orders.find(
      (one) => one.number === command.number && (command.channel === null || one.channel === command.channel),
    );
    if (!order) return 'order_unknown';
    if (order.status === command.status) return `reported ${order.status}`;
    const walk = WALKS[order.status]?.[command.status];
    if (!walk) return `invalid_transition ${order.status} ${command.status}`;
    if (command.status === 3) {
      for (const { variant } of order.lines) {
        const wanted = order.lines
          .filter((l) => l.variant === variant)
          .reduce((sum, l) => sum + l.quantity, 0);
        const physical = this.physical.get(variant) ?? 0;
        if (physical < wanted) return `shipment_short ${order.status} ${wanted} ${physical}`;
      }
      for (const line of order.lines) {
        this.physical.set(line.variant, (this.physical.get(line.variant) ?? 0) - line.quantity);
      }
    }
    order.history.push(...walk);
    order.status = command.status;
    return `reported ${order.status}`;
  }
}
