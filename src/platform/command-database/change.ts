// Runs a change of the back office in one transaction, which a refusal or a refused file rolls back.
import type pg from 'pg';
import type { Actor } from '../audit/change.ts';
import { doneOr, isKept, type Done } from '../admin-api/outcome.ts';
import type { CommandRefused, Refused, RefusalTable } from '../admin-api/refused.ts';
import type { Tx } from '../database/database.ts';
import { inTransaction } from '../database/transactions.ts';
import { cliActor } from '../audit/cli-actor.ts';
import { withDatabase } from './database.ts';

/** A command was refused. The words are those of the room, whose table is loaded only then. */
export class RefusedCommand extends Error {
  readonly #no: CommandRefused;

  constructor(no: CommandRefused) {
    super(`refused: ${no.kind}`);
    this.name = 'RefusedCommand';
    this.#no = no;
  }

  words(table: RefusalTable): string {
    const answer = table[this.#no.kind];
    return answer && 'commandWords' in answer ? answer.commandWords(this.#no) : this.message;
  }
}

/** Throws `RefusedCommand` if the change was refused. */
export async function changeIn<Outcome extends Done | CommandRefused>(
  pool: pg.Pool,
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
): Promise<Exclude<Outcome, Refused>> {
  const outcome = await inTransaction(pool, (tx) => work(tx, cliActor()), isKept);
  return doneOr(outcome, (no) => new RefusedCommand(no));
}

export const runChange = <Outcome extends Done | CommandRefused>(
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
): Promise<Exclude<Outcome, Refused>> => withDatabase((pool) => changeIn(pool, work));
