// Personal data as viewers see it: enough to tell two orders apart, not enough to identify or contact a person.

import { regionOf } from './address-region.ts';

const HIDDEN = '*';

/** Keeps the first and the last character: `김*수`, `J*******h`; of two characters only the first. */
export function maskName(name: string): string {
  const characters = Array.from(name.trim());
  const [first = '', ...rest] = characters;
  const last = rest.length > 1 ? rest.at(-1) : HIDDEN;
  return rest.length === 0 ? HIDDEN : `${first}${HIDDEN.repeat(Math.max(rest.length - 1, 0))}${last}`;
}

const LAST_SHOWN = 4;

/** Keeps the last four letters and digits, if at least four others are hidden: `***-****-5678`. */
export function maskNumber(text: string): string {
  const shown = Array.from(text).filter((character) => /[\p{L}\p{N}]/u.test(character));
  let hidden = shown.length < 2 * LAST_SHOWN ? shown.length : shown.length - LAST_SHOWN;
  return Array.from(text)
    .map((character) => (/[\p{L}\p{N}]/u.test(character) && hidden-- > 0 ? HIDDEN : character))
    .join('');
}

const HIDDEN_TEXT = HIDDEN.repeat(3);

/** Keeps country, province, city and district where they are recognized; street and number never: `***, Seoul`. */
export function maskAddress(address: string): string {
  const { before, after, separator } = regionOf(address);
  return [before, HIDDEN_TEXT, after].filter((part) => part !== '').join(separator);
}

/** Free text, which may name a person. */
export const maskText = (text: string): string => (text === '' ? text : HIDDEN_TEXT);

const WORD_CHARACTERS_MIN = 3;
const WORD_CHARACTERS_MIN_BEYOND_ASCII = 2;

/**
 * The texts by which personal data is recognized in a text of another server: the values, their words, and their digits
 * without separators. Shorter words would match anything.
 */
export const personalTexts = (values: readonly string[]): string[] =>
  values
    .flatMap((value) => [value, value.replaceAll(/\D/g, ''), ...value.split(/[^\p{L}\p{N}]+/u)])
    .filter(
      (text) =>
        text.length >= (/[^\0-\x7f]/.test(text) ? WORD_CHARACTERS_MIN_BEYOND_ASCII : WORD_CHARACTERS_MIN),
    );
