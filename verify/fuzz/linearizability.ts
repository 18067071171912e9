// Whether operations that overlapped can have happened one after the other: some order in which every answer is what
// the sequential model says, and in which nothing comes before what had been answered when it was sent (Wing and
// Gong; with Lowe's memory of what has been tried). Pure: histories in, end states out.

export interface Operation<Input, Answer> {
  input: Input;
  /** null: none came. It may have taken effect at any time since it was sent, or never. */
  answer: Answer | null;
  invoked: number;
  /** Infinity where there is no answer. */
  returned: number;
}

export interface SequentialModel<State, Input, Answer> {
  /** The state behind the operation, or null where it would not have been answered like this. */
  step(state: State, input: Input, answer: Answer | null): State | null;
  /** Equal for equal states. */
  keyOf(state: State): string;
  /** With this answer it changes the state nowhere, wherever its place is. */
  isIdle(input: Input, answer: Answer | null): boolean;
}

interface Configuration<State> {
  state: State;
  /** One character an operation: taken or not. */
  taken: string;
  /** All that come before it have been taken, and it has not. */
  first: number;
}

/** More has to be tried than is worth it: many operations without an answer can happen in very many ways. */
export class Undecided extends Error {}

const TRIED_MAX = 300_000;

/** Every state that the whole history can have led to, from any of the given ones. None: it is not linearizable. */
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
  const open: Configuration<State>[] = initial.map((state) => ({ state, taken: none, first: 0 }));
  for (let one = open.pop(); one; one = open.pop()) {
    const key = model.keyOf(one.state);
    const id = `${one.taken} ${key}`;
    if (seen.has(id)) continue;
    if (seen.add(id).size > tried_max) throw new Undecided(`not decided after ${tried_max} tries`);
    const candidates = candidatesOf(operations, one);
    if (candidates.every((index) => operations[index]?.answer === null)) ends.set(key, one.state);
    open.push(...successors(operations, one, candidates, model));
  }
  return [...ends.values()];
}

/** What can come next: sent before any of the others was answered. */
function candidatesOf<State>(
  operations: readonly Operation<unknown, unknown>[],
  { taken, first }: Configuration<State>,
): number[] {
  const found: number[] = [];
  let answered = Infinity;
  for (let index = first; index < operations.length; index++) {
    const operation = operations[index];
    if (!operation || operation.invoked > answered) break;
    if (taken[index] === '1') continue;
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
    const next = take(from, index, state);
    // What changes nothing and fits here fits best here: no order that has it later is lost.
    if (operation.answer !== null && model.isIdle(operation.input, operation.answer)) return [next];
    found.push(next);
  }
  return found;
}

function take<State>(from: Configuration<State>, index: number, state: State): Configuration<State> {
  const taken = `${from.taken.slice(0, index)}1${from.taken.slice(index + 1)}`;
  const first = taken.indexOf('0', from.first);
  return { state, taken, first: first === -1 ? taken.length : first };
}

export interface Window<State, Input, Answer> {
  /** The states the history can have been in before. */
  before: readonly State[];
  /** Whose answers contradict each other, by the time they were sent. */
  operations: readonly Operation<Input, Answer>[];
  /** May have taken effect meanwhile, and does not explain it either. */
  meanwhile: readonly Operation<Input, Answer>[];
}

/** The smallest part of a history without an order that has none either. */
export function smallestWindow<State, Input, Answer>(
  history: readonly Operation<Input, Answer>[],
  model: SequentialModel<State, Input, Answer>,
  initial: readonly State[],
): Window<State, Input, Answer> {
  const prefix = shortestPrefix(history, (part) => endStates(part, model, initial).length === 0);
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

/** Smaller parts are only for the reader: they are not worth long trials. */
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

/** A history that fails even so does not hang on this answer. */
const unanswered = <Input, Answer>(operation: Operation<Input, Answer>): Operation<Input, Answer> => ({
  ...operation,
  answer: null,
  returned: Infinity,
});

/** Up to the first answer that cannot be explained; what had not been answered by then counts as unanswered. */
function shortestPrefix<Input, Answer>(
  history: readonly Operation<Input, Answer>[],
  fails: (part: readonly Operation<Input, Answer>[]) => boolean,
): Operation<Input, Answer>[] {
  const ends = history
    .map((operation) => operation.returned)
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b);
  const upTo = (end: number): Operation<Input, Answer>[] =>
    history
      .filter((operation) => operation.invoked <= end)
      .map((operation) => (operation.returned <= end ? operation : unanswered(operation)));
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fails(upTo(ends[middle] ?? 0))) high = middle;
    else low = middle + 1;
  }
  return upTo(ends[low] ?? Infinity);
}

/** Leaves out what was over before the rest began. */
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
