// What a client that sees only requests and answers can say about the state of an order, while other requests are on their
// way. The ways are those of the model: a verdict from outside must not lean on the code it judges.
import { WALKS } from '../kit/model.ts';

export type Status = 0 | 1 | 2 | 9 | 3 | 88;
export const STATUSES: readonly Status[] = [0, 1, 2, 9, 3, 88];

/** The steps that a report takes; null where there is no way. */
export const walk = (from: Status, to: Status): readonly Status[] | null =>
  (WALKS[from]?.[to] as readonly Status[] | undefined) ?? null;

/** Orders only ever go up: 3 and 88 are ends beside each other. */
const RANKS: Record<Status, number> = { 0: 0, 1: 1, 2: 2, 9: 3, 3: 4, 88: 4 };

export const isOpen = (status: Status): boolean => RANKS[status] < RANKS[3];

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

const leadsTo = (from: Status, to: Status): boolean => from === to || walk(from, to) !== null;

const someLeadTo = (states: Iterable<Status>, to: Status): boolean =>
  [...states].some((from) => leadsTo(from, to));

/** Only this client changes the order; otherwise see `mayShow`. */
export class OrderStates {
  #possible: ReadonlySet<Status>;
  /** The furthest state that an answer has shown. */
  furthest: Status;
  /** Reports that have no answer. One that got none may arrive at any time, so it stays. */
  #pending = 0;

  constructor(first: Status) {
    this.#possible = new Set([first]);
    this.furthest = first;
  }

  /** Every state it can be in now. To be kept when a request leaves, for what its answer may show. */
  get possible(): ReadonlySet<Status> {
    return this.#possible;
  }

  /** The only state it can be in; null while that is not certain. */
  get certain(): Status | null {
    const [only, ...others] = this.#possible;
    return only !== undefined && others.length === 0 ? only : null;
  }

  reportLeaves(target: Status): void {
    this.#pending += 1;
    if (someLeadTo(this.#possible, target)) this.#possible = new Set([...this.#possible, target]);
  }

  /** What the answer to a report says the state is; null: nothing. */
  reportArrives(status: Status | null): void {
    this.#pending -= 1;
    if (status !== null) this.shows(status);
  }

  /** What any other answer says the state is. Later states stay possible while a report is on its way. */
  shows(status: Status): void {
    if (RANKS[status] > RANKS[this.furthest]) this.furthest = status;
    const later = [...this.#possible].filter((state) => leadsTo(this.furthest, state));
    this.#possible = new Set(this.#pending === 0 || later.length === 0 ? [this.furthest] : later);
  }

  /** Nothing is on its way any more: the next answer is certain. */
  settle(): void {
    this.#pending = 0;
  }

  /**
   * Whether an answer may show this state: on a way from what was possible when its request left to what is possible now.
   * `isAlone` false: the back office may have moved it further.
   */
  mayShow(then: ReadonlySet<Status>, status: Status, isAlone = true): boolean {
    return someLeadTo(then, status) && (!isAlone || [...this.#possible].some((now) => leadsTo(status, now)));
  }
}
