// Channel SKU → internal variant.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { enterCatalogue, pinProductsOf, productsFound } from '../products/store.ts';

export interface Mapping {
  sku: string;
  variant_code: string;
}

export interface MappingRow extends Mapping {
  product_code: string;
  product_name: string;
  power: string | null;
}

// Serializes changes of one channel's mappings, so that each knows what it replaces. NO KEY: the gate's inserts of
// allocations reference the channel and need not wait.
const LOCK = statement(
  'mapping_lock',
  'select archived_at is not null as archived from channel where id = $1 for no key update',
);

/** Locks the mappings of a channel. Undefined: no such channel. */
export const lockMappings = async (tx: Tx, channelId: number): Promise<{ archived: boolean } | undefined> =>
  (await rows<{ archived: boolean }>(tx, LOCK, [channelId]))[0];

const FIND = statement(
  'mapping_find',
  `select m.sku, v.code as variant_code
   from mapping m join variant v on v.id = m.variant_id
   where m.channel_id = $1 and m.sku = any($2::text[])
   order by m.sku`,
);

export const findMappings = (tx: Tx, channelId: number, skus: readonly string[]): Promise<Mapping[]> =>
  rows(tx, FIND, [channelId, skus]);

const UPSERT = statement(
  'mapping_upsert',
  `insert into mapping (channel_id, sku, variant_id)
   select $1::int, d.sku, d.variant_id from unnest($2::text[], $3::int[]) as d (sku, variant_id)
   on conflict (channel_id, sku) do update set variant_id = excluded.variant_id`,
);

// Runs after the upsert, which waits for transactions that are archiving one of the variants.
const BRING_BACK = statement(
  'mapping_bring_back',
  `with named as (
     select distinct v.id, v.product_id from unnest($1::int[]) as n (id) join variant v on v.id = n.id
   ), variants as (
     update variant v set archived_at = null from named n where v.id = n.id and v.archived_at is not null
   )
   update product p set archived_at = null
   from (select distinct n.product_id from named n) n
   where p.id = n.product_id and p.archived_at is not null`,
);

/** Mapped variants are on sale, so archived variants and their products are unarchived. */
export async function upsertMappings(
  tx: Tx,
  channelId: number,
  mappings: readonly { sku: string; variant_id: number }[],
): Promise<void> {
  const variantIds = mappings.map((mapping) => mapping.variant_id);
  await enterCatalogue(tx);
  await pinProductsOf(tx, variantIds); // before their variants, which the upsert holds
  await run(tx, UPSERT, [channelId, mappings.map((mapping) => mapping.sku), variantIds]);
  await run(tx, BRING_BACK, [variantIds]);
}

const DELETE = statement(
  'mapping_delete',
  'delete from mapping where channel_id = $1 and sku = any($2::text[])',
);

export const deleteMappings = (tx: Tx, channelId: number, skus: readonly string[]): Promise<number> =>
  run(tx, DELETE, [channelId, skus]);

const LISTED = `select m.sku, v.code as variant_code, p.code as product_code, p.name as product_name, v.power
   from mapping m
   join variant v on v.id = m.variant_id
   join product p on p.id = v.product_id
   where m.channel_id = $1 and m.sku > $2`;
const LIST = statement('mapping_list', `${LISTED} order by m.sku limit $3`);
// Products and variants are searched first: looking up both for each of 100,000 SKUs took five times as long.
const LIST_FOUND = statement(
  'mapping_list_found',
  `with ${productsFound('$4')}, found_variant as materialized (
     select id from variant
     where product_id in (select id from found) or strpos(lower(code collate "default"), lower($4)) > 0
   )
   ${LISTED} and (strpos(lower(m.sku collate "default"), lower($4)) > 0
     or m.variant_id in (select id from found_variant))
   order by m.sku limit $3`,
);

export const listMappings = (
  tx: Tx,
  channelId: number,
  { after, search, limit }: { after: string | null; search: string | null; limit: number },
): Promise<MappingRow[]> => {
  const page = [channelId, after ?? '', limit];
  return search === null ? rows(tx, LIST, page) : rows(tx, LIST_FOUND, [...page, search]);
};

export interface FoundSku extends MappingRow {
  channel_id: number;
  channel_name: string;
}

// The SKUs are read from the primary key alone, in its order: reading the rows, too, touched a hundred times as many
// pages. An index on parts of SKUs would make an import of 100,000 SKUs four times as long.
const SEARCH = statement(
  'mapping_search',
  `with found as materialized (
     select channel_id, sku from mapping
     where (channel_id, sku) > ($1::int, $2::text) and strpos(lower(sku collate "default"), lower($3)) > 0
     order by channel_id, sku limit $4
   )
   select m.channel_id, c.name as channel_name, m.sku, v.code as variant_code,
          p.code as product_code, p.name as product_name, v.power
   from found f
   join mapping m on m.channel_id = f.channel_id and m.sku = f.sku
   join channel c on c.id = m.channel_id
   join variant v on v.id = m.variant_id
   join product p on p.id = v.product_id
   order by m.channel_id, m.sku`,
);

/** SKUs of all channels that contain the text, by channel and SKU. */
export const searchMappings = (
  tx: Tx,
  filter: { after: { channel_id: number; sku: string }; search: string; limit: number },
): Promise<FoundSku[]> =>
  rows(tx, SEARCH, [filter.after.channel_id, filter.after.sku, filter.search, filter.limit]);

const EXPORT = statement(
  'mapping_export',
  `select m.sku, v.code as variant_code
   from mapping m join variant v on v.id = m.variant_id
   where m.channel_id = $1 and m.sku > $2
   order by m.sku limit $3`,
);

/** By SKU, after the last row of the previous chunk. */
export const exportMappings = (
  tx: Tx,
  channelId: number,
  after: Mapping | null,
  limit: number,
): Promise<Mapping[]> => rows(tx, EXPORT, [channelId, after?.sku ?? '', limit]);
