// Settings stored in this browser: hidden columns and saved views.
import { useState } from 'react';

/** Uses the fallback if nothing is stored or the stored value cannot be read. */
export function useKept<T>(name: string, fallback: T): [T, (value: T) => void] {
  const key = `sluice.orders.${name}`;
  const [value, setValue] = useState<T>(() => {
    try {
      const text = localStorage.getItem(key);
      return text === null ? fallback : (JSON.parse(text) as T);
    } catch {
      return fallback;
    }
  });
  const keep = (next: T): void => {
    setValue(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Storage is full or blocked: the value lasts until the page is closed.
    }
  };
  return [value, keep];
}
