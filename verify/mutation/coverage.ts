// Which tests reach which code: a mutant only runs against tests that execute it.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, type Mutant } from './mutants.ts';
import type { Stage } from './plan.ts';
import { runTests } from './test-run.ts';

interface Range {
  startOffset: number;
  endOffset: number;
  count: number;
}

/** The executed ranges of a file, one list per process of a test. */
type Ranges = Map<string, Range[][]>;

/** Runs each test once without a mutant. A test that already fails cannot judge mutants. */
export class Coverage {
  readonly #seed: number;
  readonly #byTest = new Map<string, { ranges: Ranges; seconds: number }>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  async measure(stage: Stage, signal: AbortSignal): Promise<void> {
    for (const test of stage.tests) {
      if (this.#byTest.has(test)) continue;
      const directory = await mkdtemp(join(tmpdir(), 'sluice-coverage-'));
      try {
        const job = { seed: this.#seed, mutant: null };
        const env = { NODE_V8_COVERAGE: directory };
        const started = performance.now();
        const { verdict, by } = await runTests([test], { stage, job, env, signal });
        signal.throwIfAborted();
        if (verdict !== 'survived') throw new Error(`${test} fails without any mutant: ${by ?? verdict}`);
        const seconds = (performance.now() - started) / 1000;
        this.#byTest.set(test, { ranges: await readRanges(directory), seconds });
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    }
  }

  /** The duration of these tests without a mutant, each in a separate process. */
  secondsOf(tests: readonly string[]): number {
    return tests.reduce((sum, test) => sum + (this.#byTest.get(test)?.seconds ?? 0), 0);
  }

  /** Type stripping keeps positions, so V8's offsets are those of the file. */
  reaches(test: string, mutant: Mutant): boolean {
    const url = pathToFileURL(resolve(ROOT, mutant.file)).href;
    return (this.#byTest.get(test)?.ranges.get(url) ?? []).some((ranges) => countAt(ranges, mutant) > 0);
  }
}

async function readRanges(directory: string): Promise<Ranges> {
  const found: Ranges = new Map();
  for (const name of await readdir(directory)) {
    const { result } = JSON.parse(await readFile(join(directory, name), 'utf8'));
    for (const { url, functions } of result) {
      if (!url.startsWith('file:') || url.includes('/node_modules/')) continue;
      const ranges = functions.flatMap((one: { ranges: Range[] }) => one.ranges);
      found.set(url, [...(found.get(url) ?? []), ranges]);
    }
  }
  return found;
}

/** The innermost range around the position decides. */
function countAt(ranges: readonly Range[], { start }: Mutant): number {
  let smallest: Range | null = null;
  for (const range of ranges) {
    if (range.startOffset > start || range.endOffset <= start) continue;
    const size = range.endOffset - range.startOffset;
    if (!smallest || size <= smallest.endOffset - smallest.startOffset) smallest = range;
  }
  return smallest?.count ?? 0;
}
