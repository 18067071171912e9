import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { alerts } from './job.ts';
import { alertMail } from './mail-job.ts';
import { registerAlerts } from './operations.ts';
import { registerRunbook } from './runbook.ts';

export function start(core: Core): FeatureService {
  return {
    operations: (admin) => registerAlerts(admin, core),
    pages: registerRunbook,
    jobs: [alerts, alertMail],
  };
}
