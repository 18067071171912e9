// What features get: core, assembled. Nothing of it has begun to work.
import type { Registry } from 'prom-client';
import type { Read } from '../inventory/channel-reads.ts';
import type { StockListCache } from '../inventory/stock-list-cache.ts';
import type { ChannelApi } from '../channel-api/channel-api.ts';
import type { OrderIndexer } from '../orders/search-indexer.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { GateMetrics } from '../gate/metrics.ts';
import type { HealthCheck } from '../../platform/database/health.ts';
import type { Job, RunnerServices } from '../../platform/jobs/job.ts';
import type { Sealer } from '../../platform/secrets/keys.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import type { Gate } from '../gate/gate.ts';
import type { WorkerAnswers } from '../../platform/supervisor/other-workers.ts';

export interface Core extends ChannelApi {
  readonly metrics: ChannelApi['metrics'] &
    GateMetrics & {
      /** Every room adds its own metrics. */
      readonly registry: Registry;
    };
  readonly health: HealthCheck;
  readonly orderIndexer: OrderIndexer;
  readonly reconciler: Reconciler;
  /** Reads for channels: short ones, and those that take long, on a connection of their own. */
  readonly reads: { readonly short: Read; readonly long: Read };
  readonly stockLists: StockListCache;
  /** What this worker answers when another one asks. */
  readonly answers: WorkerAnswers;
}

export interface JobServices extends RunnerServices {
  readonly gate: Gate;
  readonly reconciler: Reconciler;
  readonly sealer: Sealer;
  readonly formatTimestamp: FormatTimestamp;
}

export type CoreJob = Job<JobServices>;
