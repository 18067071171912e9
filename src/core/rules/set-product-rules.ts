// The rules for a channel's options (contract 4.5).
import { isBlank } from '../../platform/values/text-limits.ts';
import type { ProductInfo, ProductOption } from './product-info.ts';
import { SET_GROUPS_MAX, type Side } from './set-sides.ts';

/**
 * Why the options cannot be applied: facts only; the messages are in `src/core/registration/violation-words.ts`. `rows`: indexes of the
 * options, empty if the whole product is affected.
 */
export type Violation = { rows: number[] } & (
  | { kind: 'name_blank'; product_code: string }
  | { kind: 'name_too_long'; characters: number; characters_max: number }
  | { kind: 'no_options'; product_code: string }
  | { kind: 'too_many_groups'; groups: string[]; groups_max: number }
  /**
   * One group of a set has the power and the other has not. `written_as`: the other group writes the value
   * differently.
   */
  | ({ kind: 'power_missing'; in_group: string; written_as?: string } & OfPower & OfGroup)
  | ({ kind: 'power_repeated'; times: number } & OfPower & Partial<OfGroup>)
  | ({ kind: 'power_blank' } & OfPower)
  | ({ kind: 'code_blank' } & OfPower)
  | ({ kind: 'code_differs'; groups: { group: string; option_codes: string[] }[] } & OfPower)
  /** `powers`: of the options with this code; in a set each power is listed once. */
  | { kind: 'code_repeated'; option_codes: string[]; powers: string[]; is_set: boolean }
  | ({ kind: 'code_too_long' } & OfPower & TooLong)
  | ({ kind: 'variant_code_too_long' } & OfPower & TooLong)
  | { kind: 'variant_taken'; option_codes: string[]; variant_code: string }
);
interface OfPower {
  power: string;
  option_codes: string[];
}
interface OfGroup {
  group: string;
  side?: Side;
}
interface TooLong {
  characters: number;
  characters_max: number;
}

/** An option with its index in the response. */
export type OptionRow = ProductOption & { row: number };
/** Options merged into one SKU. */
export type Merged = ProductOption & { rows: number[] };

const CODE_CHARS_MAX = 100;

export function productViolations(product_code: string, info: ProductInfo): Violation[] {
  const violations: Violation[] = [];
  if (isBlank(info.goods_name)) violations.push({ kind: 'name_blank', rows: [], product_code });
  if (info.options.length === 0) violations.push({ kind: 'no_options', rows: [], product_code });
  return violations;
}

export function setViolations(options: OptionRow[]): Violation[] {
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
  return [{ kind: 'too_many_groups', rows: [], groups, groups_max: SET_GROUPS_MAX }];
}

// One group alone is accepted (contract 4.5.18a); with three or more, `tooManyGroups` reports the problem.
function missingPowers(groups: [string, OptionRow[]][]): Violation[] {
  const [left, right] = groups;
  if (!left || !right || groups.length > SET_GROUPS_MAX) return [];
  return [...powersMissingIn(right, left), ...powersMissingIn(left, right)];
}

function powersMissingIn(
  [group, side]: [string, OptionRow[]],
  [otherGroup, otherSide]: [string, OptionRow[]],
): Violation[] {
  const here = new Set(side.map((option) => option.power));
  const lookalikes = new Map(side.map((option) => [powerValue(option.power), option.power]));
  const there = Map.groupBy(otherSide, (option) => option.power);
  return [...there]
    .filter(([power]) => !here.has(power))
    .map(([power, found]) => {
      const written_as = lookalikes.get(powerValue(power));
      return {
        kind: 'power_missing',
        rows: rowsOf(found),
        power,
        option_codes: codesOf(found),
        group,
        in_group: otherGroup,
        ...(written_as === undefined ? {} : { written_as }),
      };
    });
}

function powersTwiceInGroup(group: string, side: OptionRow[]): Violation[] {
  return repeated(side, (option) => option.power).map(([power, found]) => ({
    kind: 'power_repeated',
    rows: rowsOf(found),
    power,
    option_codes: codesOf(found),
    group,
    times: found.length,
  }));
}

function differingCodes(options: OptionRow[]): Violation[] {
  return [...Map.groupBy(options, (option) => option.power)].flatMap(([power, found]): Violation[] => {
    const sides = [...Map.groupBy(found, (option) => option.opt_group)];
    const distinct = new Set(sides.map(([, side]) => JSON.stringify(codesOf(side).toSorted())));
    if (distinct.size < 2) return [];
    const groups = sides.map(([group, side]) => ({ group, option_codes: codesOf(side) }));
    return [{ kind: 'code_differs', rows: rowsOf(found), power, option_codes: codesOf(found), groups }];
  });
}

function codesOfSeveralPowers(options: OptionRow[]): Violation[] {
  return [...Map.groupBy(options, (option) => option.option_code)].flatMap(([code, found]): Violation[] => {
    const powers = [...new Set(found.map((option) => option.power))];
    if (powers.length < 2 || isBlank(code)) return [];
    return [{ kind: 'code_repeated', rows: rowsOf(found), option_codes: [code], powers, is_set: true }];
  });
}

// Without a set, every option is a SKU: powers (variant codes) and codes (channel SKUs) must be unique.
export function singleViolations(options: OptionRow[]): Violation[] {
  const powers = repeated(options, (option) => option.power).map(([power, found]): Violation => ({
    kind: 'power_repeated',
    rows: rowsOf(found),
    power,
    option_codes: codesOf(found),
    times: found.length,
  }));
  const codes = repeated(options, (option) => option.option_code)
    .filter(([code]) => !isBlank(code))
    .map(([code, found]): Violation => {
      return {
        kind: 'code_repeated',
        rows: rowsOf(found),
        option_codes: [code],
        powers: found.map((option) => option.power),
        is_set: false,
      };
    });
  return [...powers, ...codes];
}

/** The names of a SKU. */
interface NamedSku {
  power: string;
  option_code: string;
  variant_code: string;
}

export function skuViolations(skus: NamedSku[], merged: readonly Merged[]): Violation[] {
  return skus.flatMap((sku, index) => {
    const { power, option_code, variant_code } = sku;
    const row = { rows: merged[index]?.rows ?? [], power, option_codes: [option_code] };
    const violations: Violation[] = [];
    if (power === '' && skus.length > 1) violations.push({ kind: 'power_blank', ...row });
    if (isBlank(option_code)) violations.push({ kind: 'code_blank', ...row });
    if (charCount(option_code) > CODE_CHARS_MAX)
      violations.push({ kind: 'code_too_long', ...row, ...tooLong(option_code) });
    if (charCount(variant_code) > CODE_CHARS_MAX)
      violations.push({ kind: 'variant_code_too_long', ...row, ...tooLong(variant_code) });
    return violations;
  });
}

const tooLong = (code: string): TooLong => ({ characters: charCount(code), characters_max: CODE_CHARS_MAX });

function repeated(options: OptionRow[], key: (option: OptionRow) => string): [string, OptionRow[]][] {
  return [...Map.groupBy(options, key)].filter(([, found]) => found.length > 1);
}

export function rowsOf(options: OptionRow[]): number[] {
  return options.map(({ row }) => row);
}

function codesOf(options: OptionRow[]): string[] {
  return [...new Set(options.map((option) => option.option_code))];
}

// The numeric value of a power, for hints only: "-1.0", "-1.00", full-width digits and U+2212 as minus are compared as
// equal. They remain different powers, because the text becomes part of the variant code.
function powerValue(power: string): string {
  const plain = power.normalize('NFKC').replace('\u2212', '-').replaceAll(/\s/gu, '');
  return /^[+-]?\d+(\.\d*)?$/u.test(plain) ? String(Number(plain)) : plain.toLowerCase();
}

function charCount(text: string): number {
  return Array.from(text).length;
}
