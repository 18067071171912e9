// The language of the page: the user's remembered choice, by default the browser's.
import { useSyncExternalStore } from 'react';
import type { Language } from './intl.ts';

const KEY = 'sluice.language';
const listeners = new Set<() => void>();
let current: Language = remembered() ?? (navigator.language.toLowerCase().startsWith('ko') ? 'ko' : 'en');
document.documentElement.lang = current;

function remembered(): Language | null {
  const kept = localStorage.getItem(KEY);
  return kept === 'en' || kept === 'ko' ? kept : null;
}

/** For code outside of components; inside them use `useLanguage`, which renders again on a change. */
export const language = (): Language => current;

export function setLanguage(next: Language): void {
  current = next;
  localStorage.setItem(KEY, next);
  document.documentElement.lang = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLanguage = (): Language => useSyncExternalStore(subscribe, language);
