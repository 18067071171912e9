// Compares one stored order with what the ledger says was sent and answered.
import type { Observer } from '../observer/observer.ts';
import type { KnownOrder } from '../observer/known-order.ts';
import { isExplained, walk } from '../observer/order-states.ts';
import type { StoredOrder } from './stored.ts';

/** `channelIds`: the id of each channel, by its index. */
export function checkOrder(observer: Observer, found: StoredOrder, channelIds: readonly number[]): void {
  const known = observer.orders.get(found.order_number);
  if (!known) {
    observer.addViolation(null, `order ${found.order_number} is stored but was never sent.`);
    return;
  }
  const addViolation = (text: string): unknown =>
    observer.addViolation(known.channel, `order ${found.order_number}: ${text}.`, known);
  if (!known.shown) return void addViolation('it is stored but was never acknowledged');
  checkContent(observer, found, known, channelIds, addViolation);
  checkHistory(found, known, addViolation);
  checkShipments(found, addViolation);
}

/**
 * Contract 10.21: the service cancels only unpaid orders, and only for channels with an expiry. A cancellation
 * by a channel must have been sent by that channel.
 */
export function cancellationFault(
  { history }: StoredOrder,
  { isAsked, mayExpire }: { isAsked: boolean; mayExpire: boolean },
): string | null {
  const last = history.at(-1);
  const ours = history.filter(({ source }) => source === 'service');
  if (ours.some(({ from, to }) => !mayExpire || from !== 0 || to !== 88))
    return 'the service changed its status, but may not do so';
  if (last?.to === 88 && last.source === 'channel' && !isAsked) return 'no report cancelled it';
  return null;
}

type AddViolation = (text: string) => unknown;

function checkContent(
  observer: Observer,
  found: StoredOrder,
  { body, channel, shown }: KnownOrder,
  channelIds: readonly number[],
  addViolation: AddViolation,
): void {
  const compare = (what: string, here: unknown, sent: unknown): void => {
    if (JSON.stringify(here) !== JSON.stringify(sent))
      addViolation(`${what} is ${JSON.stringify(here)}, not ${JSON.stringify(sent)}`);
  };
  compare('its id', found.id, shown?.id);
  compare('its channel', found.channel_id, channelIds[channel]);
  compare('is_backorder', found.is_backorder, body.is_backorder);
  compare('its total', found.total_amount, shown?.total_amount);
  compare(
    'its lines',
    found.items.map(({ sku, variant_code, quantity, price }) => ({ sku, variant_code, quantity, price })),
    body.items.map(({ sku, quantity, unit_price }) => ({
      sku,
      variant_code: observer.sku(channel, sku)?.variant_code,
      quantity,
      price: unit_price,
    })),
  );
  const due = (quantity: number): number => (found.status === 88 ? quantity : 0);
  if (found.items.some(({ cancelled, quantity }) => cancelled !== due(quantity)))
    addViolation(`its cancelled quantities do not match its state ${found.status}`);
  const mayDraw = (quantity: number): number => (found.is_backorder ? 0 : quantity);
  if (found.items.some(({ drawn, quantity }) => drawn < 0 || drawn > mayDraw(quantity)))
    addViolation('it drew more from a pre-allocation than allowed');
}

function checkHistory(
  found: StoredOrder,
  { body, states, reported, reached }: KnownOrder,
  addViolation: AddViolation,
): void {
  const steps = found.history.map(({ to }) => to);
  const words = steps.join(' → ');
  if (found.status !== states.furthest)
    addViolation(`it is in state ${found.status}, but the last acknowledged is ${states.furthest}`);
  if (steps.at(-1) !== found.status)
    addViolation(`its history ${words} does not end in its state ${found.status}`);
  const isLinked = found.history.every(({ from, to }, place) => {
    const before = steps[place - 1] ?? null;
    return from === before && (before === null ? to === body.status : walk(before, to)?.length === 1);
  });
  if (!isLinked) addViolation(`its history ${words} is not a legal sequence of statuses from ${body.status}`);
  else if (!isExplained(steps, reported))
    addViolation(`its history ${words} does not come from the reports ${[...reported].join(', ')}`);
  for (const state of reached)
    if (!steps.includes(state))
      addViolation(`state ${state} was acknowledged, but is not in its history ${words}`);
}

/** A shipped order has one full deduction per item; any other order has none. */
function checkShipments(found: StoredOrder, addViolation: AddViolation): void {
  const due = new Map<string, number>();
  if (found.status === 3) {
    for (const { variant_code, quantity } of found.items)
      due.set(variant_code, (due.get(variant_code) ?? 0) - quantity);
  }
  for (const { variant_code, delta } of found.shipments) {
    const expected = due.get(variant_code);
    due.delete(variant_code);
    if (expected === undefined) addViolation(`${delta} of ${variant_code} was deducted too many times`);
    else if (expected !== delta)
      addViolation(`${delta} of ${variant_code} was deducted instead of ${expected}`);
  }
  for (const [variant, expected] of due)
    addViolation(`the deduction of ${expected} of ${variant} is missing`);
  if (found.status === 3 && found.tracking_number !== `T-${found.order_number}`)
    addViolation(`its tracking number is ${found.tracking_number}`);
}
