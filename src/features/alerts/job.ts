// Opens and closes alerts. Kinds that change within minutes are checked every few seconds, the others once a minute.
import { ALERT_KINDS, alertChanges, type AlertCondition, type AlertKind, type AlertRule } from './rules.ts';
import { WEBHOOK_PENDING_MAX } from '../webhooks/rules.ts';
import type { LastReconcile } from '../../core/reconcile/reconciler.ts';
import { readConditions } from './conditions-store.ts';
import {
  closeAlerts,
  listAlerts,
  openAlerts,
  readAlertRules,
  readOpenAlerts,
  trimAlerts,
  updateAlerts,
} from './store.ts';
import { inTransaction, reading } from '../../platform/database/transactions.ts';
import { insertAlertDeliveries } from '../webhooks/deliveries-store.ts';
import type { CoreJob, JobServices } from '../../core/assembly/core.ts';

const EVERY_S = 10;
/** Kinds that change slowly or cost more are checked once in this many runs. */
const SLOW_EVERY_RUNS = 6;
const QUICK: readonly AlertKind[] = [
  'low_stock',
  'overcommitted',
  'webhook_failing',
  'rate_missing',
  'drift',
];

let runs = 0;

async function run(services: JobServices, signal: AbortSignal): Promise<void> {
  const isSlowTurn = runs % SLOW_EVERY_RUNS === 0;
  runs += 1;
  await evaluateAlerts(services, isSlowTurn ? ALERT_KINDS : QUICK, signal);
  if (isSlowTurn) await trimAlerts(services.pool);
}

export async function evaluateAlerts(
  { pool, reconciler }: JobServices,
  kinds: readonly AlertKind[],
  signal?: AbortSignal,
): Promise<void> {
  const rules = await reading(pool, (tx) => readAlertRules(tx, kinds));
  const known: AlertKind[] = [];
  const conditions: AlertCondition[] = [];
  for (const rule of rules) {
    const found = await conditionsOf(pool, rule, reconciler.last, signal);
    // Not known yet: alerts of this kind stay as they are.
    if (found === null) continue;
    known.push(rule.kind);
    conditions.push(...found);
  }
  await inTransaction(pool, async (tx) => {
    const { opened, closed, updated } = alertChanges(await readOpenAlerts(tx), conditions, known);
    if (opened.length > 0) {
      const alerts = (await openAlerts(tx, opened)).map(({ id, opened_at }) => ({ id, at: opened_at }));
      await insertAlertDeliveries(tx, 'alert.opened', alerts, WEBHOOK_PENDING_MAX);
    }
    if (closed.length > 0) {
      const ids = closed.map(({ id }) => id);
      const alerts = (await closeAlerts(tx, ids)).map(({ id, opened_at, closed_at }) => ({
        id,
        at: closed_at ?? opened_at,
      }));
      await insertAlertDeliveries(tx, 'alert.closed', alerts, WEBHOOK_PENDING_MAX);
    }
    if (updated.length > 0) await updateAlerts(tx, updated);
  });
}

/** null: unknown. */
async function conditionsOf(
  pool: JobServices['pool'],
  rule: AlertRule,
  last: JobServices['reconciler']['last'],
  signal?: AbortSignal,
): Promise<AlertCondition[] | null> {
  const { kind } = rule;
  if (kind !== 'drift') return reading(pool, (tx) => readConditions(tx, { ...rule, kind }, signal));
  if (!rule.enabled) return [];
  return last && driftOf(pool, last);
}

/**
 * Drift is the result of the last reconcile that this process knows of. null: another process knew of a later one when
 * it changed the alert. Otherwise the processes would open and close the alert in turn until each has run reconcile.
 */
async function driftOf(
  pool: JobServices['pool'],
  { drift_count, checked_at }: LastReconcile,
): Promise<AlertCondition[] | null> {
  const filter = { before: null, is_open: null, kind: 'drift', limit: 1 } as const;
  const [latest] = await reading(pool, (tx) => listAlerts(tx, filter));
  const known = latest && 'checked_at' in latest.details ? String(latest.details.checked_at) : '';
  // In the order in which jsonb stores the keys, because details are compared as text.
  const details = { checked_at: checked_at.toISOString(), drift_count };
  if (details.checked_at < known || (details.checked_at === known && latest?.closed_at)) return null;
  return drift_count === 0 ? [] : [{ kind: 'drift', subject: 'counters', details }];
}

export const alerts: CoreJob = { name: 'alerts', every_s: EVERY_S, run };
