import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerAllocationMatrix } from './operations.ts';

export function start(core: Core): FeatureService {
  return { operations: (admin) => registerAllocationMatrix(admin, core) };
}
