// The command line.
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import {
  FLAG,
  maybe,
  parse,
  positiveInteger,
  seedFrom,
  someOf,
  TEXT,
  UsageError,
} from '../kit/command-line.ts';
import { ROOT } from './mutants.ts';
import { OPERATORS, type OperatorName } from './operators.ts';
import { TARGETS } from './plan.ts';

export interface Options {
  files: readonly string[];
  /** null: all */
  operators: ReadonlySet<OperatorName> | null;
  /** null: every mutant */
  sample: number | null;
  seed: number;
  jobs: number;
  /** Skips the tests that need a database. */
  fast: boolean;
  json: string | null;
  /** Mutants that were killed in the file of an earlier run are not run again. */
  continue: boolean;
}

const NAMES = OPERATORS.map(([name]) => name);

export const HELP = `npm run mutate -- [files] [options]

Changes the code in one small place at a time and runs the tests that reach it: a mutant that no test detects is a
place where a fault would go undetected. Default files: the rules and the gate.

  --operators NAME,NAME   only these kinds of change
  --sample N              N mutants, drawn at random
  --seed S                for the sample and the property tests (default 1)
  --jobs N                concurrent test processes (default 2)
  --fast                  only with the tests that need no database
  --json FILE             write each mutant and its verdict to FILE, also when the run is interrupted
  --continue              skip mutants that FILE lists as killed: after an interrupted run, or with new tests
  --help

Operators: ${NAMES.join(', ')}

Surviving mutants with the same behaviour as the original are listed in verify/mutation/equivalent.json, each with its reason.

Exit code 0: at least 90 % of the mutants of each file are killed. 1: otherwise, or an entry of the list is wrong.`;

const FLAGS = {
  operators: TEXT,
  sample: TEXT,
  seed: { ...TEXT, default: '1' },
  jobs: TEXT,
  fast: FLAG,
  json: TEXT,
  continue: FLAG,
  help: FLAG,
} as const;

/** Returns null for --help. */
export function readOptions(args: readonly string[]): Options | null {
  const { values, positionals } = parse({ args: [...args], allowPositionals: true, options: FLAGS });
  if (values.help) return null;
  if (values.continue && values.json === undefined) throw new UsageError('--continue needs --json FILE');
  const operators = maybe(someOf(NAMES)).read('--operators', values.operators);
  return {
    files: positionals.length > 0 ? positionals.map(fileOf) : TARGETS,
    operators: operators && new Set(operators),
    sample: values.sample === undefined ? null : positiveInteger('--sample', values.sample, 1),
    seed: seedFrom('--seed', values.seed),
    jobs: positiveInteger('--jobs', values.jobs, 2),
    fast: values.fast,
    json: values.json ?? null,
    continue: values.continue,
  };
}

function fileOf(name: string): string {
  const file = relative(ROOT, resolve(name));
  if (!file.endsWith('.ts') || file.startsWith('..') || !existsSync(join(ROOT, file)))
    throw new UsageError(`no such source file: ${name}`);
  return file;
}
