// Masks secrets in text from other servers, which may repeat them, plain or encoded.

const MASK = '***';
/** Encoded forms of shorter secrets would match ordinary words. */
const ENCODED_SECRET_MIN = 8;
/** How many nested encodings are decoded. */
const DECODINGS_MAX = 3;

/**
 * Replaces every form of the secrets, ignoring case. If a secret still appears after decoding, the whole text is
 * masked.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  if (forms.length === 0) return text;
  // Longest first: one form may contain another.
  const pattern = forms
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join('|');
  const masked = text.replaceAll(new RegExp(pattern, 'giu'), MASK);
  const secret = new RegExp(pattern, 'iu');
  return decodingsOf(masked).some((decoded) => secret.test(decoded)) ? MASK : masked;
}

export const containsSecret = (text: string, secret: string): boolean => maskSecrets(text, [secret]) !== text;

function formsOf(secret: string): string[] {
  if (secret.length < ENCODED_SECRET_MIN) return [secret];
  const bytes = Buffer.from(secret);
  return [secret, encodeURIComponent(secret.toWellFormed()), bytes.toString('hex'), ...base64Forms(bytes)];
}

/**
 * The base64 form depends on where the secret starts within a group of three bytes. For each of the three offsets: the
 * characters that depend on the secret alone.
 */
function base64Forms(secret: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The text after each pass of decoding percent escapes, backslash escapes and character references. */
function decodingsOf(text: string): string[] {
  const found: string[] = [];
  for (let last = text; found.length < DECODINGS_MAX;) {
    const next = decoded(last);
    if (next === last) break;
    found.push(next);
    last = next;
  }
  return found;
}

const ESCAPES =
  /%([0-9a-f]{2})|\\u\{?([0-9a-f]{1,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|\\(["'/\\])/giu;

const decoded = (text: string): string =>
  text.replaceAll(ESCAPES, (escape: string, ...groups: (string | undefined)[]) => {
    const [percent, unicode, byte, hexReference, reference, plain] = groups;
    if (plain !== undefined) return plain;
    const hex = percent ?? unicode ?? byte ?? hexReference;
    const code = hex === undefined ? Number(reference) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
  });
