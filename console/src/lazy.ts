// Lazy loading of parts of the console.
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { untilReached } from './api/reach.ts';

const RELOADED = 'sluice.reloaded';
const RELOAD_PAUSE_MS = 60_000;

type Module<P> = Promise<{ default: ComponentType<P> }>;

/** If loading fails, waits for the service inside the console: a page load would show the browser's error page. */
export const lazily = <P>(load: () => Module<P>): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => {
    try {
      return await load();
    } catch {
      await untilReached();
      return load().catch(reloadOnce);
    }
  });

/** The service answers, but the file is missing: after an upgrade it has a new name, which a reload of the page finds. */
function reloadOnce(error: unknown): Promise<never> {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < RELOAD_PAUSE_MS) throw error;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  window.location.reload();
  return new Promise(() => {});
}
