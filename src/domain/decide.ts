// decide(): (commands, locked numbers) → one outcome a command, and the net changes. Pure: no clock, no I/O.
// A command either changes the working numbers wholly or not at all; the next one decides on what it left.
import type { Changes, Command, Outcome, World } from './commands.ts';
import { decideIntake } from './intake.ts';
import { decideReport } from './report.ts';

export function decide(
  commands: readonly Command[],
  world: World,
): { outcomes: Outcome[]; changes: Changes } {
  const changes: Changes = {
    created: [],
    moved: new Map(),
    history: [],
    movements: [],
    stock: new Map(),
    allocations: new Map(),
    audits: [],
  };
  const outcomes: Outcome[] = [];
  for (const command of commands)
    outcomes.push(
      command.kind === 'intake'
        ? decideIntake(command, world, changes)
        : decideReport(command, world, changes),
    );
  return { outcomes, changes };
}

/** Whatever changes anything leaves a step in an order's history. */
export const isEmpty = (changes: Changes): boolean => changes.history.length === 0;
