// After the load: every number must follow from the answers, by the formulas of the naive model.
import type { Admin } from '../kit/admin.ts';
import { Model } from '../kit/model.ts';
import type { Observer } from './observer.ts';
import type { ListRow } from './shapes.ts';
import { grantKey } from './world.ts';

/** Channels that are not part of this run. */
const OTHERS = -1;

/** What each order drew from pre-allocations, by variant code. Answers do not contain it. */
type Drawn = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Facts that can only be read from the database. */
export interface Inside {
  drawn: Drawn;
  /** Manual stock changes by variant code, answered or not. */
  moved: ReadonlyMap<string, number>;
}

export interface FinalState {
  model: Model;
  /** Variant codes; the model identifies a variant by its index. */
  codes: readonly string[];
}

/** The model with all orders in their last answered state. Quantities open before the run become one extra order. */
export function finalStateOf({ world, orders, stock }: Observer, inside: Inside | null): FinalState {
  const codes = [...(world.stock?.keys() ?? [])];
  const places = new Map(codes.map((code, place) => [code, place]));
  const model = new Model([...world.channels.keys()]);
  for (const [variant, code] of codes.entries()) {
    const start = world.stock?.get(code);
    const quantity = inside
      ? (start?.quantity ?? 0) + (inside.moved.get(code) ?? 0)
      : (stock?.quantityNow(code) ?? 0);
    model.setStock(variant, quantity);
    const open = (channel: number, held: number, backorder: boolean): void => {
      const number = `${channel} ${code} ${backorder}`;
      const lines = [{ variant, quantity: held }];
      if (held > 0) model.restore({ channel, number, status: 1, backorder, lines });
    };
    let ahead = start?.backordered ?? 0;
    for (const channel of world.channels.keys()) {
      const grant = world.grants.get(grantKey(channel, code));
      if (!grant) continue;
      model.setAllocation(channel, variant, grant.allocated_qty, grant.reserve_quota);
      open(channel, grant.backordered_qty, true);
      ahead -= grant.backordered_qty;
    }
    open(OTHERS, ahead, true);
    open(OTHERS, start?.unshipped ?? 0, false);
  }
  for (const { channel, body, needs, shown, states } of orders.values()) {
    if (shown === null) continue;
    const { order_number: number, is_backorder: backorder } = body;
    const lines = [...needs].flatMap(([code, quantity]) => {
      const variant = places.get(code);
      return variant === undefined ? [] : [{ variant, quantity }];
    });
    const drawn = new Map(
      [...(inside?.drawn.get(number) ?? [])].map(([code, quantity]) => [places.get(code) ?? -1, quantity]),
    );
    model.restore({ channel, number, status: states.furthest, backorder, lines, drawn });
  }
  return { model, codes };
}

/** Every order that was shown was answered 201 once, unless that answer was lost. */
export function checkIntakes(observer: Observer): void {
  for (const order of observer.orders.values()) {
    if (order.shown !== null && order.created === 0 && order.lost === 0)
      observer.addOrderViolation(order, 'was never answered 201 at any intake');
  }
}

export async function checkReconciled(observer: Observer, admin: Admin): Promise<void> {
  const { ok, drift } = await admin.get<{ ok: boolean; drift: unknown[] }>('/reconcile');
  if (!ok)
    observer.addViolation(
      null,
      `the service's own counters have drifted: ${JSON.stringify(drift).slice(0, 1_000)}.`,
    );
}

/** By channel. */
export type Lists = ReadonlyMap<number, readonly ListRow[]>;

/** `isExact`: draws from pre-allocations are known, so that exactly one number is correct. */
export function checkLists(
  observer: Observer,
  { model, codes }: FinalState,
  lists: Lists,
  isExact: boolean,
): void {
  for (const [channel, rows] of lists) {
    for (const row of rows) if (!codes.includes(row.product_code)) checkBare(observer, channel, row);
  }
  for (const [variant, code] of codes.entries()) {
    const rows = [...lists].flatMap(([channel, list]) =>
      list.filter((row) => row.product_code === code).map((row) => ({ channel, row })),
    );
    const sums = {
      quantity: model.physical.get(variant) ?? 0,
      unshipped: model.unshipped(variant),
      backordered: model.backordered(variant),
      allocated: isExact ? model.allocated(variant) : null,
    };
    for (const { channel, row } of rows) {
      const available = isExact ? model.available(channel, variant) : null;
      const reserve_remaining = model.reserveRemaining(channel, variant);
      checkRow(observer, channel, row, { ...sums, available, reserve_remaining });
    }
    if (!isExact) checkHeld(observer, sums, code, rows);
  }
}

interface Sums {
  quantity: number;
  unshipped: number;
  backordered: number;
  /** null: not known */
  allocated: number | null;
}

/** Physical stock not held by unshipped normal orders: the upper limit for every channel. */
const unheld = ({ quantity, unshipped }: Sums): number => Math.max(0, quantity - unshipped);

/** The quantity that every channel may sell when this much is allocated. */
const common = ({ quantity, unshipped, backordered }: Sums, allocated: number): number =>
  Math.max(0, quantity - unshipped - backordered - allocated);

/** A mapped SKU without a stock row is all zeros (contract 2.3.5). */
function checkBare(observer: Observer, channel: number, row: ListRow): void {
  const { sku, quantity, allocated, available, reserve_remaining } = row;
  if (quantity + allocated + available + reserve_remaining > 0)
    observer.addViolation(channel, `${sku} has no stock row, and the list shows ${JSON.stringify(row)}.`);
}

function checkRow(
  observer: Observer,
  channel: number,
  row: ListRow,
  expected: Sums & { available: number | null; reserve_remaining: number },
): void {
  const grant = observer.world.grants.get(grantKey(channel, row.product_code));
  const addViolation = (words: string): unknown =>
    observer.addViolation(channel, `${row.sku} has ${words} follow from the answers.`);
  const { quantity, allocated, available, reserve_remaining: left } = expected;
  if (row.quantity !== quantity) addViolation(`${row.quantity} in the warehouse, and ${quantity}`);
  if (allocated !== null && row.allocated !== allocated)
    addViolation(`${row.allocated} allocated, and ${allocated}`);
  // Which channels drew from their pre-allocations depends on the order of execution: all, some or nothing of
  // it may be left.
  const least = common(expected, row.allocated);
  const most = Math.min(least + (grant?.allocated_qty ?? 0), unheld(expected));
  if (available !== null && row.available !== available)
    addViolation(`${row.available} available, and ${available}`);
  else if (row.available < least || row.available > most)
    addViolation(`${row.available} available, and ${least} to ${most}`);
  if (row.reserve_remaining !== left) addViolation(`${row.reserve_remaining} left to backorder, and ${left}`);
}

/** The channels' pre-allocations must add up to the sum that every channel is shown. */
function checkHeld(
  observer: Observer,
  sums: Sums,
  code: string,
  rows: readonly { channel: number; row: ListRow }[],
): void {
  const { world } = observer;
  const [first] = rows;
  // Channels outside of this run have pre-allocations too.
  const start = world.stock?.get(code)?.allocated ?? 0;
  const granted = world.channels.map(
    (_, channel) => world.grants.get(grantKey(channel, code))?.allocated_qty ?? 0,
  );
  if (!first || granted.reduce((a, b) => a + b, 0) !== start) return;
  // An overcommitted item shows what is available, not the pre-allocation of each channel.
  if (first.row.allocated > unheld(sums)) return;
  const shared = common(sums, first.row.allocated);
  const held = world.channels.map((_, channel) => {
    const own = rows.find((one) => one.channel === channel)?.row;
    return own ? own.available - shared : (granted[channel] ?? 0);
  });
  const sum = held.reduce((a, b) => a + b, 0);
  if (sum !== first.row.allocated)
    observer.addViolation(
      first.channel,
      `${code} shows ${first.row.allocated} allocated, and the channels hold ${sum}.`,
    );
}
