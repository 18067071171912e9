// Runs a change of the back office in one transaction, which a refusal or a refused file rolls back.
import type pg from 'pg';
import type { Actor } from '../audit/change.ts';
import { doneOr, isKept, type Done } from '../admin-api/outcome.ts';
import type { Refused } from '../admin-api/refused.ts';
import type { Tx } from '../database/database.ts';
import { inTransaction } from '../database/transactions.ts';
import { cliActor } from '../audit/cli-actor.ts';
import { withDatabase } from './database.ts';
import { failureFor, type Explained } from '../../start/command-refusals.ts';

/** Throws a Failure with a message if the change was refused. */
export async function changeIn<Outcome extends Done | Explained>(
  pool: pg.Pool,
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
): Promise<Exclude<Outcome, Refused>> {
  const outcome = await inTransaction(pool, (tx) => work(tx, cliActor()), isKept);
  return doneOr(outcome, failureFor);
}

export const runChange = <Outcome extends Done | Explained>(
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
): Promise<Exclude<Outcome, Refused>> => withDatabase((pool) => changeIn(pool, work));
