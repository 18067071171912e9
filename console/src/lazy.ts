// Parts of the console that are loaded when they are first needed.
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { untilReached } from './api/reach.ts';

const RELOADED = 'sluice.reloaded';
const RELOAD_PAUSE_MS = 60_000;

type Module<P> = Promise<{ default: ComponentType<P> }>;

/** While the service is away it waits, inside the console: leaving it would end on the browser's error page. */
export const lazily = <P>(load: () => Module<P>): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => {
    try {
      return await load();
    } catch {
      await untilReached();
      return load().catch(reloadOnce);
    }
  });

/** The service answers and the part is not there: after an upgrade it has another name, which the page learns anew. */
function reloadOnce(error: unknown): Promise<never> {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < RELOAD_PAUSE_MS) throw error;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  window.location.reload();
  return new Promise(() => {});
}
