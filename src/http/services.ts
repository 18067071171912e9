// Dependencies of the request handlers, created once in the composition root.
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { AdminTurns } from './admin/turns.ts';
import type { Config } from '../config.ts';
import type { FormatTimestamp } from '../domain/timestamps.ts';
import type { ChangeWatch } from '../engine/change-watch.ts';
import type { ChannelDirectory } from '../engine/channel-directory.ts';
import type { ChannelOrders } from '../engine/channel-orders.ts';
import type { Gate } from '../engine/gate.ts';
import type { Inventory } from '../engine/inventory.ts';
import type { KeyUses } from '../engine/key-uses.ts';
import type { Observations } from '../engine/observations.ts';
import type { OrderIndexer } from '../engine/order-indexer.ts';
import type { OtherWorkers } from '../engine/other-workers.ts';
import type { Overview } from '../engine/overview.ts';
import type { RateLimits } from '../engine/rate-limits.ts';
import type { Reconciler } from '../engine/reconcile.ts';
import type { Turns } from '../engine/turns.ts';
import type { Sealer } from '../keys.ts';
import type { Metrics } from '../metrics.ts';
import type { HealthCheck } from '../store/health.ts';
import type { Traces } from '../tracing/traces.ts';
import type { ByteBudget } from './transport/byte-budget.ts';
import type { UnsentListBudget } from './channel/unsent-lists.ts';
import type { Drain } from './transport/drain.ts';
import type { WrongCredentials } from './wrong-credentials.ts';

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
