// What each owner of a sealed column says of it. `sealed-values` reads, checks and reseals all of them.

export interface SealedColumn {
  /** Part of the names of statements. */
  readonly name: string;
  readonly table: string;
  /** The column with the owner's id, and the column with the sealed value. */
  readonly owner: string;
  readonly sealed: string;
  /** Authenticated context of the sealed value. */
  readonly context: (ownerId: number) => string;
  /** Their number in the result of `sluice secret rotate`. */
  readonly counted_as?: string;
  /** What is said about values that no secret opens. */
  readonly closed: {
    /** For the log of the start: what does not work now, and what to do. */
    readonly log: (closed: number, all: number) => string;
    /** The field of the log with the ids of the owners. Without it there is only one owner. */
    readonly owners?: string;
    /** For `sluice secret rotate`: the values by their owners. */
    readonly values: (owners: readonly number[]) => string;
    /** What to do if the secret is lost. */
    readonly otherwise: string;
  };
}

/** Loaded when they are needed, because few commands need them. */
export type SealedColumns = () => Promise<readonly SealedColumn[]>;

const NAMED_MAX = 20;

/** `the sealed key of channel 1`, `the sealed keys of channels 1, 2`. */
export function sealedOf(owners: readonly number[], value: string, owner: string): string {
  const closed = [...new Set(owners)];
  const named = closed.slice(0, NAMED_MAX).join(', ');
  const more = closed.length > NAMED_MAX ? ', …' : '';
  const those = closed.length === 1 ? `${value} of ${owner}` : `${value}s of ${owner}s`;
  return `the sealed ${those} ${named}${more}`;
}
