// Products and variants: the internal catalogue that channel SKUs are mapped to.
import type { Tx } from '../store/database.ts';
import {
  findProduct,
  insertProduct,
  insertVariants,
  listVariants,
  lockProduct,
  renameProduct as storeName,
  type Product,
  type Variant,
  type VariantFields,
} from '../store/products.ts';
import { changing, type Actor } from './changing.ts';
import { repeatedPositions } from './refused.ts';

export interface ProductWithVariants extends Product {
  variants: readonly Variant[];
}

interface NewProduct {
  code: string;
  name: string;
  variants: readonly VariantFields[];
}

/** With its first variants: all of them, or nothing if a code is taken. */
export const createProduct = (tx: Tx, by: Actor, { code, name, variants }: NewProduct) =>
  changing<
    { product: ProductWithVariants },
    'product_code_taken' | 'variant_code_taken' | 'variant_codes_repeated'
  >(tx, by, async () => {
    const positions = repeatedPositions(variants.map((variant) => variant.code));
    if (positions.length > 0) return { kind: 'variant_codes_repeated', positions };
    const product = await insertProduct(tx, code, name);
    if (!product) return { kind: 'product_code_taken', product_code: code };
    const taken = takenCode(variants, await insertVariants(tx, product.id, variants));
    if (taken !== undefined) return { kind: 'variant_code_taken', variant_code: taken };
    return {
      done: { product: { ...product, variants: await listVariants(tx, [product.id]) } },
      audit: {
        action: 'product.create',
        subject: `product:${code}`,
        before: null,
        after: { name, variants },
      },
      journal: null,
    };
  });

const takenCode = (wanted: readonly VariantFields[], made: readonly Variant[]): string | undefined => {
  const codes = new Set(made.map((variant) => variant.code));
  return wanted.find((variant) => !codes.has(variant.code))?.code;
};

export const addVariant = (
  tx: Tx,
  by: Actor,
  { product_code, ...fields }: VariantFields & { product_code: string },
) =>
  changing<{ variant: Variant }, 'product_unknown' | 'variant_code_taken'>(tx, by, async () => {
    const product = await findProduct(tx, product_code);
    if (!product) return { kind: 'product_unknown', product_code };
    const [variant] = await insertVariants(tx, product.id, [fields]);
    if (!variant) return { kind: 'variant_code_taken', variant_code: fields.code };
    const after = { product_code, ...fields };
    return {
      done: { variant },
      audit: { action: 'variant.create', subject: `variant:${fields.code}`, before: null, after },
      journal: null,
    };
  });

/** The name is in the stock list of every channel that maps one of the variants. */
export const renameProduct = (tx: Tx, by: Actor, { code, name }: { code: string; name: string }) =>
  changing<{ product: ProductWithVariants }, 'product_unknown'>(tx, by, async () => {
    const before = await lockProduct(tx, code);
    if (!before) return { kind: 'product_unknown', product_code: code };
    const product = await storeName(tx, before.id, name);
    const variants = await listVariants(tx, [product.id]);
    return {
      done: { product: { ...product, variants } },
      audit: {
        action: 'product.update',
        subject: `product:${code}`,
        before: { name: before.name },
        after: { name },
      },
      journal: { variant_ids: variants.map((variant) => variant.id) },
    };
  });
