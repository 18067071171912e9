// Database access of the job runner. Its tables are in a separate schema (migrations/0018_jobs.sql).
import pg from 'pg';
import { asError } from '../log/system-error.ts';
import { rows, statement, type Answered, type Tx } from './database.ts';

export const JOBS_SCHEMA = 'sluice_jobs';

interface JobDatabase {
  executeSql(text: string, values?: unknown[]): Promise<Pick<Answered, 'rows'>>;
}

/** The job runner (pg-boss) sends its own SQL texts with parameters. */
export const jobDatabase = (tx: Tx): JobDatabase => ({
  executeSql: (text, values = []) => tx.query({ text, values }),
});

/** Restores the class of an error: pg-boss reports copies, which have lost it. */
export function jobError(thrown: unknown): Error {
  if (thrown instanceof Error || typeof thrown !== 'object' || thrown === null) return asError(thrown);
  const message = 'message' in thrown ? String(thrown.message) : 'unknown';
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  if (code === undefined) return new Error(message);
  const isSqlState = code.length === 5 && !code.startsWith('E');
  const error = isSqlState ? new pg.DatabaseError(message, message.length, 'error') : new Error(message);
  return Object.assign(error, { code });
}

const LACKING = statement(
  'job_privileges_lacking',
  `select c.relname as name from pg_class c
   where c.relnamespace = '${JOBS_SCHEMA}'::regnamespace and c.relkind in ('r', 'p')
     and not (has_schema_privilege($1, c.relnamespace, 'usage')
              and has_table_privilege($1, c.oid, 'select') and has_table_privilege($1, c.oid, 'insert')
              and has_table_privilege($1, c.oid, 'update') and has_table_privilege($1, c.oid, 'delete'))`,
);

/** Privileges on rows only, because the job runner does not change its schema. */
export async function grantJobPrivileges(tx: Tx, role: string): Promise<void> {
  if ((await rows(tx, LACKING, [role])).length === 0) return;
  const name = pg.escapeIdentifier(role);
  await tx.query({ text: `grant usage on schema ${JOBS_SCHEMA} to ${name}` });
  await tx.query({
    text: `grant select, insert, update, delete on all tables in schema ${JOBS_SCHEMA} to ${name}`,
  });
}
