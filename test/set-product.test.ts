import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import {
  checkProductInfo,
  variantsTaken,
  withViolations,
  type ProductProposal,
} from '../src/core/rules/set-product.ts';
import type { ProductInfo, ProductOption } from '../src/core/rules/product-info.ts';
import type { Violation } from '../src/core/rules/set-product-rules.ts';
import { violationText, withWords } from '../src/core/registration/violation-words.ts';

const USERCODE = 'LENS1';

function option(
  opt_group: string,
  power: string,
  option_code: string,
  rest: Partial<ProductOption> = {},
): ProductOption {
  return { opt_group, power, option_code, stock: 5, hidden: false, ...rest };
}

/** An option without problems, as it is shown. */
const shown = (group: string, side: 'left' | 'right' | null, power: string, option_code: string) => ({
  option_code,
  group,
  side,
  power,
  stock: 5,
  hidden: false,
  variant_code: `${USERCODE}-${power}`,
  problems: [] as string[],
});

function product(options: ProductOption[], is_monthly = 1): ProductInfo {
  return { found: true, goods_name: 'Monthly lens', is_monthly, options };
}

/** A proposal with the messages that an administrator reads. */
const told = (proposal: ProductProposal) => ({
  ...withWords(proposal),
  violations: proposal.violations.map((one) => ({ ...one, message: violationText(one) })),
});
type Told = ReturnType<typeof told>;

const propose = (options: ProductOption[], is_monthly = 1): ProductProposal =>
  checkProductInfo(USERCODE, product(options, is_monthly));

const check = (options: ProductOption[], is_monthly = 1): Told => told(propose(options, is_monthly));

function kinds(proposal: Told): string[] {
  return proposal.violations.map((violation) => violation.kind);
}

/** The one violation of a proposal that has exactly one. */
function only(proposal: Told): Told['violations'][number] {
  assert.equal(proposal.violations.length, 1, proposal.errors.join('\n'));
  assert.deepEqual(
    proposal.errors,
    proposal.violations.map((violation) => violation.message),
  );
  const [violation] = proposal.violations;
  assert.ok(violation);
  return violation;
}

describe('a valid set product', () => {
  test('left and right of one power become one SKU, in order of first appearance', () => {
    const proposal = check([
      option('R', '-1.25', 'B'),
      option('L', '-1.00', 'A'),
      option('R', '-1.00', 'A'),
      option('L', '-1.25', 'B'),
    ]);
    assert.deepEqual(proposal, {
      found: true,
      goods_name: 'Monthly lens',
      is_set: true,
      groups: ['R', 'L'],
      options: [
        shown('R', 'right', '-1.25', 'B'),
        shown('L', 'left', '-1.00', 'A'),
        shown('R', 'right', '-1.00', 'A'),
        shown('L', 'left', '-1.25', 'B'),
      ],
      skus: [
        { power: '-1.25', option_code: 'B', stock: 5, hidden: false, variant_code: 'LENS1--1.25' },
        { power: '-1.00', option_code: 'A', stock: 5, hidden: false, variant_code: 'LENS1--1.00' },
      ],
      errors: [],
      violations: [],
    });
  });

  test('one group alone is accepted', () => {
    assert.deepEqual(check([option('L', '-1.00', 'A'), option('L', '-1.25', 'B')]).errors, []);
  });

  test('the stock of a merged SKU is the smaller of the two sides', () => {
    for (const [left, right] of [
      [7, 3],
      [3, 7],
    ]) {
      const { skus } = check([
        option('L', '0.00', 'A', { stock: left ?? 0 }),
        option('R', '0.00', 'A', { stock: right ?? 0 }),
      ]);
      assert.equal(skus[0]?.stock, 3);
    }
  });

  test('a merged SKU is hidden only when both sides are hidden', () => {
    const hiddenOf = (left: boolean, right: boolean): boolean | undefined =>
      check([option('L', '0.00', 'A', { hidden: left }), option('R', '0.00', 'A', { hidden: right })]).skus[0]
        ?.hidden;
    assert.equal(hiddenOf(true, true), true);
    assert.equal(hiddenOf(true, false), false);
    assert.equal(hiddenOf(false, true), false);
    assert.equal(hiddenOf(false, false), false);
  });

  test('spaces around a power or a group are ignored', () => {
    const proposal = check([
      option('L', '-1.00', 'A'),
      option('R ', ' -1.00', 'A'),
      option(' R', '-2.00', 'B'),
      option('L', '-2.00 ', 'B'),
    ]);
    assert.deepEqual(proposal.errors, []);
    assert.deepEqual(proposal.groups, ['L', 'R']);
    assert.deepEqual(
      proposal.skus.map((sku) => sku.variant_code),
      ['LENS1--1.00', 'LENS1--2.00'],
    );
  });
});

describe('a set product that breaks the invariant', () => {
  test('a power on one side only is reported with the side where it is missing, for both sides', () => {
    const proposal = check([
      option('L', '-1.00', 'A'),
      option('R', '-1.00', 'A'),
      option('L', '-1.25', 'B'),
      option('R', '-1.50', 'C'),
    ]);
    assert.deepEqual(proposal.violations, [
      {
        kind: 'power_missing',
        rows: [2],
        power: '-1.25',
        option_codes: ['B'],
        group: 'R',
        side: 'right',
        in_group: 'L',
        message: 'Power "-1.25" is in group "L" but missing in group "R".',
      },
      {
        kind: 'power_missing',
        rows: [3],
        power: '-1.50',
        option_codes: ['C'],
        group: 'L',
        side: 'left',
        in_group: 'R',
        message: 'Power "-1.50" is in group "R" but missing in group "L".',
      },
    ]);
    assert.equal(proposal.skus.length, 3);
    assert.deepEqual(
      proposal.options.map((each) => each.problems),
      [[], [], [proposal.errors[0]], [proposal.errors[1]]],
    );
  });

  test('one value written in two ways counts as two powers, and the message says so', () => {
    for (const [left, right] of [
      ['-1.00', '-1.0'],
      ['+1.00', '1.00'],
      ['-1.00', '\u22121.00'],
    ] as const) {
      const proposal = check([option('L', left, 'A'), option('R', right, 'A')]);
      assert.deepEqual(kinds(proposal), ['power_missing', 'power_missing', 'code_repeated']);
      assert.match(proposal.errors[0] ?? '', /compared as text, so the two must be written alike/u);
      assert.ok(proposal.errors[0]?.includes(`has ${JSON.stringify(right)}`));
    }
  });

  test('one power with two codes is reported with the power and both codes, and both rows stay visible', () => {
    const proposal = check([option('L', '-1.00', 'A'), option('R', '-1.00', 'B')]);
    assert.deepEqual(only(proposal), {
      kind: 'code_differs',
      rows: [0, 1],
      power: '-1.00',
      option_codes: ['A', 'B'],
      groups: [
        { group: 'L', option_codes: ['A'] },
        { group: 'R', option_codes: ['B'] },
      ],
      message:
        'Power "-1.00" has code "A" in group "L" and code "B" in group "R"; the sides are the same item and must have the same code.',
    });
    assert.deepEqual(
      proposal.skus.map((sku) => sku.option_code),
      ['A', 'B'],
    );
  });

  test('codes that differ only in a space are different codes', () => {
    assert.equal(only(check([option('L', '-1.00', 'A'), option('R', '-1.00', 'A ')])).kind, 'code_differs');
  });

  test('more than two groups are reported with their names', () => {
    const proposal = check(['L', 'R', 'M'].map((group) => option(group, '-1.00', 'A')));
    const violation = only(proposal);
    assert.equal(violation.kind, 'too_many_groups');
    assert.match(violation.message, /sent 3: "L", "R", "M"/u);
  });

  test('a power twice in one group is reported with its group and codes', () => {
    const proposal = check([option('L', '-1.00', 'A'), option('R', '-1.00', 'A'), option('R', '-1.00', 'A')]);
    assert.deepEqual(only(proposal), {
      kind: 'power_repeated',
      rows: [1, 2],
      power: '-1.00',
      option_codes: ['A'],
      group: 'R',
      side: 'right',
      times: 2,
      message: 'Power "-1.00" occurs 2 times in group "R" (code "A"); each power may occur only once.',
    });
  });

  test('one code for two powers is reported with both powers', () => {
    const violation = only(
      check(['L', 'R'].flatMap((group) => [option(group, '-1.00', 'A'), option(group, '-1.25', 'A')])),
    );
    assert.equal(violation.kind, 'code_repeated');
    assert.deepEqual(violation.option_codes, ['A']);
    assert.match(violation.message, /2 powers: "-1.00", "-1.25"/u);
  });

  test('a blank code, and a blank power next to others, are reported', () => {
    assert.deepEqual(kinds(check([option('L', '-1.00', ' '), option('R', '-1.00', ' ')])), ['code_blank']);
    assert.deepEqual(
      kinds(check(['L', 'R'].flatMap((g) => [option(g, ' ', 'A'), option(g, '-1.00', 'B')]))),
      ['power_blank'],
    );
  });

  test('the message for thousands of groups is shortened', () => {
    const options = Array.from({ length: 5000 }, (_, index) => option(`G${index}`, '0.00', 'A'));
    assert.match(only(check(options)).message, /"G19" and 4980 more\.$/u);
  });
});

describe('left and right', () => {
  const sides = (...groups: string[]) =>
    check(groups.map((group) => option(group, '0.00', 'A'))).options.map(({ side }) => side);

  test('sides follow the names of the groups, in any order and in both languages', () => {
    for (const [left, right] of [
      ['L', 'R'],
      ['left', 'Right'],
      ['왼쪽', '오른쪽'],
      ['좌', '우'],
    ] as const) {
      assert.deepEqual(sides(left, right), ['left', 'right']);
      assert.deepEqual(sides(right, left), ['right', 'left']);
      assert.deepEqual(sides(right), ['right']);
      assert.deepEqual(sides('A', left), ['right', 'left'], 'one name is enough');
      assert.deepEqual(sides(right, 'B'), ['right', 'left']);
    }
  });

  test('if the names of the groups do not decide, sides follow the order of appearance', () => {
    assert.deepEqual(sides('A', 'B'), ['left', 'right']);
    assert.deepEqual(sides('', 'B'), ['left', 'right']);
    assert.deepEqual(sides('left', 'L'), ['left', 'right']);
    assert.deepEqual(sides('right', 'R'), ['left', 'right']);
    assert.deepEqual(sides('A'), ['left']);
  });

  test('there are no sides with three groups or outside a set', () => {
    assert.deepEqual(sides('L', 'R', 'M'), [null, null, null]);
    assert.deepEqual(
      check([option('L', '0', 'A'), option('R', '1', 'B')], 0).options.map(({ side }) => side),
      [null, null],
    );
  });
});

test('the problem at a row is shortened, however long the message is', () => {
  const options = Array.from({ length: 500 }, (_, n) => option('L', '0.00', `${n}-`.padEnd(90, 'x')));
  const proposal = check(options);
  const { message, rows } = only(proposal);
  assert.equal(rows.length, 500);
  assert.ok(message.length > 1_000);
  for (const { problems } of proposal.options) {
    assert.equal(problems.length, 1);
    assert.equal(Array.from(problems[0] ?? '').length, 500);
  }
});

test('rows whose variant code belongs to another product are marked', () => {
  const proposal = propose([
    option('L', '-1.00', 'A'),
    option('R', '-1.00', 'A'),
    option('L', '-2.00', 'B'),
    option('R', '-2.00', 'B'),
  ]);
  const taken = told(withViolations(proposal, variantsTaken(proposal, ['LENS1--2.00'])));
  assert.deepEqual(only(taken), {
    kind: 'variant_taken',
    rows: [2, 3],
    option_codes: ['B'],
    variant_code: 'LENS1--2.00',
    message: 'The variant code LENS1--2.00 belongs to another product already.',
  });
  assertMarked(
    proposal.options.map(({ group, ...rest }) => ({ ...rest, opt_group: group })),
    taken,
  );
});

describe('a product that is not a set', () => {
  test('each option is one SKU, whatever its group', () => {
    const proposal = check([option('L', '-1.00', 'A'), option('', '-1.25', 'B'), option('M', '0', 'C')], 0);
    assert.equal(proposal.is_set, false);
    assert.deepEqual(proposal.errors, []);
    assert.deepEqual(
      proposal.skus.map((sku) => [sku.option_code, sku.variant_code]),
      [
        ['A', 'LENS1--1.00'],
        ['B', 'LENS1--1.25'],
        ['C', 'LENS1-0'],
      ],
    );
  });

  test('two options of one power are reported, because they would share a variant code', () => {
    const violation = only(check([option('L', '-1.00', 'A'), option('R', '-1.00', 'B')], 0));
    assert.equal(violation.kind, 'power_repeated');
    assert.deepEqual(violation.option_codes, ['A', 'B']);
    assert.match(violation.message, /is_monthly 1/u);
  });

  test('one code for two options is reported', () => {
    const violation = only(check([option('', '-1.00', 'A'), option('', '-1.25', 'A')], 0));
    assert.equal(violation.kind, 'code_repeated');
    assert.match(violation.message, /"-1.00", "-1.25"/u);
  });

  test('only is_monthly 1 makes a set', () => {
    for (const value of [0, 2, -1]) assert.equal(check([option('L', '0', 'A')], value).is_set, false);
  });
});

describe('every product', () => {
  test('a single SKU may have no power; its variant code does not depend on the channel', () => {
    const single = check([option('', '', 'S1')], 0);
    assert.deepEqual(single.errors, []);
    assert.equal(single.skus[0]?.variant_code, 'LENS1-single');
    assert.equal(check([option('', '', 'OTHER')], 0).skus[0]?.variant_code, 'LENS1-single');
    const pair = check([option('L', '', 'S1'), option('R', '', 'S1')]);
    assert.deepEqual(pair.errors, []);
    assert.deepEqual(
      pair.skus.map((sku) => sku.variant_code),
      ['LENS1-single'],
    );
    assert.deepEqual(kinds(check([option('', '', 'A'), option('', '-1.00', 'B')], 0)), ['power_blank']);
  });

  test('no options and no name are errors', () => {
    assert.deepEqual(kinds(check([])), ['no_options']);
    assert.deepEqual(kinds(check([], 0)), ['no_options']);
    const nameless = { ...product([option('L', '0', 'A')]), goods_name: ' ' };
    assert.deepEqual(kinds(told(checkProductInfo(USERCODE, nameless))), ['name_blank']);
  });

  test('codes have at most 100 characters, counted as code points', () => {
    const smile = '\u{1F600}';
    assert.deepEqual(check([option('', '0', smile.repeat(100))], 0).errors, []);
    assert.deepEqual(kinds(check([option('', '0', smile.repeat(101))], 0)), ['code_too_long']);
    const room = 100 - USERCODE.length - 1;
    assert.deepEqual(check([option('', '1'.repeat(room), 'A')], 0).errors, []);
    assert.deepEqual(kinds(check([option('', '1'.repeat(room + 1), 'A')], 0)), ['variant_code_too_long']);
  });
});

// Sets of at least two powers: if a set has one power, dropping a side leaves one group, which is accepted.
const validSet = fc
  .uniqueArray(fc.integer({ min: -80, max: 80 }), { minLength: 2, maxLength: 25 })
  .chain((quarters) =>
    fc.tuple(
      fc.constant(quarters),
      fc.array(fc.record({ stock: fc.nat(), hidden: fc.boolean() }), {
        minLength: quarters.length * 2,
        maxLength: quarters.length * 2,
      }),
    ),
  )
  .map(([quarters, rest]) =>
    ['L', 'R'].flatMap((group, side) =>
      quarters.map((quarter, index) =>
        option(group, (quarter / 4).toFixed(2), `SKU${quarter}`, rest[side * quarters.length + index]),
      ),
    ),
  );

const shuffled = (options: ProductOption[]): fc.Arbitrary<ProductOption[]> =>
  fc.shuffledSubarray(options, { minLength: options.length, maxLength: options.length });

type Mutation = (options: ProductOption[], victim: ProductOption, other: ProductOption) => ProductOption[];

const MUTATIONS: Record<string, Mutation> = {
  'one option dropped': (options, victim) => options.filter((each) => each !== victim),
  'one code changed to a new one': (options, victim) =>
    options.map((each) => (each === victim ? { ...each, option_code: 'NEW' } : each)),
  'one code changed to that of another power': (options, victim, other) =>
    options.map((each) => (each === victim ? { ...each, option_code: other.option_code } : each)),
  'one power changed to another that is there': (options, victim, other) =>
    options.map((each) => (each === victim ? { ...each, power: other.power } : each)),
  'one power changed to a new one': (options, victim) =>
    options.map((each) => (each === victim ? { ...each, power: '99.00' } : each)),
  'one option twice': (options, victim) => [...options, { ...victim }],
  'a third group': (options, victim) => [...options, { ...victim, opt_group: 'M' }],
  'one option moved to a third group': (options, victim) =>
    options.map((each) => (each === victim ? { ...each, opt_group: 'M' } : each)),
  'one code blanked': (options, victim) =>
    options.map((each) => (each === victim ? { ...each, option_code: '' } : each)),
};

describe('properties of set products', () => {
  test('a valid set in any order has no error and one SKU per power', () => {
    fc.assert(
      fc.property(validSet.chain(shuffled), (options) => {
        const { errors, skus } = check(options);
        assert.deepEqual(errors, []);
        assert.deepEqual(
          skus.map((sku) => sku.power),
          [...new Set(options.map((each) => each.power))],
        );
        assert.equal(new Set(skus.map((sku) => sku.variant_code)).size, skus.length);
        assert.equal(new Set(skus.map((sku) => sku.option_code)).size, skus.length);
      }),
      { numRuns: 300 },
    );
  });

  for (const [name, mutate] of Object.entries(MUTATIONS)) {
    test(`${name}: at least one error, every row still shown, in any order`, () => {
      const mutated = validSet.chain((options) =>
        fc.nat(options.length - 1).chain((index) => {
          const victim = options[index];
          const other = options.find((each) => each.power !== victim?.power);
          assert.ok(victim && other);
          const broken = mutate(options, victim, other);
          return fc.tuple(fc.constant(broken), shuffled(broken));
        }),
      );
      fc.assert(
        fc.property(mutated, ([options, reordered]) => {
          const proposal = check(options);
          assert.ok(proposal.errors.length > 0);
          assert.deepEqual(pairs(proposal.skus), pairs(options));
          assertMarked(options, proposal);
          assert.deepEqual(unordered(check(reordered)), unordered(proposal));
        }),
        { numRuns: 200 },
      );
    });
  }

  test('every input gets a result, and without errors its codes can be applied', () => {
    const text = fc.oneof(fc.constantFrom('', 'L', 'R', '0', ' 0'), fc.string());
    const anyOption = fc.record({
      opt_group: text,
      power: text,
      option_code: text,
      stock: fc.integer(),
      hidden: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyOption), fc.integer({ min: 0, max: 2 }), (options, is_monthly) => {
        const proposal = check(options, is_monthly);
        assertMarked(options, proposal);
        if (proposal.errors.length > 0) return;
        for (const key of ['variant_code', 'option_code'] as const) {
          const values = proposal.skus.map((sku) => sku[key]);
          assert.equal(new Set(values).size, values.length);
          assert.ok(values.every((value) => value.trim() !== '' && value !== `${USERCODE}-`));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** Violations of the product as a whole. Only these have no rows. */
const WHOLE = new Set(['name_blank', 'no_options', 'too_many_groups']);

/** Each error is one violation, the rows of a violation exist and match its facts, and each row has all its violations. */
function assertMarked(options: ProductOption[], proposal: Told): void {
  const { violations } = proposal;
  assert.deepEqual(
    proposal.errors,
    violations.map(({ message }) => message),
  );
  assert.equal(proposal.options.length, options.length);
  for (const violation of violations) {
    const { kind, rows } = violation;
    const { power, option_codes } = factsOf(violation);
    assert.equal(rows.length === 0, WHOLE.has(kind), `${kind} marks ${rows.length} rows`);
    assert.equal(new Set(rows).size, rows.length);
    const marked = rows.map((row) => proposal.options[row]);
    for (const row of marked) {
      assert.ok(row, 'the marked row does not exist');
      if (power !== undefined) assert.equal(row.power, power);
      if (option_codes) assert.ok(option_codes.includes(row.option_code));
    }
    if (option_codes && rows.length > 0)
      assert.deepEqual(new Set(marked.map((row) => row?.option_code)), new Set(option_codes));
  }
  for (const [row, shownRow] of proposal.options.entries()) {
    const own = violations.filter(({ rows }) => rows.includes(row));
    assert.equal(shownRow.problems.length, own.length);
    for (const [index, { message }] of own.entries()) {
      const problem = shownRow.problems[index] ?? '';
      assert.ok(problem === message || (problem.length <= 1_000 && message.startsWith(problem.slice(0, -1))));
    }
    const sku = proposal.skus.find(
      ({ power, option_code }) => power === shownRow.power && option_code === shownRow.option_code,
    );
    assert.equal(shownRow.variant_code, sku?.variant_code);
  }
}

function pairs(rows: { power: string; option_code: string }[]): string[] {
  return [...new Set(rows.map((row) => `${row.power} ${row.option_code}`))].toSorted();
}

const factsOf = (
  violation: Violation,
): { kind: string; power?: string; group?: string; option_codes?: string[] } => ({
  ...violation,
});

/** The parts of a proposal that must not depend on the order of the options. */
function unordered({ skus, violations }: ProductProposal): unknown {
  return {
    skus: skus.map((sku) => JSON.stringify(sku)).toSorted(),
    violations: violations
      .map((violation) => {
        const { power, group, option_codes } = factsOf(violation);
        return JSON.stringify([violation.kind, power, group, option_codes?.toSorted()]);
      })
      .toSorted(),
  };
}
