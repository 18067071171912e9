// One stored order against what was told of it.
import type { ToldOrder } from './account.ts';
import { amountsIn, itemOf } from './answers.ts';
import { isExplained, walk, type Status } from '../kit/order-states.ts';
import type { StoredOrder } from './stored.ts';
import type { World } from './world.ts';

export function checkOrder(found: StoredOrder, told: ToldOrder | undefined, world: World): string[] {
  if (!told) return [`order ${found.order_number} is there and was never sent`];
  if (!told.taken) {
    return [`order ${found.order_number}, sent in line ${told.line} and never acknowledged, is there`];
  }
  return [
    ...checkContent(found, told, world),
    ...checkHistory(found, told),
    ...checkShipments(found, told),
  ].map((text) => `order ${found.order_number} (line ${told.line}): ${text}`);
}

function checkContent(
  found: StoredOrder,
  { command, taken, created_line, unknown }: ToldOrder,
  world: World,
): string[] {
  const wrong: string[] = [];
  const compare = (what: string, here: unknown, sent: unknown): void => {
    if (JSON.stringify(here) !== JSON.stringify(sent))
      wrong.push(`${what} is ${JSON.stringify(here)}, not ${JSON.stringify(sent)}`);
  };
  compare('its id', found.id, taken?.id);
  compare('its channel', found.channel_id, command.channel_id);
  compare('is_backorder', found.is_backorder, command.is_backorder);
  compare('its total', found.total_amount, amountsIn(world, command).total_amount);
  compare(
    'its lines',
    found.items.map(({ sku, variant_code, quantity, price }) => ({ sku, variant_code, quantity, price })),
    command.items.map(({ sku, quantity, unit_price }) => ({
      sku,
      variant_code: itemOf(world, command.channel_id, sku).variant_code,
      quantity,
      price: unit_price,
    })),
  );
  const cancelled = found.items.filter(
    (item) => item.cancelled !== (found.status === 88 ? item.quantity : 0),
  );
  if (cancelled.length > 0) wrong.push(`its cancelled quantities do not fit its state ${found.status}`);
  if (
    found.items.some(
      ({ drawn, quantity }) => drawn < 0 || drawn > quantity || (drawn > 0 && found.is_backorder),
    )
  )
    wrong.push('it drew more from a pre-allocation than it may');
  if (created_line === null && unknown === 0)
    wrong.push(`it was acknowledged in line ${taken?.line} as there before, and nothing had created it`);
  return wrong;
}

function checkHistory(
  found: StoredOrder,
  { command, states: told, status_line, reported, reached }: ToldOrder,
): string[] {
  const wrong: string[] = [];
  const states = found.history.map(({ to }) => to);
  const words = states.join(' → ');
  if (found.status !== told.furthest)
    wrong.push(
      `it is in state ${found.status}, and the last acknowledged, in line ${status_line}, is ${told.furthest}`,
    );
  if (states.at(-1) !== found.status)
    wrong.push(`its history ${words} does not end in its state ${found.status}`);
  const linked = found.history.every(({ from, to }, place) => {
    const before = states[place - 1] ?? null;
    return from === before && (before === null ? to === command.status : walk(before, to)?.length === 1);
  });
  if (!linked) wrong.push(`its history ${words} is not a legal walk from ${command.status}`);
  const targets = new Set<Status>(reported.keys());
  if (linked && !isExplained(states, targets))
    wrong.push(
      `its history ${words} does not come from the reports in lines ${[...reported.values()].join(', ')}`,
    );
  for (const [state, line] of reached) {
    if (!states.includes(state))
      wrong.push(`state ${state}, acknowledged in line ${line}, is not in its history ${words}`);
  }
  return wrong;
}

/** Shipped: each item left the warehouse once, in full. Otherwise nothing did. */
function checkShipments(found: StoredOrder, { status_line }: ToldOrder): string[] {
  const due = new Map<string, number>();
  if (found.status === 3) {
    for (const { variant_code, quantity } of found.items)
      due.set(variant_code, (due.get(variant_code) ?? 0) - quantity);
  }
  const wrong: string[] = [];
  for (const { variant_code, delta } of found.shipments) {
    const expected = due.get(variant_code);
    due.delete(variant_code);
    if (expected === undefined)
      wrong.push(`${delta} of ${variant_code} was deducted once too often (state in line ${status_line})`);
    else if (expected !== delta)
      wrong.push(`${delta} of ${variant_code} was deducted instead of ${expected}`);
  }
  for (const [variant, expected] of due) wrong.push(`the deduction of ${expected} of ${variant} is missing`);
  if (found.status === 3 && found.tracking_number !== `T-${found.order_number}`)
    wrong.push(`its tracking number is ${found.tracking_number}`);
  return wrong;
}
