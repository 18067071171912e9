// One order as a channel knows it: what it sent, what it was told, and which states are possible meanwhile.
import { OrderStates, type Status } from '../../verify/kit/order-states.ts';
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
  states: OrderStates;
  /** Orders and reports that got no answer. */
  lost: number;
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
    states: new OrderStates(body.status),
    lost: 0,
    is_shipping: false,
    is_cancelling: false,
    reached: new Set(),
  };
}
