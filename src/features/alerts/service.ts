import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { alertsJob } from './job.ts';
import { alertsWith } from './kinds.ts';
import { alertMail } from './mail-job.ts';
import { registerAlerts } from './operations.ts';
import { registerRunbook } from './runbook.ts';

export function start(core: Core, brought: () => readonly object[]): FeatureService {
  const alerts = () => alertsWith(brought());
  return {
    operations: (admin) => registerAlerts(admin, core, alerts().kinds),
    pages: registerRunbook,
    jobs: [alertsJob(alerts), alertMail(alerts)],
  };
}
