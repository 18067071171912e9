import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerOrderExport } from './operations.ts';

export function start(core: Core): FeatureService {
  return { operations: (admin) => registerOrderExport(admin, core) };
}
