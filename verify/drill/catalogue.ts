// The catalogue of a drill: channels, items and the SKUs of each channel. Small, so that commands often compete for the
// same stock.
import { grantKey, type World } from '../observer/world.ts';

export interface Channel {
  id: number;
  name: string;
  /** KRW for one unit, as text. */
  rate: string;
  /** The service may cancel its orders that are not paid, at any time. */
  expires?: boolean;
}

/**
 * contended: little stock, pre-allocations, never backordered, never reduced manually. reserved: little stock, backorders
 * with and without a quota, adjusted in both directions. plain: never sold out. counted: not ordered, set manually. bare:
 * mapped, without a stock row.
 */
type ItemKind = 'contended' | 'reserved' | 'plain' | 'counted' | 'bare';

export interface Item {
  variant_code: string;
  product_code: string;
  product_name: string;
  kind: ItemKind;
  /** Initial physical stock. */
  quantity: number;
}

/** `channel`: the index of the channel, here and below. */
interface Sku {
  channel: number;
  sku: string;
  item: Item;
}

interface Grant {
  channel: number;
  variant_code: string;
  allocated_qty: number;
  reserve_quota: number;
}

export interface Catalogue {
  channels: Channel[];
  items: Item[];
  skus: Sku[];
  grants: Grant[];
}

const ITEMS: readonly { kind: ItemKind; count: number; quantity: number }[] = [
  { kind: 'contended', count: 3, quantity: 400 },
  { kind: 'reserved', count: 3, quantity: 300 },
  { kind: 'plain', count: 20, quantity: 1_000_000_000 },
  { kind: 'counted', count: 1, quantity: 1_000 },
  { kind: 'bare', count: 1, quantity: 0 },
];

const ALLOCATED = 60;
const QUOTA = 40;

/**
 * Each channel has two SKUs for every contended item; the counted item has none. The first two channels have
 * pre-allocations of contended stock; the last channel has no backorder quota.
 */
export function catalogueOf(channels: Channel[]): Catalogue {
  const items = ITEMS.flatMap(({ kind, count, quantity }) =>
    Array.from({ length: count }, (_, index) => ({
      variant_code: `${kind}-${index}-V`,
      product_code: `${kind}-${index}`,
      product_name: `Item ${kind} ${index}`,
      kind,
      quantity,
    })),
  );
  const sold = items.filter(({ kind }) => kind !== 'counted');
  const skus = [...channels.keys()].flatMap((channel) =>
    sold.flatMap((item) =>
      (item.kind === 'contended' ? ['a', 'b'] : ['a']).map((alias) => ({
        channel,
        sku: `${channel}-${item.product_code}-${alias}`,
        item,
      })),
    ),
  );
  const grants = items.flatMap(({ kind, variant_code }) =>
    [...channels.keys()].flatMap((channel): Grant[] => {
      if (kind === 'contended' && channel < 2)
        return [{ channel, variant_code, allocated_qty: ALLOCATED, reserve_quota: 0 }];
      if (kind === 'reserved' && channel < channels.length - 1)
        return [{ channel, variant_code, allocated_qty: 0, reserve_quota: QUOTA * (channel + 1) }];
      return [];
    }),
  );
  return { channels, items, skus, grants };
}

/** As input for the observer. */
export const observed = ({ channels, items, skus, grants }: Catalogue): World => ({
  channels: channels.map(({ name, rate }, place) => ({
    name,
    rate,
    skus: skus.filter(({ channel }) => channel === place).map(({ sku, item }) => ({ sku, ...item })),
  })),
  stock: new Map(
    items
      .filter(({ kind }) => kind !== 'bare')
      .map(({ variant_code, quantity }) => {
        const own = grants.filter((grant) => grant.variant_code === variant_code);
        const allocated = own.reduce((sum, { allocated_qty }) => sum + allocated_qty, 0);
        return [variant_code, { quantity, unshipped: 0, backordered: 0, allocated }];
      }),
  ),
  grants: new Map(
    grants.map(({ channel, variant_code, ...grant }) => [
      grantKey(channel, variant_code),
      { ...grant, backordered_qty: 0 },
    ]),
  ),
});
