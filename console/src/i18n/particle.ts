// Korean particles have two forms; the last sound of the preceding word decides which one applies: 재고를, 물량을; 취소로, 발송으로.
// Texts contain both forms, as in "{after}(으)로", until the word is known.

type Ending = 'vowel' | 'ㄹ' | 'consonant';

/** The forms after a consonant and after a vowel. Only (으)로 treats ㄹ like a vowel. */
const FORMS: Readonly<Record<string, readonly [consonant: string, vowel: string]>> = {
  '(으)로': ['으로', '로'],
  '을(를)': ['을', '를'],
  '이(가)': ['이', '가'],
  '은(는)': ['은', '는'],
  '와(과)': ['과', '와'],
};
/** A particle at the start of the following text, possibly after a closing quotation mark or bracket. */
const BOTH = /^([’”'")\]]*)(\(으\)로|을\(를\)|이\(가\)|은\(는\)|와\(과\))/;

/** Returns `following` with the particle form that fits `word`. */
export const afterWord = (word: string, following: string): string =>
  following.replace(BOTH, (both, closing: string, particle: string) => {
    const ending = endingOf(word);
    const [consonant, vowel] = FORMS[particle] ?? [both, both];
    const isOpen = ending === 'vowel' || (ending === 'ㄹ' && particle === '(으)로');
    return `${closing}${isOpen ? vowel : consonant}`;
  });

const SYLLABLES_FROM = '가'.charCodeAt(0);
const SYLLABLES_TO = '힣'.charCodeAt(0);
/** Number of syllables with the same initial and vowel: the first has no final consonant, number 8 ends in ㄹ. */
const FINALS = 28;
const FINAL_L = 8;

function endingOf(word: string): Ending {
  // Ignore characters at the end that are not pronounced, such as a closing bracket.
  const read = word.replace(/[^\p{L}\p{N}]+$/u, '');
  const last = read.at(-1) ?? '';
  const code = last.charCodeAt(0);
  if (code >= SYLLABLES_FROM && code <= SYLLABLES_TO) {
    const final = (code - SYLLABLES_FROM) % FINALS;
    return final === 0 ? 'vowel' : final === FINAL_L ? 'ㄹ' : 'consonant';
  }
  if (/[0-9]/.test(last)) return endingOfNumber(read);
  if (/[A-Za-z]/.test(last)) return endingOfLatin(read);
  return 'vowel';
}

/** How 0 to 9 end when read aloud: 영 일 이 삼 사 오 육 칠 팔 구 */
const DIGITS: readonly Ending[] = [
  'consonant',
  'ㄹ',
  'vowel',
  'consonant',
  'vowel',
  'vowel',
  'consonant',
  'ㄹ',
  'ㄹ',
  'vowel',
];

/** 십, 백, 천, 만 and 억 end in a consonant like 영; of the units that end a number, only 조 (12 zeros) does not. */
function endingOfNumber(text: string): Ending {
  const [, decimals, zeros = ''] = /(?:(\.)\d*|[1-9](0*))$/.exec(text.replaceAll(',', '')) ?? [];
  if (decimals === undefined && zeros.length >= 12 && zeros.length < 16) return 'vowel';
  return DIGITS[Number(text.at(-1))] ?? 'vowel';
}

/** Abbreviations are read letter by letter (엘, 엠, 엔, 알), words roughly as they are written. */
function endingOfLatin(text: string): Ending {
  const [word = ''] = /[A-Za-z]+$/.exec(text) ?? [];
  if (word === word.toUpperCase()) {
    const letter = word.at(-1) ?? '';
    return 'LR'.includes(letter) ? 'ㄹ' : 'MN'.includes(letter) ? 'consonant' : 'vowel';
  }
  const small = word.toLowerCase();
  if (/le?$/.test(small)) return 'ㄹ';
  // 온, 팀, 세팅; 북, 톱, 캣 after a single vowel.
  return /(?:[mn]|ng|(?:^|[^aeiou])[aeiou]?[aeiou][bckpt])$/.test(small) ? 'consonant' : 'vowel';
}
