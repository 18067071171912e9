// The command line.
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import {
  count,
  fileToWrite,
  maybe,
  optionsOf,
  seed,
  UsageError,
  yes,
  type Option,
} from '../kit/command-line.ts';
import { ROOT } from './mutants.ts';
import { TARGETS } from './plan.ts';

export const HELP = `npm run mutate -- [options]

Changes the code in one small place at a time and runs the tests that reach it: a mutant that no test detects is a
place where a fault would go undetected.

  --files FILE,FILE   instead of the rules and the gate
  --sample N          N mutants, drawn at random
  --seed S            for the sample and the property tests (default 1)
  --jobs N            concurrent test processes (default 2)
  --fast              only with the tests that need no database
  --json FILE         write each mutant and its verdict to FILE, also when the run is interrupted
  --continue          skip mutants that FILE lists as killed: after an interrupted run, or with new tests
  --help

Surviving mutants with the same behaviour as the original are listed in verify/mutation/equivalent.json, each with its reason.

Exit code 0: at least 90 % of the mutants of each file are killed. 1: otherwise, or an entry of the list is wrong.`;

const sources: Option<readonly string[]> = {
  read: (_, given) => given?.split(',').map(fileOf) ?? TARGETS,
};
const read = optionsOf({
  files: sources,
  /** null: every mutant */
  sample: maybe(count(1)),
  seed: { read: (name, given = '1') => seed.read(name, given) },
  jobs: count(2),
  /** Skips the tests that need a database. */
  fast: yes,
  json: fileToWrite,
  /** Mutants that were killed in the file of an earlier run are not run again. */
  continue: yes,
});

export type Options = NonNullable<ReturnType<typeof read>>;

/** Returns null for --help. */
export function readOptions(args: readonly string[]): Options | null {
  const given = read(args);
  if (given?.continue && given.json === null) throw new UsageError('--continue needs --json FILE');
  return given;
}

function fileOf(name: string): string {
  const file = relative(ROOT, resolve(name));
  if (!file.endsWith('.ts') || file.startsWith('..') || !existsSync(join(ROOT, file)))
    throw new UsageError(`no such source file: ${name}`);
  return file;
}
