import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

/**
 * State in the URL, so that links can be shared and a reload keeps it:
 * `const [url, setUrl] = useUrlState({ search: '', status: '' })`; `setUrl({ status: '1' })` changes only `status`.
 * Values that equal their default are left out of the URL.
 */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
): [{ [K in keyof T]: string }, (change: Partial<Record<keyof T, string>>) => void] {
  const [params, setParams] = useSearchParams();
  // Callers pass a new object in every render: compared as JSON.
  const text = JSON.stringify(defaults);
  const values = useMemo(() => {
    const known = JSON.parse(text) as Record<string, string>;
    return Object.fromEntries(
      Object.entries(known).map(([name, value]) => [name, params.get(name) ?? value]),
    ) as { [K in keyof T]: string };
  }, [params, text]);
  const set = useCallback(
    (change: Partial<Record<keyof T, string>>) => {
      const known = JSON.parse(text) as Record<string, string>;
      // Read from the URL itself: of two changes in the same moment, neither must undo the other.
      const next = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(change) as [string, string][]) {
        if (value === known[name]) next.delete(name);
        else next.set(name, value);
      }
      setParams(next, { replace: true, preventScrollReset: true });
    },
    [setParams, text],
  );
  return [values, set];
}
