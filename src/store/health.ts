import { read, statement, type Tx } from './database.ts';

const PING = statement(
  'health_ping',
  `select pg_is_in_recovery() as in_recovery, current_setting('default_transaction_read_only')::bool as read_only`,
);

/** Why the database cannot take work although it answers, or null. */
export async function databaseTrouble(tx: Tx): Promise<string | null> {
  const [state] = await read<{ in_recovery: boolean; read_only: boolean }>(tx, PING);
  if (state?.in_recovery) return 'The database is in recovery.';
  return state?.read_only ? 'The database is read-only.' : null;
}
