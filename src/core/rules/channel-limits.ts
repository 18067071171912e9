// Limits by channel (contract 10.24): opt-ins that keep one channel from holding the stock of all. Each is per item.
import type { Stock } from './stock.ts';

export interface ChannelLimits {
  /** Quantity of one line. */
  line_quantity_max: number | null;
  /** Quantity of an item that unpaid normal orders of the channel hold together. */
  unpaid_quantity_max: number | null;
  /** The same in percent of the physical stock that is not pre-allocated, rounded down. */
  unpaid_percent_max: number | null;
  /** Open backorders of an item for which the channel has no quota. */
  backordered_quantity_max: number | null;
}

export const NO_LIMITS: Readonly<ChannelLimits> = {
  line_quantity_max: null,
  unpaid_quantity_max: null,
  unpaid_percent_max: null,
  backordered_quantity_max: null,
};

/** From 0, except for a line, which has at least one piece. */
export const LIMIT_RANGES = {
  line_quantity_max: { minimum: 1, maximum: 2_147_483_647 },
  unpaid_quantity_max: { minimum: 0, maximum: 2_147_483_647 },
  unpaid_percent_max: { minimum: 0, maximum: 100 },
  backordered_quantity_max: { minimum: 0, maximum: 2_147_483_647 },
} as const satisfies Record<keyof ChannelLimits, { minimum: number; maximum: number }>;

export const LIMIT_NAMES = [
  'line_quantity_max',
  'unpaid_quantity_max',
  'unpaid_percent_max',
  'backordered_quantity_max',
] as const satisfies (keyof ChannelLimits)[];

export const hasLimits = (limits: Readonly<ChannelLimits>): boolean =>
  Object.values(limits).some((limit) => limit !== null);

export const limitsUnpaid = (limits: Readonly<ChannelLimits> | null | undefined): boolean =>
  limits != null && (limits.unpaid_quantity_max !== null || limits.unpaid_percent_max !== null);

/** How much of an item the unpaid orders of the channel may hold together. */
export function unpaidMax(
  { unpaid_quantity_max, unpaid_percent_max }: Readonly<ChannelLimits>,
  { quantity, allocated }: Readonly<Stock>,
): number {
  const shared = Math.max(0, quantity - allocated);
  return Math.min(
    unpaid_quantity_max ?? Infinity,
    unpaid_percent_max === null ? Infinity : Math.floor((shared * unpaid_percent_max) / 100),
  );
}
