// What a client that sees only requests and answers knows about the state of an order while requests are in flight. The
// transitions come from the model: the check must not depend on the code it checks.
import { WALKS } from '../kit/model.ts';

export type Status = 0 | 1 | 2 | 9 | 3 | 88;
export const STATUSES: readonly Status[] = [0, 1, 2, 9, 3, 88];

/** The steps of a report; null if there is no path. */
export const walk = (from: Status, to: Status): readonly Status[] | null =>
  (WALKS[from]?.[to] as readonly Status[] | undefined) ?? null;

/** The rank of an order only increases; 3 and 88 are alternative final states. */
const RANKS: Record<Status, number> = { 0: 0, 1: 1, 2: 2, 9: 3, 3: 4, 88: 4 };

export const isOpen = (status: Status): boolean => RANKS[status] < RANKS[3];

export const isStatus = (value: unknown): value is Status => STATUSES.includes(value as Status);

/**
 * Whether the history consists of paths to reported states, in any order. Not every reported state has to
 * occur.
 */
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

const leadsTo = (from: Status, to: Status): boolean => from === to || walk(from, to) !== null;

const someLeadTo = (states: Iterable<Status>, to: Status): boolean =>
  [...states].some((from) => leadsTo(from, to));

/** Assumes that only this client changes the order; otherwise see `mayShow`. */
export class OrderStates {
  #possible: ReadonlySet<Status>;
  /** The furthest state in any answer. */
  furthest: Status;
  /** Reports without an answer. An unanswered report may be executed at any time, so it stays pending. */
  #pending = 0;

  constructor(first: Status) {
    this.#possible = new Set([first]);
    this.furthest = first;
  }

  /** Every state it can be in now. Save it when a request is sent, to check its answer later. */
  get possible(): ReadonlySet<Status> {
    return this.#possible;
  }

  /** The only possible state; null while there are several. */
  get certain(): Status | null {
    const [only, ...others] = this.#possible;
    return only !== undefined && others.length === 0 ? only : null;
  }

  reportLeaves(target: Status): void {
    this.#pending += 1;
    if (someLeadTo(this.#possible, target)) this.#possible = new Set([...this.#possible, target]);
  }

  /** The state in the answer to a report; null: the answer shows no state. */
  reportArrives(status: Status | null): void {
    this.#pending -= 1;
    if (status !== null) this.shows(status);
  }

  /** The state in any other answer. Later states stay possible while a report is in flight. */
  shows(status: Status): void {
    if (RANKS[status] > RANKS[this.furthest]) this.furthest = status;
    const later = [...this.#possible].filter((state) => leadsTo(this.furthest, state));
    this.#possible = new Set(this.#pending === 0 || later.length === 0 ? [this.furthest] : later);
  }

  /** Call it when no request is in flight; the next answer is then certain. */
  settle(): void {
    this.#pending = 0;
  }

  /**
   * Whether an answer may show this state: it must lie on a path from a state possible when the request was sent to a
   * state possible now. `isAlone` false: the back office may have advanced it further.
   */
  mayShow(whenSent: ReadonlySet<Status>, status: Status, isAlone: boolean): boolean {
    return (
      someLeadTo(whenSent, status) && (!isAlone || [...this.#possible].some((now) => leadsTo(status, now)))
    );
  }
}
