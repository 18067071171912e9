import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { webhookAlerts } from './alerts.ts';
import { registerWebhookDeliveries } from './deliveries-operations.ts';
import { webhooksJob } from './job.ts';
import { waitingDeliveries } from './metrics.ts';
import { registerWebhooks } from './operations.ts';

export function start(core: Core): FeatureService {
  return {
    brings: [webhookAlerts],
    operations: (admin) => {
      registerWebhooks(admin, core);
      registerWebhookDeliveries(admin, core);
    },
    jobs: [webhooksJob(waitingDeliveries(core.metrics.registry))],
  };
}
