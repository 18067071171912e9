// JSON as decisions 21 and 23 read it. Any content type: a body is JSON or it is a validation error.
import { equalDecimals, parseDecimal } from '../domain/money.ts';

export class BodyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BodyError';
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Only long digit runs and exponents can lose value as a binary float; everything else takes the fast way. */
const MAYBE_INEXACT = /\d[\d.]{15}|\d[eE]/;

/** Stands for a number that a binary float cannot hold as it was written. No schema accepts it, as no text may hold U+0000. */
export const INEXACT = '\0inexact';
const INEXACT_JSON = JSON.stringify(INEXACT);

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new BodyError('The body must not be empty: send a JSON object.');
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new BodyError('The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(MAYBE_INEXACT.test(text) ? markInexact(text) : text) as unknown;
  } catch {
    throw new BodyError('The body is not valid JSON.');
  }
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Replaces numbers that would not survive as floats. One pass by hand: a reviver took 1.3 s for 1 MiB of numbers,
 * and a pattern that also skips strings can be made to backtrack.
 */
function markInexact(text: string): string {
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const character = text[at] as string;
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = at;
      const literal = NUMBER.exec(text)?.[0] ?? character;
      if (!isExact(literal)) {
        result += text.slice(copied, at) + INEXACT_JSON;
        copied = at + literal.length;
      }
      at += literal.length;
    } else {
      at += 1;
    }
  }
  return result + text.slice(copied);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Up to 15 digits without an exponent always are. */
function isExact(literal: string): boolean {
  if (literal.length <= 15 && !/[eE]/.test(literal)) return true;
  const value = Number(literal);
  const written = parseDecimal(literal);
  const held = Number.isFinite(value) ? parseDecimal(String(value)) : null;
  return written !== null && held !== null && equalDecimals(written, held);
}
