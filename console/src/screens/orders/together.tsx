// Orders of the same recipient that wait for shipment: they can go into one parcel.
import { UnstyledButton } from '@mantine/core';
import { Package } from 'lucide-react';
import { createContext, useContext, useMemo } from 'react';
import { useAll } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { OrderRow } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { listWords } from './words.ts';

/** Adds orders to the selection of the list. */
export const SelectMore = createContext<((orders: readonly OrderRow[]) => void) | null>(null);

const NONE: ReadonlyMap<number, readonly OrderRow[]> = new Map();

/** By order id: all orders that can share its parcel, including itself. */
export function useParcels(): ReadonlyMap<number, readonly OrderRow[]> {
  const canShip = useCan('operator');
  const { data } = useAll(canShip ? '/orders/parcels' : null);
  return useMemo(
    () =>
      data === undefined
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
