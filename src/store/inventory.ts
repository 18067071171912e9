// What channels read: sellable stock per channel SKU.
import type { Allocation, Stock } from '../domain/stock.ts';
import { rows, statement, type Tx } from './database.ts';

type Numbers = Stock & Allocation;
type MaybeNumbers = { [K in keyof Numbers]: Numbers[K] | null };

const LOOKUP = statement(
  'inventory_lookup',
  `select c.position, s.quantity, s.unshipped, s.allocated, s.backordered,
          a.allocated_qty, a.reserve_quota, a.backordered_qty
   from unnest($1::int[], $2::text[]) with ordinality as c (channel_id, sku, position)
   join mapping m on m.channel_id = c.channel_id and m.sku = c.sku
   left join stock s on s.variant_id = m.variant_id
   left join allocation a on a.variant_id = m.variant_id and a.channel_id = m.channel_id`,
);

/** `position` counts the pairs from 1; a pair that is not mapped has no row. */
export const lookUpSkus = (
  tx: Tx,
  channelIds: readonly number[],
  skus: readonly string[],
): Promise<(MaybeNumbers & { position: number })[]> => rows(tx, LOOKUP, [channelIds, skus]);

const LINE = `m.variant_id, m.sku, v.code as product_code, p.name as product_name, s.quantity, s.unshipped,
          s.allocated, s.backordered, a.allocated_qty, a.reserve_quota, a.backordered_qty`;
const JOINS = `join variant v on v.id = m.variant_id
   join product p on p.id = v.product_id
   left join stock s on s.variant_id = m.variant_id
   left join allocation a on a.variant_id = m.variant_id and a.channel_id = m.channel_id`;

export interface InventoryLine extends MaybeNumbers {
  variant_id: number;
  sku: string;
  product_code: string;
  product_name: string;
}

const LIST = statement(
  'inventory_list',
  `select ${LINE} from mapping m ${JOINS} where m.channel_id = $1 and m.sku > $2 order by m.sku limit $3`,
);

/** A piece of the list, behind the SKU given. */
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
