// Reads for channels on a pipelined connection, retried after a lost connection.
import type { Tx } from '../../platform/database/database.ts';
import { DatabaseUnavailable, failureOf } from '../../platform/database/failures.ts';
import type { PipelinedConnection } from '../../platform/database/pipelined-connection.ts';

/** Runs a read on the database, with a retry after a lost connection. */
export type Read = <T>(query: (tx: Tx) => Promise<T>) => Promise<T>;

/** Retries a read after a lost connection. */
interface Repeating {
  run<T>(attempt: () => Promise<T>): Promise<T>;
}

const ONCE: Repeating = { run: (attempt) => attempt() };

export const readsOn =
  (connection: PipelinedConnection, repeating: Repeating = ONCE): Read =>
  async (query) => {
    try {
      return await repeating.run(() => connection.run(query));
    } catch (error) {
      const isOutage = failureOf(error) !== 'unexpected' && !(error instanceof DatabaseUnavailable);
      throw isOutage ? new DatabaseUnavailable(error) : error;
    }
  };
