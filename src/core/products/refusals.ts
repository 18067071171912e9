// What is refused about products and variants.
import { commandRefusal, fieldRefusal, refusal } from '../../platform/admin-api/refused.ts';
import type { VariantUse } from './store.ts';

export const PRODUCT_REFUSALS = {
  product_unknown: refusal<{ product_code: string }>({
    status: 404,
    words: ({ product_code }) => `Product ${product_code} was not found.`,
  }),
  product_code_taken: refusal<{ product_code: string }>({
    status: 409,
    words: ({ product_code }) => `The product code ${product_code} is taken.`,
  }),
  /** It gets no variants, and its variants come back with it. */
  product_archived: refusal<{ product_code: string }>({
    status: 409,
    words: ({ product_code }) => `Product ${product_code} is archived: bring it back first.`,
  }),
  product_in_use: refusal<{ product_code: string; variants: readonly VariantUse[] }>({
    status: 409,
    words: ({ product_code, variants }) =>
      `Product ${product_code} cannot be archived: ${variants.map((one) => one.variant_code).join(', ')} mapped, or with stock, open orders or allocations.`,
  }),
  variant_unknown: refusal<{ variant_code: string }>({
    status: 404,
    words: ({ variant_code }) => `Variant ${variant_code} was not found.`,
  }),
  variant_code_taken: refusal<{ variant_code: string }>({
    status: 409,
    words: ({ variant_code }) => `The variant code ${variant_code} is taken.`,
  }),
  variant_codes_repeated: fieldRefusal<{ positions: number[] }>({
    fields: ({ positions }) =>
      positions.map((at) => ({ field: `variants.${at}.code`, fault: { kind: 'variant_code_repeated' } })),
  }),
  /** `variant_code`: the variant that has the barcode. */
  barcode_taken: refusal<{ barcode: string; variant_code: string }>({
    status: 409,
    words: ({ barcode, variant_code }) => `Variant ${variant_code} has the barcode ${barcode}.`,
  }),
  /** The variant or its product is archived: it gets no allocations and no imported open orders. */
  variant_archived: commandRefusal<{ variant_code: string }>({
    status: 409,
    words: ({ variant_code }) => `Variant ${variant_code} or its product is archived: bring it back first.`,
    commandWords: ({ variant_code }) =>
      `variant ${variant_code} or its product is archived: bring it back first.`,
  }),
  /** The variant is mapped, or has stock, open orders or allocations, and cannot be archived. */
  variant_in_use: refusal<VariantUse>({
    status: 409,
    words: ({ variant_code, mapped }) =>
      mapped > 0
        ? `Variant ${variant_code} is mapped to ${mapped} channel SKUs: remove the mappings before archiving it.`
        : `Variant ${variant_code} has stock, open orders or allocations, and cannot be archived.`,
  }),
};

type Own = typeof PRODUCT_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
