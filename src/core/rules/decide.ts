// decide(): (commands, batch state) → one outcome per command, and the net changes. Deterministic: no clock, no I/O. It
// updates the state that it is given. A command changes the state completely or not at all; the next command sees the
// result.
import type { Changes, Command, Outcome, BatchState } from './commands.ts';
import { decideIntake } from './intake.ts';
import { decideReport } from './report.ts';

export function decide(
  commands: readonly Command[],
  state: BatchState,
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
        ? decideIntake(command, state, changes)
        : decideReport(command, state, changes),
    );
  return { outcomes, changes };
}

/** Every change adds a step to an order's history. */
export const hasNoChanges = (changes: Changes): boolean => changes.history.length === 0;
