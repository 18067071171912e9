// The channel's options as table rows: for a set one row per power with both sides, otherwise one row per option.
import type { ProductInfo, ProductOption, Violation } from '../../api/types.ts';

export interface OptionRow {
  key: string;
  power: string;
  /** Positions among the options. */
  left: number[];
  right: number[];
  /** The resulting SKU; null if the options cannot be merged. */
  sku: ProductInfo['skus'][number] | null;
  isHidden: boolean;
  violations: Violation[];
}

/** The sides are shown side by side only if all of them are known. */
export const isSideBySide = ({ is_set, options }: ProductInfo): boolean =>
  is_set && options.length > 0 && options.every(({ side }) => side !== null);

export function rowsOf(info: ProductInfo): OptionRow[] {
  const all = [...info.options.entries()];
  const groups = isSideBySide(info)
    ? [...Map.groupBy(all, ([, { power }]) => power).values()]
    : all.map((one) => [one]);
  return groups.map((members) => rowOf(info, members));
}

function rowOf(info: ProductInfo, members: [number, ProductOption][]): OptionRow {
  const at = members.map(([index]) => index);
  const first = members[0]?.[1] as ProductOption;
  const codes = new Set(members.map(([, { option_code }]) => option_code));
  const found = info.skus.filter(({ power, option_code }) => power === first.power && codes.has(option_code));
  return {
    key: String(at[0]),
    power: first.power,
    left: members.filter(([, { side }]) => side !== 'right').map(([index]) => index),
    right: members.filter(([, { side }]) => side === 'right').map(([index]) => index),
    sku: found.length === 1 ? (found[0] ?? null) : null,
    isHidden: members.every(([, { hidden }]) => hidden),
    violations: info.violations.filter(({ rows }) => rows.some((row) => at.includes(row))),
  };
}

/** The element id of a row, for links from the summary. */
export const anchorOf = (row: OptionRow): string => `option-${row.key}`;
