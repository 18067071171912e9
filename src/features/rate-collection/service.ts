import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { exchangeRates } from './job.ts';
import { registerRateSource } from './operations.ts';

export function start(core: Core): FeatureService {
  return { operations: (admin) => registerRateSource(admin, core), jobs: [exchangeRates] };
}
