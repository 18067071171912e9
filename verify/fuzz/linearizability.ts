// Checks linearizability: is there an order of the overlapping operations in which every answer is that of the sequential
// model, and in which no operation precedes one that was answered before it was sent? (Wing and Gong, with Lowe's cache
// of visited states.) Pure: histories in, end states out.

export interface Operation<Input, Answer> {
  input: Input;
  /** null: no answer. It may have taken effect at any time after it was sent, or never. */
  answer: Answer | null;
  invoked: number;
  /** Infinity if there is no answer. */
  returned: number;
}

export interface SequentialModel<State, Input, Answer> {
  /** The state after the operation, or null if the model would answer differently. */
  step(state: State, input: Input, answer: Answer | null): State | null;
  /** Equal for equal states. */
  keyOf(state: State): string;
  /** Whether an operation with this answer never changes the state. */
  isIdle(input: Input, answer: Answer | null): boolean;
}

interface Configuration<State> {
  state: State;
  /** One character per operation: done or not. */
  taken: string;
}

/** The search is too large: many unanswered operations can happen in very many orders. */
export class Undecided extends Error {}

const TRIED_MAX = 300_000;

/**
 * Every state that the whole history can end in, from any of the given states. Empty: the history is not
 * linearizable.
 */
export function endStates<State, Input, Answer>(
  history: readonly Operation<Input, Answer>[],
  model: SequentialModel<State, Input, Answer>,
  initial: readonly State[],
  tried_max = TRIED_MAX,
): State[] {
  const operations = history.toSorted((a, b) => a.invoked - b.invoked);
  const ends = new Map<string, State>();
  const seen = new Set<string>();
  const none = '0'.repeat(operations.length);
  const open: Configuration<State>[] = initial.map((state) => ({ state, taken: none }));
  for (let one = open.pop(); one; one = open.pop()) {
    const key = model.keyOf(one.state);
    const id = `${one.taken} ${key}`;
    if (seen.has(id)) continue;
    if (seen.add(id).size > tried_max) throw new Undecided(`not decided after ${tried_max} tries`);
    const candidates = candidatesOf(operations, one.taken);
    if (candidates.every((index) => operations[index]?.answer === null)) ends.set(key, one.state);
    open.push(...successors(operations, one, candidates, model));
  }
  return [...ends.values()];
}

/** Operations that can come next: sent before any other remaining one was answered. */
function candidatesOf(operations: readonly Operation<unknown, unknown>[], taken: string): number[] {
  const found: number[] = [];
  let answered = Infinity;
  for (let index = taken.indexOf('0'); index !== -1; index = taken.indexOf('0', index + 1)) {
    const operation = operations[index];
    if (!operation || operation.invoked > answered) break;
    found.push(index);
    answered = Math.min(answered, operation.returned);
  }
  return found.filter((index) => (operations[index]?.invoked ?? Infinity) <= answered);
}

function successors<State, Input, Answer>(
  operations: readonly Operation<Input, Answer>[],
  from: Configuration<State>,
  candidates: readonly number[],
  model: SequentialModel<State, Input, Answer>,
): Configuration<State>[] {
  const found: Configuration<State>[] = [];
  for (const index of candidates) {
    const operation = operations[index];
    if (!operation) continue;
    const state = model.step(from.state, operation.input, operation.answer);
    if (state === null) continue;
    const taken = `${from.taken.slice(0, index)}1${from.taken.slice(index + 1)}`;
    const next = { state, taken };
    // An operation that changes nothing and is possible here can be placed here without excluding any other
    // sequence.
    if (operation.answer !== null && model.isIdle(operation.input, operation.answer)) return [next];
    found.push(next);
  }
  return found;
}

export interface Window<State, Input, Answer> {
  /** Possible states before the window. */
  before: readonly State[];
  /** Operations with contradicting answers, by the time they were sent. */
  operations: readonly Operation<Input, Answer>[];
  /** Unanswered operations that may have taken effect, and do not explain the answers either. */
  meanwhile: readonly Operation<Input, Answer>[];
}

/** The smallest part of a non-linearizable history that is not linearizable itself. */
export function smallestWindow<State, Input, Answer>(
  history: readonly Operation<Input, Answer>[],
  model: SequentialModel<State, Input, Answer>,
  initial: readonly State[],
): Window<State, Input, Answer> {
  const prefix = prefixes(history).find((part) => isRefuted(part, model, initial)) ?? history;
  const { rest, before } = lastCut(prefix, model, initial);
  let operations = rest;
  for (const operation of rest) {
    if (operation.answer === null) continue;
    const part = model.isIdle(operation.input, null)
      ? operations.filter((one) => one !== operation)
      : operations.map((one) => (one === operation ? unanswered(one) : one));
    if (isRefuted(part, model, before)) operations = part;
  }
  return {
    before,
    operations: operations.filter((one) => one.answer !== null),
    meanwhile: operations.filter((one) => one.answer === null && !model.isIdle(one.input, null)),
  };
}

/** Smaller windows only help the reader and are not worth a long search. */
const WINDOW_TRIED_MAX = 2_000;

function isRefuted<State, Input, Answer>(
  part: readonly Operation<Input, Answer>[],
  model: SequentialModel<State, Input, Answer>,
  initial: readonly State[],
): boolean {
  try {
    return endStates(part, model, initial, WINDOW_TRIED_MAX).length === 0;
  } catch (error) {
    if (error instanceof Undecided) return false;
    throw error;
  }
}

/** If the history still fails, this answer is not part of the contradiction. */
const unanswered = <Input, Answer>(operation: Operation<Input, Answer>): Operation<Input, Answer> => ({
  ...operation,
  answer: null,
  returned: Infinity,
});

/** Up to each answer; operations not answered by then count as unanswered. */
function prefixes<Input, Answer>(history: readonly Operation<Input, Answer>[]): Operation<Input, Answer>[][] {
  const ends = history.map(({ returned }) => returned).filter(Number.isFinite);
  return ends
    .toSorted((a, b) => a - b)
    .map((end) =>
      history
        .filter((operation) => operation.invoked <= end)
        .map((operation) => (operation.returned <= end ? operation : unanswered(operation))),
    );
}

/** Removes operations that were finished before the others began. */
function lastCut<State, Input, Answer>(
  history: readonly Operation<Input, Answer>[],
  model: SequentialModel<State, Input, Answer>,
  initial: readonly State[],
): { rest: Operation<Input, Answer>[]; before: readonly State[] } {
  const sorted = history.toSorted((a, b) => a.invoked - b.invoked);
  let before = initial;
  let begin = 0;
  let latest = -Infinity;
  for (const [index, operation] of sorted.entries()) {
    if (index > 0 && operation.invoked > latest) {
      before = endStates(sorted.slice(begin, index), model, before);
      begin = index;
    }
    latest = Math.max(latest, operation.returned);
  }
  return { rest: sorted.slice(begin), before };
}
