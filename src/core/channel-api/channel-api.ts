// What the operations of the channel API get.
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import type { WrongCredentials } from '../../platform/accounts/wrong-credentials.ts';
import type { Turns } from '../../platform/queues/turns.ts';
import type { GateTraces } from '../gate/traces.ts';
import type { RateLimits } from '../channel-policy/rate-limits.ts';
import type { ChannelDirectory } from '../directory/channel-directory.ts';
import type { KeyUses } from '../directory/key-uses.ts';
import type { GateObserver } from '../gate/batch-runner.ts';
import type { Gate } from '../gate/gate.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { ChangeWatch } from '../journal/watch.ts';
import type { ChannelHooks } from './hooks.ts';
import type { ChannelMetrics } from './metrics.ts';
import type { UnsentListBudget } from './unsent-lists.ts';

export interface ChannelApi extends BackOffice {
  readonly gate: Gate;
  readonly inventory: Inventory;
  readonly changeWatch: ChangeWatch;
  readonly directory: ChannelDirectory;
  readonly keyUses: KeyUses;
  readonly rateLimits: RateLimits;
  /** Valid keys from addresses that their channel does not allow. */
  readonly foreignAddresses: WrongCredentials;
  readonly metrics: BackOffice['metrics'] & ChannelMetrics & Pick<GateObserver, 'failure'>;
  readonly budgets: { readonly unsent_lists: UnsentListBudget };
  readonly turns: BackOffice['turns'] & { readonly lists: Turns; readonly large_bodies: Turns };
  readonly hooks: ChannelHooks;
  /** undefined: nothing is traced. */
  readonly traces: GateTraces | undefined;
}
