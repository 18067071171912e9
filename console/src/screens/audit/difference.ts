// What differs between two states, as lines: a field, what it was, what it is.

export interface Difference {
  field: string;
  /** undefined: nothing was there. */
  before: string | undefined;
  after: string | undefined;
}

type State = Record<string, unknown> | null;

const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** In the order of the fields; what stayed the same is left out. */
export function difference(before: State, after: State): Difference[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields]
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((line) => line.before !== line.after);
}
