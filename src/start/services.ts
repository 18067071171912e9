// The assembled service, as the processes of start hold it. Requests get what they need of it.
import type { Core } from '../core/assembly/core.ts';
import type { ByteBudget } from '../platform/http/byte-budget.ts';
import type { Drain } from '../platform/http/drain.ts';
import type { Metrics } from './metrics.ts';

export interface Services extends Core {
  readonly metrics: Metrics;
  readonly drain: Drain;
  /** Limits for memory that is held for clients. */
  readonly budgets: Core['budgets'] & { readonly large_bodies: ByteBudget };
}
