import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerBulkLookup } from './operations.ts';

export function start(core: Core): FeatureService {
  return { channelOperations: (channel) => registerBulkLookup(channel, core) };
}
