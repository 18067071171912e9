// When an alert opens and closes.

/** Where the service serves docs/runbook.md, which has a section for each kind. */
export const RUNBOOK_PATH = '/docs/runbook';
export const runbookAddress = (kind: string): string => `${RUNBOOK_PATH}#${kind}`;

/** Thresholds, by name. */
type AlertSettings = Readonly<Record<string, number>>;

export interface AlertRule {
  kind: string;
  enabled: boolean;
  settings: AlertSettings;
}

export interface AlertThreshold {
  name: 'hours' | 'requests' | 'failures';
  fallback: number;
  minimum: number;
  maximum: number;
}

/** What the rules of a kind depend on. */
export interface AlertKindRules {
  readonly name: string;
  readonly thresholds: readonly AlertThreshold[];
}

/** The stored rule, completed with the defaults. If `stored` is null, all values are defaults. */
export function alertRule(
  { name: kind, thresholds }: AlertKindRules,
  stored: { enabled: boolean; settings: Readonly<Record<string, unknown>> } | null,
): AlertRule {
  const settings = thresholds.map(({ name, fallback }): [string, number] => {
    const given = stored?.settings[name];
    return [name, typeof given === 'number' ? given : fallback];
  });
  return { kind, enabled: stored?.enabled ?? true, settings: Object.fromEntries(settings) };
}

/** A condition that holds now. Its alert is open as long as it holds. */
export interface AlertCondition extends FoundCondition {
  kind: string;
}

export interface FoundCondition {
  /** `variant:P1-V1`, `channel:7`, `currency:JPY`, … */
  subject: string;
  details: object;
}

export interface OpenAlert {
  id: number;
  kind: string;
  subject: string;
  details: object;
}

/** Limit on open alerts of one kind: no more are opened at this number. */
export const ALERTS_OPEN_MAX = 1_000;

/** The same for each channel that alerts of the kind are about: one channel must not use up the places of others. */
export const CHANNEL_ALERTS_OPEN_MAX = 100;

/** What shares a limit on open alerts: the kind, and the channel if the subject begins with one. */
function placesOf({ kind, subject }: Pick<AlertCondition, 'kind' | 'subject'>): { of: string; max: number } {
  const [channel] = /^channel:\d+/.exec(subject) ?? [];
  return channel === undefined
    ? { of: kind, max: ALERTS_OPEN_MAX }
    : { of: `${kind} ${channel}`, max: CHANNEL_ALERTS_OPEN_MAX };
}

export interface AlertChanges {
  opened: AlertCondition[];
  closed: OpenAlert[];
  /** Open alerts whose details have changed. */
  updated: { id: number; details: object }[];
}

/** `kinds`: the kinds whose conditions are known. Alerts of other kinds do not change. */
export function alertChanges(
  open: readonly OpenAlert[],
  conditions: readonly AlertCondition[],
  kinds: readonly string[],
): AlertChanges {
  const keyOf = ({ kind, subject }: { kind: string; subject: string }): string => `${kind} ${subject}`;
  const present = new Map(
    conditions
      .filter(({ kind }) => kinds.includes(kind))
      .map((one): [string, AlertCondition] => [keyOf(one), one]),
  );
  const isOpen = new Set(open.map(keyOf));
  const counts = new Map<string, number>();
  for (const { of } of open.map(placesOf)) counts.set(of, (counts.get(of) ?? 0) + 1);
  const opened = [...present].flatMap(([key, condition]) => {
    const { of, max } = placesOf(condition);
    const count = counts.get(of) ?? 0;
    if (isOpen.has(key) || count >= max) return [];
    counts.set(of, count + 1);
    return [condition];
  });
  const closed = open.filter((alert) => kinds.includes(alert.kind) && !present.has(keyOf(alert)));
  const updated = open.flatMap((alert) => {
    const details = present.get(keyOf(alert))?.details;
    return details !== undefined && JSON.stringify(details) !== JSON.stringify(alert.details)
      ? [{ id: alert.id, details }]
      : [];
  });
  return { opened, closed, updated };
}
