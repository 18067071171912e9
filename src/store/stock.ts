// Stock rows and their ledger, as the back office sees and changes them. The gate has its own statements.
import type { Allocation, Stock } from '../domain/stock.ts';
import { rows, run, statement, type Tx } from './database.ts';

// Inserted by two at once, the second waits for the first and then finds its row.
const ENSURE = statement(
  'stock_ensure',
  'insert into stock (variant_id) values ($1) on conflict (variant_id) do nothing',
);
const LOCK = statement(
  'stock_lock',
  'select quantity, unshipped, allocated, backordered from stock where variant_id = $1 for update',
);

export const ensureStock = (tx: Tx, variantId: number): Promise<number> => run(tx, ENSURE, [variantId]);

/** Always before the variant's allocations are touched; undefined: there is no stock row. */
export const lockStockOf = async (tx: Tx, variantId: number): Promise<Stock | undefined> =>
  (await rows<Stock>(tx, LOCK, [variantId]))[0];

export interface Movement {
  delta: number;
  quantity_after: number;
  kind: 'set' | 'adjustment' | 'shipment' | 'import';
  actor: string;
  reason: string | null;
}

const INSERT_MOVEMENT = statement(
  'stock_insert_movement',
  `insert into stock_movement (variant_id, delta, quantity_after, kind, actor, reason)
   values ($1, $2, $3, $4, $5, $6)`,
);

export const insertMovement = (tx: Tx, variantId: number, movement: Movement): Promise<number> =>
  run(tx, INSERT_MOVEMENT, [
    variantId,
    movement.delta,
    movement.quantity_after,
    movement.kind,
    movement.actor,
    movement.reason,
  ]);

export interface StockLevel extends Stock {
  variant_code: string;
  channels: (Allocation & { channel_id: number; name: string })[];
}

type LevelRow = Stock & { variant_code: string } & (
    | (Allocation & { channel_id: number; name: string })
    | { channel_id: null }
  );

// One statement, one snapshot: the sums of the stock row always fit the channels beside them.
const LEVEL = statement(
  'stock_level',
  `select v.code as variant_code, s.quantity, s.unshipped, s.allocated, s.backordered,
          c.id as channel_id, c.name, coalesce(a.allocated_qty, 0) as allocated_qty,
          coalesce(a.reserve_quota, 0) as reserve_quota, coalesce(a.backordered_qty, 0) as backordered_qty
   from variant v
   join stock s on s.variant_id = v.id
   left join lateral (
     select x.channel_id from allocation x where x.variant_id = v.id
     union
     select m.channel_id from mapping m where m.variant_id = v.id
   ) k on true
   left join channel c on c.id = k.channel_id
   left join allocation a on a.variant_id = v.id and a.channel_id = k.channel_id
   where v.code = $1
   order by k.channel_id`,
);

/** With every channel that maps the variant or holds an allocation of it; undefined: no such variant or stock. */
export async function readStockLevel(tx: Tx, variantCode: string): Promise<StockLevel | undefined> {
  const found = await rows<LevelRow>(tx, LEVEL, [variantCode]);
  const [first] = found;
  if (!first) return undefined;
  const { variant_code, quantity, unshipped, allocated, backordered } = first;
  const channels = found.filter((row) => row.channel_id !== null);
  return { variant_code, quantity, unshipped, allocated, backordered, channels };
}

export interface StockLine extends Stock {
  variant_code: string;
  product_code: string;
  product_name: string;
}

// `below` compares what formula 1 of the specification shows, hence the 0.
const LIST = statement(
  'stock_list',
  `select v.code as variant_code, p.code as product_code, p.name as product_name,
          s.quantity, s.unshipped, s.allocated, s.backordered
   from stock s
   join variant v on v.id = s.variant_id
   join product p on p.id = v.product_id
   where ($1::text is null or v.code > $1)
     and ($2::text is null
       or strpos(lower(v.code collate "default"), lower($2)) > 0
       or strpos(lower(p.code collate "default"), lower($2)) > 0
       or strpos(lower(p.name), lower($2)) > 0)
     and ($3::bigint is null
       or greatest(0, s.quantity - s.unshipped - s.allocated - s.backordered) < $3)
   order by v.code limit $4`,
);

export const listStock = (
  tx: Tx,
  filter: { after: string | null; search: string | null; below: number | null; limit: number },
): Promise<StockLine[]> => rows(tx, LIST, [filter.after, filter.search, filter.below, filter.limit]);

export interface MovementRow extends Movement {
  id: number;
  order_number: string | null;
  at: Date;
}

const LIST_MOVEMENTS = statement(
  'stock_list_movements',
  `select m.id, m.delta, m.quantity_after, m.kind, o.order_number, m.actor, m.reason, m.at
   from stock_movement m
   left join orders o on o.id = m.order_id
   where m.variant_id = $1 and ($2::bigint is null or m.id < $2)
   order by m.id desc limit $3`,
);

/** Newest first; `beforeId` continues behind an earlier page. */
export const listMovements = (
  tx: Tx,
  variantId: number,
  beforeId: number | null,
  limit: number,
): Promise<MovementRow[]> => rows(tx, LIST_MOVEMENTS, [variantId, beforeId, limit]);
