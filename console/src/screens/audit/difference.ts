// The differences between two states: one line per changed field, with the values before and after.

export interface Difference {
  field: string;
  /** undefined: no value. */
  before: string | undefined;
  after: string | undefined;
}

type State = Record<string, unknown> | null;

const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** In the order of the fields; unchanged fields are left out. */
export function difference(before: State, after: State): Difference[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields]
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((line) => line.before !== line.after);
}
