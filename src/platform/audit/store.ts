// The audit log, written in the transaction of the change. It never contains keys or personal data.
import { rows, run, statement, type Tx } from '../database/database.ts';

/** The author of a change. */
export interface Actor {
  /** `token:<name>`, `environment`, `cli:<user>`, `user:<e-mail>` */
  actor: string;
  request_id: string | null;
}

export interface AuditEntry {
  /** channel.create, stock.set, mapping.delete, … */
  action: string;
  /** `channel:7`, `variant:P1-V1`, … */
  subject: string;
  before: object | null;
  after: object | null;
}

const INSERT = statement(
  'audit_insert',
  `insert into audit (actor, action, subject, before, after, request_id)
   select $1, d.action, d.subject, d.before::jsonb, d.after::jsonb, $2
   from unnest($3::text[], $4::text[], $5::text[], $6::text[])
     with ordinality as d (action, subject, before, after, n)
   order by d.n`,
);

const jsonOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

export const insertAudit = (tx: Tx, by: Actor, entries: readonly AuditEntry[]): Promise<number> =>
  run(tx, INSERT, [
    by.actor,
    by.request_id,
    entries.map(({ action }) => action),
    entries.map(({ subject }) => subject),
    entries.map(({ before }) => jsonOf(before)),
    entries.map(({ after }) => jsonOf(after)),
  ]);

export interface AuditRow extends Actor, AuditEntry {
  id: number;
  at: Date;
}

const COLUMNS = 'id, at, actor, action, subject, before, after, request_id';

interface AuditFilter {
  subject: string | null;
  actor: string | null;
  /** this action, or all actions with this prefix before the dot */
  action: string | null;
  /** `from` inclusive, `to` exclusive */
  from: Date | null;
  to: Date | null;
  beforeId: number | null;
  limit: number;
}

// One statement per filter instead of conditions that are switched off, so that each has its own plan. Row comparisons
// make each one a single index range: with a plain equality the planner may scan all entries by time, which took a
// second for an action last seen a million entries ago.
const BEFORE = '($2::timestamptz, $3::bigint)';
const SINCE = '$4::timestamptz';
const ACTION = 'action collate "C"';
/** The range is for the index: entries of a rare action are found among many of an actor, and the other way round. */
const IS_ACTION = `($5::text is null
     or ${ACTION} >= $5 and ${ACTION} < $5 || '/' and (action = $5 or starts_with(action, $5 || '.')))`;

const LIST = statement(
  'audit_list',
  `select ${COLUMNS} from audit where (at, id) < ${BEFORE} and at >= ${SINCE} and ${IS_ACTION}
   order by at desc, id desc limit $1`,
);
const LIST_ACTOR = statement(
  'audit_list_actor',
  `select ${COLUMNS} from audit
   where (actor, at, id) < ($6, $2::timestamptz, $3::bigint) and (actor, at) >= ($6, ${SINCE}) and ${IS_ACTION}
   order by actor desc, at desc, id desc limit $1`,
);
const LIST_SUBJECT = statement(
  'audit_list_subject',
  `select ${COLUMNS} from audit
   where subject = $6 and (at, id) < ${BEFORE} and at >= ${SINCE} and ${IS_ACTION}
     and ($7::text is null or actor = $7)
   order by at desc, id desc limit $1`,
);
// There are about twenty actions. An index skip scan finds the matching ones; then the newest rows of each are read.
const LIST_ACTION = statement(
  'audit_list_action',
  `with recursive fitting (action) as (
     (select ${ACTION} from audit where ${ACTION} >= $5 and ${ACTION} < $5 || '/' order by ${ACTION} limit 1)
     union all
     (select n.action from fitting f cross join lateral (
        select ${ACTION} from audit where ${ACTION} > f.action and ${ACTION} < $5 || '/' order by ${ACTION} limit 1
      ) as n (action))
   )
   select x.* from fitting f
   cross join lateral (
     select ${COLUMNS} from audit
     where (${ACTION}, at, id) < (f.action, $2::timestamptz, $3::bigint) and (${ACTION}, at) >= (f.action, ${SINCE})
     order by ${ACTION} desc, at desc, id desc limit $1
   ) x
   where f.action = $5 or starts_with(f.action, $5 || '.')
   order by x.at desc, x.id desc limit $1`,
);

// As text: a Date has no microseconds, so a page could end between two entries.
const READ_TIME = statement('audit_read_time', 'select at::text as at from audit where id = $1');

const READ_NAMES = statement(
  'audit_read_names',
  `select 'user:' || email as named, name from account where email = any($1::text[])
   union all
   select 'channel:' || id, name from channel where id = any($2::int[])
   union all
   select 'order:' || id, order_number from orders where id = any($3::bigint[])
   union all
   select 'webhook:' || id, coalesce(nullif(description, ''), split_part(url, '?', 1)) from webhook where id = any($4::int[])`,
);

/**
 * Names by `user:<e-mail>`, `channel:<id>`, `order:<id>` or `webhook:<id>`: the name of an account or channel, the
 * number of an order, the description of a webhook or its URL without the query, which may be a secret.
 */
export async function readNames(tx: Tx, wanted: readonly string[]): Promise<Map<string, string>> {
  const of = (pattern: RegExp): string[] => [
    ...new Set(wanted.flatMap((one) => pattern.exec(one)?.[1] ?? [])),
  ];
  const values = [
    of(/^user:(.+)$/s),
    of(/^channel:(\d{1,9})$/),
    of(/^order:(\d{1,15})$/),
    of(/^webhook:(\d{1,9})$/),
  ];
  const found = await rows<{ named: string; name: string }>(tx, READ_NAMES, values);
  return new Map(found.map(({ named, name }) => [named, name]));
}

/** Newest first, by time. */
export async function listAudit(tx: Tx, filter: AuditFilter): Promise<AuditRow[]> {
  const { limit, beforeId, subject, actor, action } = filter;
  let before: readonly [at: Date | string, id: number] = [filter.to ?? 'infinity', 0];
  if (beforeId !== null) {
    const [last] = await rows<{ at: string }>(tx, READ_TIME, [beforeId]);
    if (!last) return [];
    before = [last.at, beforeId];
  }
  const page = [limit, ...before, filter.from ?? '-infinity', action];
  if (subject !== null) return rows(tx, LIST_SUBJECT, [...page, subject, actor]);
  if (actor !== null) return rows(tx, LIST_ACTOR, [...page, actor]);
  return rows(tx, action === null ? LIST : LIST_ACTION, page);
}
