// Korean search in lists in the browser: ㅁㅈ finds 민준, and so does 민ㅈ, the text before the last syllable is complete. It is
// twenty lines of arithmetic on Unicode's syllable table, so no package is needed.
const SYLLABLE_FIRST = 0xac00;
const SYLLABLE_LAST = 0xd7a3;
/** A syllable is (initial × 21 + vowel) × 28 + final. */
const FINALS = 28;
const VOWELS_TIMES_FINALS = 21 * FINALS;
const INITIALS = Array.from('ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ');

function matchesCharacter(character: string, typed: string): boolean {
  if (character === typed) return true;
  const place = (character.codePointAt(0) ?? 0) - SYLLABLE_FIRST;
  if (place < 0 || place > SYLLABLE_LAST - SYLLABLE_FIRST) return false;
  if (INITIALS[Math.floor(place / VOWELS_TIMES_FINALS)] === typed) return true;
  const wanted = (typed.codePointAt(0) ?? 0) - SYLLABLE_FIRST;
  // A syllable without a final consonant may still be incomplete.
  return wanted >= 0 && wanted % FINALS === 0 && place - (place % FINALS) === wanted;
}

const charactersOf = (text: string): string[] => Array.from(text.normalize('NFC').toLowerCase());

/** Whether the text contains the typed text, ignoring case; consonants match syllables that begin with them. */
export function matches(text: string, typed: string): boolean {
  const wanted = charactersOf(typed.trim());
  const characters = charactersOf(text);
  const starts = characters.length - wanted.length + 1;
  return Array.from({ length: Math.max(starts, 0) }, (_, start) => start).some((start) =>
    wanted.every((one, n) => matchesCharacter(characters[start + n] ?? '', one)),
  );
}
