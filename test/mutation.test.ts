// The mutation tool, on files small enough to list every mutant.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Coverage } from '../verify/mutation/coverage.ts';
import { faultsOf, readEquivalents } from '../verify/mutation/equivalent.ts';
import { judge, unjudged } from '../verify/mutation/judge.ts';
import { mutantsOf, readMutants } from '../verify/mutation/mutants.ts';
import { mutate, OPERATORS, type OperatorName } from '../verify/mutation/operators.ts';
import { readOptions } from '../verify/mutation/options.ts';
import { TARGETS } from '../verify/mutation/plan.ts';
import { UsageError } from '../verify/kit/command-line.ts';
import { isEnough, scoresOf, type Result } from '../verify/mutation/report.ts';

const directory = await mkdtemp(join(tmpdir(), 'sluice-mutation-'));
after(() => rm(directory, { recursive: true, force: true }));

/** Every text that one operator produces from a piece of code. */
const madeBy = (operator: OperatorName, text: string): string[] =>
  mutantsOf('a.ts', text, operator).map((mutant) => mutate(text, mutant));

const EXAMPLES: Record<OperatorName, [code: string, ...mutants: string[]]> = {
  conditional: ['a ? b : c;', 'true ? b : c;', 'false ? b : c;'],
  boundary: ['f(a < b);', 'f(a <= b);'],
  comparison: ['f(!a === b);', 'f(a === b);', 'f(!a !== b);'],
  arithmetic: ['f(a + -b);', 'f(a - -b);', 'f(a + b);'],
  logical: ['f(a && b);', 'f(a);', 'f(b);', 'f(a || b);'],
  nullish: ['f(a ?? b);', 'f(a);', 'f(b);'],
  optional: ['f(a?.b);', 'f(a.b);'],
  boolean: ['f(true);', 'f(false);'],
  number: [
    'f(7, 0n, 0.1);',
    'f(8, 0n, 0.1);',
    'f(6, 0n, 0.1);',
    'f(7, 1n, 0.1);',
    'f(7, -1n, 0.1);',
    'f(7, 0n, (0.1 * 2));',
    'f(7, 0n, 0);',
  ],
  string: ["f('kind', '');", "f('', '');", "f('kind', 'mutated');"],
  template: ['f(`${a}:${b}`);', "f(`${''}:${b}`);", "f(`${a}:${''}`);"],
  pattern: ['f(/^a$/u);', 'f(/a$/u);', 'f(/^a/u);'],
  statement: ['if (a) f();', 'if (a) ;'],
  block: ['for (const a of b) { f(a); g(a); }', 'for (const a of b) {}'],
  return: ['const f = () => a;', 'const f = () => undefined;'],
  element: ['f([a, ...b], ...c);', 'f([...b], ...c);', 'f([a], ...c);', 'f([a, ...b]);'],
  property: ['f({ a, ...b });', 'f({ ...b });', 'f({ a });'],
  method: ['f(Math.min(a, b.filter(c)));', 'f(Math.max(a, b.filter(c)));', 'f(Math.min(a, b));'],
};

for (const [operator] of OPERATORS) {
  const [code, ...expected] = EXAMPLES[operator];
  test(`${operator}: mutants of ${code}`, () => {
    assert.deepEqual(madeBy(operator, code).toSorted(), expected.toSorted());
  });
}

test('code without behaviour has no mutants: types, imports, SQL, error messages', () => {
  const silent = `
    import { a } from './a.ts';
    type Kind = 'one' | 'two' | 3;
    interface Row { kind: 'one'; flag: true }
    const LOCK = statement('lock', 'select 1');
    class Stale extends Error { constructor() { super('stale'); this.name = 'Stale'; } }
    export const fresh = a as 1 satisfies Kind;
  `;
  assert.deepEqual(mutantsOf('a.ts', silent), []);
  assert.deepEqual(madeBy('string', `throw new RangeError('no ' + 'such row');`), []);
});

test('a mutant is shown with its lines before and after and with its function', () => {
  const text = 'function least(a: number) {\n  return (\n    a < 1\n  );\n}\n';
  const [mutant] = mutantsOf('a.ts', text, 'boundary');
  assert.ok(mutant);
  const { line, inside, before, after: changed } = mutant;
  assert.deepEqual([line, inside, before, changed], [3, 'least', 'a < 1', 'a <= 1']);
});

const SOURCE = `export function lower(n: number, max: number): number {
  let left = n;
  while (left > max) left -= 1;
  return left;
}
export const never = (): number => 5;
`;
const TESTS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lower } from './source.mts';
test('lowered to the maximum', () => assert.equal(lower(5, 3), 3));
`;

test('mutants are killed, survive, exceed the time limit or are never reached', async () => {
  const [source, own] = [join(directory, 'source.mts'), join(directory, 'source.test.mts')];
  await Promise.all([writeFile(source, SOURCE), writeFile(own, TESTS)]);
  const mutants = mutantsOf(source, SOURCE).filter(
    ({ operator }) => operator === 'boundary' || operator === 'number',
  );
  const stage = { tests: [own], needsDatabase: false, env: {}, cpu_s_max: 2, wall_s_max: 120 };
  const results = mutants.map(unjudged);
  await judge(results, [[stage]], {
    seed: 1,
    jobs: 2,
    signal: AbortSignal.timeout(240_000),
    progress: () => {},
  });
  assert.deepEqual(
    results.map(({ mutant, verdict, by, unreached }) => [mutant.after, verdict, by, unreached]),
    [
      ['while (left >= max) left -= 1;', 'killed', 'lowered to the maximum', false],
      ['while (left > max) left -= 2;', 'survived', null, false],
      ['while (left > max) left -= 0;', 'timeout', null, false],
      ['export const never = (): number => 6;', 'survived', null, true],
      ['export const never = (): number => 4;', 'survived', null, true],
    ],
  );
});

test('tests that fail without any mutant are refused', async () => {
  const broken = join(directory, 'broken.test.mts');
  await writeFile(
    broken,
    `import { test } from 'node:test';\ntest('never', () => { throw new Error('no'); });\n`,
  );
  const stage = { tests: [broken], needsDatabase: false, env: {}, cpu_s_max: 20, wall_s_max: 120 };
  await assert.rejects(
    new Coverage(1).measure(stage, AbortSignal.timeout(240_000)),
    /broken\.test\.mts fails without any mutant: never$/,
  );
});

const [example] = mutantsOf('a.ts', 'f(a < b);', 'boundary');
assert.ok(example);
const result = (verdict: Result['verdict']): Result => ({
  mutant: example,
  verdict,
  by: null,
  unreached: false,
});
const { file, inside, before, after: changed } = example;
const entry = { file, inside, before, after: changed, reason: 'a is never b' };

test('the score excludes equivalent mutants, and 90 % per file is enough', () => {
  assert.deepEqual(scoresOf([result('survived'), result('survived')], [entry])[0], {
    file: 'a.ts',
    mutants: 2,
    killed: 0,
    timeouts: 0,
    survived: 0,
    equivalent: 2,
    score: 100,
  });
  const ofTen = (survivors: number) =>
    scoresOf(
      Array.from({ length: 10 }, (_, index) =>
        result(index < survivors ? 'survived' : index === 9 ? 'timeout' : 'killed'),
      ),
      [],
    );
  assert.equal(ofTen(1)[0]?.score, 90);
  assert.equal(isEnough(ofTen(1)), true);
  assert.equal(isEnough(ofTen(2)), false);
});

test('an entry for an equivalent mutant is a fault if it has no reason, no mutant, or a mutant that is killed', () => {
  const survivors = [result('survived')];
  assert.deepEqual(faultsOf([entry], survivors, true), []);
  assert.match(faultsOf([{ ...entry, reason: ' ' }], survivors, true).join(), /no reason is given/);
  assert.match(
    faultsOf([{ ...entry, after: 'f(a > b);' }], survivors, true).join(),
    /there is no such mutant/,
  );
  assert.deepEqual(
    faultsOf([{ ...entry, after: 'f(a > b);' }], survivors, false),
    [],
    'a sample does not contain every mutant',
  );
  assert.match(faultsOf([entry], [result('killed')], true).join(), /is not equivalent/);
});

test('every entry of the list of equivalent mutants is a mutant of a target, and has a reason', () => {
  const list = readEquivalents();
  const mutants = TARGETS.flatMap((target) => readMutants(target));
  assert.deepEqual(faultsOf(list, mutants.map(unjudged), true), []);
  assert.deepEqual(
    list.filter((one) => !TARGETS.includes(one.file)),
    [],
  );
});

test('options are parsed, and invalid ones are refused', () => {
  const options = readOptions(['--files', 'src/core/rules/stock.ts', '--sample', '5', '--fast']);
  assert.deepEqual(options, {
    files: ['src/core/rules/stock.ts'],
    sample: 5,
    seed: 1,
    jobs: 2,
    fast: true,
    json: null,
    continue: false,
  });
  assert.equal(readOptions(['--help']), null);
  for (const wrong of [
    ['--sample', '0'],
    ['--jobs', 'two'],
    ['--slow'],
    ['--continue'],
    ['--files', 'src/none.ts'],
  ])
    assert.throws(() => readOptions(wrong), UsageError, wrong.join(' '));
});
