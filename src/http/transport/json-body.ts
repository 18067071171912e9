// JSON as contract 7.1b and 7.5a read it. Any content type: a body is JSON or it is a validation error.
import { randomBytes } from 'node:crypto';
import { significantDigits } from '../../domain/money.ts';

export class BodyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BodyError';
  }
}

/** Numbers of more than 15 digits, or with an extreme exponent, cost a microsecond each; the largest order has 1,000 prices. */
const LONG_NUMBERS_MAX = 10_000;
const TOO_MANY_LONG = `The body has more than ${LONG_NUMBERS_MAX} numbers of more than 15 digits.`;
/** More than a text that is not read by hand can hold. V8 takes 100 ms for half a million levels. */
const NESTING_MAX = 10_000;
const TOO_DEEP = `The body is nested deeper than ${NESTING_MAX} levels.`;
const EMPTY = 'The body must not be empty: send a JSON object.';

/** Drops a byte order mark in front. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Only long digit runs and exponents can lose value as a binary float; everything else takes the fast way. */
const MAYBE_INEXACT = /\d[\d.]{15}|\d[eE]/;
/** Longer texts are read by hand at once: on 1 MiB of numbers the pattern alone took 45 ms, reading by hand takes 5. */
const PATTERN_CHARACTERS_MAX = 16_384;

/** Stands for a number that a binary float cannot hold, with the text it was written in. */
export type ExactNumber = Readonly<Record<string, string>>;
/** Random, so that no body can hold one of these objects by itself; short, because 1 MiB can hold 170,000 of them. */
const EXACT = randomBytes(12).toString('base64url');

export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, EXACT);

/** A number as it was written, or in other words of the same value. */
export const numberText = (number: number | ExactNumber): string =>
  typeof number === 'number' ? String(number) : (number[EXACT] as string);

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new BodyError(EMPTY);
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new BodyError('The body is not valid UTF-8.');
  }
  if (text === '') throw new BodyError(EMPTY);
  try {
    const value: unknown = JSON.parse(needsReading(text) ? keepExact(text) : text);
    return isExactNumber(value) ? Number(numberText(value)) : value;
  } catch (error) {
    throw error instanceof BodyError ? error : new BodyError('The body is not valid JSON.');
  }
}

const needsReading = (text: string): boolean =>
  text.length > PATTERN_CHARACTERS_MAX || MAYBE_INEXACT.test(text);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

/**
 * Replaces each number that would not survive as a float by an `ExactNumber`. One pass by hand, linear in the text:
 * a reviver took 1.3 s for 1 MiB of numbers, and a pattern that also skips strings can be made to backtrack.
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

/** Behind the last character that a number can hold; whether it is one is for JSON.parse to say. */
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

/** A float holds every decimal of so many significant digits, up to far beyond these powers of ten. */
const FLOAT_DIGITS = 15;
const FLOAT_EXPONENT_MAX = 280;

/** Settles nearly every number without looking at its digits: 15 characters at most, and a moderate exponent. */
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
  // What is no number is left as it is: JSON.parse refuses it.
  if (!NUMBER.test(literal)) return true;
  const { digits, exponent } = significantDigits(literal);
  if (digits === '') return true;
  if (digits.length <= FLOAT_DIGITS && Math.abs(exponent) <= FLOAT_EXPONENT_MAX) return true;
  return String(Number(literal)) === literal;
}
