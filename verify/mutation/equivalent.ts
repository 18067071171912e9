// Equivalent mutants, each with a reason, in verify/mutation/equivalent.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutants.ts';

export interface Equivalent {
  file: string;
  inside: string;
  before: string;
  after: string;
  reason: string;
}

const sameChange = (entry: Equivalent, mutant: Mutant): boolean =>
  (['file', 'inside', 'before', 'after'] as const).every((field) => entry[field] === mutant[field]);

/** File, function, line before and line after, each a key of the one before; the last value is the reason. */
type Listed = Record<string, Record<string, Record<string, Record<string, string>>>>;

export function readEquivalents(): Equivalent[] {
  const listed = JSON.parse(readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8')) as Listed;
  const entries = Object.entries;
  return entries(listed).flatMap(([file, functions]) =>
    entries(functions).flatMap(([inside, lines]) =>
      entries(lines).flatMap(([before, changes]) =>
        entries(changes).map(([after, reason]) => ({ file, inside, before, after, reason })),
      ),
    ),
  );
}

export const isEquivalent = (mutant: Mutant, list: readonly Equivalent[]): boolean =>
  list.some((entry) => sameChange(entry, mutant));

/** Faults of the list: entries without a reason, without a mutant, or with a mutant that a test kills. */
export function faultsOf(
  list: readonly Equivalent[],
  results: readonly { mutant: Mutant; verdict: string; by: string | null }[],
  isWhole: boolean,
): string[] {
  const files = new Set(results.map(({ mutant }) => mutant.file));
  return list.flatMap((entry) => {
    const named = `${entry.file}, ${entry.inside}: ${entry.after}`;
    const found = results.filter(({ mutant }) => sameChange(entry, mutant));
    if (entry.reason.trim() === '') return [`${named}: no reason is given`];
    if (isWhole && files.has(entry.file) && found.length === 0) return [`${named}: there is no such mutant`];
    return found
      .filter(({ verdict }) => verdict !== 'survived')
      .map(({ verdict, by }) => `${named}: is not equivalent, ${by === null ? verdict : `"${by}" kills it`}`);
  });
}
