import { NativeSelect, TextInput } from '@mantine/core';
import { memo, type ClipboardEvent } from 'react';
import { TRACKING_NUMBER_CHARACTERS_MAX } from '../../../../src/core/rules/order-limits.ts';
import { useGet } from '../../api/query.ts';
import type { CommonCode, OrderDetail, OrderRow } from '../../api/types.ts';
import { DataTable, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Items } from './items.tsx';
import { moveWords, words } from './words.ts';

export interface Draft {
  tracking_number: string;
  courier_code: string;
}
/** The input by order id. */
export type Drafts = Readonly<Record<number, Partial<Draft>>>;
export type SetDraft = (id: number, change: Partial<Draft>) => void;

/** Starts with the order's own tracking number, which a channel may have sent with the order. */
export const draftOf = (drafts: Drafts, order: OrderRow): Draft => ({
  tracking_number: order.tracking_number ?? '',
  courier_code: order.courier_code ?? '',
  ...drafts[order.id],
});

interface ShipTableProps {
  orders: readonly OrderRow[];
  couriers: readonly CommonCode[];
  drafts: Drafts;
  faults: Readonly<Record<number, string>>;
  onChange: SetDraft;
  /** Handles a block pasted into the field of this order; false: ordinary text, which the field takes itself. */
  onFill: (from: number, text: string) => boolean;
}

const NO_ITEMS: readonly OrderDetail['items'][number][] = [];

export function ShipTable({ orders, couriers, drafts, faults, onChange, onFill }: ShipTableProps) {
  const w = useWords(words);
  const c = useWords(common);
  const m = useWords(moveWords);
  const packing = useGet('/orders/packing', { ids: orders.map(({ id }) => id).join(',') });
  const items = new Map(packing.data?.orders.map((order) => [order.id, order.items]));
  const columns: Column<OrderRow>[] = [
    {
      key: 'order',
      header: c.order,
      primary: true,
      cell: ({ order_number, recipient_name }) => (
        <span className="orders-two">
          <span className="mono">{order_number}</span>
          <small>{recipient_name}</small>
        </span>
      ),
    },
    { key: 'items', header: c.items, cell: ({ id }) => <Items items={items.get(id) ?? NO_ITEMS} /> },
    {
      key: 'tracking',
      header: m.tracking,
      width: '26%',
      cell: (order) => (
        <TrackingField
          id={order.id}
          label={w.trackingOf(order.order_number)}
          isFirst={order === orders[0]}
          value={draftOf(drafts, order).tracking_number}
          fault={faults[order.id]}
          onChange={onChange}
          onFill={onFill}
        />
      ),
    },
    {
      key: 'courier',
      header: m.courier,
      width: '22%',
      cell: (order) => (
        <CourierField
          id={order.id}
          label={w.courierOf(order.order_number)}
          value={draftOf(drafts, order).courier_code}
          none={m.noCourier}
          couriers={couriers}
          onChange={onChange}
        />
      ),
    },
  ];
  return <DataTable label={m.tracking} columns={columns} rows={orders} rowKey={({ id }) => id} />;
}

interface TrackingProps {
  id: number;
  label: string;
  /** Gets the focus, also when the couriers arrive after the dialog has opened: a scanner's Enter must not close it. */
  isFirst: boolean;
  value: string;
  fault: string | undefined;
  onChange: SetDraft;
  onFill: (from: number, text: string) => boolean;
}

// Memoized: with 200 orders, a key stroke must not render all fields again.
const TrackingField = memo(function TrackingField({
  id,
  label,
  isFirst,
  value,
  fault,
  onChange,
  onFill,
}: TrackingProps) {
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    if (onFill(id, event.clipboardData.getData('text'))) event.preventDefault();
  };
  return (
    <TextInput
      size="xs"
      w="100%"
      name={`tracking-${id}`}
      aria-label={label}
      autoFocus={isFirst}
      data-autofocus={isFirst || undefined}
      autoComplete="off"
      maxLength={TRACKING_NUMBER_CHARACTERS_MAX}
      value={value}
      error={fault}
      onPaste={paste}
      onChange={(event) => onChange(id, { tracking_number: event.currentTarget.value })}
    />
  );
});

interface CourierProps {
  id: number;
  label: string;
  value: string;
  none: string;
  couriers: readonly CommonCode[];
  onChange: SetDraft;
}

const CourierField = memo(function CourierField({
  id,
  label,
  value,
  none,
  couriers,
  onChange,
}: CourierProps) {
  return (
    <NativeSelect
      size="xs"
      w="100%"
      aria-label={label}
      data={[{ value: '', label: none }, ...couriers.map(({ code, name }) => ({ value: code, label: name }))]}
      value={value}
      onChange={(event) => onChange(id, { courier_code: event.currentTarget.value })}
    />
  );
});
