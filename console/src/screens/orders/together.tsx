// Orders of the same recipient that wait for shipment: they can go into one parcel.
import { UnstyledButton } from '@mantine/core';
import { Package } from 'lucide-react';
import { createContext, useContext, useMemo } from 'react';
import { useEach } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { OrderRow } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { isFinal } from './moves.ts';
import { listWords } from './words.ts';

/** Adds orders to the selection of the list. */
export const SelectMore = createContext<((orders: readonly OrderRow[]) => void) | null>(null);

/** Paid and not shipped. */
const canShare = (status: OrderRow['status']): boolean => status !== 0 && !isFinal(status);

const NONE: ReadonlyMap<number, readonly OrderRow[]> = new Map();

const IDS_MAX = 100;

/**
 * By order id: all orders that can share its parcel, including itself. Asks only for the orders in the list: with many
 * open orders, reading the parcels of all of them takes minutes.
 */
export function useParcels(listed: readonly OrderRow[]): ReadonlyMap<number, readonly OrderRow[]> {
  const canShip = useCan('operator');
  const ids = listed.filter(({ status }) => canShip && canShare(status)).map(({ id }) => id);
  const chunks = Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, at) =>
    ids.slice(at * IDS_MAX, (at + 1) * IDS_MAX),
  );
  const data = useEach(
    '/orders/parcels',
    chunks.map((chunk) => ({ order_ids: chunk.join(',') })),
  );
  return useMemo(
    () =>
      data.length === 0
        ? NONE
        : new Map(data.flatMap(({ orders }) => orders.map(({ id }) => [id, orders] as const))),
    [data],
  );
}

/** A button with the number of other orders for the recipient, which selects all of them. */
export function Together({ order, orders }: { order: OrderRow; orders: readonly OrderRow[] | undefined }) {
  const l = useWords(listWords);
  const select = useContext(SelectMore);
  if (orders === undefined) return null;
  const others = orders.length - 1;
  return (
    <UnstyledButton
      className="orders-together"
      title={l.togetherOf(others, order.recipient_name)}
      aria-label={l.togetherOf(others, order.recipient_name)}
      onClick={() => select?.(orders)}
    >
      <Package size={12} aria-hidden />
      {l.together(others)}
    </UnstyledButton>
  );
}
