// The rows of a carrier's list with the service's result for each row.
import { Button } from '@mantine/core';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import type { OrderStatus, ShipmentResult } from '../../api/types.ts';
import { Count, DataTable, OrderLink, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { CorrectDialog } from './order/correct-dialog.tsx';
import { words as orderWords } from './order/words.ts';
import type { ListedShipment } from './carrier-list.ts';
import { Items } from './items.tsx';
import { SHIP } from './moves.ts';
import { useRefusal, firstFault, type MoveRefusal } from './refusal.ts';
import { listWords, moveWords, words } from './words.ts';

export interface CheckedRow {
  row: ListedShipment;
  /** null: not sent, because the row itself is faulty */
  result: ShipmentResult | null;
}

/** Shipped neither now nor before. */
export const isFailed = ({ result }: CheckedRow): boolean =>
  result === null || (result.outcome !== 'shipped' && result.outcome !== 'already_shipped');

export function refusalOfRow({ row, result }: CheckedRow): MoveRefusal {
  const details = result?.details ?? null;
  return {
    code: row.fault ?? result?.outcome ?? null,
    details,
    error: firstFault(details, result?.errors ?? {}) ?? '',
    status: (details?.['current_status'] ?? null) as OrderStatus | null,
    requested: SHIP,
  };
}

/** Failures first, then rows to review, then the rest; within each group in the order of the list. */
const rankOf = (one: CheckedRow): number =>
  isFailed(one) ? 0 : one.result?.outcome === 'already_shipped' ? 1 : 2;

/** At least this many rows are shown, and always all failures. */
const DRAWN_MAX = 200;

export function ListRows({ rows, isDone }: { rows: readonly CheckedRow[]; isDone: boolean }) {
  const w = useWords(words);
  const c = useWords(common);
  const l = useWords(listWords);
  const m = useWords(moveWords);
  const format = useFormat();
  const sorted = rows.toSorted((a, b) => rankOf(a) - rankOf(b));
  const label = l.rowsOf(format.integer(rows.length));
  const drawn = Math.max(DRAWN_MAX, rows.filter(isFailed).length);
  const columns: Column<CheckedRow>[] = [
    { key: 'line', header: l.line, width: 60, align: 'right', cell: ({ row }) => <Count n={row.line} /> },
    {
      key: 'order',
      header: c.order,
      primary: true,
      // Opens in a new tab, so that the pasted list is kept.
      cell: ({ row, result }) => (
        <OrderLink id={result?.order_id ?? null} number={row.order_number} isNewTab />
      ),
    },
    { key: 'recipient', header: c.recipient, cell: ({ result }) => result?.recipient_name },
    {
      key: 'items',
      header: c.items,
      cell: ({ result }) =>
        result !== null && (
          <Items items={result.items} more={(result.item_count ?? 0) - result.items.length} />
        ),
    },
    {
      key: 'tracking',
      header: m.tracking,
      cell: ({ row }) => (
        <span className="orders-two">
          <span className="mono">{row.tracking_number}</span>
          {row.courier_code !== null && <small>{row.courier_code}</small>}
        </span>
      ),
    },
    { key: 'outcome', header: w.result, width: '30%', cell: (one) => <Outcome one={one} isDone={isDone} /> },
  ];
  return (
    // Focusable, so that it can be scrolled by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="orders-list-rows" tabIndex={0} role="region" aria-label={label}>
      <DataTable
        label={label}
        columns={columns}
        rows={sorted.slice(0, drawn)}
        rowKey={({ row }) => row.line}
        {...(sorted.length > drawn ? { footer: l.moreRows(format.integer(sorted.length - drawn)) } : {})}
      />
    </div>
  );
}

function Outcome({ one, isDone }: { one: CheckedRow; isDone: boolean }) {
  const o = useWords(orderWords);
  const [isCorrecting, setIsCorrecting] = useState(false);
  const l = useWords(listWords);
  const say = useRefusal();
  const isBad = isFailed(one);
  const isBefore = one.result?.outcome === 'already_shipped';
  const id = one.result?.order_id ?? null;
  const isShipped = isBefore || (isDone && !isBad);
  const text = isBad ? say(refusalOfRow(one)) : isBefore ? l.already : isDone ? l.shipped : l.willShip;
  return (
    <span className="orders-outcome" data-ok={isBad ? false : isBefore ? 'before' : true}>
      {isBad ? <X size={15} aria-hidden /> : <Check size={15} aria-hidden />}
      {text}
      {id !== null && isShipped && (
        <Button size="compact-xs" variant="subtle" onClick={() => setIsCorrecting(true)}>
          {o.correct}
        </Button>
      )}
      {id !== null && isCorrecting && <CorrectDialog id={id} onClose={() => setIsCorrecting(false)} />}
    </span>
  );
}
