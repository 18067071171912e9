import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerBulkStatus } from './status-operations.ts';
import { registerShipments } from './operations.ts';
import { registerPacking } from './packing-operations.ts';

export function start(core: Core): FeatureService {
  return {
    operations: (admin) => {
      registerBulkStatus(admin, core);
      registerShipments(admin, core);
      registerPacking(admin, core);
    },
  };
}
