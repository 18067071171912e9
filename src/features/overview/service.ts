import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { topic } from '../../platform/supervisor/other-workers.ts';
import { registerChecklist } from './checklist-operations.ts';
import { overcommittedMetric } from './metrics.ts';
import { FIGURES, registerOverview, workerFigures } from './operations.ts';
import { Overview } from './overview.ts';

/** The number of overcommitted items, counted by the process that leads. */
const OVERCOMMITTED = topic<number>('overcommitted');

export function start(core: Core): FeatureService {
  const overcommitted = overcommittedMetric(core.metrics.registry);
  const overview = new Overview(core.pool, core.formatTimestamp, (count) => {
    overcommitted.set(count);
    void core.others.ask(OVERCOMMITTED, count);
  });
  core.answers.on(OVERCOMMITTED, (count) => {
    overcommitted.set(count);
    return null;
  });
  core.answers.on(FIGURES, () => workerFigures(core));
  return {
    operations: (admin) => {
      registerOverview(admin, { ...core, overview });
      registerChecklist(admin, core);
    },
    everyMinute: () => overview.countOvercommitted(),
  };
}
