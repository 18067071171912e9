// What the gate would answer now, without doing it: the same reads and the same rules, in a transaction that is rolled back.
import type pg from 'pg';
import type { Command, Outcome } from '../domain/commands.ts';
import { decide } from '../domain/decide.ts';
import type { Tx } from '../store/database.ts';
import { inTransaction } from '../store/transactions.ts';
import { loadBatch } from './load-batch.ts';

/** One outcome for each command, each decided on what the commands before it would leave. Holds its rows for a moment. */
export const previewCommands = (pool: pg.Pool, commands: readonly Command[]): Promise<Outcome[]> =>
  inTransaction(
    pool,
    async (tx) => {
      const { state } = await loadBatch(oneByOne(tx), commands, { locking: 'wait', open: null });
      return decide(commands, state).outcomes;
    },
    () => false,
  );

/** The connections of a pool are not pipelined: a statement is sent when the one before it was answered. */
function oneByOne(tx: Tx): Tx {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query: (config) => {
      const answer = last.then(() => tx.query(config));
      last = answer.catch(() => {});
      return answer;
    },
  };
}
