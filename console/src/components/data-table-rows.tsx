// Table roles are explicit: on narrow pages CSS turns rows into cards, which removes the implicit roles.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role, jsx-a11y/control-has-associated-label */
import { Skeleton } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import type { Column, WithRows } from './data-table-columns.ts';
import { DataRow } from './data-table-row.tsx';
import { keepPlace, placeOf, topOf, type ListPlace } from './list-place.ts';
import { useSteadyColumns } from './steady-columns.ts';
import { useNarrow } from './use-narrow.ts';

const SKELETON_ROWS = 6;
const ROW_PX = 45;
const DENSE_ROW_PX = 36;
const CARD_PX = 150;
const OVERSCAN_ROWS = 12;
/** Fewer: one-line rows are drawn fast enough while scrolling, and each extra row adds to every repaint. */
const DENSE_OVERSCAN_ROWS = 6;
/** The next page is loaded this many rows before the end. */
const AHEAD_ROWS = 20;

/** Renders only visible rows; two empty rows take the space of the others. The page scrolls, not the table. */
export function VirtualRows<Row>({ rows, list, dense, ...props }: WithRows<Row>) {
  const isNarrow = useNarrow();
  const body = useRef<HTMLTableSectionElement>(null);
  // The first entry of a tab has the same key at every address: the rows of another list must not be loaded here.
  const location = useLocation();
  const entry = `${location.key} ${location.pathname}${location.search}`;
  // The stored scroll position: the first render already uses it, with the row heights measured then.
  const [place] = useState(() => placeOf(entry));
  const [offset, setOffset] = useState(place?.marginPx ?? 0);
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const isDense = dense === true && !isNarrow;
  const [densePx, setDensePx] = useState(place?.rowPx ?? DENSE_ROW_PX);
  const rowPx = isDense ? densePx : (place?.rowPx ?? (isNarrow ? CARD_PX : ROW_PX));
  const { rowKey } = props;
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: isDense ? DENSE_OVERSCAN_ROWS : OVERSCAN_ROWS,
    scrollMargin: offset,
    getItemKey: useCallback((index: number) => rowKey(rows[index] as Row), [rows, rowKey]),
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    ...(place === null ? {} : { initialOffset: topOf(place), initialMeasurementsCache: place.measured }),
  });
  useKeptPlace(entry, (topPx) => {
    const firstShown = virtualizer.getVirtualItemForOffset(topPx);
    return {
      firstRow: firstShown?.index ?? 0,
      firstRowPx: (firstShown?.start ?? 0) - topPx,
      rows: rows.length,
      marginPx: offset,
      rowPx,
      measured: virtualizer.takeSnapshot(),
    };
  });
  useReturn(place, rows.length, list);
  const headings = props.columns.map(({ header }) => header).join('\n');
  useSteadyColumns(body, isDense ? headings : null, rows);
  // One-line rows are all as high as the first: measuring each row would cost more than drawing it.
  useLayoutEffect(() => {
    if (!isDense) return;
    const px = body.current?.querySelector('tr[data-row]')?.getBoundingClientRect().height;
    if (px === undefined || Math.abs(px - densePx) < 0.5) return;
    setDensePx(px);
    virtualizer.measure();
  }, [isDense, densePx, rows.length, virtualizer]);
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
          {...(isDense ? {} : { measure: virtualizer.measureElement })}
        />
      ))}
      <Gap height={below} />
    </tbody>
  );
}

/** Stores the scroll position when the user leaves the list by a link or a reload. */
function useKeptPlace(entry: string, shape: (topPx: number) => Omit<ListPlace, 'topPx' | 'widthPx'>): void {
  const latest = useRef(shape);
  useLayoutEffect(() => {
    latest.current = shape;
  });
  useLayoutEffect(() => {
    // Tracked continuously: on unmount, parts of the page are already removed and the browser has scrolled the rest.
    let topPx = window.scrollY;
    const follow = () => {
      topPx = window.scrollY;
    };
    const keep = () => keepPlace(entry, { ...latest.current(topPx), topPx, widthPx: window.innerWidth });
    window.addEventListener('scroll', follow, { passive: true });
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('scroll', follow);
      window.removeEventListener('pagehide', keep);
      keep();
    };
  }, [entry]);
}

/** About half a second of frames. The limit is needed because a list that became shorter never reaches the position. */
const TRIES_MAX = 30;
/** Events that show that the user scrolls on their own. */
const OWN_MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** Restores the scroll position: first reloads the rows up to it that are no longer in memory, then scrolls. */
function useReturn(place: ListPlace | null, count: number, list: WithRows<unknown>['list']): void {
  const target = useRef(place);
  useLayoutEffect(() => {
    const stay = () => {
      target.current = null;
    };
    for (const move of OWN_MOVES) window.addEventListener(move, stay, { passive: true });
    return () => {
      for (const move of OWN_MOVES) window.removeEventListener(move, stay);
    };
  }, []);
  const hasMore = list?.hasMore === true && !list.error;
  const isLoading = list?.isLoadingMore === true;
  const loadMore = list?.loadMore;
  const tries = useRef(0);
  // Runs after every render and in the next frames: the page may reach its former height some frames after its rows.
  useLayoutEffect(() => {
    if (target.current === null || isLoading) return undefined;
    if (count < target.current.rows && hasMore) {
      loadMore?.();
      return undefined;
    }
    let frame = 0;
    const scroll = () => {
      if (target.current === null) return;
      const topPx = topOf(target.current);
      window.scrollTo(0, topPx);
      tries.current += 1;
      if (Math.abs(window.scrollY - topPx) < 1 || tries.current >= TRIES_MAX) target.current = null;
      else frame = requestAnimationFrame(scroll);
    };
    scroll();
    return () => cancelAnimationFrame(frame);
  });
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
