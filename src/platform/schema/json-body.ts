// JSON as contract 7.1b and 7.5a define it. The content type is ignored: a body is JSON or a validation error.
import { randomBytes } from 'node:crypto';
import type { FieldFault } from '../values/field-fault.ts';
import { significantDigits } from '../values/money.ts';

export class BodyError extends Error {
  readonly fault: FieldFault;

  constructor(fault: FieldFault) {
    super(fault.kind);
    this.name = 'BodyError';
    this.fault = fault;
  }
}

/**
 * Numbers with more than 15 digits or an extreme exponent cost a microsecond each; the largest order has 1,000 prices.
 */
const LONG_NUMBERS_MAX = 10_000;
const TOO_MANY_LONG = { kind: 'body_long_numbers', numbers_max: LONG_NUMBERS_MAX } as const;
/** Limit of the nesting: V8 takes 100 ms for half a million levels. */
const NESTING_MAX = 10_000;
const TOO_DEEP = { kind: 'body_too_deep', levels_max: NESTING_MAX } as const;
const EMPTY = { kind: 'body_empty' } as const;

/** Drops a leading byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Only long digit sequences and exponents can lose precision as a float; all other bodies take the fast path. */
const MAYBE_INEXACT = /\d[\d.]{15}|\d[eE]/;
/** Longer bodies are scanned directly: on 1 MiB of numbers the pattern took 45 ms, the scan takes 5 ms. */
const PATTERN_CHARACTERS_MAX = 16_384;

/** A number that a float cannot represent, with its original text. */
export type ExactNumber = Readonly<Record<string, string>>;
/** Random, so that no body can contain such a key; short, because 1 MiB can hold 170,000 of them. */
const EXACT = randomBytes(12).toString('base64url');

export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, EXACT);

/** The text of a number, original or of equal value. */
export const numberText = (number: number | ExactNumber): string =>
  typeof number === 'number' ? String(number) : String(number[EXACT]);

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new BodyError(EMPTY);
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new BodyError({ kind: 'body_not_utf8' });
  }
  if (text === '') throw new BodyError(EMPTY);
  try {
    const value: unknown = JSON.parse(needsReading(text) ? keepExact(text) : text);
    return isExactNumber(value) ? Number(numberText(value)) : value;
  } catch (error) {
    throw error instanceof BodyError ? error : new BodyError({ kind: 'body_not_json' });
  }
}

const needsReading = (text: string): boolean =>
  text.length > PATTERN_CHARACTERS_MAX || MAYBE_INEXACT.test(text);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

/**
 * Replaces each number that a float cannot represent by an `ExactNumber`. One linear scan: a reviver took 1.3 s for 1
 * MiB of numbers, and a pattern that also skips strings can be made to backtrack.
 */
function keepExact(text: string): string {
  let result = '';
  let copied = 0;
  let long = 0;
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
    } else if (character === MINUS || isDigit(character)) {
      const end = endOfNumber(text, at);
      if (!isShort(text, at, end)) {
        if (++long > LONG_NUMBERS_MAX) throw new BodyError(TOO_MANY_LONG);
        const literal = text.slice(at, end);
        if (!isExact(literal)) {
          result += `${text.slice(copied, at)}{"${EXACT}":"${literal}"}`;
          copied = end;
        }
      }
      at = end;
    } else {
      if (isOpening(character) && ++depth > NESTING_MAX) throw new BodyError(TOO_DEEP);
      if (isClosing(character)) depth -= 1;
      at += 1;
    }
  }
  return result + text.slice(copied);
}

/** [ and {, ] and }: 0x5b and 0x7b, 0x5d and 0x7d */
const isOpening = (character: number): boolean => (character & ~0x20) === 0x5b;
const isClosing = (character: number): boolean => (character & ~0x20) === 0x5d;
const isDigit = (character: number): boolean => character >= 0x30 && character <= 0x39;

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === BACKSLASH) at += 1;
    else if (character === QUOTE) return at + 1;
  }
  return text.length;
}

/** The end of the characters that a number can contain; JSON.parse decides whether it is valid. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isPartOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

const isPartOfNumber = (character: number): boolean =>
  isDigit(character) ||
  character === 0x2e ||
  isExponentMark(character) ||
  character === 0x2b ||
  character === MINUS;

const isExponentMark = (character: number): boolean => character === 0x65 || character === 0x45;

/** A float represents every decimal with this many significant digits, far beyond these exponents. */
const FLOAT_DIGITS = 15;
const FLOAT_EXPONENT_MAX = 280;

/** The common case, without parsing digits: at most 15 characters and a moderate exponent. */
function isShort(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && !isExponentMark(text.charCodeAt(at))) at += 1;
  if (at - start > FLOAT_DIGITS) return false;
  let exponent = 0;
  for (at += 1; at < end && exponent <= FLOAT_EXPONENT_MAX; at++) {
    const character = text.charCodeAt(at);
    if (isDigit(character)) exponent = 10 * exponent + character - 0x30;
  }
  return exponent <= FLOAT_EXPONENT_MAX;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function isExact(literal: string): boolean {
  // Invalid numbers are left for JSON.parse to refuse.
  if (!NUMBER.test(literal)) return true;
  const { digits, exponent } = significantDigits(literal);
  if (digits === '') return true;
  if (digits.length <= FLOAT_DIGITS && Math.abs(exponent) <= FLOAT_EXPONENT_MAX) return true;
  return String(Number(literal)) === literal;
}
