// Personal data as viewers see it: enough to tell two orders apart, not enough to identify or contact a person.

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
const WORDS_SHOWN = 2;

/** Keeps the first two words if there are at least four: province and district of a Korean address. */
export function maskAddress(address: string): string {
  const words = address.trim().split(/\s+/);
  return words.length < 2 * WORDS_SHOWN
    ? HIDDEN_TEXT
    : [...words.slice(0, WORDS_SHOWN), HIDDEN_TEXT].join(' ');
}

/** Free text, which may name a person. */
export const maskText = (text: string): string => (text === '' ? text : HIDDEN_TEXT);
