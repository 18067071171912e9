// Reconcile on demand: never two at a time, and never an answer older than the question. Whoever asks while one
// runs shares the next one with all others who do.
import type pg from 'pg';
import { reconcileUnhurried, type Reconciliation } from '../store/reconcile.ts';
import { Coalescer } from './coalescer.ts';

const RECONCILE_LIMITS = { queue_items_max: 64, batch_items_max: 64, batch_weight_max: 64 };

export function createReconciler(pool: pg.Pool): () => Promise<Reconciliation> {
  const asked = new Coalescer<null, Reconciliation>(async (askers) => {
    const result = await reconcileUnhurried(pool);
    return askers.map(() => ({ result }));
  }, RECONCILE_LIMITS);
  return () => asked.submit(null);
}
