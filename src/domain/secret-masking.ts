// Secrets in a text that somebody else wrote: a server may echo what it was sent, as it came or encoded.

const MASK = '***';
/** Of shorter ones an encoded form has so few characters that it would be found in ordinary words. */
const ENCODED_SECRET_MIN = 8;
/** An encoding of an encoding of an encoding; beyond that it is a game. */
const DECODINGS_MAX = 3;

/** Every spelling of the secrets is replaced, whatever its case; a text that hides one otherwise is dropped whole. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  if (forms.length === 0) return text;
  // The longest first, so that no part of one is left when it contains another.
  const pattern = forms
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join('|');
  const masked = text.replaceAll(new RegExp(pattern, 'giu'), MASK);
  const secret = new RegExp(pattern, 'iu');
  return decodingsOf(masked).some((decoded) => secret.test(decoded)) ? MASK : masked;
}

export const holdsSecret = (text: string, secret: string): boolean => maskSecrets(text, [secret]) !== text;

function formsOf(secret: string): string[] {
  if (secret.length < ENCODED_SECRET_MIN) return [secret];
  const bytes = Buffer.from(secret);
  return [secret, encodeURIComponent(secret.toWellFormed()), bytes.toString('hex'), ...base64Forms(bytes)];
}

/**
 * Base64 inside a longer text begins at any of three places in a group of three bytes: of each only the characters that
 * the secret alone decides.
 */
function base64Forms(secret: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** What the text becomes when its escapes are read: percent, backslash and character references, and several of them. */
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
