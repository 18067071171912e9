// What an observer knows before the first request: who sells what under which name, and, where nobody else trades, the stock
// at the start.

export interface Channel {
  name: string;
  /** KRW for one unit, as text; null: not known, so amounts are checked for their form alone. */
  rate: string | null;
  skus: readonly Sku[];
}

export interface Sku {
  sku: string;
  variant_code: string;
  product_name: string;
  /** null: not known from outside */
  product_code: string | null;
}

/** The terms of contract 2.3.1 at the start. */
export interface Stock {
  quantity: number;
  unshipped: number;
  backordered: number;
  allocated: number;
}

export interface Grant {
  allocated_qty: number;
  reserve_quota: number;
  backordered_qty: number;
}

/** Channels are named by their place in the list. */
export interface World {
  channels: readonly Channel[];
  /** By variant code; without items that have no stock row. null: there are other clients, so sums are incomplete. */
  stock: ReadonlyMap<string, Stock> | null;
  /** By channel and variant code: see `grantKey`. */
  grants: ReadonlyMap<string, Grant>;
}

export const grantKey = (channel: number, variantCode: string): string => `${channel} ${variantCode}`;
