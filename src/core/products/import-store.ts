// Bulk import of products, variants and mappings: lookups and writes of one chunk of rows each, all in the caller's
// transaction.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { IS_ARCHIVED } from './store.ts';

// The import plan is made from these reads, so nothing may be created or renamed until the plan is written. Reads,
// orders and stock changes continue.
const LOCK_CATALOGUE = statement(
  'import_lock_catalogue',
  'lock table product, variant in share row exclusive mode',
);

export const lockCatalogue = (tx: Tx): Promise<number> => run(tx, LOCK_CATALOGUE);

export interface FoundProduct {
  id: number;
  code: string;
  name: string;
  is_archived: boolean;
}

const FIND_PRODUCTS = statement(
  'import_find_products',
  'select id, code, name, archived_at is not null as is_archived from product where code = any($1::text[])',
);

export const lookUpProducts = (tx: Tx, codes: readonly string[]): Promise<FoundProduct[]> =>
  rows(tx, FIND_PRODUCTS, [codes]);

export interface FoundVariant {
  id: number;
  code: string;
  product_code: string;
  power: string | null;
  /** null: no stock row */
  quantity: number | null;
  /** The variant or its product. */
  is_archived: boolean;
}

const FIND_VARIANTS = statement(
  'import_find_variants',
  `select v.id, v.code, p.code as product_code, v.power, s.quantity, ${IS_ARCHIVED} as is_archived
   from variant v join product p on p.id = v.product_id left join stock s on s.variant_id = v.id
   where v.code = any($1::text[])`,
);

export const lookUpVariants = (tx: Tx, codes: readonly string[]): Promise<FoundVariant[]> =>
  rows(tx, FIND_VARIANTS, [codes]);

const INSERT_PRODUCTS = statement(
  'import_insert_products',
  'insert into product (code, name) select * from unnest($1::text[], $2::text[])',
);

export const addProducts = (tx: Tx, products: readonly { code: string; name: string }[]): Promise<number> =>
  run(tx, INSERT_PRODUCTS, [products.map(({ code }) => code), products.map(({ name }) => name)]);

const RENAME_PRODUCTS = statement(
  'import_rename_products',
  `update product p set name = d.name from unnest($1::int[], $2::text[]) as d (id, name) where p.id = d.id`,
);

export const renameProducts = (tx: Tx, products: readonly { id: number; name: string }[]): Promise<number> =>
  run(tx, RENAME_PRODUCTS, [products.map(({ id }) => id), products.map(({ name }) => name)]);

const VARIANTS_OF = statement(
  'import_variants_of',
  'select id from variant where product_id = any($1::int[])',
);

export const variantIdsOf = async (tx: Tx, productIds: readonly number[]): Promise<number[]> =>
  (await rows<{ id: number }>(tx, VARIANTS_OF, [productIds])).map(({ id }) => id);

const INSERT_VARIANTS = statement(
  'import_insert_variants',
  `insert into variant (product_id, code, power)
   select p.id, d.code, d.power
   from unnest($1::text[], $2::text[], $3::text[]) with ordinality as d (product_code, code, power, position)
     join product p on p.code = d.product_code
   order by d.position`,
);

export const addVariants = (
  tx: Tx,
  variants: readonly { product_code: string; code: string; power: string | null }[],
): Promise<number> =>
  run(tx, INSERT_VARIANTS, [
    variants.map(({ product_code }) => product_code),
    variants.map(({ code }) => code),
    variants.map(({ power }) => power),
  ]);

export interface FoundMapping {
  sku: string;
  variant_id: number;
}

const FIND_MAPPINGS = statement(
  'import_find_mappings',
  'select sku, variant_id from mapping where channel_id = $1 and sku = any($2::text[])',
);

export const lookUpMappings = (tx: Tx, channelId: number, skus: readonly string[]): Promise<FoundMapping[]> =>
  rows(tx, FIND_MAPPINGS, [channelId, skus]);
