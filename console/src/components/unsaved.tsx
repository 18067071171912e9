import { useCallback, useEffect, useId } from 'react';
import { useBlocker } from 'react-router';
import { common } from '../i18n/common.ts';
import { wordsNow } from '../i18n/words.ts';
import { confirm } from './confirm.tsx';

/** Forms with unsaved input. */
const unsaved = new Set<string>();

function beforeUnload(event: BeforeUnloadEvent): void {
  if (unsaved.size > 0) event.preventDefault();
}
window.addEventListener('beforeunload', beforeUnload);

/**
 * Warns before a reload or a navigation discards unsaved input. `useForm` calls this itself.
 * The returned function removes the warning immediately, for a navigation right after a successful save.
 */
export function useUnsavedWarning(isDirty: boolean): () => void {
  const id = useId();
  useEffect(() => {
    if (!isDirty) return undefined;
    unsaved.add(id);
    return () => void unsaved.delete(id);
  }, [id, isDirty]);
  return useCallback(() => void unsaved.delete(id), [id]);
}

/** Asks if there is unsaved input; true: the user may leave. */
export async function mayLeave(): Promise<boolean> {
  if (unsaved.size === 0) return true;
  const w = wordsNow(common);
  return confirm({
    title: w.unsavedTitle,
    text: w.unsavedText,
    confirm: w.leave,
    cancel: w.stay,
    danger: true,
  });
}

/** The blocker of the router, which supports only one. Mounted once, in the layout. */
export function UnsavedGuard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsaved.size > 0 && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const ask = async () => {
      if (!(await mayLeave())) return blocker.reset();
      unsaved.clear();
      return blocker.proceed();
    };
    void ask();
  }, [blocker]);
  return null;
}
