// Short forms for fast-check.
import fc from 'fast-check';

export type Arbitrary<T = unknown> = fc.Arbitrary<T>;

/** Chooses by weight. */
export const weighted = <T>(...list: readonly (readonly [weight: number, arbitrary: Arbitrary<T>])[]) =>
  fc.oneof(...list.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export const oneOf = <T>(...list: readonly T[]): Arbitrary<T> => fc.constantFrom(...list);

export const between = (min: number, max: number): Arbitrary<number> => fc.integer({ min, max });

export const listOf = <T>(item: Arbitrary<T>, minLength: number, maxLength: number): Arbitrary<T[]> =>
  fc.array(item, { minLength, maxLength, size: 'max' });

/** A change of a thing by a generated value. */
export const changing = <Thing, Value>(
  value: Arbitrary<Value>,
  change: (thing: Thing, value: Value) => Thing,
): Arbitrary<(thing: Thing) => Thing> => value.map((made) => (thing) => change(thing, made));

/** Splits at blanks and line ends: lists of short words are easier to read in a few lines. */
export const words = (text: string): string[] => text.split(/[ \n]+/).filter((word) => word !== '');
