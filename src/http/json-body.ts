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

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new BodyError('The body must not be empty: send a JSON object.');
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new BodyError('The body is not valid UTF-8.');
  }
  try {
    return MAYBE_INEXACT.test(text)
      ? (JSON.parse(text, exactNumber) as unknown)
      : (JSON.parse(text) as unknown);
  } catch {
    throw new BodyError('The body is not valid JSON.');
  }
}

/** A number that a binary float cannot hold as it was written becomes NaN, which no schema accepts. */
function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const written = parseDecimal(context.source);
  const held = Number.isFinite(value) ? parseDecimal(String(value)) : null;
  return written && held && equalDecimals(written, held) ? value : Number.NaN;
}
