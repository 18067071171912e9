// One order as a channel knows it: what it sent, what it was told, and which states are possible meanwhile.
import { walk, type Status } from '../../verify/drill/rules.ts';
import type { OrderShown } from './shapes.ts';

export interface OrderLine {
  sku: string;
  quantity: number;
  unit_price: number;
}

export interface OrderBody {
  order_number: string;
  recipient_name: string;
  recipient_phone: string;
  shipping_address: string;
  status: 0 | 1;
  is_backorder: boolean;
  items: OrderLine[];
}

export interface KnownOrder {
  channel: number;
  body: OrderBody;
  /** Quantity by variant code; SKUs that are not mapped are not in it. */
  needs: ReadonlyMap<string, number>;
  sent: number;
  created: number;
  /** The first answer that showed it. */
  shown: OrderShown | null;
  /** Every state it can be in, from what was sent and told. */
  possible: Set<Status>;
  /** Orders and reports that got no answer. */
  lost: number;
  /** Reports on their way; one without an answer may arrive at any time, so it stays. */
  pending: number;
  /** Reports since nothing was on its way: with more than one, their answers have no certain order. */
  together: number;
  is_shipping: boolean;
  is_cancelling: boolean;
  /** The states that a report was confirmed for. */
  reached: Set<Status>;
}

export function newOrder(
  channel: number,
  body: OrderBody,
  variantOf: (sku: string) => string | undefined,
): KnownOrder {
  const needs = new Map<string, number>();
  for (const { sku, quantity } of body.items) {
    const variant = variantOf(sku);
    if (variant !== undefined) needs.set(variant, (needs.get(variant) ?? 0) + quantity);
  }
  return {
    channel,
    body,
    needs,
    sent: 0,
    created: 0,
    shown: null,
    possible: new Set([body.status]),
    lost: 0,
    pending: 0,
    together: 0,
    is_shipping: false,
    is_cancelling: false,
    reached: new Set(),
  };
}

const leadsTo = (from: Status, to: Status): boolean => from === to || walk(from, to) !== null;

const someLeadTo = (states: ReadonlySet<Status>, to: Status): boolean =>
  [...states].some((from) => leadsTo(from, to));

/** From the moment a report leaves, its target is possible too. Returns what was possible before. */
export function reportLeaves(order: KnownOrder, target: Status): ReadonlySet<Status> {
  const before = new Set(order.possible);
  order.together = order.pending === 0 ? 1 : order.together + 1;
  order.pending += 1;
  if (someLeadTo(before, target)) order.possible.add(target);
  return before;
}

/** What a report's answer says the state is. */
export function reportArrives(order: KnownOrder, status: Status): void {
  order.pending -= 1;
  if (order.pending > 0) order.possible.add(status);
  else if (order.together === 1) order.possible = new Set([status]);
  else order.possible = new Set([...order.possible, status].filter((later) => leadsTo(status, later)));
}

/**
 * Whether an answer may show this state: on a way from what was possible when the request left to what is possible now.
 * `isAlone` false: the back office may have moved it further.
 */
export function mayShow(
  order: KnownOrder,
  then: ReadonlySet<Status>,
  status: Status,
  isAlone: boolean,
): boolean {
  return someLeadTo(then, status) && (!isAlone || [...order.possible].some((now) => leadsTo(status, now)));
}

/** Whether a report may have been carried out. */
export const mayReach = (order: KnownOrder, then: ReadonlySet<Status>, target: Status): boolean =>
  someLeadTo(then, target) || someLeadTo(order.possible, target);

/** The only state it can be in; null while that is not certain. */
export function certainState({ possible }: KnownOrder): Status | null {
  const [only, ...others] = possible;
  return only !== undefined && others.length === 0 ? only : null;
}
