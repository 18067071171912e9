// The columns of a dense list keep their widths while one scrolls. Left to the browser, they follow the rows that are drawn at
// the moment: they move under the eye, and every row that comes into sight lays out all of them.
import { useLayoutEffect, useRef, type RefObject } from 'react';

/** What a fraction of a pixel can differ by. */
const ROUNDING_PX = 1;

interface Kept {
  /** The widths that the columns have needed so far. */
  neededPx: number[];
  /** By drawn row, what it showed when its cells were last found wide enough. */
  fitting: WeakMap<Element, unknown>;
}
const NOTHING_KEPT = (): Kept => ({ neededPx: [], fitting: new WeakMap() });

/**
 * Columns become wider for a cell that does not fit. With other headings, or at another width of the page, all are measured
 * anew. null: the browser decides.
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
  // At every drawing: rows have come into sight, or show something else.
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
  // Without room for what all rows so far have needed, those in sight come first.
  kept.neededPx = most.reduce((sum, px) => sum + px, 0) <= room ? most : now;
  for (const [at, head] of headsOf(table).entries()) head.style.width = `${kept.neededPx[at]}px`;
  table.style.tableLayout = 'fixed';
}
