// The worklist of backorders: which are open, for how long, and which could ship with the present stock.
import { freeForBackorders, outlookOf, type WaitingBackorder } from './rules.ts';
import type { Status } from '../../core/rules/transitions.ts';
import { listBackorderLines, type BackorderLine } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';

const UNPAID: Status = 0;
/** Only the oldest are read. Later orders do not affect them, because older orders are served first. */
export const BACKORDERS_MAX = 5_000;

export interface OpenBackorder extends Pick<
  BackorderLine,
  'id' | 'order_number' | 'channel_id' | 'channel_name' | 'status' | 'created_at'
> {
  can_ship: boolean;
  items: BackorderItem[];
}

/** One internal SKU of a backorder, its lines summed. */
export interface BackorderItem extends Pick<BackorderLine, 'variant_id' | 'variant_code' | 'product_name'> {
  skus: string[];
  quantity: number;
  /** Missing quantity when it is this order's turn. */
  missing: number;
  /** Physical stock that unshipped normal orders leave. */
  free: number;
}

/** Oldest first. */
export async function readBackorders(tx: Tx, ordersMax = BACKORDERS_MAX): Promise<OpenBackorder[]> {
  const lines = await listBackorderLines(tx, ordersMax);
  const free = new Map(lines.map((line) => [line.variant_id, freeForBackorders(line)]));
  const orders = [...Map.groupBy(lines, ({ id }) => id).values()];
  const outlooks = outlookOf(orders.flatMap(waitingOf), free);
  return orders.flatMap((ofOrder) => {
    const [first] = ofOrder;
    const outlook = first && outlooks.get(first.id);
    if (!outlook) return [];
    const { id, order_number, channel_id, channel_name, status, created_at } = first;
    const items = itemsOf(ofOrder).map((item) => ({
      ...item,
      missing: outlook.missing.get(item.variant_id) ?? 0,
      free: free.get(item.variant_id) ?? 0,
    }));
    const { can_ship } = outlook;
    return [{ id, order_number, channel_id, channel_name, status, created_at, can_ship, items }];
  });
}

function waitingOf(lines: readonly BackorderLine[]): WaitingBackorder[] {
  const [first] = lines;
  if (!first) return [];
  const needs = new Map<number, number>();
  for (const { variant_id, remaining } of lines)
    needs.set(variant_id, (needs.get(variant_id) ?? 0) + remaining);
  return [{ id: first.id, is_paid: first.status !== UNPAID, needs }];
}

function itemsOf(lines: readonly BackorderLine[]): Omit<BackorderItem, 'missing' | 'free'>[] {
  return [...Map.groupBy(lines, ({ variant_id }) => variant_id)].flatMap(([variant_id, same]) => {
    const [first] = same;
    if (!first) return [];
    return [
      {
        variant_id,
        variant_code: first.variant_code,
        product_name: first.product_name,
        skus: [...new Set(same.map(({ sku }) => sku))],
        quantity: same.reduce((sum, { remaining }) => sum + remaining, 0),
      },
    ];
  });
}
