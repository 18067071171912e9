// Opens and closes alerts. Kinds that change within minutes are checked every few seconds, the others once a minute.
import { alertChanges, type AlertCondition } from './rules.ts';
import type { AlertKind, Alerts } from './kinds.ts';
import {
  closeAlerts,
  openAlerts,
  readAlertRules,
  readOpenAlerts,
  trimAlerts,
  updateAlerts,
} from './store.ts';
import { inTransaction, reading } from '../../platform/database/transactions.ts';
import type { CoreJob, JobServices } from '../../core/assembly/core.ts';

const EVERY_S = 10;
/** Kinds that change slowly or cost more are checked once in this many runs. */
const SLOW_EVERY_RUNS = 6;

/** `alerts`: known when all features have started. */
export function alertsJob(alerts: () => Alerts): CoreJob {
  let runs = 0;
  return {
    name: 'alerts',
    every_s: EVERY_S,
    async run(services, signal) {
      const isSlowTurn = runs % SLOW_EVERY_RUNS === 0;
      runs += 1;
      const { kinds } = alerts();
      const due = isSlowTurn ? kinds : kinds.filter(({ isQuick }) => isQuick);
      await evaluateAlerts(services, alerts(), due, signal);
      if (isSlowTurn) await trimAlerts(services.pool);
    },
  };
}

export async function evaluateAlerts(
  { pool, reconciler }: Pick<JobServices, 'pool' | 'reconciler'>,
  { changed }: Pick<Alerts, 'changed'>,
  kinds: readonly AlertKind[],
  signal?: AbortSignal,
): Promise<void> {
  const rules = await reading(pool, (tx) => readAlertRules(tx, kinds));
  const known: string[] = [];
  const conditions: AlertCondition[] = [];
  for (const { name, read } of kinds) {
    const rule = rules.find(({ kind }) => kind === name);
    const found = rule?.enabled ? await reading(pool, (tx) => read(tx, rule, { reconciler, signal })) : [];
    // Not known yet: alerts of this kind stay as they are.
    if (found === null) continue;
    known.push(name);
    conditions.push(...found.map((one) => ({ kind: name, ...one })));
  }
  await inTransaction(pool, async (tx) => {
    const { opened, closed, updated } = alertChanges(await readOpenAlerts(tx), conditions, known);
    if (opened.length > 0) {
      const alerts = (await openAlerts(tx, opened)).map(({ id, opened_at }) => ({ id, at: opened_at }));
      await changed(tx, 'alert.opened', alerts);
    }
    if (closed.length > 0) {
      const ids = closed.map(({ id }) => id);
      const alerts = (await closeAlerts(tx, ids)).map(({ id, opened_at, closed_at }) => ({
        id,
        at: closed_at ?? opened_at,
      }));
      await changed(tx, 'alert.closed', alerts);
    }
    if (updated.length > 0) await updateAlerts(tx, updated);
  });
}
