// The roles of table parts are written out, because the cards of a narrow page take their own away.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role, jsx-a11y/control-has-associated-label */
import { Button, Checkbox, Loader, Skeleton } from '@mantine/core';
import {
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import type { List } from '../api/query.ts';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import './data-table.css';
import { EmptyState, ErrorState } from './states.tsx';
import { useNarrow } from './use-narrow.ts';

const SKELETON_ROWS = 6;
const ROW_PX = 45;
const DENSE_ROW_PX = 37;
const CARD_PX = 150;
const OVERSCAN_ROWS = 12;
/** Ask for the next page this many rows before the end. */
const AHEAD_ROWS = 20;

export interface Column<Row> {
  key: string;
  /** Also the label of the line when rows are cards. */
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right' | 'center';
  width?: number | string;
  /** The cell that names the row: a row header, and the title of the card. One column should be it. */
  primary?: boolean;
  /** The heading is for screen readers only (a column of buttons). */
  quiet?: boolean;
  /** What the service sorts by; the heading becomes a button. */
  sort?: string;
}

const features = tableFeatures({ columnVisibilityFeature, columnSizingFeature, rowSortingFeature });

interface DataTableProps<Row> {
  /** What the table is, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** Either a list from `useList` … */
  list?: List<Row>;
  /** … or plain rows (undefined: still loading). */
  rows?: readonly Row[] | undefined;
  error?: unknown;
  onRetry?: () => void;
  empty?: ReactNode;
  /** Selected keys; the checkbox of a row is labelled by `rowName`. */
  selected?: ReadonlySet<string | number>;
  onSelect?: (keys: Set<string | number>) => void;
  rowName?: (row: Row) => string;
  /** Rows that cannot be selected have no checkbox. */
  canSelect?: (row: Row) => boolean;
  /** Draw only the rows in sight: for lists that grow long. They load on as one scrolls. */
  virtual?: boolean;
  /** Something below the last row, left of "load more". */
  footer?: ReactNode;
  /** Rows of one line, and a heading that stays in sight. */
  dense?: boolean;
  /** Keys of columns that are not shown. */
  hidden?: readonly string[];
  /** `amount` or `-amount` (descending), by the `sort` of a column. */
  sort?: string;
  onSort?: (sort: string) => void;
  /** A click on a row, or Enter on it: the arrow keys go from row to row, Space selects. */
  onOpen?: (row: Row) => void;
}

/** TanStack Table keeps which columns are shown, how wide they are and by which the rows are sorted. */
function useColumnModel<Row>({ columns, hidden, sort, onSort }: DataTableProps<Row>) {
  const defs = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, object> => ({
        id: column.key,
        header: column.header,
        ...(column.sort === undefined ? {} : { accessorFn: () => null }), // without one it cannot be sorted
        ...(typeof column.width === 'number' ? { size: column.width } : {}),
      })),
    [columns],
  );
  const sorted = columns.find(
    (column) => column.sort !== undefined && column.sort === sort?.replace(/^-/, ''),
  );
  const table = useTable({
    features,
    columns: defs,
    data: NO_ROWS,
    manualSorting: true,
    sortDescFirst: false,
    enableSortingRemoval: true,
    state: {
      columnVisibility: Object.fromEntries((hidden ?? []).map((key) => [key, false])),
      columnSizing: {},
      sorting: sorted ? [{ id: sorted.key, desc: sort?.startsWith('-') ?? false }] : [],
    },
    onSortingChange: (change) => {
      const before = sorted ? [{ id: sorted.key, desc: sort?.startsWith('-') ?? false }] : [];
      const [next] = typeof change === 'function' ? change(before) : change;
      const by = columns.find(({ key }) => key === next?.id)?.sort;
      onSort?.(next && by !== undefined ? `${next.desc ? '-' : ''}${by}` : '');
    },
  });
  const shown = table.getVisibleLeafColumns();
  const byKey = new Map(columns.map((column) => [column.key, column]));
  return shown.flatMap((model) => {
    const column = byKey.get(model.id);
    return column ? [{ model, column }] : [];
  });
}

const NO_ROWS: object[] = [];
type Shown<Row> = ReturnType<typeof useColumnModel<Row>>;

/** A table that is one for screen readers at every width, and a stack of cards on a phone. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { list, label } = props;
  const w = useWords(common);
  const model = useColumnModel(props);
  const columns = model.map(({ column }) => column);
  const [anchor, setAnchor] = useState<string | number | null>(null);
  const [current, setCurrent] = useState<string | number | null>(null);
  const rows = list?.rows ?? props.rows;
  const error = list ? list.error : props.error;
  const isLoading = list ? list.isLoading : props.rows === undefined;
  const own: Own<Row> = {
    ...props,
    columns,
    anchor,
    onAnchor: setAnchor,
    current,
    onCurrent: setCurrent,
  };

  if (error && (rows === undefined || rows.length === 0)) {
    const retry = list?.retry ?? props.onRetry;
    return (
      <div className="data-table-frame">
        <ErrorState error={error} {...(retry ? { onRetry: retry } : {})} />
      </div>
    );
  }
  if (!isLoading && rows?.length === 0) {
    return <div className="data-table-frame">{props.empty ?? <EmptyState />}</div>;
  }
  return (
    <div
      className="data-table-frame"
      data-dense={props.dense ?? false}
      data-stale={list?.isStale ?? false}
      aria-busy={isLoading}
    >
      <div className="data-table-scroll">
        <table className="data-table" role="table" aria-label={label}>
          <Head {...own} model={model} rows={rows ?? []} />
          {isLoading || rows === undefined ? (
            <SkeletonRows columns={columns} isSelectable={props.onSelect !== undefined} />
          ) : props.virtual === true ? (
            <VirtualRows {...own} rows={rows} />
          ) : (
            <tbody role="rowgroup">
              {rows.map((row) => (
                <DataRow key={props.rowKey(row)} {...own} rows={rows} row={row} />
              ))}
            </tbody>
          )}
        </table>
      </div>
      {list && rows && (list.hasMore || props.virtual === true || props.footer !== undefined) ? (
        <div className="data-table-foot">
          <span>{props.footer ?? w.rows(rows.length, list.hasMore)}</span>
          {list.isLoadingMore ? (
            <Loader size="xs" />
          ) : (
            list.hasMore && (
              <Button variant="subtle" size="compact-sm" onClick={list.loadMore}>
                {w.loadMore}
              </Button>
            )
          )}
        </div>
      ) : (
        !list && props.footer !== undefined && <div className="data-table-foot">{props.footer}</div>
      )}
    </div>
  );
}

interface Own<Row> extends DataTableProps<Row> {
  /** The row that was selected last: Shift selects from there. */
  anchor: string | number | null;
  onAnchor: (key: string | number) => void;
  /** The row that Tab reaches; null: the first. */
  current: string | number | null;
  onCurrent: (key: string | number) => void;
}
type WithRows<Row> = Omit<Own<Row>, 'rows'> & { rows: readonly Row[] };

function Head<Row>(props: WithRows<Row> & { model: Shown<Row> }) {
  const { model, rows, rowKey, selected, onSelect, canSelect } = props;
  const w = useWords(common);
  const keys = onSelect ? rows.filter((row) => canSelect?.(row) ?? true).map(rowKey) : [];
  const isAll = keys.length > 0 && keys.every((key) => selected?.has(key));
  const isSome = keys.some((key) => selected?.has(key));
  return (
    <thead role="rowgroup">
      <tr role="row">
        {onSelect && (
          <th role="columnheader" scope="col" className="data-table-select">
            <Checkbox
              size="sm"
              aria-label={w.selectAll}
              checked={isAll}
              indeterminate={isSome && !isAll}
              onChange={() => onSelect(new Set(isAll ? [] : keys))}
            />
          </th>
        )}
        {model.map(({ model: column, column: { key, header, align, width, quiet } }) => (
          <th
            key={key}
            role="columnheader"
            scope="col"
            data-align={align}
            style={{ width }}
            {...(column.getCanSort() ? { 'aria-sort': SORT_NAMES[column.getIsSorted() || 'none'] } : {})}
          >
            {column.getCanSort() && props.onSort ? (
              <button type="button" className="data-table-sort" onClick={() => column.toggleSorting()}>
                {header}
                {column.getIsSorted() === 'asc' && <ArrowUp size={13} aria-hidden />}
                {column.getIsSorted() === 'desc' && <ArrowDown size={13} aria-hidden />}
              </button>
            ) : quiet === true ? (
              <span className="only-read">{header}</span>
            ) : (
              header
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const SORT_NAMES = { asc: 'ascending', desc: 'descending', none: 'none' } as const;

/** Links, buttons and fields in a row do their own thing. */
const isOwnTarget = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, label, select, textarea') !== null;

interface RowProps<Row> extends WithRows<Row> {
  row: Row;
  index?: number;
  measure?: (element: HTMLTableRowElement | null) => void;
}

function DataRow<Row>({ row, rows, index, measure, columns, rowKey, anchor, ...props }: RowProps<Row>) {
  const w = useWords(common);
  const key = rowKey(row);
  const { onSelect, selected, canSelect } = props;
  const isSelected = selected?.has(key) ?? false;
  const { onOpen } = props;
  const toggle = (isRange: boolean) => {
    const next = new Set(selected);
    const from = isRange ? rows.findIndex((other) => rowKey(other) === anchor) : -1;
    if (from < 0) {
      if (!next.delete(key)) next.add(key);
    } else {
      const to = rows.indexOf(row);
      for (const other of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) {
        if (!(canSelect?.(other) ?? true)) continue;
        if (isSelected) next.delete(rowKey(other));
        else next.add(rowKey(other));
      }
    }
    props.onAnchor(key);
    onSelect?.(next);
  };
  const click = (event: MouseEvent<HTMLTableRowElement>) => {
    if (isOwnTarget(event.target) || window.getSelection()?.toString() !== '') return;
    if (event.shiftKey && onSelect && (canSelect?.(row) ?? true)) toggle(true);
    else onOpen?.(row);
  };
  const press = (event: KeyboardEvent<HTMLTableRowElement>) => {
    const target = event.currentTarget;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 'nextElementSibling' : 'previousElementSibling';
      const next = target[step];
      if (!(next instanceof HTMLElement) || next.dataset['row'] === undefined) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest' });
    } else if (event.target !== target) return;
    else if (event.key === 'Enter') onOpen?.(row);
    else if (event.key === ' ' && onSelect && (canSelect?.(row) ?? true)) {
      event.preventDefault();
      toggle(event.shiftKey);
    }
  };
  const isCurrent = props.current === null ? rows[0] === row : props.current === key;
  const opening = {
    tabIndex: isCurrent ? 0 : -1,
    onFocus: () => props.onCurrent(key),
    onClick: click,
    onKeyDown: press,
    'data-opens': true,
  };
  return (
    <tr
      role="row"
      data-row
      data-selected={isSelected}
      data-index={index}
      ref={measure}
      aria-rowindex={index === undefined ? undefined : index + 2}
      {...(onOpen ? opening : {})}
    >
      {onSelect && (
        <td role="cell" className="data-table-select">
          {(canSelect?.(row) ?? true) && (
            <Checkbox
              size="sm"
              aria-label={w.selectRow(props.rowName?.(row) ?? String(key))}
              checked={isSelected}
              onChange={({ nativeEvent }) =>
                toggle('shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
              }
            />
          )}
        </td>
      )}
      {columns.map(({ key: column, header, cell, align, primary, quiet }) => {
        const content = cell(row);
        if (primary === true) {
          return (
            <th key={column} role="rowheader" scope="row" data-align={align}>
              {content}
            </th>
          );
        }
        const isEmpty = content === null || content === undefined || content === '' || content === false;
        return (
          <td
            key={column}
            role="cell"
            data-align={align}
            data-label={quiet === true ? undefined : header}
            data-empty={isEmpty}
            data-quiet={quiet}
          >
            {content}
          </td>
        );
      })}
    </tr>
  );
}

/** Only the rows in sight exist; two empty rows stand for the others. The page itself scrolls. */
function VirtualRows<Row>({ rows, list, dense, ...props }: WithRows<Row>) {
  const isNarrow = useNarrow();
  const body = useRef<HTMLTableSectionElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isNarrow ? CARD_PX : dense === true ? DENSE_ROW_PX : ROW_PX),
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
  const below = last ? virtualizer.getTotalSize() - (last.end - offset) : 0;
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

function SkeletonRows<Row>({
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
