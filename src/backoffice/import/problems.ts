// Problems in the rows of a file, collected so that one run reports all of them.

export interface Problem {
  readonly line: number;
  readonly text: string;
  /** null: the whole row. */
  readonly column: string | null;
}

export class Problems {
  readonly #found: Problem[];

  /** With a copy of known problems: a transaction that runs again must not report them twice. */
  constructor(known?: Problems) {
    this.#found = known ? [...known.#found] : [];
  }

  add(line: number, text: string, column: string | null = null): void {
    this.#found.push({ line, text, column });
  }

  get count(): number {
    return this.#found.length;
  }

  /** The first ones of the file. */
  first(count: number): Problem[] {
    return this.#found.toSorted((a, b) => a.line - b.line).slice(0, count);
  }
}

/** A value from a file, shortened and quoted for a message. */
export const quoted = (text: string): string => {
  const short = Array.from(text).slice(0, 60).join('');
  return JSON.stringify(short === text ? text : `${short}…`);
};
