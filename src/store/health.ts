import { DatabaseUnavailable, InRecovery, read, statement, type Tx } from './database.ts';

const PING = statement(
  'health_ping',
  `select current_setting('default_transaction_read_only')::bool as read_only`,
);

/** Why the database cannot take work although it answers, or null. */
export async function databaseTrouble(tx: Tx): Promise<string | null> {
  try {
    const [state] = await read<{ read_only: boolean }>(tx, PING);
    return state?.read_only ? 'The database is read-only.' : null;
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.cause instanceof InRecovery)
      return 'The database is in recovery.';
    throw error;
  }
}
