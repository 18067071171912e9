import { useEffect } from 'react';

const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"]';
const PAGE_HEAD = '.page-head';
const ROW = 'tr[data-row]';

/** The place of a row in its table. */
interface RowPlace {
  body: Element;
  index: number;
  /** Where the page was scrolled to. */
  topPx: number;
}

interface Focused {
  element: HTMLElement;
  /** The dialog or menu it is in; null: the page. */
  layer: Element | null;
  isInHead: boolean;
  /** null: not a control in a row. */
  row: RowPlace | null;
}

const rowsIn = (body: Element): HTMLElement[] => [...body.querySelectorAll<HTMLElement>(ROW)];

function placeOf(element: Element): RowPlace | null {
  const row = element.closest<HTMLElement>(ROW);
  if (row === null || row === element || row.parentElement === null) return null;
  return { body: row.parentElement, index: rowsIn(row.parentElement).indexOf(row), topPx: window.scrollY };
}

/** A long list also removes rows that were scrolled away. */
const isScrolledAway = ({ topPx }: RowPlace): boolean =>
  Math.abs(window.scrollY - topPx) > window.innerHeight / 2;

/** Focuses the row that is now in this place: not its button, which a key that is held down would press again. */
function focusRow({ body, index }: RowPlace): void {
  const rows = rowsIn(body);
  const row = rows[Math.min(index, rows.length - 1)];
  if (row === undefined) return;
  if (!row.hasAttribute('tabindex')) row.tabIndex = -1;
  row.focus({ preventScroll: true });
}

/**
 * A browser gives the focus to nothing when the focused element is removed. Here it goes back to what had it before a
 * dialog or menu opened. If that is gone too, it goes to the row that takes the place of a removed row, or to the heading of
 * the screen.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The last focused element of the page and of each open dialog or menu above it. */
    let trail: Focused[] = [];
    let timer: number | undefined;

    const onFocusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      const layer = target.closest(LAYERS);
      const known = trail.findIndex((focused) => focused.layer === layer);
      if (known >= 0) trail = trail.slice(0, known);
      trail.push({
        element: target,
        layer,
        isInHead: target.closest(PAGE_HEAD) !== null,
        row: placeOf(target),
      });
    };

    const restore = () => {
      const lost = trail.at(-1);
      if (lost === undefined || lost.element.isConnected || document.activeElement !== document.body) return;
      const before = trail.findLast(({ element }) => element.isConnected);
      before?.element.focus({ preventScroll: true });
      if (document.activeElement !== document.body) return;
      const place = trail.findLast(({ row }) => row !== null)?.row ?? null;
      const isRowGone = place !== null && !isScrolledAway(place);
      if (isRowGone) focusRow(place);
      if (document.activeElement !== document.body) return;
      // Beside a removed element of the content the browser goes on with Tab by itself.
      if (lost.layer !== null || lost.isInHead || isRowGone)
        document.querySelector<HTMLElement>(`${PAGE_HEAD} h1`)?.focus({ preventScroll: true });
    };
    // Later than the focus that a dialog, a menu or a new page sets itself.
    const soon = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(restore, 50);
    };
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body && trail.at(-1)?.element.isConnected === false) soon();
    });

    document.addEventListener('focusin', onFocusIn);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', onFocusIn);
      observer.disconnect();
      window.clearTimeout(timer);
    };
  }, []);
}
