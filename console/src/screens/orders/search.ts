// Of the API: shorter texts are not searched.
const CHARACTERS_MIN = 3;
const CHARACTERS_MIN_BEYOND_ASCII = 2;

export const SEARCH_CHARACTERS_MAX = 100;

export function isSearchable(text: string): boolean {
  const characters = Array.from(text.trim()).length;
  const isAscii = /^[\0-\x7f]*$/.test(text);
  return characters >= (isAscii ? CHARACTERS_MIN : CHARACTERS_MIN_BEYOND_ASCII);
}
