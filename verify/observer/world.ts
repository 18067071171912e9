// What the observer knows before the first request: the SKUs of each channel and, if there are no other clients, the
// initial stock.

export interface Channel {
  name: string;
  /** KRW for one unit, as text; null: unknown, so only the format of amounts is checked. */
  rate: string | null;
  skus: readonly Sku[];
}

export interface Sku {
  sku: string;
  variant_code: string;
  product_name: string;
  /** null: unknown */
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

/** Channels are identified by their index in the list. */
export interface World {
  channels: readonly Channel[];
  /** By variant code, without items that have no stock row. null: there are other clients, so sums are incomplete. */
  stock: ReadonlyMap<string, Stock> | null;
  /** By channel and variant code: see `grantKey`. */
  grants: ReadonlyMap<string, Grant>;
}

export const grantKey = (channel: number, variantCode: string): string => `${channel} ${variantCode}`;
