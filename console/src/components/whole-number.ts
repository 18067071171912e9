// Parses typed numbers. Invalid text is refused and stays as typed; nothing is rounded or dropped.

import { INT32_MAX } from '../../../src/platform/values/int32.ts';

/** The largest quantity that the database can store. */
export const QUANTITY_MAX = INT32_MAX;

/** Korean and Japanese keyboards type full-width digits: １２ is 12. */
const narrow = (text: string): string =>
  text.replaceAll(/[０-９]/g, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) - 0xfee0));

/** Returns the whole number, or null for other text such as `12.5`, `1e3`, `1,200` or a number outside the limits. */
export function wholeNumber(text: string, min = 0, max = QUANTITY_MAX): number | null {
  const plain = narrow(text.trim()).replace(/^[−－]/, '-');
  if (!/^-?\d{1,10}$/.test(plain)) return null;
  const n = Number(plain);
  return n >= min && n <= max ? n + 0 : null;
}
