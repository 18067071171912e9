// Reads the database with its own plain SQL, independent of the service's code.
import type pg from 'pg';
import { connected } from '../kit/connection.ts';
import type { Status } from '../observer/order-states.ts';

export interface StoredOrder {
  id: number;
  channel_id: number;
  order_number: string;
  status: Status;
  is_backorder: boolean;
  total_amount: string;
  tracking_number: string | null;
  items: {
    sku: string;
    variant_code: string;
    quantity: number;
    cancelled: number;
    drawn: number;
    price: number;
  }[];
  /** In chronological order. */
  history: { from: Status | null; to: Status; source: string }[];
  shipments: { variant_code: string; delta: number }[];
}

/** A row of counters, by name. */
type Counters = { variant_code: string } & Record<string, unknown>;

export interface StoredMovement {
  variant_code: string;
  kind: string;
  delta: number;
  reason: string | null;
}

const PAGE = 5_000;

export class Stored {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** One snapshot for all queries. */
  static read<T>(url: string, work: (stored: Stored) => Promise<T>): Promise<T> {
    return connected(url, async (client) => {
      await client.query('begin isolation level repeatable read read only');
      return work(new Stored(client));
    });
  }

  async *orders(): AsyncGenerator<StoredOrder> {
    const shipments = await this.#shipments();
    let after = 0;
    for (;;) {
      const rows = await this.#rows<StoredOrder>(
        `select o.id::float8 as id, o.channel_id, o.order_number, o.status, o.is_backorder,
                o.total_amount::text as total_amount, o.tracking_number, i.items, h.history
         from (select * from orders where id > $1 order by id limit ${PAGE}) o
         left join lateral (
           select coalesce(json_agg(json_build_object('sku', i.sku, 'variant_code', v.code, 'quantity', i.quantity,
                    'cancelled', i.cancelled_quantity, 'drawn', i.from_allocation,
                    'price', i.local_unit_price) order by i.line), '[]') as items
           from order_item i join variant v on v.id = i.variant_id where i.order_id = o.id
         ) i on true
         left join lateral (
           select coalesce(json_agg(json_build_object('from', h.from_status, 'to', h.to_status, 'source', h.source)
                    order by array_position('{0,1,2,9,3,88}'::smallint[], h.to_status)), '[]') as history
           from order_history h where h.order_id = o.id
         ) h on true
         order by o.id`,
        [after],
      );
      for (const row of rows) yield { ...row, shipments: shipments.get(row.id) ?? [] };
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? 0;
    }
  }

  /** By order id. Reads all shipments at once, because the ledger has no index by order. */
  async #shipments(): Promise<Map<number, StoredOrder['shipments']>> {
    const rows = await this.#rows<{ order_id: number; variant_code: string; delta: number }>(
      `select m.order_id::float8 as order_id, v.code as variant_code, m.delta
       from stock_movement m join variant v on v.id = m.variant_id where m.order_id is not null`,
    );
    return Map.groupBy(rows, ({ order_id }) => order_id);
  }

  stock(): Promise<Counters[]> {
    return this.#rows(
      `select v.code as variant_code, s.quantity, s.unshipped::float8 as unshipped,
              s.allocated::float8 as allocated, s.backordered::float8 as backordered
       from stock s join variant v on v.id = s.variant_id order by v.code`,
    );
  }

  allocations(): Promise<(Counters & { channel_id: number })[]> {
    return this.#rows(
      `select a.channel_id, v.code as variant_code, a.allocated_qty::float8 as allocated_qty, a.reserve_quota,
              a.backordered_qty::float8 as backordered_qty
       from allocation a join variant v on v.id = a.variant_id order by v.code, a.channel_id`,
    );
  }

  /** All movements except shipments, which belong to their orders. */
  movements(): Promise<StoredMovement[]> {
    return this.#rows(
      `select v.code as variant_code, m.kind, m.delta, m.reason
       from stock_movement m join variant v on v.id = m.variant_id where m.order_id is null order by m.id`,
    );
  }

  async #rows<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    return (await this.#client.query<T>(sql, values)).rows;
  }
}
