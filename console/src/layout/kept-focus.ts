import { useEffect } from 'react';

const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"]';
const PAGE_HEAD = '.page-head';

interface Focused {
  element: HTMLElement;
  /** The dialog or menu it is in; null: the page. */
  layer: Element | null;
  isInHead: boolean;
}

/**
 * A browser gives the focus to nothing when the focused element is removed. Here it goes back to what had it before a
 * dialog or menu opened, or, if that is gone too or was a button beside the heading, to the heading of the screen.
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
      trail.push({ element: target, layer, isInHead: target.closest(PAGE_HEAD) !== null });
    };

    const restore = () => {
      const lost = trail.at(-1);
      if (lost === undefined || lost.element.isConnected || document.activeElement !== document.body) return;
      const before = trail.findLast(({ element }) => element.isConnected);
      before?.element.focus({ preventScroll: true });
      if (document.activeElement !== document.body) return;
      // Beside a removed element of the content the browser goes on with Tab by itself.
      if (lost.layer !== null || lost.isInHead)
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
