// One run of some tests in a separate process, with or without a mutant.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Change } from './operators.ts';
import type { Stage } from './plan.ts';
import { ROOT } from './mutants.ts';

/** Passed to the hook in the environment, so that processes started by the tests inherit it. */
export interface Job {
  seed: number;
  /** null: the tests run without a mutant */
  mutant: (Change & { path: string }) | null;
}

export type MutantVerdict = 'killed' | 'timeout' | 'survived';

export interface TestRun {
  verdict: MutantVerdict;
  /** the test that failed */
  by: string | null;
  pid: number;
}

const here = (name: string): string => join(import.meta.dirname, name);
const HEAP_MB = 512;

export interface TestRunOptions {
  stage: Stage;
  job: Job;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export function runTests(
  tests: readonly string[],
  { stage, job, env, signal: stop }: TestRunOptions,
): Promise<TestRun> {
  const node = [
    process.execPath,
    `--max-old-space-size=${HEAP_MB}`,
    `--test-reporter=${here('first-failure.ts')}`,
  ];
  const child = spawn(
    '/bin/sh',
    ['-c', 'ulimit -S -t "$0" && exec "$@"', String(stage.cpu_s_max), ...node, here('tests.ts'), ...tests],
    {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        // It would make a nested test process report in a binary format.
        NODE_TEST_CONTEXT: undefined,
        ...stage.env,
        ...env,
        NODE_OPTIONS: `--import=${pathToFileURL(here('hook.ts')).href}`,
        MUTATION_JOB: JSON.stringify(job),
      },
    },
  );
  return new Promise((resolve, reject) => {
    let output = '';
    let late = false;
    const pid = child.pid ?? 0;
    const end = () => {
      late = true;
      killGroup(pid);
    };
    // Counted in ticks of one second: a suspended machine does not use up the limit.
    let seconds = 0;
    const timer = setInterval(() => {
      if (++seconds >= stage.wall_s_max) end();
    }, 1000);
    stop.addEventListener('abort', end);
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('exit', () => killGroup(pid));
    child.on('close', (code, signal) => {
      clearInterval(timer);
      stop.removeEventListener('abort', end);
      const verdict = late || signal === 'SIGXCPU' ? 'timeout' : code === 0 ? 'survived' : 'killed';
      resolve({ verdict, by: verdict === 'killed' ? output.trim() : null, pid });
    });
  });
}

/** Tests that end early leave their child processes running. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the group has already exited
  }
}
