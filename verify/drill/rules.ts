// The table of contract 3.2.11a, as the model has it: a verdict from outside must not lean on the code it judges.
import { WALKS } from '../kit/model.ts';

export type Status = 0 | 1 | 2 | 9 | 3 | 88;
export const STATUSES: readonly Status[] = [0, 1, 2, 9, 3, 88];

/** The steps that a report takes; null where there is no way. */
export const walk = (from: Status, to: Status): readonly Status[] | null =>
  (WALKS[from]?.[to] as readonly Status[] | undefined) ?? null;

/** Orders only ever go up: 3 and 88 are ends beside each other. */
const RANKS: Record<Status, number> = { 0: 0, 1: 1, 2: 2, 9: 3, 3: 4, 88: 4 };
export const rank = (status: Status): number => RANKS[status];

export const isOpen = (status: Status): boolean => rank(status) < RANKS[3];

export const isStatus = (value: unknown): value is Status => STATUSES.includes(value as Status);

/** Whether walks to reported states, in some order and not necessarily all of them, make up this history. */
export function isExplained(history: readonly Status[], reported: ReadonlySet<Status>): boolean {
  const [start, ...steps] = history;
  if (start === undefined) return false;
  if (steps.length === 0) return true;
  return [...reported].some((target) => {
    const path = walk(start, target);
    if (!path || path.some((step, index) => steps[index] !== step)) return false;
    return isExplained([target, ...steps.slice(path.length)], reported);
  });
}
