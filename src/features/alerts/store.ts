// Alerts, and the rules that differ from the defaults.
import {
  alertRule,
  type AlertCondition,
  type AlertRule,
  type OpenAlert,
  type AlertKindRules,
} from './rules.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface AlertRow {
  id: number;
  kind: string;
  subject: string;
  details: object;
  opened_at: Date;
  closed_at: Date | null;
}

const COLUMNS = 'id, kind, subject, details, opened_at, closed_at';

const READ = statement('alert_read', `select ${COLUMNS} from alert where id = any($1::bigint[])`);
export const readAlertsById = (tx: Tx, ids: readonly number[]): Promise<AlertRow[]> =>
  rows(tx, READ, [[...new Set(ids)]]);

const OPEN = statement(
  'alert_open',
  'select id, kind, subject, details from alert where closed_at is null order by id',
);
export const readOpenAlerts = (tx: Tx): Promise<OpenAlert[]> => rows(tx, OPEN);

const INSERT = statement(
  'alert_insert',
  `insert into alert (kind, subject, details)
   select d.kind, d.subject, d.details::jsonb from unnest($1::text[], $2::text[], $3::text[]) as d (kind, subject, details)
   on conflict (kind, subject) where closed_at is null do nothing returning ${COLUMNS}`,
);
export const openAlerts = (tx: Tx, conditions: readonly AlertCondition[]): Promise<AlertRow[]> =>
  rows(tx, INSERT, [
    conditions.map(({ kind }) => kind),
    conditions.map(({ subject }) => subject),
    conditions.map(({ details }) => JSON.stringify(details)),
  ]);

const CLOSE = statement(
  'alert_close',
  `update alert set closed_at = now() where id = any($1::bigint[]) and closed_at is null returning ${COLUMNS}`,
);
export const closeAlerts = (tx: Tx, ids: readonly number[]): Promise<AlertRow[]> => rows(tx, CLOSE, [ids]);

const UPDATE = statement(
  'alert_update',
  `update alert a set details = d.details::jsonb from unnest($1::bigint[], $2::text[]) as d (id, details) where a.id = d.id`,
);
export const updateAlerts = (tx: Tx, alerts: readonly { id: number; details: object }[]): Promise<number> =>
  run(tx, UPDATE, [alerts.map(({ id }) => id), alerts.map(({ details }) => JSON.stringify(details))]);

const LIST = statement(
  'alert_list',
  `select ${COLUMNS} from alert
   where id < $1 and ($2::boolean is null or (closed_at is null) = $2) and ($3::text is null or kind = $3)
   order by id desc limit $4`,
);

/** Newest first. */
export const listAlerts = (
  tx: Tx,
  {
    before,
    is_open,
    kind,
    limit,
  }: { before: number | null; is_open: boolean | null; kind: string | null; limit: number },
): Promise<AlertRow[]> => rows(tx, LIST, [before ?? Number.MAX_SAFE_INTEGER, is_open, kind, limit]);

const RULES = statement('alert_rules', 'select kind, enabled, settings from alert_rule');

interface StoredRule {
  kind: string;
  enabled: boolean;
  settings: Record<string, unknown>;
}

export async function readAlertRules(tx: Tx, kinds: readonly AlertKindRules[]): Promise<AlertRule[]> {
  const stored = new Map((await rows<StoredRule>(tx, RULES)).map((rule) => [rule.kind, rule]));
  return kinds.map((kind) => alertRule(kind, stored.get(kind.name) ?? null));
}

const SET_RULE = statement(
  'alert_set_rule',
  `insert into alert_rule (kind, enabled, settings) values ($1, $2, $3::jsonb)
   on conflict (kind) do update set enabled = excluded.enabled, settings = excluded.settings`,
);
export const updateAlertRule = (tx: Tx, { kind, enabled, settings }: AlertRule): Promise<number> =>
  run(tx, SET_RULE, [kind, enabled, JSON.stringify(settings)]);

const CLOSED_KEPT_DAYS = 90;
const TRIM = statement(
  'alert_trim',
  `delete from alert where closed_at < now() - interval '${CLOSED_KEPT_DAYS} days'`,
);
export const trimAlerts = (tx: Tx): Promise<number> => run(tx, TRIM);
