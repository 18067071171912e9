// Products and their variants, the internal SKUs. Product codes and variant codes are unique, permanently.
import { rows, statement, type Tx } from './database.ts';

export interface Product {
  id: number;
  code: string;
  name: string;
  created_at: Date;
}

export interface Variant {
  id: number;
  product_id: number;
  code: string;
  power: string | null;
  created_at: Date;
}

export type VariantFields = Pick<Variant, 'code' | 'power'>;

/**
 * Joins an order line `i` and its variant `v` with the product's names at intake, as `n`. Old lines have the first
 * version. LIMIT 1 does not change the result; it makes the planner use the key instead of a merge join.
 */
export const JOIN_NAMES = `cross join lateral (
     select n.code, n.name from product_version n
     where n.id = coalesce(i.product_version_id,
       (select min(f.id) from product_version f where f.product_id = v.product_id))
     limit 1
   ) n`;

const PRODUCT = 'id, code, name, created_at';
const VARIANT = 'id, product_id, code, power, created_at';

// DO NOTHING waits for a concurrent insert of the same code, and then returns no row.
const INSERT = statement(
  'product_insert',
  `insert into product (code, name) values ($1, $2) on conflict (code) do nothing returning ${PRODUCT}`,
);

/** Undefined: the code is taken. */
export const insertProduct = async (tx: Tx, code: string, name: string): Promise<Product | undefined> =>
  (await rows<Product>(tx, INSERT, [code, name]))[0];

// Sorted, so that requests with the same codes lock in the same order and cannot deadlock.
const INSERT_VARIANTS = statement(
  'variant_insert',
  `insert into variant (product_id, code, power)
   select $1::int, d.code, d.power from unnest($2::text[], $3::text[]) as d (code, power) order by d.code
   on conflict (code) do nothing returning ${VARIANT}`,
);

/** The inserted variants; a code that is taken has no row. */
export const insertVariants = (
  tx: Tx,
  productId: number,
  variants: readonly VariantFields[],
): Promise<Variant[]> =>
  rows(tx, INSERT_VARIANTS, [
    productId,
    variants.map((variant) => variant.code),
    variants.map((variant) => variant.power),
  ]);

const FIND = statement('product_find', `select ${PRODUCT} from product where code = $1`);
// Not NO KEY: a concurrent insert of a variant must wait, so that a rename finds every variant with the name.
const LOCK = statement('product_lock', `select ${PRODUCT} from product where code = $1 for update`);

export const findProduct = async (tx: Tx, code: string): Promise<Product | undefined> =>
  (await rows<Product>(tx, FIND, [code]))[0];
export const lockProduct = async (tx: Tx, code: string): Promise<Product | undefined> =>
  (await rows<Product>(tx, LOCK, [code]))[0];

const RENAME = statement('product_rename', `update product set name = $2 where id = $1 returning ${PRODUCT}`);

export async function renameProduct(tx: Tx, id: number, name: string): Promise<Product> {
  const [product] = await rows<Product>(tx, RENAME, [id, name]);
  if (!product) throw new RangeError(`no product ${id}`);
  return product;
}

// Both sides are lower-cased with the database's default collation; the columns' "C" collation handles ASCII only.
const LIST = statement(
  'product_list',
  `select ${PRODUCT} from product p
   where ($1::text is null or p.code > $1)
     and ($2::text is null
       or strpos(lower(p.code collate "default"), lower($2)) > 0
       or strpos(lower(p.name), lower($2)) > 0
       or exists (
         select from variant v
         where v.product_id = p.id and strpos(lower(v.code collate "default"), lower($2)) > 0
       ))
   order by p.code limit $3`,
);

export const listProducts = (
  tx: Tx,
  filter: { after: string | null; search: string | null; limit: number },
): Promise<Product[]> => rows(tx, LIST, [filter.after, filter.search, filter.limit]);

const VARIANTS_OF = statement(
  'variant_of_products',
  `select ${VARIANT} from variant where product_id = any($1::int[]) order by code`,
);

export const listVariants = (tx: Tx, productIds: readonly number[]): Promise<Variant[]> =>
  rows(tx, VARIANTS_OF, [productIds]);

const FIND_VARIANTS = statement(
  'variant_find',
  `select ${VARIANT} from variant where code = any($1::text[])`,
);

export const findVariants = (tx: Tx, codes: readonly string[]): Promise<Variant[]> =>
  rows(tx, FIND_VARIANTS, [codes]);

export const findVariant = async (tx: Tx, code: string): Promise<Variant | undefined> =>
  (await findVariants(tx, [code]))[0];
