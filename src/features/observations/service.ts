import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { registerLateReports } from './late-reports-operations.ts';
import { observationMetrics } from './metrics.ts';
import { Observations } from './observations.ts';
import { observeInvalidOrder, observeOrder, observeReport } from './observe.ts';
import { registerRefusals } from './refused-orders-operations.ts';
import { RequestLog } from './request-log.ts';
import { registerChannelRequests } from './requests-operations.ts';
import { trimObservations } from './store.ts';
import { OBSERVATIONS, registerUnmapped } from './unmapped-operations.ts';

export function start(core: Core): FeatureService {
  const { hooks, health, log, metrics, pool } = core;
  const { observationsDropped, requestsDropped } = observationMetrics(metrics.registry);
  const observations = new Observations(pool, core.formatTimestamp, {
    onBug: (error) => log.error({ err: error }, 'observations were lost'),
    onDropped: () => observationsDropped.inc(),
    onRequestDropped: () => requestsDropped.inc(),
  });
  hooks.orderDecided.add((sent, outcome) => observeOrder(observations, sent, outcome));
  hooks.orderInvalid.add((sent) => observeInvalidOrder(observations, sent));
  hooks.reportRefused.add((sent, outcome) => observeReport(observations, sent, outcome));
  hooks.skuUnmapped.add((channel_id, sku) => observations.unmappedSku(channel_id, sku, 'lookups'));
  hooks.requestLog.take(
    new RequestLog({ config: core.config, log, observations, directory: core.directory, health }),
  );
  core.answers.on(OBSERVATIONS, async () => {
    await observations.flush();
    return null;
  });
  return {
    operations: (admin) => {
      registerRefusals(admin, core);
      registerLateReports(admin, core);
      registerUnmapped(admin, { ...core, observations });
      registerChannelRequests(admin, core);
    },
    everyMinute: trimObservations,
    flush: () => observations.flush(),
    close: () => observations.close(),
  };
}
