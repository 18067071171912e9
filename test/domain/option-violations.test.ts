// The messages for administrators about invalid options of a channel, word for word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkProductInfo,
  variantsTaken,
  withViolations,
  type ProductProposal,
} from '../../src/core/rules/set-product.ts';
import type { ProductOption } from '../../src/core/rules/product-info.ts';
import type { Violation } from '../../src/core/rules/set-product-rules.ts';
import { violationText, withWords } from '../../src/core/registration/violation-words.ts';

type Row = readonly [group: string, power: string, code: string];

const product = (rows: readonly Row[], is_monthly = 1, goods_name = 'Lens') => ({
  found: true as const,
  goods_name,
  is_monthly,
  options: rows.map(([opt_group, power, option_code]): ProductOption => ({
    opt_group,
    power,
    option_code,
    stock: 5,
    hidden: false,
  })),
});

/** Adds the messages that an administrator reads. */
const told = (proposal: ProductProposal) => ({
  ...withWords(proposal),
  violations: proposal.violations.map((one) => ({ ...one, message: violationText(one) })),
});

const propose = (rows: readonly Row[], is_monthly = 1) => checkProductInfo('P1', product(rows, is_monthly));
const check = (rows: readonly Row[], is_monthly = 1) => told(propose(rows, is_monthly));

test('a product without a name or without options is a violation', () => {
  const { violations, goods_name } = told(checkProductInfo('P1', product([], 0, ' ')));
  assert.equal(goods_name, '');
  assert.deepEqual(violations, [
    {
      kind: 'name_blank',
      rows: [],
      product_code: 'P1',
      message: 'The channel sent no name for product "P1".',
    },
    {
      kind: 'no_options',
      rows: [],
      product_code: 'P1',
      message: 'The channel lists no options for product "P1", so no SKU can be created.',
    },
  ]);
  assert.equal(checkProductInfo('P1', product([], 0, ' Lens ')).goods_name, 'Lens');
});

test('more than two option groups are a violation', () => {
  const rows = ['L', 'R', 'M'].map((group) => [group, '0', 'A'] as const);
  assert.deepEqual(check(rows).violations, [
    {
      kind: 'too_many_groups',
      rows: [],
      groups: ['L', 'R', 'M'],
      groups_max: 2,
      message: 'A two-piece set has at most two option groups, but the channel sent 3: "L", "R", "M".',
    },
  ]);
});

test('a power is missing on one side: the message shows a similar text of the other side', () => {
  const { violations } = check([
    ['L', '-1.0', 'A'],
    ['R', '-1.00', 'A2'],
  ]);
  assert.deepEqual(violations[0], {
    kind: 'power_missing',
    rows: [0],
    power: '-1.0',
    option_codes: ['A'],
    group: 'R',
    side: 'right',
    in_group: 'L',
    written_as: '-1.00',
    message:
      'Power "-1.0" is in group "L" but missing in group "R". Group "R" has "-1.00": powers are compared as text, so the two must be written alike.',
  });
});

test('the hint for a missing power shows only texts that could mean the same power', () => {
  const hasHint = (left: string, right: string) =>
    check([
      ['L', left, 'A'],
      ['R', right, 'B'],
    ]).errors[0]?.includes(`Group "R" has ${JSON.stringify(right)}`);
  for (const [left, right] of [
    ['-1', '-1.00'],
    ['-1.', '-1'],
    ['1', '+1'],
    ['\u22121', '-1'],
    ['１', '1'],
    ['- 1', '-1'],
    ['1 0 0', '100'],
    ['PLANO', 'plano'],
    ['1x', '1X'],
  ] as const) {
    assert.equal(hasHint(left, right), true, `${left} and ${right}`);
  }
  for (const [left, right] of [
    ['-1', '1'],
    ['1', '1x'],
    ['x1', 'x1.0'],
    ['1x', '1.0x'],
    ['10', '1'],
    ['0x10', '16'],
    ['1e1', '10'],
  ] as const) {
    assert.equal(hasHint(left, right), false, `${left} and ${right}`);
  }
});

test('a repeated power in one group is a violation that lists its codes', () => {
  const { violations } = check([
    ['L', '0', 'A'],
    ['L', '0', 'B'],
    ['L', '0', 'A'],
  ]);
  assert.deepEqual(violations, [
    {
      kind: 'power_repeated',
      rows: [0, 1, 2],
      power: '0',
      option_codes: ['A', 'B'],
      group: 'L',
      side: 'left',
      times: 3,
      message: 'Power "0" occurs 3 times in group "L" (codes "A", "B"); each power may occur only once.',
    },
  ]);
});

test('the same codes in another order on the other side are no difference', () => {
  const { violations } = check([
    ['L', '0', 'A'],
    ['L', '0', 'B'],
    ['R', '0', 'B'],
    ['R', '0', 'A'],
  ]);
  assert.deepEqual(
    violations.map(({ kind }) => kind),
    ['power_repeated', 'power_repeated'],
  );
});

test('one code for two powers of a set is a violation', () => {
  const { violations } = check([
    ['L', '0', 'A'],
    ['L', '1', 'A'],
  ]);
  assert.deepEqual(violations, [
    {
      kind: 'code_repeated',
      rows: [0, 1],
      option_codes: ['A'],
      powers: ['0', '1'],
      is_set: true,
      message: 'Code "A" is used for 2 powers: "0", "1"; each power needs a code of its own.',
    },
  ]);
});

test('outside a set, a repeated power and a repeated code are violations', () => {
  const { violations } = check(
    [
      ['L', '0', 'A'],
      ['R', '0', 'B'],
      ['L', '1', 'B'],
    ],
    0,
  );
  assert.deepEqual(violations, [
    {
      kind: 'power_repeated',
      rows: [0, 1],
      power: '0',
      option_codes: ['A', 'B'],
      times: 2,
      message:
        'Power "0" occurs 2 times (codes "A", "B"); all of them would get the same variant code. If this is a two-piece set, the channel must send is_monthly 1.',
    },
    {
      kind: 'code_repeated',
      rows: [1, 2],
      option_codes: ['B'],
      powers: ['0', '1'],
      is_set: false,
      message: 'Code "B" is given to 2 options (powers "0", "1"); each option needs a code of its own.',
    },
  ]);
});

test('a blank power is identified by its code and a blank code by its power; blank codes do not count as repeated', () => {
  for (const is_monthly of [0, 1]) {
    const { violations } = check(
      [
        ['', ' ', 'A'],
        ['', '1', ' '],
        ['', '2', ' '],
      ],
      is_monthly,
    );
    assert.deepEqual(violations, [
      {
        kind: 'power_blank',
        rows: [0],
        power: '',
        option_codes: ['A'],
        message:
          'The option with code "A" has no power; that is possible only for a product with a single SKU.',
      },
      ...(['1', '2'] as const).map((power) => ({
        kind: 'code_blank',
        rows: [Number(power)],
        power,
        option_codes: [' '],
        message: `The option with power "${power}" has no code.`,
      })),
    ]);
  }
});

test('codes of more than 100 characters are violations', () => {
  const [code, power] = ['c'.repeat(101), '9'.repeat(98)];
  const { violations } = check([['', power, code]], 0);
  assert.deepEqual(violations, [
    {
      kind: 'code_too_long',
      rows: [0],
      power,
      option_codes: [code],
      characters: 101,
      characters_max: 100,
      message: `The code of power "${power}" has 101 characters; the maximum is 100.`,
    },
    {
      kind: 'variant_code_too_long',
      rows: [0],
      power,
      option_codes: [code],
      characters: 101,
      characters_max: 100,
      message: `Product code and power "${power}" give a variant code of 101 characters; the maximum is 100.`,
    },
  ]);
});

test('a message lists 20 values, and the number of further ones', () => {
  const listed = (count: number) =>
    check(Array.from({ length: count }, (_, index) => ['L', `${index}`, 'A'] as const)).errors[0];
  assert.match(listed(20) ?? '', /20 powers: "0", .*"19"; each/u);
  assert.match(listed(21) ?? '', /21 powers: "0", .*"19" and 1 more; each/u);
});

test('a problem of a row is truncated to 500 characters; a shorter one is not changed', () => {
  const problem = (length: number) => {
    const plain = propose([['', '', 'A']], 0);
    const taken = (variant_code: string): Violation => ({
      kind: 'variant_taken',
      rows: [0],
      option_codes: [],
      variant_code,
    });
    const longest = taken('x'.repeat(length - violationText(taken('')).length));
    return told(withViolations(plain, [longest])).options[0]?.problems[0] ?? '';
  };
  assert.equal(problem(500).length, 500);
  assert.ok(problem(500).endsWith('already.'));
  assert.equal(problem(501).length, 500);
  assert.ok(problem(501).endsWith('alread…'));
});

test('violations found later are added to the violations, the errors and the problems of the row', () => {
  const proposal = propose([['', '0', ' ']], 0);
  const both = told(withViolations(proposal, variantsTaken(proposal, ['P1-0'])));
  const messages = [
    'The option with power "0" has no code.',
    'The variant code P1-0 belongs to another product already.',
  ];
  assert.deepEqual(
    both.violations.map(({ kind }) => kind),
    ['code_blank', 'variant_taken'],
  );
  assert.deepEqual(both.errors, messages);
  assert.deepEqual(both.options[0]?.problems, messages);
});

test('the left and the right group are recognized by their names in every known spelling', () => {
  for (const [left, right] of [
    ['l', 'r'],
    ['LEFT', 'RIGHT'],
    ['OS', 'OD'],
    ['좌', '우'],
    ['왼쪽', '오른쪽'],
    ['좌안', '우안'],
    ['左', '右'],
    ['Ｌ', 'Ｒ'],
  ] as const) {
    for (const [groups, sides] of [
      [[right], ['right']],
      [
        [right, left],
        ['right', 'left'],
      ],
      [
        ['A', left],
        ['right', 'left'],
      ],
      [
        [left, 'A'],
        ['left', 'right'],
      ],
      [
        [right, 'A'],
        ['right', 'left'],
      ],
      [
        ['A', right],
        ['left', 'right'],
      ],
    ] as const) {
      const { options } = check(groups.map((group) => [group, '0', 'A'] as const));
      assert.deepEqual(
        options.map(({ side }) => side),
        sides,
        groups.join(' '),
      );
    }
  }
});
