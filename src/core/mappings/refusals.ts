// What is refused about mappings.
import { fieldRefusal, refusal } from '../../platform/admin-api/refused.ts';

export const MAPPING_REFUSALS = {
  mapping_unknown: refusal<{ channel_id: number; sku: string }>({
    status: 404,
    words: ({ sku }) => `The mapping of SKU ${sku} was not found.`,
  }),
  /** `positions` in the list of the request, from 0. */
  variants_unknown: fieldRefusal<{ positions: number[] }>({
    fields: ({ positions }) =>
      positions.map((at) => ({ field: `mappings.${at}.variant_code`, fault: { kind: 'variant_unknown' } })),
  }),
  skus_repeated: fieldRefusal<{ positions: number[] }>({
    fields: ({ positions }) =>
      positions.map((at) => ({ field: `mappings.${at}.sku`, fault: { kind: 'sku_repeated' } })),
  }),
};

type Own = typeof MAPPING_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
