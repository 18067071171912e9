// Compares one stored order with what the ledger says was sent and answered.
import type { KnownOrder, Observer } from '../observer/observer.ts';
import { isExplained, walk } from '../observer/order-states.ts';
import type { StoredOrder } from './stored.ts';

/** `channel_id`: of the channel that sent it. */
export function checkOrder(observer: Observer, found: StoredOrder, channelIds: readonly number[]): void {
  const known = observer.orders.get(found.order_number);
  if (!known) {
    observer.broke(null, `order ${found.order_number} is there and was never sent.`);
    return;
  }
  const broke = (text: string): unknown =>
    observer.broke(known.channel, `order ${found.order_number}: ${text}.`, known);
  if (!known.shown) return void broke('it was never acknowledged, and is there');
  checkContent(observer, found, known, channelIds, broke);
  checkHistory(found, known, broke);
  checkShipments(found, broke);
}

export const isExpired = ({ history }: StoredOrder): boolean =>
  history.some(({ source }) => source === 'service');

/** Contract 10.21: the service cancels only what is not paid, where the channel says so; a channel only what it has asked for. */
export function cancellationFault(
  { history }: StoredOrder,
  { isAsked, mayExpire }: { isAsked: boolean; mayExpire: boolean },
): string | null {
  const last = history.at(-1);
  const ours = history.filter(({ source }) => source === 'service');
  if (ours.some(({ from, to }) => !mayExpire || from !== 0 || to !== 88))
    return 'the service has moved it, and may not';
  if (last?.to === 88 && last.source === 'channel' && !isAsked) return 'nobody has cancelled it';
  return null;
}

type Broke = (text: string) => unknown;

function checkContent(
  observer: Observer,
  found: StoredOrder,
  { body, channel, shown }: KnownOrder,
  channelIds: readonly number[],
  broke: Broke,
): void {
  const compare = (what: string, here: unknown, sent: unknown): void => {
    if (JSON.stringify(here) !== JSON.stringify(sent))
      broke(`${what} is ${JSON.stringify(here)}, not ${JSON.stringify(sent)}`);
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
    broke(`its cancelled quantities do not fit its state ${found.status}`);
  const mayDraw = (quantity: number): number => (found.is_backorder ? 0 : quantity);
  if (found.items.some(({ drawn, quantity }) => drawn < 0 || drawn > mayDraw(quantity)))
    broke('it drew more from a pre-allocation than it may');
}

function checkHistory(
  found: StoredOrder,
  { body, states, reported, reached }: KnownOrder,
  broke: Broke,
): void {
  const steps = found.history.map(({ to }) => to);
  const words = steps.join(' → ');
  if (found.status !== states.furthest)
    broke(`it is in state ${found.status}, and the last acknowledged is ${states.furthest}`);
  if (steps.at(-1) !== found.status) broke(`its history ${words} does not end in its state ${found.status}`);
  const isLinked = found.history.every(({ from, to }, place) => {
    const before = steps[place - 1] ?? null;
    return from === before && (before === null ? to === body.status : walk(before, to)?.length === 1);
  });
  if (!isLinked) broke(`its history ${words} is not a legal walk from ${body.status}`);
  else if (!isExplained(steps, reported))
    broke(`its history ${words} does not come from the reports ${[...reported].join(', ')}`);
  for (const state of reached)
    if (!steps.includes(state)) broke(`state ${state} was acknowledged, and is not in its history ${words}`);
}

/** A shipped order has one full deduction per item; any other order has none. */
function checkShipments(found: StoredOrder, broke: Broke): void {
  const due = new Map<string, number>();
  if (found.status === 3) {
    for (const { variant_code, quantity } of found.items)
      due.set(variant_code, (due.get(variant_code) ?? 0) - quantity);
  }
  for (const { variant_code, delta } of found.shipments) {
    const expected = due.get(variant_code);
    due.delete(variant_code);
    if (expected === undefined) broke(`${delta} of ${variant_code} was deducted once too often`);
    else if (expected !== delta) broke(`${delta} of ${variant_code} was deducted instead of ${expected}`);
  }
  for (const [variant, expected] of due) broke(`the deduction of ${expected} of ${variant} is missing`);
  if (found.status === 3 && found.tracking_number !== `T-${found.order_number}`)
    broke(`its tracking number is ${found.tracking_number}`);
}
