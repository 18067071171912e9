// Keeps the column widths of a dense list stable while scrolling. By default the browser fits them to the rows rendered at
// the moment: columns shift, and every row that becomes visible causes a layout of all rows.
import { useLayoutEffect, useRef, type RefObject } from 'react';

/** Tolerance for fractions of a pixel. */
const ROUNDING_PX = 1;

interface Kept {
  /** The largest width that each column has needed so far. */
  neededPx: number[];
  /** By rendered row: the data for which its cells were last found wide enough. */
  fitting: WeakMap<Element, unknown>;
}
const NOTHING_KEPT = (): Kept => ({ neededPx: [], fitting: new WeakMap() });

/**
 * Columns grow for cells that do not fit. If the headings or the page width change, all columns are measured again.
 * `headings` null: the browser decides.
 */
export function useSteadyColumns(
  body: RefObject<HTMLTableSectionElement | null>,
  headings: string | null,
  rows: readonly unknown[],
): void {
  const kept = useRef(NOTHING_KEPT());
  const latest = useRef(rows);
  useLayoutEffect(() => {
    const table = body.current?.closest('table');
    if (headings === null || !table) return undefined;
    const release = () => {
      kept.current = NOTHING_KEPT();
      free(table);
    };
    let widthPx = table.parentElement?.clientWidth;
    const observer = new ResizeObserver(([entry]) => {
      if (entry?.target.clientWidth === widthPx) return;
      widthPx = entry?.target.clientWidth;
      release();
      hold(table, latest.current, kept.current);
    });
    if (table.parentElement) observer.observe(table.parentElement);
    return () => {
      observer.disconnect();
      release();
    };
  }, [body, headings]);
  // Runs after every render: rows may have become visible or may show other data.
  useLayoutEffect(() => {
    latest.current = rows;
    const table = body.current?.closest('table');
    if (headings !== null && table) hold(table, rows, kept.current);
  });
}

const headsOf = (table: HTMLTableElement): HTMLTableCellElement[] => [...(table.tHead?.rows[0]?.cells ?? [])];

function free(table: HTMLTableElement): void {
  table.style.tableLayout = '';
  for (const head of headsOf(table)) head.style.width = '';
}

function hold(table: HTMLTableElement, rows: readonly unknown[], kept: Kept): void {
  let isTight = table.style.tableLayout === '';
  for (const line of table.tBodies[0]?.rows ?? []) {
    const shown = rows[Number(line.dataset['index'] ?? Number.NaN)];
    if (shown === undefined || kept.fitting.get(line) === shown) continue;
    kept.fitting.set(line, shown);
    isTight ||= [...line.cells].some((cell) => cell.scrollWidth > cell.clientWidth + ROUNDING_PX);
  }
  if (!isTight) return;
  free(table);
  table.style.width = 'max-content';
  const now = headsOf(table).map((head) => Math.ceil(head.getBoundingClientRect().width));
  table.style.width = '';
  const room = table.parentElement?.clientWidth ?? 0;
  const most = now.map((px, at) => Math.max(px, kept.neededPx[at] ?? 0));
  // If the widths needed by all rows so far do not fit, use those of the visible rows.
  kept.neededPx = most.reduce((sum, px) => sum + px, 0) <= room ? most : now;
  for (const [at, head] of headsOf(table).entries()) head.style.width = `${kept.neededPx[at]}px`;
  table.style.tableLayout = 'fixed';
}
