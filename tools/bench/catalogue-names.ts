// The codes of the benchmark's catalogue, in SQL and in TypeScript. Widths are fixed, so that requests have a fixed
// length.
import { Random } from '../../verify/kit/random.ts';
import type { SkuChoice } from './job.ts';

export const skuOf = (variantId: number): string =>
  `CH-${String(variantId).padStart(7, '0')}-${String((variantId * 25) % 1200).padStart(4, '0')}`;

export const SKU_SQL = `'CH-' || lpad(v::text, 7, '0') || '-' || lpad(((v::bigint * 25) % 1200)::text, 4, '0')`;

/** The last three variants are special: two hot ones and one that is sold out. The others are ordered uniformly. */
const SET_APART = 3;

export const evenVariants = (variants: number): number => variants - SET_APART;
export const soldOutVariant = (variants: number): number => variants - 2;
const hotVariants = (variants: number): [number, number] => [variants - 1, variants];

/** Every load process orders the same variants in the same sequence, so that runs can be compared. */
const random = new Random(1);

/** Two different variants for one order. */
export function chooseVariants(choice: SkuChoice, variants: number): [number, number] {
  if (choice === 'hot') return hotVariants(variants);
  const first = random.between(1, evenVariants(variants));
  if (choice === 'soldout') return [first, soldOutVariant(variants)];
  const second = random.between(1, evenVariants(variants) - 1);
  return [first, second >= first ? second + 1 : second];
}

export const orderNumber = (prefix: string, index: number): string =>
  `${prefix}-${String(index).padStart(8, '0')}`;
