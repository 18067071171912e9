// What is refused about physical stock.
import { refusal, STALE, type Id } from '../../platform/admin-api/refused.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';

export const STOCK_REFUSALS = {
  stock_unknown: refusal<{ variant_code: string }>({
    status: 404,
    words: ({ variant_code }) => `The stock of variant ${variant_code} was not found.`,
  }),
  /** A stock row is needed, and the variant has none. */
  stock_missing: refusal<{ variant_code: string }>({
    status: 422,
    words: ({ variant_code }) => `Variant ${variant_code} has no stock record yet: set its quantity first.`,
  }),
  /** The quantity is not the expected one; null: there is no stock row. */
  quantity_changed: refusal<{ variant_code: string; quantity: number | null }>({
    ...STALE,
    words: ({ variant_code, quantity }) =>
      quantity === null
        ? `Variant ${variant_code} has no stock record yet, so no quantity can be expected of it.`
        : `The quantity of variant ${variant_code} is now ${quantity}.`,
  }),
  below_zero: refusal<{ variant_code: string; quantity: number }>({
    status: 422,
    words: ({ variant_code, quantity }) =>
      `The physical stock of variant ${variant_code} is ${quantity} and cannot fall below 0.`,
  }),
  beyond_limit: refusal<{ variant_code: string; quantity: number }>({
    status: 422,
    words: ({ variant_code, quantity }) =>
      `The physical stock of variant ${variant_code} is ${quantity} and cannot rise above ${INT32_MAX}.`,
  }),
  /** The variant was counted later, at `counted_at`. */
  count_outdated: refusal<{ variant_code: string; counted_at: string }>({
    status: 409,
    words: ({ variant_code, counted_at }) => `Variant ${variant_code} was counted later, at ${counted_at}.`,
  }),
  /** `moved_since`: shipments, returns and adjustments since the count. */
  count_below_zero: refusal<{ variant_code: string; counted: number; moved_since: number }>({
    status: 422,
    words: ({ variant_code, counted, moved_since }) =>
      `Variant ${variant_code}: ${counted} counted, ${moved_since} moved since: the result would be below 0.`,
  }),
  count_beyond_limit: refusal<{ variant_code: string; counted: number; moved_since: number }>({
    status: 422,
    words: ({ variant_code, counted, moved_since }) =>
      `Variant ${variant_code}: ${counted} counted, ${moved_since} moved since: the result would be above ${INT32_MAX}.`,
  }),
  /** No such stock list, or it is too old. */
  stock_import_unknown: refusal<{ import_id: Id }>({
    status: 404,
    words: ({ import_id }) => `The stock import ${import_id} was not found. It may be too old to be undone.`,
  }),
  stock_import_undone: refusal<{ import_id: number; undone_at: string }>({
    status: 409,
    words: ({ import_id }) => `The stock import ${import_id} has been undone already.`,
  }),
  /** The list cannot be undone: `variant_count` of its variants were counted again; `variant_code` is the first. */
  counted_again: refusal<{ import_id: number; variant_code: string; variant_count: number }>({
    status: 409,
    words: ({ variant_code, variant_count }) =>
      `Nothing was undone: ${variant_count === 1 ? 'an item was' : `${variant_count} items were`} counted again since (${variant_code}).`,
  }),
};

type Own = typeof STOCK_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
