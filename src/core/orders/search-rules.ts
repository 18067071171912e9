// The texts that a search of orders looks for. It finds an order if one of the texts is part of the order number, the
// recipient, the digits of the phone number, the tracking number, a SKU or a variant code. Case is ignored.

/** The index has substrings of three characters, and of two if at least one of them is not ASCII. */
export const SEARCH_CHARACTERS_MIN = 3;
const SEARCH_CHARACTERS_MIN_BEYOND_ASCII = 2;
export const SEARCH_CHARACTERS_MAX = 100;

/** A phone number as people write it: digits and separators. */
const PHONE = /^\+?[\d\s().\u{2010}-\u{2015}\u{2212}-]+$/u;

/** For `010-1234`: the text itself and 0101234. null: the text is too short. */
export function searchedTexts(search: string): string[] | null {
  const text = search.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
  const texts = [text];
  if (PHONE.test(text)) texts.push(text.replaceAll(/\D/g, ''));
  const found = [...new Set(texts)].filter(isLongEnough);
  return found.length === 0 ? null : found;
}

function isLongEnough(text: string): boolean {
  const characters = Array.from(text).length;
  return (
    characters >= SEARCH_CHARACTERS_MIN ||
    (characters >= SEARCH_CHARACTERS_MIN_BEYOND_ASCII && /[^\0-\x7f]/.test(text))
  );
}
