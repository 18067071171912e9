import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerReturnsAndNotes } from './operations.ts';

export function start(core: Core): FeatureService {
  return { operations: (admin) => registerReturnsAndNotes(admin, core) };
}
