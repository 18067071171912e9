// Dependencies of the request handlers, created once in the composition root.
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { AdminTurns } from '../platform/accounts/admin-turns.ts';
import type { Config } from '../platform/config/config.ts';
import type { FormatTimestamp } from '../platform/values/timestamps.ts';
import type { ChangeWatch } from '../core/journal/watch.ts';
import type { ChannelDirectory } from '../core/directory/channel-directory.ts';
import type { ChannelOrders } from '../features/order-reads/reads.ts';
import type { Gate } from '../core/gate/gate.ts';
import type { Inventory } from '../core/inventory/inventory.ts';
import type { KeyUses } from '../core/directory/key-uses.ts';
import type { Observations } from '../features/observations/observations.ts';
import type { OrderIndexer } from '../core/orders/search-indexer.ts';
import type { OtherWorkers } from '../platform/supervisor/other-workers.ts';
import type { Overview } from '../features/overview/overview.ts';
import type { RateLimits } from '../core/channel-policy/rate-limits.ts';
import type { Reconciler } from '../core/reconcile/reconciler.ts';
import type { Turns } from '../platform/queues/turns.ts';
import type { Sealer } from '../platform/secrets/keys.ts';
import type { Metrics } from './metrics.ts';
import type { HealthCheck } from '../platform/database/health.ts';
import type { Traces } from '../platform/tracing/traces.ts';
import type { ByteBudget } from '../platform/http/byte-budget.ts';
import type { UnsentListBudget } from '../core/channel-api/unsent-lists.ts';
import type { Drain } from '../platform/http/drain.ts';
import type { WrongCredentials } from '../platform/accounts/wrong-credentials.ts';

export interface Services {
  readonly config: Config;
  readonly pool: pg.Pool;
  readonly gate: Gate;
  readonly inventory: Inventory;
  readonly channelOrders: ChannelOrders;
  readonly changeWatch: ChangeWatch;
  readonly observations: Observations;
  readonly orderIndexer: OrderIndexer;
  readonly overview: Overview;
  readonly reconciler: Reconciler;
  readonly directory: ChannelDirectory;
  readonly keyUses: KeyUses;
  readonly rateLimits: RateLimits;
  readonly wrongCredentials: WrongCredentials;
  /** Valid keys from addresses that their channel does not allow. */
  readonly foreignAddresses: WrongCredentials;
  /** Failed sign-ins at the OpenID provider, by address. */
  readonly failedSignOns: WrongCredentials;
  readonly sealer: Sealer;
  readonly metrics: Metrics;
  readonly log: FastifyBaseLogger;
  readonly health: HealthCheck;
  readonly drain: Drain;
  readonly others: OtherWorkers;
  /** Limits for memory that is held for clients. */
  readonly budgets: { readonly large_bodies: ByteBudget; readonly unsent_lists: UnsentListBudget };
  /** Limits for work that clients cause, with fair turns. */
  readonly turns: { readonly lists: Turns; readonly large_bodies: Turns; readonly admin: AdminTurns };
  readonly formatTimestamp: FormatTimestamp;
  /** undefined: nothing is traced. */
  readonly traces: Traces | undefined;
}
