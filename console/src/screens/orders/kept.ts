// What a person keeps in this browser: hidden columns and saved views.
import { useState } from 'react';

/** Falls back where the browser keeps nothing, or what it kept cannot be read. */
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
      // Full or forbidden: it holds until the page is closed.
    }
  };
  return [value, keep];
}
