import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerOrderChanges } from './operations.ts';

export function start(core: Core): FeatureService {
  return { operations: (admin) => registerOrderChanges(admin, core) };
}
