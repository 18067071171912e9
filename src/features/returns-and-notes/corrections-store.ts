// Corrections of the tracking number and the courier of shipped orders.
import type { Status } from '../../core/rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface Shipment {
  tracking_number: string | null;
  courier_code: string | null;
  courier_name: string | null;
}

export interface ShippedOrder extends Shipment {
  status: Status;
  is_erased: boolean;
}

const LOCK = statement(
  'shipment_lock',
  `select status, tracking_number, courier_code, courier_name, erased_at is not null as is_erased
   from orders where id = $1 for update`,
);

export const lockShipment = async (tx: Tx, orderId: number): Promise<ShippedOrder | undefined> =>
  (await rows<ShippedOrder>(tx, LOCK, [orderId]))[0];

const SET = statement(
  'shipment_set',
  'update orders set tracking_number = $2, courier_code = $3, courier_name = $4 where id = $1',
);

// The number is read after the lock of the order, so that corrections are numbered without gaps.
const INSERT = statement(
  'shipment_correction_insert',
  `insert into order_shipment_correction
     (order_id, n, tracking_changed, courier_code_before, courier_code_after, actor)
   select $1, coalesce(max(c.n), 0) + 1, $2, $3, $4, $5
   from order_shipment_correction c where c.order_id = $1`,
);

/** The order must be locked. */
export async function correctShipment(
  tx: Tx,
  orderId: number,
  { before, after, actor }: { before: Shipment; after: Shipment; actor: string },
): Promise<void> {
  await run(tx, SET, [orderId, after.tracking_number, after.courier_code, after.courier_name]);
  const isOtherNumber = before.tracking_number !== after.tracking_number;
  await run(tx, INSERT, [orderId, isOtherNumber, before.courier_code, after.courier_code, actor]);
}
