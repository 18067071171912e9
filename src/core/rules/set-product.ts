// Checks a channel's product information before it is applied (contract 4.5). A two-piece set lists every power twice,
// left and right, with one code: both sides are the same item.
import type { ProductInfo, ProductOption } from './product-info.ts';
import {
  productViolations,
  rowsOf,
  setViolations,
  singleViolations,
  skuViolations,
  type Merged,
  type OptionRow,
  type Violation,
} from './set-product-rules.ts';
import { sidesOf, type Side } from './set-sides.ts';

export type ProposedSku = {
  power: string;
  option_code: string;
  stock: number;
  hidden: boolean;
  variant_code: string;
};

/** One option as the channel sent it. */
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
};

/** If there is a violation, nothing is applied; the options are still shown. */
export type ProductProposal = {
  found: true;
  goods_name: string;
  is_set: boolean;
  groups: string[];
  options: ShownOption[];
  skus: ProposedSku[];
  violations: Violation[];
};

const SET_PRODUCT = 1;

/**
 * Suffix of the variant code if the product has a single SKU without a power. Fixed, and not the channel's option code,
 * so that two channels that sell the item get the same variant.
 */
const NO_POWER_SUFFIX = 'single';

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
  return {
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
    })),
    skus,
    violations,
  };
}

export const withViolations = (proposal: ProductProposal, more: readonly Violation[]): ProductProposal => ({
  ...proposal,
  violations: [...proposal.violations, ...more],
});

/** Variant codes that already belong to other products, with their stock and orders. */
export const variantsTaken = ({ options }: ProductProposal, taken: readonly string[]): Violation[] =>
  taken.map((code) => {
    const found = [...options.entries()].filter(([, option]) => option.variant_code === code);
    return {
      kind: 'variant_taken',
      rows: found.map(([row]) => row),
      option_codes: [...new Set(found.map(([, option]) => option.option_code))],
      variant_code: code,
    };
  });

// Whitespace around a power or a group is invisible to operators and removed. The option code is kept exactly: the
// channel sends it as SKU in its orders.
function withoutMargins(option: ProductOption, row: number): OptionRow {
  return { ...option, opt_group: option.opt_group.trim(), power: option.power.trim(), row };
}

function withSide(violation: Violation, sides: ReadonlyMap<string, Side>): Violation {
  if (!('group' in violation) || violation.group === undefined) return violation;
  const side = sides.get(violation.group);
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
function mergeSides(options: OptionRow[]): Merged[] {
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
