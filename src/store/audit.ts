// Who changed what: written in the transaction of the change itself. Never holds keys or personal data.
import { rows, run, statement, type Tx } from './database.ts';

/** On whose behalf a change is made. */
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
   values ($1, $2, $3, $4::jsonb, $5::jsonb, $6)`,
);

export const insertAudit = (tx: Tx, by: Actor, entry: AuditEntry): Promise<number> =>
  run(tx, INSERT, [
    by.actor,
    entry.action,
    entry.subject,
    entry.before === null ? null : JSON.stringify(entry.before),
    entry.after === null ? null : JSON.stringify(entry.after),
    by.request_id,
  ]);

export interface AuditRow extends Actor, AuditEntry {
  id: number;
  at: Date;
}

const COLUMNS = 'id, at, actor, action, subject, before, after, request_id';

// Two statements rather than one with a condition to switch off: the plan would have to serve both.
const LIST = statement('audit_list', `select ${COLUMNS} from audit where id < $1 order by id desc limit $2`);
const LIST_SUBJECT = statement(
  'audit_list_subject',
  `select ${COLUMNS} from audit where subject = $3 and id < $1 order by id desc limit $2`,
);

/** Newest first; `beforeId` continues behind an earlier page. */
export function listAudit(
  tx: Tx,
  filter: { beforeId: number | null; subject: string | null; limit: number },
): Promise<AuditRow[]> {
  const page = [filter.beforeId ?? Number.MAX_SAFE_INTEGER, filter.limit];
  return filter.subject === null ? rows(tx, LIST, page) : rows(tx, LIST_SUBJECT, [...page, filter.subject]);
}
