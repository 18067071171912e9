// What is mutated, and which tests are asked in which order.
import { globSync } from 'node:fs';
import { ROOT } from './mutants.ts';

/** Pure, and so must be what proves them: a database has no say there. */
const PURE: readonly string[] = [
  ...globSync('src/domain/*.ts', { cwd: ROOT }).toSorted(),
  'src/engine/coalescer.ts',
];

/** Nothing else reaches them. */
const ON_DATABASE: readonly string[] = [
  'src/engine/gate.ts',
  'src/engine/load-batch.ts',
  'src/store/gate-reads.ts',
  'src/store/gate-writes.ts',
];

/** The rules and the gate. */
export const TARGETS: readonly string[] = [...PURE, ...ON_DATABASE];

/** Tests that share one process; the first failure ends it. */
export interface Stage {
  tests: readonly string[];
  needsDatabase: boolean;
  env: Readonly<Record<string, string>>;
  /** An endless loop uses this up, however busy the machine is. */
  cpu_s_max: number;
  /** A wait without end takes this long. */
  wall_s_max: number;
}

/** Stages of about one price: which of them is asked first is learnt from file to file. */
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

/** A mutant may take several times as long as the tests took without one, and no longer than the stage allows. */
export const withinReason = (stage: Stage, seconds: number): Stage => ({
  ...stage,
  cpu_s_max: Math.min(stage.cpu_s_max, Math.ceil(4 * seconds + 2)),
  wall_s_max: Math.min(stage.wall_s_max, 4 * seconds + 10),
});

export const isAskedOf = (stage: Stage, file: string): boolean =>
  !(stage.needsDatabase ? PURE : ON_DATABASE).includes(file);

/** Cheapest first: most mutants never meet the later ones. */
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
  ['test/races.test.ts', 'test/database-loss.test.ts'].map(onDatabase),
];
