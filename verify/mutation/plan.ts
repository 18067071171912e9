// The mutated files, and the order of the tests that run against them.
import { globSync } from 'node:fs';
import { ROOT } from './mutants.ts';

/** Pure code, which must be covered by tests without a database. */
const PURE: readonly string[] = [
  ...globSync(['src/core/rules/*.ts', 'src/platform/values/*.ts', 'src/*/*/{rules,*-rules}.ts'], {
    cwd: ROOT,
  }).toSorted(),
  'src/platform/queues/coalescer.ts',
];

/** Code that only tests with a database reach. */
const ON_DATABASE: readonly string[] = [
  'src/core/gate/batch-runner.ts',
  'src/core/gate/gate.ts',
  'src/core/gate/load-batch.ts',
  'src/core/gate/reads-store.ts',
  'src/core/gate/writes-store.ts',
  'src/core/gate/deltas-store.ts',
];

/** The rules and the gate. */
export const TARGETS: readonly string[] = [...PURE, ...ON_DATABASE];

/** Tests that share a process; the first failure ends it. */
export interface Stage {
  tests: readonly string[];
  needsDatabase: boolean;
  env: Readonly<Record<string, string>>;
  /** Catches endless loops, independent of the load of the machine. */
  cpu_s_max: number;
  /** Catches endless waits. */
  wall_s_max: number;
}

/** Stages of similar cost. Which of them runs first is learned per file. */
export type Round = readonly Stage[];

const pure = (tests: string[], propertyRuns: number): Stage => ({
  tests,
  needsDatabase: false,
  env: { PROPERTY_RUNS: String(propertyRuns) },
  cpu_s_max: 8,
  wall_s_max: 90,
});

const onDatabase = (test: string): Stage => ({
  tests: [test],
  needsDatabase: true,
  env: { PROPERTY_RUNS: '4' },
  cpu_s_max: 40,
  wall_s_max: 180,
});

/** A mutant may take several times as long as the tests without one, up to the limit of the stage. */
export const withinReason = (stage: Stage, seconds: number): Stage => ({
  ...stage,
  cpu_s_max: Math.min(stage.cpu_s_max, Math.ceil(4 * seconds + 2)),
  wall_s_max: Math.min(stage.wall_s_max, 4 * seconds + 10),
});

export const isAskedOf = (stage: Stage, file: string): boolean =>
  !(stage.needsDatabase ? PURE : ON_DATABASE).includes(file);

/** Cheapest first: most mutants are killed before the later rounds. */
export const ROUNDS: readonly Round[] = [
  [
    pure(
      [
        ...globSync('test/domain/*.test.ts', { cwd: ROOT }).toSorted(),
        'test/set-product.test.ts',
        'test/coalescer.test.ts',
        'test/decide.test.ts',
      ],
      40,
    ),
  ],
  [pure(['test/decide.test.ts'], 400)],
  [
    'test/batch-runner.test.ts',
    'test/gate-rows.test.ts',
    'test/gate-statements.test.ts',
    'test/gate.test.ts',
    'test/gate-outage.test.ts',
  ].map(onDatabase),
  [
    'test/gate-model.test.ts',
    'test/channel-orders.test.ts',
    'test/channel-status.test.ts',
    'test/admin-stock.test.ts',
    'test/admin-allocations.test.ts',
    'test/admin-bulk-status.test.ts',
  ].map(onDatabase),
  [
    'test/races.test.ts',
    'test/database-loss.test.ts',
    'test/gate-locks.test.ts',
    'test/held-rows.test.ts',
    'test/lost-commit.test.ts',
    'test/tracing.test.ts',
  ].map(onDatabase),
];
