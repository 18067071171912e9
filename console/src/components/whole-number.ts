// Numbers as people type them. What is not one is refused and stays as it was typed; nothing is rounded or dropped.

import { INT32_MAX } from '../../../src/domain/stock.ts';

/** What the database can hold as a quantity. */
export const QUANTITY_MAX = INT32_MAX;

/** Korean and Japanese keyboards type full-width digits: １２ is 12. */
const narrow = (text: string): string =>
  text.replaceAll(/[０-９]/g, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) - 0xfee0));

/** The whole number that a text is, or null: not for `12.5`, `1e3`, `1,200` or a number outside of the limits. */
export function wholeNumber(text: string, min = 0, max = QUANTITY_MAX): number | null {
  const plain = narrow(text.trim()).replace(/^[−－]/, '-');
  if (!/^-?\d{1,10}$/.test(plain)) return null;
  const n = Number(plain);
  return n >= min && n <= max ? n + 0 : null;
}
