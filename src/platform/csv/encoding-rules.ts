// The encoding of a text file, from its first bytes. Korean programs write EUC-KR (CP949), spreadsheets UTF-16.

export type TextFileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'euc-kr';

export const ENCODING_NAMES: Record<TextFileEncoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'euc-kr': 'EUC-KR (CP949)',
};

/** null: none of these. `sample` may end inside a character. */
export function findEncoding(sample: Uint8Array): TextFileEncoding | null {
  const [first = 0, second = 0] = sample;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Without a byte order mark: the header consists of ASCII characters.
  if (first !== 0 && second === 0 && sample.length > 1) return 'utf-16le';
  if (first === 0 && second !== 0) return 'utf-16be';
  if (decodes(sample, 'utf-8')) return 'utf-8';
  return decodes(sample, 'euc-kr') && isKorean(sample) ? 'euc-kr' : null;
}

function decodes(sample: Uint8Array, encoding: TextFileEncoding): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}

const KOREAN_SHARE_MIN = 0.8;

/**
 * Japanese and Chinese text, too, is often valid CP949, and would be imported as wrong Korean. Most characters of Korean
 * text are the 2,350 common syllables: 0xB0 to 0xC8, then 0xA1 to 0xFE.
 */
function isKorean(sample: Uint8Array): boolean {
  let [pairs, syllables] = [0, 0];
  for (let at = 0; at + 1 < sample.length; at++) {
    const lead = sample[at] ?? 0;
    if (lead < 0x80) continue;
    at += 1;
    pairs += 1;
    if (lead >= 0xb0 && lead <= 0xc8 && (sample[at] ?? 0) >= 0xa1) syllables += 1;
  }
  return syllables >= pairs * KOREAN_SHARE_MIN;
}
