// Packing in the warehouse: the goods of many orders, and the orders that can share a parcel.
import { isUnshipped, STATUSES, type Status } from '../../core/rules/transitions.ts';
import { rows, statement, type Tx } from '../../platform/database/database.ts';
import { JOIN_NAMES } from '../../core/products/store.ts';

interface PackedLine {
  sku: string;
  variant_code: string;
  product_code: string;
  product_name: string;
  power: string | null;
  barcode: string | null;
  attributes: Record<string, string>;
  /** Ordered quantity that was not cancelled. */
  quantity: number;
}

export interface PackedOrder {
  id: number;
  order_number: string;
  channel_name: string;
  status: Status;
  is_backorder: boolean;
  recipient_name: string;
  recipient_phone: string;
  shipping_address: string;
  created_at: Date;
  erased_at: Date | null;
  items: PackedLine[];
}

const READ_ORDERS = statement(
  'packing_read_orders',
  `select o.id, o.order_number, c.name as channel_name, o.status, o.is_backorder, o.recipient_name, o.recipient_phone,
          o.shipping_address, o.created_at, o.erased_at, i.items
   from unnest($1::bigint[]) with ordinality as wanted (id, place)
   join orders o on o.id = wanted.id
   join channel c on c.id = o.channel_id
   cross join lateral (
     select coalesce(json_agg(json_build_object(
       'sku', i.sku, 'variant_code', v.code, 'product_code', n.code, 'product_name', n.name, 'power', v.power,
       'barcode', v.barcode, 'attributes', v.attributes,
       'quantity', i.quantity - i.cancelled_quantity) order by i.line), '[]') as items
     from order_item i
     join variant v on v.id = i.variant_id
     ${JOIN_NAMES}
     where i.order_id = o.id
   ) i
   order by wanted.place`,
);

/** Returns the orders in the order of the ids. */
export const readPackedOrders = (tx: Tx, ids: readonly number[]): Promise<PackedOrder[]> =>
  rows(tx, READ_ORDERS, [ids]);

export interface PickedVariant {
  variant_code: string;
  product_code: string;
  product_name: string;
  power: string | null;
  barcode: string | null;
  attributes: Record<string, string>;
  quantity: number;
  /** How many of the orders need it. */
  orders: number;
  /** null: no stock record. */
  physical_stock: number | null;
}

const UNSHIPPED = STATUSES.filter(isUnshipped).join(', ');

const READ_PICKS = statement(
  'packing_read_picks',
  `select v.code as variant_code, p.code as product_code, p.name as product_name, v.power, v.barcode, v.attributes,
          sum(i.quantity - i.cancelled_quantity) as quantity, count(distinct i.order_id) as orders,
          s.quantity as physical_stock
   from orders o
   join order_item i on i.order_id = o.id
   join variant v on v.id = i.variant_id
   join product p on p.id = v.product_id
   left join stock s on s.variant_id = v.id
   where o.id = any($1::bigint[]) and o.status in (${UNSHIPPED})
   group by v.id, p.id, s.variant_id
   order by p.code, v.code`,
);

/** Quantities to pick, summed by variant, for those of the orders that are not shipped or cancelled. */
export const readPicks = (tx: Tx, ids: readonly number[]): Promise<PickedVariant[]> =>
  rows(tx, READ_PICKS, [ids]);

export interface Parcel {
  first_id: number;
  /** Orders of the same recipient; `ids` has at most PARCEL_ORDERS_MAX of them, oldest first. */
  count: number;
  ids: number[];
}

const PARCEL_ORDERS_MAX = 200;
/** Unpaid orders do not ship. */
const WAITING = STATUSES.filter((status) => isUnshipped(status) && status !== 0).join(', ');

/** Ignores case, width, blanks and punctuation, except between digits: "1, 101" is not "11, 01". */
const folded = (column: string): string =>
  `regexp_replace(regexp_replace(lower(normalize(${column}, NFKC)), '[[:space:][:punct:]]+', ' ', 'g'),
                  '(?<![0-9]) | (?![0-9])', '', 'g')`;
/** Only digits, with +82 10 as 010. */
const PHONE = `regexp_replace(regexp_replace(normalize(o.recipient_phone, NFKC), '\\D', '', 'g'), '^(00)?820?', '0')`;

// Folding the addresses of 34,000 orders took 4 s, so orders with a phone number of their own are left out first. The
// remaining ones, usually few, are looked up by id: OFFSET keeps the planner from reading all orders for them.
const LIST_PARCELS = statement(
  'packing_list_parcels',
  `select min(w.id) as first_id, count(*) as count, (array_agg(w.id order by w.id))[1:${PARCEL_ORDERS_MAX}] as ids
   from (
     select o.id, md5(concat_ws(E'\\x1f', ${folded('o.recipient_name')}, ${folded('o.shipping_address')}, s.phone)) as place
     from (
       select p.id, p.phone, count(*) over same_phone as orders, bool_or(p.id = any($2)) over same_phone as is_wanted
       from (select o.id, ${PHONE} as phone from orders o where o.status in (${WAITING})) p
       window same_phone as (partition by p.phone)
     ) s
     cross join lateral (select * from orders where id = s.id offset 0) o
     where s.orders > 1 and ($2::bigint[] is null or s.is_wanted)
   ) w
   group by w.place
   having count(*) > 1 and min(w.id) > $1 and ($2::bigint[] is null or bool_or(w.id = any($2)))
   order by first_id limit $3`,
);

/**
 * Groups of paid, unshipped orders with the same name, phone and address. Reads the phone numbers of all such orders: the
 * index on open orders keeps the shipped ones out.
 */
export const listParcels = (
  tx: Tx,
  filter: { order_ids: readonly number[] | null; afterId: number | null; limit: number },
): Promise<Parcel[]> => rows(tx, LIST_PARCELS, [filter.afterId ?? 0, filter.order_ids, filter.limit]);
