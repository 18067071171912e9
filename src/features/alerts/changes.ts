// The rules by which alerts are opened.
import { alertRule, type AlertRule, type AlertKindRules } from './rules.ts';
import { readAlertRules, updateAlertRule } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../../core/journal/change.ts';

/** Thresholds that are not given get their defaults. */
export const setAlertRule = (
  tx: Tx,
  by: Actor,
  { kind, enabled, settings }: { kind: AlertKindRules; enabled: boolean; settings: Record<string, number> },
) =>
  changing<{ rule: AlertRule }>(tx, by, async () => {
    const [before] = await readAlertRules(tx, [kind]);
    const rule = alertRule(kind, { enabled, settings });
    if (JSON.stringify(before) === JSON.stringify(rule)) return { done: { rule }, audit: 'nothing_changed' };
    await updateAlertRule(tx, rule);
    return {
      done: { rule },
      audit: {
        action: 'alert_rule.set',
        subject: `alert_rule:${kind.name}`,
        before: before ? { enabled: before.enabled, ...before.settings } : null,
        after: { enabled, ...rule.settings },
      },
      journal: null,
    };
  });
