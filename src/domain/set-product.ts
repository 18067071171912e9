// Checks a channel's product information before it is applied (contract 4.5). A two-piece set lists every power twice,
// left and right, with one code: both sides are the same item.

export type ProductOption = {
  opt_group: string;
  power: string;
  option_code: string;
  stock: number;
  hidden: boolean;
};

/** The channel's response for a product that exists, parsed. */
export type ProductInfo = {
  found: true;
  goods_name: string;
  is_monthly: number;
  options: ProductOption[];
};

export type ProposedSku = {
  power: string;
  option_code: string;
  stock: number;
  hidden: boolean;
  variant_code: string;
};

export type Side = 'left' | 'right';

/** One option as the channel sent it, with its problems. */
type ShownOption = {
  option_code: string;
  group: string;
  /** Only for a set with one or two groups. */
  side: Side | null;
  power: string;
  stock: number;
  hidden: boolean;
  /** With the option code it identifies the SKU. */
  variant_code: string;
  problems: string[];
};

type ViolationKind =
  | 'name_blank'
  | 'name_too_long'
  | 'no_options'
  | 'too_many_groups'
  | 'power_blank'
  | 'power_missing'
  | 'power_repeated'
  | 'code_blank'
  | 'code_differs'
  | 'code_repeated'
  | 'code_too_long'
  | 'variant_code_too_long'
  | 'variant_taken';

/** `rows`: indexes of the options, empty if the whole product is affected. */
type Violation = {
  kind: ViolationKind;
  rows: number[];
  power?: string;
  option_codes?: string[];
  group?: string;
  side?: Side;
  message: string;
};

/** With any violation nothing is applied; the rows are still shown. */
export type ProductProposal = {
  found: true;
  goods_name: string;
  is_set: boolean;
  groups: string[];
  options: ShownOption[];
  skus: ProposedSku[];
  errors: string[];
  violations: Violation[];
};

const SET_PRODUCT = 1;
const SET_GROUPS_MAX = 2;
const CODE_CHARS_MAX = 100;
const LISTED_VALUES_MAX = 20;
/** The error list contains a message once, but each affected row repeats it, and there may be thousands of rows. */
const PROBLEM_CHARS_MAX = 500;

/**
 * Suffix of the variant code if the product has a single SKU without a power. Fixed, and not the channel's option code,
 * so that two channels that sell the item get the same variant.
 */
const NO_POWER_SUFFIX = 'single';

/** An option with its index in the response. */
type Option = ProductOption & { row: number };
/** Options merged into one SKU. */
type Merged = ProductOption & { rows: number[] };

export function checkProductInfo(usercode: string, info: ProductInfo): ProductProposal {
  const is_set = info.is_monthly === SET_PRODUCT;
  const options = info.options.map(withoutMargins);
  const groups = [...new Set(options.map((option) => option.opt_group))];
  const sides = is_set ? sidesOf(groups) : new Map<string, Side>();
  const merged = is_set ? mergeSides(options) : options.map((option) => ({ ...option, rows: [option.row] }));
  const skus = merged.map((one) => toSku(usercode, one, merged.length === 1));
  const violations = [
    ...productViolations(usercode, info),
    ...(is_set ? setViolations(options) : singleViolations(options)),
    ...skuViolations(skus, merged),
  ].map((violation) => withSide(violation, sides));
  const variantCodes = new Map(
    merged.flatMap(({ rows }, index) => rows.map((row) => [row, skus[index]?.variant_code ?? ''] as const)),
  );
  return withViolations(
    {
      found: true,
      goods_name: info.goods_name.trim(),
      is_set,
      groups,
      options: options.map(({ opt_group, power, option_code, stock, hidden, row }) => ({
        option_code,
        group: opt_group,
        side: sides.get(opt_group) ?? null,
        power,
        stock,
        hidden,
        variant_code: variantCodes.get(row) ?? '',
        problems: [],
      })),
      skus,
      errors: [],
      violations: [],
    },
    violations,
  );
}

/** The only place where violations become error texts and row problems. */
export function withViolations(proposal: ProductProposal, more: readonly Violation[]): ProductProposal {
  const problems = new Map<number, string[]>();
  for (const { rows, message } of more) {
    for (const row of rows) problems.set(row, [...(problems.get(row) ?? []), clipped(message)]);
  }
  return {
    ...proposal,
    options: proposal.options.map((option, row) => ({
      ...option,
      problems: [...option.problems, ...(problems.get(row) ?? [])],
    })),
    errors: [...proposal.errors, ...more.map((violation) => violation.message)],
    violations: [...proposal.violations, ...more],
  };
}

/** Variant codes that already belong to other products, with their stock and orders. */
export const variantsTaken = ({ options }: ProductProposal, taken: readonly string[]): Violation[] =>
  taken.map((code) => {
    const found = [...options.entries()].filter(([, option]) => option.variant_code === code);
    return {
      kind: 'variant_taken',
      rows: found.map(([row]) => row),
      option_codes: [...new Set(found.map(([, option]) => option.option_code))],
      message: `The variant code ${code} belongs to another product already.`,
    };
  });

// Whitespace around a power or a group is invisible to operators and removed. The option code is kept exactly: the
// channel sends it as SKU in its orders.
function withoutMargins(option: ProductOption, row: number): Option {
  return { ...option, opt_group: option.opt_group.trim(), power: option.power.trim(), row };
}

const SIDE_WORDS: Record<Side, readonly string[]> = {
  left: ['l', 'left', 'os', '좌', '왼쪽', '좌안', '左'],
  right: ['r', 'right', 'od', '우', '오른쪽', '우안', '右'],
};

/** Which group is left and which is right: by name if it says so, otherwise by order of appearance. */
function sidesOf(groups: readonly string[]): Map<string, Side> {
  const [first, second] = groups;
  if (first === undefined || groups.length > SET_GROUPS_MAX) return new Map();
  const named = sideNamed(first);
  const other = second === undefined ? undefined : sideNamed(second);
  const isFirstRight = named === 'right' ? other !== 'right' : named === undefined && other === 'left';
  const [side, opposite]: [Side, Side] = isFirstRight ? ['right', 'left'] : ['left', 'right'];
  return new Map([[first, side], ...(second === undefined ? [] : [[second, opposite] as const])]);
}

function sideNamed(group: string): Side | undefined {
  const word = group.normalize('NFKC').toLowerCase();
  return (['left', 'right'] as const).find((side) => SIDE_WORDS[side].includes(word));
}

function withSide(violation: Violation, sides: ReadonlyMap<string, Side>): Violation {
  const side = violation.group === undefined ? undefined : sides.get(violation.group);
  return side === undefined ? violation : { ...violation, side };
}

/**
 * One row per power and code, in order of first appearance. A valid set has one code per power, so this is one row per
 * power; an invalid set keeps its conflicting rows for the operator to see.
 *
 * `stock` is the smaller of the two sides: they are one item, so a sum would count it twice. It is only displayed,
 * never written to the warehouse stock.
 *
 * `hidden` only if both sides are hidden: if one side is on sale, orders for the SKU arrive and must find a mapping.
 */
function mergeSides(options: Option[]): Merged[] {
  const same = Map.groupBy(options, ({ power, option_code }) => JSON.stringify([power, option_code]));
  return [...same.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const sides = [first, ...others];
    return {
      ...first,
      stock: sides.reduce((least, { stock }) => Math.min(least, stock), first.stock),
      hidden: sides.every(({ hidden }) => hidden),
      rows: rowsOf(sides),
    };
  });
}

function toSku(usercode: string, row: ProductOption, isSole: boolean): ProposedSku {
  const { power, option_code, stock, hidden } = row;
  const suffix = power === '' && isSole ? NO_POWER_SUFFIX : power;
  return { power, option_code, stock, hidden, variant_code: `${usercode}-${suffix}` };
}

function productViolations(usercode: string, info: ProductInfo): Violation[] {
  const violations: Violation[] = [];
  if (info.goods_name.trim() === '') {
    violations.push({
      kind: 'name_blank',
      rows: [],
      message: `The channel sent no name for product ${quote(usercode)}.`,
    });
  }
  if (info.options.length === 0) {
    violations.push({
      kind: 'no_options',
      rows: [],
      message: `The channel lists no options for product ${quote(usercode)}, so there is no SKU to apply.`,
    });
  }
  return violations;
}

function setViolations(options: Option[]): Violation[] {
  const groups = Map.groupBy(options, (option) => option.opt_group);
  return [
    ...tooManyGroups([...groups.keys()]),
    ...missingPowers([...groups]),
    ...[...groups].flatMap(([group, side]) => powersTwiceInGroup(group, side)),
    ...differingCodes(options),
    ...codesOfSeveralPowers(options),
  ];
}

function tooManyGroups(groups: string[]): Violation[] {
  if (groups.length <= SET_GROUPS_MAX) return [];
  const message = `A two-piece set has at most two option groups, but the channel sent ${groups.length}: ${list(groups)}.`;
  return [{ kind: 'too_many_groups', rows: [], message }];
}

// One group alone is accepted (contract 4.5.18a); with three or more, `tooManyGroups` reports the problem.
function missingPowers(groups: [string, Option[]][]): Violation[] {
  const [left, right] = groups;
  if (!left || !right || groups.length > SET_GROUPS_MAX) return [];
  return [...powersMissingIn(right, left), ...powersMissingIn(left, right)];
}

function powersMissingIn(
  [group, side]: [string, Option[]],
  [otherGroup, otherSide]: [string, Option[]],
): Violation[] {
  const here = new Set(side.map((option) => option.power));
  const lookalikes = new Map(side.map((option) => [powerValue(option.power), option.power]));
  const there = Map.groupBy(otherSide, (option) => option.power);
  return [...there]
    .filter(([power]) => !here.has(power))
    .map(([power, found]) => {
      const lookalike = lookalikes.get(powerValue(power));
      const hint =
        lookalike === undefined
          ? ''
          : ` Group ${quote(group)} has ${quote(lookalike)}: powers are compared as text, so the two must be written alike.`;
      return {
        kind: 'power_missing',
        rows: rowsOf(found),
        power,
        option_codes: codesOf(found),
        group,
        message: `Power ${quote(power)} is in group ${quote(otherGroup)} but missing in group ${quote(group)}.${hint}`,
      };
    });
}

function powersTwiceInGroup(group: string, side: Option[]): Violation[] {
  return repeated(side, (option) => option.power).map(([power, found]) => ({
    kind: 'power_repeated',
    rows: rowsOf(found),
    power,
    option_codes: codesOf(found),
    group,
    message: `Power ${quote(power)} is ${found.length} times in group ${quote(group)} (${codeList(found)}); each power may be there once.`,
  }));
}

function differingCodes(options: Option[]): Violation[] {
  return [...Map.groupBy(options, (option) => option.power)].flatMap(([power, found]): Violation[] => {
    const sides = [...Map.groupBy(found, (option) => option.opt_group)];
    const distinct = new Set(sides.map(([, side]) => JSON.stringify(codesOf(side).toSorted())));
    if (distinct.size < 2) return [];
    const where = sides.map(([group, side]) => `${codeList(side)} in group ${quote(group)}`).join(' and ');
    const message = `Power ${quote(power)} has ${where}; the sides are the same item and must carry the same code.`;
    return [{ kind: 'code_differs', rows: rowsOf(found), power, option_codes: codesOf(found), message }];
  });
}

function codesOfSeveralPowers(options: Option[]): Violation[] {
  return [...Map.groupBy(options, (option) => option.option_code)].flatMap(([code, found]): Violation[] => {
    const powers = [...new Set(found.map((option) => option.power))];
    if (powers.length < 2 || isBlank(code)) return [];
    const message = `Code ${quote(code)} is used for ${powers.length} powers: ${list(powers)}; each power needs a code of its own.`;
    return [{ kind: 'code_repeated', rows: rowsOf(found), option_codes: [code], message }];
  });
}

// Without a set, every option is a SKU: powers (variant codes) and codes (channel SKUs) must be unique.
function singleViolations(options: Option[]): Violation[] {
  const powers = repeated(options, (option) => option.power).map(([power, found]): Violation => ({
    kind: 'power_repeated',
    rows: rowsOf(found),
    power,
    option_codes: codesOf(found),
    message: `Power ${quote(power)} is there ${found.length} times (${codeList(found)}), which would give one variant code to all of them. If this is a two-piece set, the channel must send is_monthly 1.`,
  }));
  const codes = repeated(options, (option) => option.option_code)
    .filter(([code]) => !isBlank(code))
    .map(([code, found]): Violation => {
      const where = list(found.map((option) => option.power));
      const message = `Code ${quote(code)} is given to ${found.length} options (powers ${where}); each option needs a code of its own.`;
      return { kind: 'code_repeated', rows: rowsOf(found), option_codes: [code], message };
    });
  return [...powers, ...codes];
}

function skuViolations(skus: ProposedSku[], merged: readonly Merged[]): Violation[] {
  return skus.flatMap((sku, index) => {
    const { power, option_code, variant_code } = sku;
    const row = { rows: merged[index]?.rows ?? [], power, option_codes: [option_code] };
    const violations: Violation[] = [];
    if (power === '' && skus.length > 1) {
      const message = `The option with code ${quote(option_code)} has no power; that is possible only for a product with a single SKU.`;
      violations.push({ kind: 'power_blank', ...row, message });
    }
    if (isBlank(option_code)) {
      violations.push({
        kind: 'code_blank',
        ...row,
        message: `The option with power ${quote(power)} has no code.`,
      });
    }
    if (charCount(option_code) > CODE_CHARS_MAX) {
      const message = `The code of power ${quote(power)} has ${charCount(option_code)} characters; at most ${CODE_CHARS_MAX} are possible.`;
      violations.push({ kind: 'code_too_long', ...row, message });
    }
    if (charCount(variant_code) > CODE_CHARS_MAX) {
      const message = `Product code and power ${quote(power)} give a variant code of ${charCount(variant_code)} characters; at most ${CODE_CHARS_MAX} are possible.`;
      violations.push({ kind: 'variant_code_too_long', ...row, message });
    }
    return violations;
  });
}

function repeated(options: Option[], key: (option: Option) => string): [string, Option[]][] {
  return [...Map.groupBy(options, key)].filter(([, found]) => found.length > 1);
}

function rowsOf(options: Option[]): number[] {
  return options.map(({ row }) => row);
}

function codesOf(options: Option[]): string[] {
  return [...new Set(options.map((option) => option.option_code))];
}

function codeList(options: Option[]): string {
  const codes = codesOf(options);
  return `${codes.length === 1 ? 'code' : 'codes'} ${list(codes)}`;
}

// The numeric value of a power, for hints only: "-1.0", "-1.00", full-width digits and U+2212 as minus are compared as
// equal. They remain different powers, because the text becomes part of the variant code.
function powerValue(power: string): string {
  const plain = power.normalize('NFKC').replace('\u2212', '-').replaceAll(/\s/gu, '');
  return /^[+-]?\d+(\.\d*)?$/u.test(plain) ? String(Number(plain)) : plain.toLowerCase();
}

function list(values: string[]): string {
  const listed = values.slice(0, LISTED_VALUES_MAX).map(quote).join(', ');
  const rest = values.length - LISTED_VALUES_MAX;
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}

// JSON quoting shows leading and trailing blanks and control characters, which are often the problem.
function quote(text: string): string {
  return JSON.stringify(text);
}

function clipped(message: string): string {
  const characters = Array.from(message);
  return characters.length > PROBLEM_CHARS_MAX
    ? `${characters.slice(0, PROBLEM_CHARS_MAX - 1).join('')}…`
    : message;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function charCount(text: string): number {
  return Array.from(text).length;
}
