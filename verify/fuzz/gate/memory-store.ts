// What the database is to the gate, in memory: a batch reads copies, and only what its changes say is written.
import {
  allocationKey,
  skuKey,
  type Changes,
  type Command,
  type MappedVariant,
  type Order,
  type Outcome,
  type World,
} from '../../../src/domain/commands.ts';
import { decide } from '../../../src/domain/decide.ts';
import { decimal, type Decimal } from '../../../src/domain/money.ts';
import { NO_ALLOCATION, type Allocation, type Stock } from '../../../src/domain/stock.ts';
import { decideAdjustment, decideAllocation, decideSet } from '../../../src/domain/stock-changes.ts';
import {
  BARE_VARIANT,
  CHANNELS,
  CURRENCIES,
  FIRST_QUANTITY,
  FIRST_RATE,
  RATED_CHANNEL,
  rateText,
  skuOf,
  VARIANTS,
  type DeskStep,
} from './steps.ts';

const NO_STOCK: Readonly<Stock> = { quantity: 0, unshipped: 0, allocated: 0, backordered: 0 };

export class MemoryStore {
  readonly stock = new Map<number, Stock>();
  readonly allocations = new Map<string, Allocation>();
  readonly orders = new Map<string, Order>();
  readonly history = new Map<number, number[]>();
  /** The sum of all movements, by variant. */
  readonly ledger = new Map<number, number>();
  readonly #mappings = new Map<string, MappedVariant>();
  readonly #rates = new Map<string, Decimal>();
  readonly #numbers = new Map<number, string>();
  #lastId = 0;

  constructor() {
    for (const channel of CHANNELS) {
      for (const variant of VARIANTS) {
        this.#map(channel, skuOf(variant, 'a'), variant);
        this.#map(channel, skuOf(variant, 'b'), variant);
      }
    }
    for (const variant of VARIANTS) {
      if (variant === BARE_VARIANT) continue;
      this.stock.set(variant, { ...NO_STOCK, quantity: FIRST_QUANTITY });
      this.ledger.set(variant, FIRST_QUANTITY);
    }
    this.#rates.set(CURRENCIES[RATED_CHANNEL], decimal(rateText(FIRST_RATE)));
  }

  batch(commands: readonly Command[]): Outcome[] {
    const world = this.#read(commands);
    const { outcomes, changes } = decide(commands, world);
    this.#write(changes);
    return outcomes;
  }

  /** False: refused. */
  desk(step: DeskStep): boolean {
    switch (step.kind) {
      case 'set':
      case 'adjust': {
        const current = this.stock.get(step.variant)?.quantity ?? null;
        if (step.kind === 'adjust' && current === null) return false;
        const decision =
          step.kind === 'set'
            ? decideSet(current, step.quantity, step.expected)
            : decideAdjustment(current ?? 0, step.delta);
        if (decision.kind !== 'change') return false;
        if (current === null) this.stock.set(step.variant, { ...NO_STOCK });
        this.#addToStock(step.variant, { ...NO_STOCK, quantity: decision.delta });
        this.#addToLedger(step.variant, decision.delta, decision.quantity_after);
        return true;
      }
      case 'allocate': {
        if (!this.stock.has(step.variant)) return false;
        const key = allocationKey(step.channel, step.variant);
        const wanted = { allocated_qty: step.allocated, reserve_quota: step.quota };
        const { delta, after } = decideAllocation(this.allocations.get(key) ?? null, wanted);
        this.#addToStock(step.variant, { ...NO_STOCK, allocated: delta });
        this.allocations.set(key, after);
        return true;
      }
      case 'map':
        this.#map(step.channel, step.sku, step.variant);
        return true;
      case 'unmap':
        return this.#mappings.delete(skuKey(step.channel, step.sku));
      case 'rate':
        this.#rates.set(CURRENCIES[RATED_CHANNEL], decimal(rateText(step.rate)));
        return true;
    }
  }

  #map(channel: number, sku: string, variant: number): void {
    const code = String(variant);
    this.#mappings.set(skuKey(channel, sku), {
      variant_id: variant,
      product_code: code,
      product_name: code,
      product_version_id: variant,
    });
  }

  #read(commands: readonly Command[]): World {
    const orders = new Map<string, Order>();
    for (const command of commands) {
      const number =
        command.kind === 'intake'
          ? command.order_number
          : 'order_id' in command.target
            ? this.#numbers.get(command.target.order_id)
            : command.target.order_number;
      const order = this.orders.get(number ?? '');
      if (order) orders.set(order.order_number, copyOf(order));
    }
    return {
      now: new Date(0),
      stock: new Map([...this.stock].map(([key, row]) => [key, { ...row }])),
      allocations: new Map([...this.allocations].map(([key, row]) => [key, { ...row }])),
      mappings: this.#mappings,
      orders,
      currencies: new Map(CHANNELS.map((channel) => [channel, CURRENCIES[channel]])),
      accepted: new Map(),
      roles: new Map(),
      rates: this.#rates,
      couriers: new Map(),
      nextOrderId: () => ++this.#lastId,
    };
  }

  #write(changes: Changes): void {
    for (const { order } of changes.created) {
      if (this.orders.has(order.order_number)) throw new RangeError(`${order.order_number} is stored twice`);
      const stored = copyOf(order);
      for (const item of stored.items) item.cancelled_quantity = 0;
      this.orders.set(order.order_number, stored);
      this.#numbers.set(order.id, order.order_number);
    }
    for (const { order_id, from, to } of changes.history) {
      const walk = this.history.get(order_id) ?? [];
      if (from !== (walk.at(-1) ?? null)) throw new RangeError(`a step of ${order_id} begins at ${from}`);
      this.history.set(order_id, [...walk, to]);
    }
    for (const [id, { status }] of changes.moved) {
      const order = this.orders.get(this.#numbers.get(id) ?? '');
      if (!order) throw new RangeError(`order ${id} moved and is not there`);
      order.status = status;
      if (status === 88) for (const item of order.items) item.cancelled_quantity = item.quantity;
    }
    for (const [variant, delta] of changes.stock) this.#addToStock(variant, delta);
    for (const [key, delta] of changes.allocations) {
      const row = this.allocations.get(key) ?? { ...NO_ALLOCATION };
      row.allocated_qty += delta.allocated_qty;
      row.backordered_qty += delta.backordered_qty;
      this.allocations.set(key, row);
    }
    for (const move of changes.movements) this.#addToLedger(move.variant_id, move.delta, move.quantity_after);
  }

  #addToStock(variant: number, delta: Stock): void {
    const row = this.stock.get(variant);
    if (!row) throw new RangeError(`stock row ${variant} is not there`);
    row.quantity += delta.quantity;
    row.unshipped += delta.unshipped;
    row.allocated += delta.allocated;
    row.backordered += delta.backordered;
  }

  #addToLedger(variant: number, delta: number, quantityAfter: number): void {
    const sum = (this.ledger.get(variant) ?? 0) + delta;
    if (sum !== quantityAfter)
      throw new RangeError(`the ledger of ${variant}: ${sum} is not ${quantityAfter}`);
    this.ledger.set(variant, sum);
  }
}

const copyOf = (order: Order): Order => ({ ...order, items: order.items.map((item) => ({ ...item })) });
