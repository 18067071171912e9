// What a drill sells: channels, items and who knows them by which name. Small and crowded where it matters.

export interface Channel {
  id: number;
  name: string;
  /** Hundredths of the base currency for one unit of the channel's. */
  rate_hundredths: number;
}

/**
 * contended: little stock, pre-allocations, never backordered, never lowered by hand.
 * reserved: little stock, backorders with and without a quota, adjusted both ways.
 * plain: never runs out. counted: no orders, set by hand. bare: mapped, without a stock row.
 */
type ItemKind = 'contended' | 'reserved' | 'plain' | 'counted' | 'bare';

export interface Item {
  variant_code: string;
  product_code: string;
  product_name: string;
  kind: ItemKind;
  /** Physical stock at the start. */
  quantity: number;
}

export interface Sku {
  channel_id: number;
  sku: string;
  variant_code: string;
}

export interface Grant {
  channel_id: number;
  variant_code: string;
  allocated_qty: number;
  reserve_quota: number;
}

export interface World {
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

export const makeItems = (): Item[] =>
  ITEMS.flatMap(({ kind, count, quantity }) =>
    Array.from({ length: count }, (_, index) => ({
      variant_code: `${kind}-${index}-V`,
      product_code: `${kind}-${index}`,
      product_name: `Item ${kind} ${index}`,
      kind,
      quantity,
    })),
  );

/** Two names in each channel for what is contended; the counted item is nobody's. */
export const makeSkus = (channels: readonly Channel[], items: readonly Item[]): Sku[] =>
  channels.flatMap(({ id }, channel) =>
    items
      .filter(({ kind }) => kind !== 'counted')
      .flatMap(({ kind, product_code, variant_code }) =>
        (kind === 'contended' ? ['a', 'b'] : ['a']).map((alias) => ({
          channel_id: id,
          sku: `${channel}-${product_code}-${alias}`,
          variant_code,
        })),
      ),
  );

/** The first two channels hold contended stock of their own; the last one has no quota for backorders. */
export const makeGrants = (channels: readonly Channel[], items: readonly Item[]): Grant[] =>
  items.flatMap(({ kind, variant_code }) => {
    if (kind === 'contended') {
      return channels
        .slice(0, 2)
        .map(({ id }) => ({ channel_id: id, variant_code, allocated_qty: 60, reserve_quota: 0 }));
    }
    if (kind !== 'reserved') return [];
    return channels.slice(0, -1).map(({ id }, place) => ({
      channel_id: id,
      variant_code,
      allocated_qty: 0,
      reserve_quota: 40 * (place + 1),
    }));
  });
