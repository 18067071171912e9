// Sellable stock per channel SKU, as channels read it.
import type { Allocation, Stock } from '../rules/stock.ts';
import { rows, statement, unnested, type Tx } from '../../platform/database/database.ts';

type Quantities = Stock & Allocation;
export type MaybeQuantities = { [K in keyof Quantities]: Quantities[K] | null };

const LOOKUP = statement(
  'inventory_lookup',
  `select c.position, s.quantity, s.unshipped, s.allocated, s.backordered,
          a.allocated_qty, a.reserve_quota, a.backordered_qty
   from (${unnested(1, 'int text')}, generate_subscripts($1::int[], 1)) as c (channel_id, sku, position)
   join mapping m on m.channel_id = c.channel_id and m.sku = c.sku
   left join stock s on s.variant_id = m.variant_id
   left join allocation a on a.variant_id = m.variant_id and a.channel_id = m.channel_id`,
);

/** `position` counts the pairs from 1; an unmapped pair has no row. */
export const lookUpSkus = (
  tx: Tx,
  channelIds: readonly number[],
  skus: readonly string[],
): Promise<(MaybeQuantities & { position: number })[]> => rows(tx, LOOKUP, [channelIds, skus]);

const LINE = `m.variant_id, m.sku, v.code as product_code, p.name as product_name, s.quantity, s.unshipped,
          s.allocated, s.backordered, a.allocated_qty, a.reserve_quota, a.backordered_qty`;
const JOINS = `join variant v on v.id = m.variant_id
   join product p on p.id = v.product_id
   left join stock s on s.variant_id = m.variant_id
   left join allocation a on a.variant_id = m.variant_id and a.channel_id = m.channel_id`;

export interface InventoryLine extends MaybeQuantities {
  variant_id: number;
  sku: string;
  product_code: string;
  product_name: string;
}

const LIST = statement(
  'inventory_list',
  `select ${LINE} from mapping m ${JOINS} where m.channel_id = $1 and m.sku > $2 order by m.sku limit $3`,
);

/** One page of the list, after the given SKU. */
export const listInventory = (
  tx: Tx,
  channelId: number,
  afterSku: string,
  limit: number,
): Promise<InventoryLine[]> => rows(tx, LIST, [channelId, afterSku, limit]);

const LIST_TOUCHED = statement(
  'inventory_list_touched',
  `select m.channel_id, ${LINE}
   from unnest($2::int[]) as t (variant_id)
   join mapping m on m.variant_id = t.variant_id and m.channel_id = any($1::int[]) ${JOINS}`,
);

export const listTouched = (
  tx: Tx,
  channelIds: readonly number[],
  variantIds: readonly number[],
): Promise<(InventoryLine & { channel_id: number })[]> => rows(tx, LIST_TOUCHED, [channelIds, variantIds]);

const LIST_QUANTITIES = statement(
  'inventory_list_quantities',
  `select c.channel_id, t.variant_id, s.quantity, s.unshipped, s.allocated, s.backordered,
          a.allocated_qty, a.reserve_quota, a.backordered_qty
   from unnest($1::int[]) as c (channel_id)
   cross join unnest($2::int[]) as t (variant_id)
   left join stock s on s.variant_id = t.variant_id
   left join allocation a on a.variant_id = t.variant_id and a.channel_id = c.channel_id`,
);

/** One row for each channel and variant, mapped or not. */
export const listQuantities = (
  tx: Tx,
  channelIds: readonly number[],
  variantIds: readonly number[],
): Promise<(MaybeQuantities & { channel_id: number; variant_id: number })[]> =>
  rows(tx, LIST_QUANTITIES, [channelIds, variantIds]);

const LIST_CHANGED = statement(
  'inventory_list_changed',
  `select c.sku as asked, ${LINE}
   from (
     select m.sku from unnest($2::int[]) as t (variant_id)
     join mapping m on m.variant_id = t.variant_id and m.channel_id = $1 and m.sku > $4
     union
     select k.sku collate "C" from unnest($3::text[]) as k (sku) where k.sku collate "C" > $4
     order by sku limit $5
   ) c
   left join mapping m on m.channel_id = $1 and m.sku = c.sku
   left join variant v on v.id = m.variant_id
   left join product p on p.id = v.product_id
   left join stock s on s.variant_id = m.variant_id
   left join allocation a on a.variant_id = m.variant_id and a.channel_id = m.channel_id
   order by c.sku`,
);

/** A SKU that may have changed; the columns are null if it is no longer mapped. */
export type ChangedLine = { asked: string } & (InventoryLine | { [K in keyof InventoryLine]: null });

/** The SKUs of these variants and the named SKUs; one page, after the given SKU. */
export const listChanged = (
  tx: Tx,
  channelId: number,
  { variant_ids, skus }: { variant_ids: readonly number[]; skus: readonly string[] },
  afterSku: string,
  limit: number,
): Promise<ChangedLine[]> => rows(tx, LIST_CHANGED, [channelId, variant_ids, skus, afterSku, limit]);
