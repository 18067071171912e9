// The columns of a data table, and the props of its parts.
import {
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table';
import { useMemo, type ReactNode } from 'react';
import type { List } from '../api/query.ts';

export interface Column<Row> {
  key: string;
  /** Also the label of the value when rows are shown as cards. */
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right' | 'center';
  width?: number | string;
  /** The cell that names the row: row header and title of the card. One column should be primary. */
  primary?: boolean;
  /** The heading is for screen readers only (a column of buttons). */
  quiet?: boolean;
  /** Sort key of the API. If set, the heading is a button. */
  sort?: string;
}

const features = tableFeatures({ columnVisibilityFeature, columnSizingFeature, rowSortingFeature });

export interface DataTableProps<Row> {
  /** Name of the table for screen readers. */
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
  /** For long lists: renders only visible rows, and loads more while scrolling. */
  virtual?: boolean;
  /** Shown below the last row, left of "load more". */
  footer?: ReactNode;
  /** One-line rows and a sticky heading. */
  dense?: boolean;
  /** Keys of hidden columns. */
  hidden?: readonly string[];
  /** `amount` or `-amount` (descending), by the `sort` of a column. */
  sort?: string;
  onSort?: (sort: string) => void;
  /** Called on a click on a row, or on Enter. The arrow keys move between rows, Space selects. */
  onOpen?: (row: Row) => void;
}

export interface Own<Row> extends DataTableProps<Row> {
  /** The last selected row: Shift selects the range from it. */
  anchor: string | number | null;
  onAnchor: (key: string | number) => void;
  /** The row that receives focus by Tab; null: the first. */
  current: string | number | null;
  onCurrent: (key: string | number) => void;
}
export type WithRows<Row> = Omit<Own<Row>, 'rows'> & { rows: readonly Row[] };

/** TanStack Table holds visibility, widths and sorting of the columns. */
export function useColumnModel<Row>({ columns, hidden, sort, onSort }: DataTableProps<Row>) {
  const defs = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, object> => ({
        id: column.key,
        header: column.header,
        ...(column.sort === undefined ? {} : { accessorFn: () => null }), // a column without an accessor cannot be sorted
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
export type Shown<Row> = ReturnType<typeof useColumnModel<Row>>;
