// Products and variants: the internal catalogue that channel SKUs are mapped to.
import type { Tx } from '../../platform/database/database.ts';
import {
  archiveProduct,
  findProduct,
  findVariantLine,
  findVariant,
  pinProduct,
  insertProduct,
  insertVariants,
  listVariants,
  lockBarcode,
  lockProduct,
  lockVariant,
  lockVariantsOf,
  readUse,
  renameProduct as storeName,
  updateVariant,
  type Product,
  type Variant,
  type VariantFacts,
  type VariantFields,
  type VariantLine,
} from './store.ts';
import { changing, type Actor } from '../journal/change.ts';
import { repeatedPositions } from '../../platform/admin-api/refused.ts';

export interface ProductWithVariants extends Product {
  variants: readonly Variant[];
}

interface NewProduct {
  code: string;
  name: string;
  variants: readonly VariantFields[];
}

/** Creates the product with its first variants, or nothing if a code is taken. */
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
  changing<{ variant: Variant }, 'product_unknown' | 'product_archived' | 'variant_code_taken'>(
    tx,
    by,
    async () => {
      const product = await findProduct(tx, product_code);
      if (!product) return { kind: 'product_unknown', product_code };
      if ((await pinProduct(tx, product.id))?.is_archived) return { kind: 'product_archived', product_code };
      const [variant] = await insertVariants(tx, product.id, [fields]);
      if (!variant) return { kind: 'variant_code_taken', variant_code: fields.code };
      const after = { product_code, ...fields };
      return {
        done: { variant },
        audit: { action: 'variant.create', subject: `variant:${fields.code}`, before: null, after },
        journal: null,
      };
    },
  );

interface ProductChanges {
  name?: string;
  archived?: boolean;
}

/**
 * Changes the given fields. The name is in the stock list of every channel that maps one of the variants. Channels do
 * not see whether a product is archived.
 */
export const changeProduct = (tx: Tx, by: Actor, { code, ...wanted }: ProductChanges & { code: string }) =>
  changing<{ product: ProductWithVariants }, 'product_unknown' | 'product_in_use'>(tx, by, async () => {
    const found = await lockProduct(tx, code);
    if (!found) return { kind: 'product_unknown', product_code: code };
    const { name = found.name, archived = found.archived_at !== null } = wanted;
    let product = found;
    if (archived !== (found.archived_at !== null)) {
      const variants = await lockVariantsOf(tx, found.id);
      const ids = variants.map((variant) => variant.id);
      const used = archived ? await readUse(tx, ids) : [];
      if (used.length > 0)
        return { kind: 'product_in_use', product_code: code, variants: used.slice(0, USED_SHOWN_MAX) };
      product = await archiveProduct(tx, found.id, archived);
    }
    if (wanted.name !== undefined) product = await storeName(tx, found.id, name);
    const variants = await listVariants(tx, [product.id]);
    return {
      done: { product: { ...product, variants } },
      audit: {
        action: 'product.update',
        subject: `product:${code}`,
        before: pick(wanted, { name: found.name, archived: found.archived_at !== null }),
        after: pick(wanted, { name, archived }),
      },
      journal: wanted.name === undefined ? null : { variant_ids: variants.map((variant) => variant.id) },
    };
  });

const USED_SHOWN_MAX = 20;

/** The fields of `values` that are in `given`. */
const pick = (given: object, values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in given));

type VariantChanges = Partial<VariantFacts & { archived: boolean }>;

/** Changes the given fields. Channels see none of them. */
export const changeVariant = (tx: Tx, by: Actor, { code, ...wanted }: VariantChanges & { code: string }) =>
  changing<
    { variant: VariantLine },
    'variant_unknown' | 'variant_in_use' | 'product_archived' | 'barcode_taken'
  >(tx, by, async () => {
    // The product first, as everywhere.
    const found = wanted.archived === false ? await findVariant(tx, code) : undefined;
    const product = found && (await pinProduct(tx, found.product_id));
    if (product?.is_archived) return { kind: 'product_archived', product_code: product.code };
    const before = await lockVariant(tx, code);
    if (!before) return { kind: 'variant_unknown', variant_code: code };
    const { barcode } = wanted;
    if (barcode !== undefined && barcode !== null) {
      const owner = await lockBarcode(tx, barcode);
      if (owner !== undefined && owner !== code)
        return { kind: 'barcode_taken', barcode, variant_code: owner };
    }
    const wasArchived = before.archived_at !== null;
    const archived = wanted.archived ?? wasArchived;
    if (archived && !wasArchived) {
      const [use] = await readUse(tx, [before.id]);
      if (use) return { kind: 'variant_in_use', ...use };
    }
    await updateVariant(tx, before.id, { ...before, ...wanted, archived });
    const variant = await findVariantLine(tx, code);
    if (!variant) throw new RangeError(`variant ${code} was locked and is not there`);
    return {
      done: { variant },
      audit: {
        action: 'variant.update',
        subject: `variant:${code}`,
        before: pick(wanted, { ...before, archived: wasArchived }),
        after: pick(wanted, { ...variant, archived }),
      },
      journal: null,
    };
  });
