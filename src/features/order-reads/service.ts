import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerOrderReads } from './operations.ts';
import { ChannelOrders } from './reads.ts';

export function start(core: Core): FeatureService {
  const channelOrders = new ChannelOrders(core.reads.short, core.pool);
  return { channelOperations: (channel) => registerOrderReads(channel, { ...core, channelOrders }) };
}
