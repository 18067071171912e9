// What the gate would answer now: the same reads and rules, in a transaction that is rolled back.
import type pg from 'pg';
import type { Command, Outcome } from '../rules/commands.ts';
import { decide } from '../rules/decide.ts';
import type { Tx } from '../../platform/database/database.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { loadBatch } from './load-batch.ts';

/** One outcome for each command, decided as if the commands before it had been applied. Locks its rows briefly. */
export const previewCommands = (pool: pg.Pool, commands: readonly Command[]): Promise<Outcome[]> =>
  inTransaction(
    pool,
    async (tx) => {
      const { state } = await loadBatch(oneByOne(tx), commands, { locking: 'wait', open: null });
      return decide(commands, state).outcomes;
    },
    () => false,
  );

/** The connections of a pool are not pipelined, so each statement is sent after the answer to the previous one. */
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
