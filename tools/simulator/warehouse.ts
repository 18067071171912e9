// Restocks items during a simulation.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from '../../verify/kit/admin.ts';
import type { StockBook } from '../../verify/observer/stock-book.ts';

export interface Warehouse {
  admin: Admin;
  /** Variants that are never restocked. */
  except: ReadonlySet<string>;
  every_ms: number;
}

/** An item is restocked when its shared quantity is below this. */
const LOW = 20;
const DELIVERY = 120;
const DELIVERY_STEP = 30;

interface StockRow {
  variant_code: string;
}

/** Restocks until the signal. */
export async function keepStocked(
  { admin, except, every_ms }: Warehouse,
  stock: StockBook | null,
  closing: AbortSignal,
): Promise<void> {
  for (let delivery = 1; !closing.aborted; delivery += 1) {
    for (const { variant_code } of await admin.list<StockRow>(`/stock?below=${LOW}`)) {
      if (except.has(variant_code) || closing.aborted) continue;
      const delta = DELIVERY + (delivery % 3) * DELIVERY_STEP;
      stock?.adjusting(variant_code, delta);
      await admin.send('POST', `/stock/${encodeURIComponent(variant_code)}/adjustments`, {
        delta,
        reason: `입고 · goods in, delivery ${delivery}`,
      });
      stock?.adjusted(variant_code, delta);
    }
    await sleep(every_ms, undefined, { signal: closing }).catch(() => {});
  }
}
