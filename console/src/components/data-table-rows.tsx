// The roles of table parts are written out, because the cards of a narrow page take their own away.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role, jsx-a11y/control-has-associated-label */
import { Skeleton } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Column, WithRows } from './data-table-columns.ts';
import { DataRow } from './data-table-row.tsx';
import { useNarrow } from './use-narrow.ts';

const SKELETON_ROWS = 6;
const ROW_PX = 45;
const DENSE_ROW_PX = 37;
const CARD_PX = 150;
const OVERSCAN_ROWS = 12;
/** Ask for the next page this many rows before the end. */
const AHEAD_ROWS = 20;

/** Only the rows in sight exist; two empty rows stand for the others. The page itself scrolls. */
export function VirtualRows<Row>({ rows, list, dense, ...props }: WithRows<Row>) {
  const isNarrow = useNarrow();
  const body = useRef<HTMLTableSectionElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const rowPx = isNarrow ? CARD_PX : dense === true ? DENSE_ROW_PX : ROW_PX;
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    scrollMargin: offset,
    getItemKey: (index) => props.rowKey(rows[index] as Row),
  });
  const shown = virtualizer.getVirtualItems();
  const first = shown[0];
  const last = shown.at(-1);

  const isNearEnd = last !== undefined && last.index >= rows.length - AHEAD_ROWS;
  const shouldLoad = isNearEnd && list !== undefined && list.hasMore && !list.isLoadingMore && !list.error;
  const loadMore = list?.loadMore;
  useLayoutEffect(() => {
    if (shouldLoad) loadMore?.();
  }, [shouldLoad, loadMore]);

  const above = first ? first.start - offset : 0;
  // The first time nothing is measured yet, but Back restores the place at once: the page must be as long as it was.
  const below = last ? virtualizer.getTotalSize() - (last.end - offset) : rows.length * rowPx;
  return (
    <tbody role="rowgroup" ref={body}>
      <Gap height={above} />
      {shown.map(({ index, key }) => (
        <DataRow
          key={String(key)}
          {...props}
          rows={rows}
          row={rows[index] as Row}
          index={index}
          measure={virtualizer.measureElement}
        />
      ))}
      <Gap height={below} />
    </tbody>
  );
}

const Gap = ({ height }: { height: number }) =>
  height > 0 ? (
    <tr className="data-table-gap" aria-hidden>
      <td style={{ height }} />
    </tr>
  ) : null;

export function SkeletonRows<Row>({
  columns,
  isSelectable,
}: {
  columns: readonly Column<Row>[];
  isSelectable: boolean;
}) {
  const count = columns.length + (isSelectable ? 1 : 0);
  return (
    <tbody role="rowgroup">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <tr key={row} role="row">
          <td role="cell" colSpan={count}>
            <Skeleton height={16} width={`${90 - ((row * 13) % 35)}%`} />
          </td>
        </tr>
      ))}
    </tbody>
  );
}
