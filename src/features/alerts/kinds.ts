// The kinds of alerts: those of this feature, and those of features that need it.
import type { LastReconcile } from '../../core/reconcile/reconciler.ts';
import type { Tx } from '../../platform/database/database.ts';
import { CONDITIONS } from './conditions-store.ts';
import type { AlertRule, AlertThreshold, FoundCondition, AlertKindRules } from './rules.ts';
import { listAlerts } from './store.ts';
import { ALERT_WORDS, type AlertFacts } from './words.ts';

interface ReadingContext {
  readonly reconciler: { readonly last: LastReconcile | null };
  readonly signal?: AbortSignal | undefined;
}

export interface AlertKind extends AlertKindRules {
  /** It changes within minutes. */
  readonly isQuick: boolean;
  /** The conditions that hold now; null: not known yet. */
  readonly read: (tx: Tx, rule: AlertRule, context: ReadingContext) => Promise<FoundCondition[] | null>;
  /** What is wrong, as a sentence. */
  readonly text: (facts: AlertFacts) => string;
}

type AlertStep = 'alert.opened' | 'alert.closed';

/** What a feature brings for alerts. */
export class AlertExtension {
  readonly kinds: readonly AlertKind[];
  /** Called in the transaction that opened or closed the alerts. */
  readonly changed: (
    tx: Tx,
    step: AlertStep,
    alerts: readonly { id: number; at: Date }[],
  ) => Promise<unknown>;

  constructor({ kinds, changed }: Pick<AlertExtension, 'kinds' | 'changed'>) {
    this.kinds = kinds;
    this.changed = changed;
  }
}

export type Alerts = Pick<AlertExtension, 'kinds' | 'changed'>;

/** `brought`: by features for others. */
export function alertsWith(brought: readonly object[]): Alerts {
  const extensions = brought.filter((one) => one instanceof AlertExtension);
  return {
    kinds: [...OWN_KINDS, ...extensions.flatMap(({ kinds }) => kinds)],
    async changed(tx, step, alerts) {
      for (const extension of extensions) await extension.changed(tx, step, alerts);
    },
  };
}

const own = (
  name: keyof typeof CONDITIONS,
  { thresholds = [], isQuick = false }: { thresholds?: readonly AlertThreshold[]; isQuick?: boolean } = {},
): AlertKind => ({ name, thresholds, isQuick, read: CONDITIONS[name], text: ALERT_WORDS[name] });

const hours = (fallback: number): AlertThreshold => ({ name: 'hours', fallback, minimum: 1, maximum: 8_760 });
const requests: AlertThreshold = { name: 'requests', fallback: 1, minimum: 1, maximum: 1_000_000 };

const OWN_KINDS: readonly AlertKind[] = [
  // The threshold belongs to each variant (`low_stock_at`).
  own('low_stock', { isQuick: true }),
  own('overcommitted', { isQuick: true }),
  own('unmapped_sku', { thresholds: [requests, hours(24)] }),
  own('rate_missing', { isQuick: true }),
  own('rate_stale', { thresholds: [hours(72)] }),
  {
    name: 'drift',
    thresholds: [],
    isQuick: true,
    read: async (tx, _rule, { reconciler }) => reconciler.last && driftOf(tx, reconciler.last),
    text: ALERT_WORDS.drift,
  },
  own('channel_silent', { thresholds: [hours(24)] }),
  own('prepayment_old', { thresholds: [hours(72)] }),
  own('channel_exceeds_stock'),
];

/**
 * Drift is the result of the last reconcile that this process knows of. null: another process knew of a later one when
 * it changed the alert. Otherwise the processes would open and close the alert in turn until each has run reconcile.
 */
async function driftOf(tx: Tx, { drift_count, checked_at }: LastReconcile): Promise<FoundCondition[] | null> {
  const filter = { before: null, is_open: null, kind: 'drift', limit: 1 } as const;
  const [latest] = await listAlerts(tx, filter);
  const known = latest && 'checked_at' in latest.details ? String(latest.details.checked_at) : '';
  // In the order in which jsonb stores the keys, because details are compared as text.
  const details = { checked_at: checked_at.toISOString(), drift_count };
  if (details.checked_at < known || (details.checked_at === known && latest?.closed_at)) return null;
  return drift_count === 0 ? [] : [{ subject: 'counters', details }];
}
