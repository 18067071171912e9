// Each channel's share of a stock row, as administrators grant it.
import type { Allocation, Stock } from '../domain/stock.ts';
import { rows, run, statement, type Tx } from './database.ts';

const READ = statement(
  'allocation_read',
  `select allocated_qty, reserve_quota, backordered_qty from allocation where variant_id = $1 and channel_id = $2`,
);

/** Needs no lock of its own: whoever changes an allocation holds the lock of its stock row. */
export const readAllocation = async (
  tx: Tx,
  channelId: number,
  variantId: number,
): Promise<Allocation | undefined> => (await rows<Allocation>(tx, READ, [variantId, channelId]))[0];

const SET_QUOTA = statement(
  'allocation_set_quota',
  'update allocation set reserve_quota = $3 where variant_id = $1 and channel_id = $2',
);

export const setReserveQuota = (
  tx: Tx,
  channelId: number,
  variantId: number,
  reserveQuota: number,
): Promise<number> => run(tx, SET_QUOTA, [variantId, channelId, reserveQuota]);

const INSERT_MOVEMENT = statement(
  'allocation_insert_movement',
  `insert into allocation_movement (channel_id, variant_id, delta, allocated_after, actor)
   values ($1, $2, $3, $4, $5)`,
);

export const insertAllocationMovement = (
  tx: Tx,
  movement: { channel_id: number; variant_id: number; delta: number; allocated_after: number; actor: string },
): Promise<number> =>
  run(tx, INSERT_MOVEMENT, [
    movement.channel_id,
    movement.variant_id,
    movement.delta,
    movement.allocated_after,
    movement.actor,
  ]);

export interface AllocationLine extends Allocation, Stock {
  variant_code: string;
}

const LIST = statement(
  'allocation_list',
  `select v.code as variant_code, a.allocated_qty, a.reserve_quota, a.backordered_qty,
          s.quantity, s.unshipped, s.allocated, s.backordered
   from allocation a
   join variant v on v.id = a.variant_id
   join stock s on s.variant_id = a.variant_id
   where a.channel_id = $1 and ($2::text is null or v.code > $2)
   order by v.code limit $3`,
);

export const listAllocations = (
  tx: Tx,
  channelId: number,
  after: string | null,
  limit: number,
): Promise<AllocationLine[]> => rows(tx, LIST, [channelId, after, limit]);
