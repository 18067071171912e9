// Products and their variants, the internal SKUs. Product codes and variant codes are unique, permanently.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface Product {
  id: number;
  code: string;
  name: string;
  /** null: in use. */
  archived_at: Date | null;
  created_at: Date;
}

/** Facts of a variant that the back office changes; channels see none of them. */
export interface VariantFacts {
  power: string | null;
  barcode: string | null;
  /** Texts by name: size, colour, … */
  attributes: Readonly<Record<string, string>>;
  /** The item is low at this common stock or less; null: no warning. */
  low_stock_at: number | null;
}

export interface Variant extends VariantFacts {
  id: number;
  product_id: number;
  code: string;
  archived_at: Date | null;
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

/** Whether a variant `v` or its product `p` is archived. */
export const IS_ARCHIVED = '(v.archived_at is not null or p.archived_at is not null)';

/**
 * A search in two steps: products first, then variants by product, code or barcode. Lower-casing the product's name for
 * each of 100,000 variants took 340 ms; this takes 80 ms. Both sides use the database's default collation, because the
 * columns' "C" collation handles ASCII only; strpos has no wildcards. A barcode is scanned whole.
 */
export const productsFound = (search: string): string => `found as materialized (
     select id from product
     where strpos(lower(code collate "default"), lower(${search})) > 0 or strpos(lower(name), lower(${search})) > 0
   )`;
export const isFound = (search: string): string =>
  `(v.product_id in (select id from found) or strpos(lower(v.code collate "default"), lower(${search})) > 0
    or v.barcode = ${search})`;

const PRODUCT = 'id, code, name, archived_at, created_at';
const VARIANT = 'id, product_id, code, power, barcode, attributes, low_stock_at, archived_at, created_at';

// DO NOTHING waits for a concurrent insert of the same code, and then returns no row. Even then it uses up an id, and
// there are two billion: codes that exist are left out.
const INSERT = statement(
  'product_insert',
  `insert into product (code, name) select $1, $2 where not exists (select from product where code = $1)
   on conflict (code) do nothing returning ${PRODUCT}`,
);

/** Undefined: the code is taken. */
export const insertProduct = async (tx: Tx, code: string, name: string): Promise<Product | undefined> =>
  (await rows<Product>(tx, INSERT, [code, name]))[0];

// Sorted, so that requests with the same codes lock in the same order and cannot deadlock.
const INSERT_VARIANTS = statement(
  'variant_insert',
  `insert into variant (product_id, code, power)
   select $1::int, d.code, d.power from unnest($2::text[], $3::text[]) as d (code, power)
   where not exists (select from variant v where v.code = d.code) order by d.code
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

const SET_POWERS = statement(
  'variant_set_powers',
  `update variant v set power = d.power from unnest($1::int[], $2::text[]) as d (id, power) where v.id = d.id`,
);

export const setPowers = (
  tx: Tx,
  variants: readonly { id: number; power: string | null }[],
): Promise<number> => run(tx, SET_POWERS, [variants.map(({ id }) => id), variants.map(({ power }) => power)]);

// Before any row of the two tables is locked, in the order of the import that locks both tables: it would wait for the row,
// and its holder for a table.
const ENTER_CATALOGUE = statement('catalogue_enter', 'lock table product, variant in row exclusive mode');
export const enterCatalogue = (tx: Tx): Promise<number> => run(tx, ENTER_CATALOGUE);

const FIND = statement('product_find', `select ${PRODUCT} from product where code = $1`);
// Not NO KEY: a concurrent insert of a variant must wait, so that a rename finds every variant with the name.
const LOCK = statement('product_lock', `select ${PRODUCT} from product where code = $1 for update`);

export const findProduct = async (tx: Tx, code: string): Promise<Product | undefined> =>
  (await rows<Product>(tx, FIND, [code]))[0];
export async function lockProduct(tx: Tx, code: string): Promise<Product | undefined> {
  await enterCatalogue(tx);
  return (await rows<Product>(tx, LOCK, [code]))[0];
}

// FOR KEY SHARE conflicts with archiving: orders and imports of names continue. The rows are read again after a wait, so
// `is_archived` is what the locks protect.
const PIN_PRODUCTS = statement(
  'product_hold',
  `select id, code, archived_at is not null as is_archived from product where id = any($1::int[])
   order by id for key share`,
);
const PIN_PRODUCTS_OF = statement(
  'product_hold_of_variants',
  `select id, code, archived_at is not null as is_archived from product
   where id = any(array(select product_id from variant where id = any($1::int[]))) order by id for key share`,
);
const PIN_VARIANTS = statement(
  'variant_hold',
  `select id, code, product_id, archived_at is not null as is_archived from variant where id = any($1::int[])
   order by id for key share`,
);

export interface Pinned {
  id: number;
  code: string;
  is_archived: boolean;
}

/** Until the transaction ends, the product is neither archived nor brought back. */
export const pinProduct = async (tx: Tx, id: number): Promise<Pinned | undefined> =>
  (await rows<Pinned>(tx, PIN_PRODUCTS, [[id]]))[0];

/** Products must be locked before their variants, as archiving locks them. */
export const pinProductsOf = (tx: Tx, variantIds: readonly number[]): Promise<Pinned[]> =>
  rows(tx, PIN_PRODUCTS_OF, [variantIds]);

/**
 * Until the transaction ends, none of these variants is archived or brought back. Must come before stock rows are
 * locked.
 */
export async function pinVariants(tx: Tx, ids: readonly number[]): Promise<Pinned[]> {
  const products = await pinProductsOf(tx, ids);
  const archived = new Set(products.filter((product) => product.is_archived).map(({ id }) => id));
  const variants = await rows<Pinned & { product_id: number }>(tx, PIN_VARIANTS, [ids]);
  return variants.map(({ id, code, product_id, is_archived }) => ({
    id,
    code,
    is_archived: is_archived || archived.has(product_id),
  }));
}

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
         where v.product_id = p.id
           and (strpos(lower(v.code collate "default"), lower($2)) > 0 or v.barcode = $2)
       ))
     and case when $4::boolean
       then p.archived_at is not null
         or exists (select from variant v where v.product_id = p.id and v.archived_at is not null)
       else p.archived_at is null end
   order by p.code limit $3`,
);

/** `archived`: only products that are archived or have an archived variant; otherwise only those in use. */
export const listProducts = (
  tx: Tx,
  filter: { after: string | null; search: string | null; archived: boolean; limit: number },
): Promise<Product[]> => rows(tx, LIST, [filter.after, filter.search, filter.limit, filter.archived]);

const ARCHIVE = statement(
  'product_archive',
  `update product set archived_at = case when $2::boolean then now() end where id = $1 returning ${PRODUCT}`,
);

export async function archiveProduct(tx: Tx, id: number, archived: boolean): Promise<Product> {
  const [product] = await rows<Product>(tx, ARCHIVE, [id, archived]);
  if (!product) throw new RangeError(`no product ${id}`);
  return product;
}

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

const CODE = statement('variant_code', 'select code from variant where id = $1');

export async function readVariantCode(tx: Tx, id: number): Promise<string> {
  const [variant] = await rows<{ code: string }>(tx, CODE, [id]);
  if (!variant) throw new RangeError(`no variant ${id}`);
  return variant.code;
}

// FOR UPDATE conflicts with the key lock that an insert of a mapping takes on its variant. A mapping is therefore
// either visible when the use of the variant is read, or its insert waits and then unarchives the variant
// (`upsertMappings`).
const LOCK_VARIANT = statement('variant_lock', `select ${VARIANT} from variant where code = $1 for update`);
const LOCK_VARIANTS_OF = statement(
  'variant_lock_of_product',
  `select ${VARIANT} from variant where product_id = $1 order by id for update`,
);

export async function lockVariant(tx: Tx, code: string): Promise<Variant | undefined> {
  await enterCatalogue(tx);
  return (await rows<Variant>(tx, LOCK_VARIANT, [code]))[0];
}
export const lockVariantsOf = (tx: Tx, productId: number): Promise<Variant[]> =>
  rows(tx, LOCK_VARIANTS_OF, [productId]);

// Serializes changes of one barcode, so that two variants cannot get the same barcode.
const LOCK_BARCODE = statement(
  'variant_lock_barcode',
  'select pg_advisory_xact_lock(hashtextextended($1, 15))',
);
const HAS_BARCODE = statement('variant_has_barcode', 'select code from variant where barcode = $1');

/** The code of the variant that has this barcode. Until this transaction ends, no other can assign the barcode. */
export async function lockBarcode(tx: Tx, barcode: string): Promise<string | undefined> {
  await rows(tx, LOCK_BARCODE, [barcode]);
  return (await rows<{ code: string }>(tx, HAS_BARCODE, [barcode]))[0]?.code;
}

const UPDATE_VARIANT = statement(
  'variant_update',
  `update variant
   set power = $2, barcode = $3, attributes = $4::jsonb, low_stock_at = $5,
       archived_at = case when $6::boolean then coalesce(archived_at, now()) end
   where id = $1 returning ${VARIANT}`,
);

export async function updateVariant(
  tx: Tx,
  id: number,
  facts: VariantFacts & { archived: boolean },
): Promise<Variant> {
  const attributes = JSON.stringify(facts.attributes);
  const { power, barcode, low_stock_at, archived } = facts;
  const values = [id, power, barcode, attributes, low_stock_at, archived];
  const [variant] = await rows<Variant>(tx, UPDATE_VARIANT, values);
  if (!variant) throw new RangeError(`no variant ${id}`);
  return variant;
}

export interface VariantUse {
  variant_code: string;
  /** Channel SKUs mapped to it. */
  mapped: number;
  quantity: number;
  unshipped: number;
  allocated: number;
  backordered: number;
}

const READ_USE = statement(
  'variant_read_use',
  `select v.code as variant_code, m.mapped, coalesce(s.quantity, 0) as quantity,
          coalesce(s.unshipped, 0) as unshipped, coalesce(s.allocated, 0) as allocated,
          coalesce(s.backordered, 0) as backordered
   from variant v
   cross join lateral (select count(*) as mapped from mapping where variant_id = v.id) m
   left join stock s on s.variant_id = v.id
   where v.id = any($1::int[])
     and (m.mapped > 0 or s.quantity > 0 or s.unshipped > 0 or s.allocated > 0 or s.backordered > 0)
   order by v.code`,
);

/** The use of the variants that are mapped, or have stock, open orders or allocations. */
export const readUse = (tx: Tx, variantIds: readonly number[]): Promise<VariantUse[]> =>
  rows(tx, READ_USE, [variantIds]);

export interface VariantLine extends Variant {
  product_code: string;
  product_name: string;
  has_stock: boolean;
  /** The variant or its product is archived. */
  is_archived: boolean;
}

const LINE = `select v.id, v.product_id, v.code, v.power, v.barcode, v.attributes, v.low_stock_at, v.archived_at,
          v.created_at, p.code as product_code, p.name as product_name,
          s.variant_id is not null as has_stock, ${IS_ARCHIVED} as is_archived
   from variant v join product p on p.id = v.product_id left join stock s on s.variant_id = v.id`;
const LIST_WHERE = `v.code > $1 and ${IS_ARCHIVED} = $3::boolean
     and ($4::boolean is null or (s.variant_id is null) = $4)`;
const LIST_LINES = statement('variant_list', `${LINE} where ${LIST_WHERE} order by v.code limit $2`);
const LIST_LINES_FOUND = statement(
  'variant_list_found',
  `with ${productsFound('$5')} ${LINE} where ${LIST_WHERE} and ${isFound('$5')} order by v.code limit $2`,
);
const FIND_LINE = statement('variant_find_line', `${LINE} where v.code = $1`);

/** By code. `without_stock` null: with and without a stock row. */
export function listVariantLines(
  tx: Tx,
  filter: {
    after: string | null;
    search: string | null;
    archived: boolean;
    without_stock: boolean | null;
    limit: number;
  },
): Promise<VariantLine[]> {
  const values = [filter.after ?? '', filter.limit, filter.archived, filter.without_stock];
  return filter.search === null
    ? rows(tx, LIST_LINES, values)
    : rows(tx, LIST_LINES_FOUND, [...values, filter.search]);
}

export const findVariantLine = async (tx: Tx, code: string): Promise<VariantLine | undefined> =>
  (await rows<VariantLine>(tx, FIND_LINE, [code]))[0];
