// Rejects long passwords that are easy to guess. Each password is scored by its unpredictable characters: a sequence, a
// year or a part of the e-mail address counts as one character, a common word as two, a repetition as none.

/** log2 of the cost of a hash (scrypt, `src/platform/passwords/passwords.ts`): 64 MiB and about 0.2 s each. */
export const PASSWORD_COST_LOG2 = 16;

/** Minimum score. Below it, a cracker with word lists, years and keyboard patterns finds the password. */
const UNPREDICTABLE_MIN = 8;
const WORD_WEIGHT = 2;
/** Shorter runs on a keyboard or in an alphabet occur by chance. */
const RUN_MIN = 4;
/** Shorter parts of an e-mail address occur in many words. */
const OWN_WORD_MIN = 3;

const COMMON_WORDS =
  `password passwort passw0rd passphrase passcode admin administrator welcome letmein login signin qwerty iloveyou ilove
   monkey dragon master sunshine princess football baseball superman batman spiderman pokemon shadow trustno whatever
   freedom starwars computer internet google apple samsung michael jessica charlie jordan hunter killer flower cheese
   hello secret changeme change default root user guest test temp temporary demo sample system server database company
   office warehouse business manager operator viewer channel inventory stock order sales shop store product lens
   sluice korea corea seoul busan tokyo japan spring summer autumn winter january february march april june july august
   september october november december monday tuesday wednesday thursday friday saturday sunday love lovely please open
   this that your mine pass word key correct horse battery staple access private security secure 비밀번호 관리자 사랑해 대한민국 안녕하세요`
    .split(/\s+/)
    // Longest first, so that "administrator" is one word and not "admin" plus nine characters.
    .toSorted((a, b) => b.length - a.length);

/** Rows of keys. The alphabet and the digits are sequences by their code points; only 9 and 0 are neighbours here alone. */
const KEYBOARD = [
  '1234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '!@#$%^&*()',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ',
  // Passwords are normalized in the same way before the comparison.
].map((row) => row.normalize('NFKC'));
const NEIGHBOURS = new Set(
  KEYBOARD.flatMap((row) =>
    Array.from(row.slice(1), (next, at) => {
      const one = row.charAt(at);
      return [one + next, next + one];
    }).flat(),
  ),
);

/** Common substitutions of letters by digits or signs. */
const SUBSTITUTIONS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** `own`: texts known to be related to the user, such as the e-mail address. */
export function isGuessable(password: string, own: readonly string[] = []): boolean {
  const text = unitOf(password.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ''));
  const ownWords = own.flatMap(partsOf).toSorted((a, b) => b.length - a.length);
  return unpredictableCharacters(text, ownWords) < UNPREDICTABLE_MIN;
}

const partsOf = (own: string): string[] => {
  const text = own.normalize('NFKC').toLowerCase();
  return [text, ...text.split('@'), ...text.split(/[^\p{L}\p{N}]+/u)].filter(
    (part) => part.length >= OWN_WORD_MIN,
  );
};

/** The shortest unit that the text repeats; the last repetition may be incomplete. */
function unitOf(text: string): string {
  const characters = Array.from(text);
  for (let size = 1; size <= characters.length / 2; size++) {
    // The unit may itself be an incomplete repetition.
    if (characters.every((one, at) => one === characters[at % size]))
      return unitOf(characters.slice(0, size).join(''));
  }
  return text;
}

function unpredictableCharacters(text: string, ownWords: readonly string[]): number {
  const plain = Array.from(text, (one) => SUBSTITUTIONS[one] ?? one).join('');
  const seen = new Set<string>();
  let count = 0;
  for (let at = 0; at < text.length;) {
    const { piece, weight } = firstPiece(text.slice(at), plain.slice(at), ownWords);
    // A repeated word or sequence adds nothing.
    if (piece.length < RUN_MIN || !seen.has(piece)) count += weight;
    seen.add(piece);
    at += piece.length;
  }
  return count;
}

/** The longest predictable prefix, or one character. */
function firstPiece(
  text: string,
  plain: string,
  ownWords: readonly string[],
): { piece: string; weight: number } {
  const lengthOf = (words: readonly string[]): number =>
    words.find((one) => text.startsWith(one) || plain.startsWith(one))?.length ?? 0;
  const year = /^(?:19|20)\d\d/.exec(text)?.[0].length ?? 0;
  const cheap = Math.max(year, runLength(text), lengthOf(ownWords));
  const word = lengthOf(COMMON_WORDS);
  if (cheap >= word && cheap > 0) return { piece: text.slice(0, cheap), weight: 1 };
  if (word > 0) return { piece: text.slice(0, word), weight: WORD_WEIGHT };
  return { piece: String.fromCodePoint(text.codePointAt(0) ?? 0), weight: 1 };
}

/** Length of the prefix of neighbouring or equal characters; 0 if below RUN_MIN. */
function runLength(text: string): number {
  const characters = Array.from(text);
  let length = 1;
  while (length < characters.length && follows(characters[length - 1] ?? '', characters[length] ?? ''))
    length += 1;
  return length < RUN_MIN ? 0 : characters.slice(0, length).join('').length;
}

function follows(one: string, next: string): boolean {
  const step = (next.codePointAt(0) ?? 0) - (one.codePointAt(0) ?? 0);
  return Math.abs(step) <= 1 || NEIGHBOURS.has(one + next);
}
