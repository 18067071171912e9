// Access to the environment. A wrong variable is recorded and reading continues, so that all faults are reported
// together.

export interface Variables {
  /** An empty variable counts as unset, as in shells and compose files. */
  readonly text: (name: string) => string | null;
  readonly check: (holds: boolean, fault: string) => void;
  /** `unset`: the default if the variable is not set. */
  readonly wholeNumber: (name: string, range: Range, unset: number) => number;
  readonly flag: (name: string, unset: boolean) => boolean;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly unit?: 'milliseconds';
}

export function variablesOf(
  env: Readonly<Record<string, string | undefined>>,
  fault: (text: string) => void,
): Variables {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const check = (holds: boolean, sentence: string): void => {
    if (!holds) fault(sentence);
  };
  return {
    text,
    check,
    wholeNumber(name, { min, max, unit }, unset) {
      const given = text(name) ?? String(unset);
      const count = Number(given);
      check(
        /^\d+$/.test(given) && count >= min && count <= max,
        `${name} must be a whole number${unit ? ` of ${unit}` : ''} from ${min} to ${max}, not "${given}".`,
      );
      return count;
    },
    flag(name, unset) {
      const given = text(name) ?? (unset ? '1' : '0');
      check(given === '0' || given === '1', `${name} must be 1 or 0, not "${given}".`);
      return given === '1';
    },
  };
}
