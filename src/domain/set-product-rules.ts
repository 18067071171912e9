// What a channel's options must fulfil (contract 4.5). The texts are in set-product-messages.ts.
import * as messages from './set-product-messages.ts';
import type { ProductInfo, ProductOption, ProposedSku, Side } from './set-product.ts';

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
export type Violation = {
  kind: ViolationKind;
  rows: number[];
  power?: string;
  option_codes?: string[];
  group?: string;
  side?: Side;
  message: string;
};

/** An option with its index in the response. */
export type Option = ProductOption & { row: number };
/** Options merged into one SKU. */
export type Merged = ProductOption & { rows: number[] };

export const SET_GROUPS_MAX = 2;
const CODE_CHARS_MAX = 100;

export function productViolations(usercode: string, info: ProductInfo): Violation[] {
  const violations: Violation[] = [];
  if (info.goods_name.trim() === '') {
    violations.push({ kind: 'name_blank', rows: [], message: messages.nameBlank(usercode) });
  }
  if (info.options.length === 0) {
    violations.push({ kind: 'no_options', rows: [], message: messages.noOptions(usercode) });
  }
  return violations;
}

export function setViolations(options: Option[]): Violation[] {
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
  return [{ kind: 'too_many_groups', rows: [], message: messages.tooManyGroups(groups) }];
}

// One group alone is accepted (contract 4.5.18a); with three or more, `tooManyGroups` reports the problem.
function missingPowers(groups: [string, Option[]][]): Violation[] {
  const [left, right] = groups;
  if (!left || !right || groups.length > SET_GROUPS_MAX) return [];
  return [...powersMissingIn(right, left), ...powersMissingIn(left, right)];
}

function powersMissingIn(
  [group, side]: [string, Option[]],
  [other_group, otherSide]: [string, Option[]],
): Violation[] {
  const here = new Set(side.map((option) => option.power));
  const lookalikes = new Map(side.map((option) => [powerValue(option.power), option.power]));
  const there = Map.groupBy(otherSide, (option) => option.power);
  return [...there]
    .filter(([power]) => !here.has(power))
    .map(([power, found]) => ({
      kind: 'power_missing',
      rows: rowsOf(found),
      power,
      option_codes: codesOf(found),
      group,
      message: messages.powerMissing({
        power,
        group,
        other_group,
        lookalike: lookalikes.get(powerValue(power)),
      }),
    }));
}

function powersTwiceInGroup(group: string, side: Option[]): Violation[] {
  return repeated(side, (option) => option.power).map(([power, found]) => ({
    kind: 'power_repeated',
    rows: rowsOf(found),
    power,
    option_codes: codesOf(found),
    group,
    message: messages.powerTwiceInGroup(group, { power, times: found.length, codes: codesOf(found) }),
  }));
}

function differingCodes(options: Option[]): Violation[] {
  return [...Map.groupBy(options, (option) => option.power)].flatMap(([power, found]): Violation[] => {
    const groups = [...Map.groupBy(found, (option) => option.opt_group)];
    const sides = groups.map(([group, side]) => ({ group, codes: codesOf(side) }));
    const distinct = new Set(sides.map(({ codes }) => JSON.stringify(codes.toSorted())));
    if (distinct.size < 2) return [];
    const message = messages.codeDiffers(power, sides);
    return [{ kind: 'code_differs', rows: rowsOf(found), power, option_codes: codesOf(found), message }];
  });
}

function codesOfSeveralPowers(options: Option[]): Violation[] {
  return [...Map.groupBy(options, (option) => option.option_code)].flatMap(([code, found]): Violation[] => {
    const powers = [...new Set(found.map((option) => option.power))];
    if (powers.length < 2 || isBlank(code)) return [];
    const message = messages.codeOfSeveralPowers(code, powers);
    return [{ kind: 'code_repeated', rows: rowsOf(found), option_codes: [code], message }];
  });
}

// Without a set, every option is a SKU: powers (variant codes) and codes (channel SKUs) must be unique.
export function singleViolations(options: Option[]): Violation[] {
  const powers = repeated(options, (option) => option.power).map(([power, found]): Violation => ({
    kind: 'power_repeated',
    rows: rowsOf(found),
    power,
    option_codes: codesOf(found),
    message: messages.powerRepeated({ power, times: found.length, codes: codesOf(found) }),
  }));
  const codes = repeated(options, (option) => option.option_code)
    .filter(([code]) => !isBlank(code))
    .map(([code, found]): Violation => {
      const message = messages.codeRepeated(
        code,
        found.map((option) => option.power),
      );
      return { kind: 'code_repeated', rows: rowsOf(found), option_codes: [code], message };
    });
  return [...powers, ...codes];
}

export function skuViolations(skus: ProposedSku[], merged: readonly Merged[]): Violation[] {
  return skus.flatMap((sku, index) => {
    const { power, option_code, variant_code } = sku;
    const row = { rows: merged[index]?.rows ?? [], power, option_codes: [option_code] };
    const violations: Violation[] = [];
    if (power === '' && skus.length > 1)
      violations.push({ kind: 'power_blank', ...row, message: messages.powerBlank(option_code) });
    if (isBlank(option_code))
      violations.push({ kind: 'code_blank', ...row, message: messages.codeBlank(power) });
    const codeChars = charCount(option_code);
    if (codeChars > CODE_CHARS_MAX) {
      const message = messages.codeTooLong(power, codeChars, CODE_CHARS_MAX);
      violations.push({ kind: 'code_too_long', ...row, message });
    }
    const variantCodeChars = charCount(variant_code);
    if (variantCodeChars > CODE_CHARS_MAX) {
      const message = messages.variantCodeTooLong(power, variantCodeChars, CODE_CHARS_MAX);
      violations.push({ kind: 'variant_code_too_long', ...row, message });
    }
    return violations;
  });
}

function repeated(options: Option[], key: (option: Option) => string): [string, Option[]][] {
  return [...Map.groupBy(options, key)].filter(([, found]) => found.length > 1);
}

export function rowsOf(options: Option[]): number[] {
  return options.map(({ row }) => row);
}

function codesOf(options: Option[]): string[] {
  return [...new Set(options.map((option) => option.option_code))];
}

// The numeric value of a power, for hints only: "-1.0", "-1.00", full-width digits and U+2212 as minus are compared as
// equal. They remain different powers, because the text becomes part of the variant code.
function powerValue(power: string): string {
  const plain = power.normalize('NFKC').replace('\u2212', '-').replaceAll(/\s/gu, '');
  return /^[+-]?\d+(\.\d*)?$/u.test(plain) ? String(Number(plain)) : plain.toLowerCase();
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function charCount(text: string): number {
  return Array.from(text).length;
}
