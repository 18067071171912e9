// Ajv with our formats, and its errors as messages (contract 7.1a).
import { Ajv, type ErrorObject } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { parsePrice, UNIT_PRICE_DECIMALS_MAX } from '../domain/money.ts';
import { compileOnce } from './compiled.ts';
import { isExactNumber, numberText } from './transport/json-body.ts';
import { FORMATS, isStorable, PRICE_FORMAT } from './schema.ts';

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: false,
  formats: FORMATS,
  // test/openapi.test.ts checks the schemas; here the schema of schemas alone took 130 ms of every start.
  meta: false,
  validateSchema: false,
} as const;

const bodies = new Ajv({ ...OPTIONS, coerceTypes: false });
bodies.addKeyword({ keyword: PRICE_FORMAT, errors: true, validate: isPrice });
/** Path and query parameters are text, so integers are coerced there. */
const addresses = new Ajv({ ...OPTIONS, coerceTypes: true });

type Checked = true | { error: ErrorObject[] };

export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart, url }) =>
  (httpPart === 'body' ? checkBody : checkAddress)({ schema, url });

const checkAddress = compileOnce<unknown, Checked>((schema) => {
  const validate = addresses.compile(schema);
  return (value) => (validate(value) ? true : { error: validate.errors ?? [] });
});

const checkBody = compileOnce<unknown, Checked>((schema) => {
  const lists = bodies.compile(listLimits(schema));
  const whole = bodies.compile(withPrices(schema) as object);
  return (body) => {
    if (!lists(body)) return { error: lists.errors ?? [] };
    return whole(body) ? true : { error: whole.errors ?? [] };
  };
});

/** A price is a JSON number in the schema; here it may also be an `ExactNumber`. */
function withPrices(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withPrices);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ((schema as { format?: unknown }).format === PRICE_FORMAT) return { [PRICE_FORMAT]: true };
  return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, withPrices(inner)]));
}

/** Below this, a float can have more decimals than allowed. */
const SHORT_PRICE_MIN = 1e-13;
const PRICE_BELOW = 1e15;

function isPrice(_schema: unknown, price: unknown): boolean {
  if (typeof price === 'number' && price >= SHORT_PRICE_MIN && price < PRICE_BELOW) return true;
  const fault = priceFault(price);
  if (fault === null) return true;
  (isPrice as { errors?: object[] }).errors = [{ keyword: PRICE_FORMAT, message: fault, params: {} }];
  return false;
}

function priceFault(price: unknown): string | null {
  if (typeof price !== 'number' && !isExactNumber(price)) return 'must be a number';
  const text = numberText(price);
  if (parsePrice(text)) return null;
  if (text.startsWith('-')) return 'must be at least 0';
  return `must be below 10^15 with at most ${UNIT_PRICE_DECIMALS_MAX} decimals`;
}

/**
 * A schema with the array limits only. Checked first, because Ajv reports errors for every element of an array that is
 * too long: half a million fit into 1 MiB and took 30 seconds.
 */
function listLimits(schema: object): object {
  const { properties = {} } = schema as { properties?: Record<string, { maxItems?: number }> };
  const limits = Object.entries(properties).flatMap(([name, { maxItems }]) =>
    maxItems === undefined ? [] : [[name, { maxItems }] as const],
  );
  return { properties: Object.fromEntries(limits) };
}

export interface ValidationFailure {
  message: string;
  errors: Record<string, string[]>;
}

/** The answer to requests that fail before schema validation. */
export const failureAt = (field: string, text: string): ValidationFailure => ({
  message: text,
  errors: { [field]: [text] },
});

export function describeFailures(found: readonly ErrorObject[]): ValidationFailure {
  const byField = new Map<string, ErrorObject[]>();
  for (const error of found) {
    if (error.keyword === 'if') continue; // its `then` has said what is wrong
    const field = fieldOf(error);
    byField.set(field, [...(byField.get(field) ?? []), error]);
  }
  // No plain object: a field may be named `__proto__`.
  const errors: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [field, list] of byField)
    errors[field] = [...new Set(relevant(list).map((error) => textOf(field, error)))];
  return withMessage(errors);
}

export function withMessage(errors: Record<string, string[]>): ValidationFailure {
  const texts = Object.values(errors).flat();
  const more = texts.length - 1;
  const count = more === 0 ? '' : ` (and ${more} more error${more === 1 ? '' : 's'})`;
  return { message: `${texts[0]}${count}`, errors };
}

/** A value of the wrong type also violates other rules; only the type error is reported. */
function relevant(list: readonly ErrorObject[]): readonly ErrorObject[] {
  const first = list.find((error) => error.keyword === 'type' || error.keyword === 'required');
  return first ? [first] : list;
}

function fieldOf(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') path.push((error.params as { missingProperty: string }).missingProperty);
  const decoded = path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return decoded.length === 0 ? 'body' : decoded.join('.');
}

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
};

function textOf(field: string, error: ErrorObject): string {
  const params = error.params as {
    limit?: number;
    allowedValues?: (string | number | null)[];
    format?: string;
    type?: string | string[];
  };
  switch (error.keyword) {
    case 'required':
      return `${field} is required.`;
    case 'type':
      // For a conditionally required field null counts as absent.
      if (error.data === null && error.schemaPath.startsWith('#/then/')) return `${field} is required.`;
      return wrongType(field, error.data, params.type ?? '');
    case 'enum':
      return `${field} must be one of ${(params.allowedValues ?? []).filter((value) => value !== null).join(', ')}.`;
    case 'const':
      return `${field} must be ${String((error.params as { allowedValue: unknown }).allowedValue)}.`;
    case 'minLength':
      return `${field} must not be blank.`;
    case 'maxLength':
      return `${field} must have at most ${params.limit} characters.`;
    case 'minItems':
      return `${field} must have at least ${params.limit} element${params.limit === 1 ? '' : 's'}.`;
    case 'maxItems':
      return `${field} must have at most ${params.limit} elements.`;
    case 'minimum':
      return `${field} must be at least ${params.limit}.`;
    case 'maximum':
      return `${field} must be at most ${params.limit}.`;
    case 'exclusiveMinimum':
      return `${field} must be greater than ${params.limit}.`;
    case 'format':
      return wrongFormat(field, error.data, params.format ?? '');
    default:
      return `${field} ${error.message ?? 'is not valid'}.`;
  }
}

function wrongType(field: string, data: unknown, type: string | string[]): string {
  const names = [type].flat().filter((name) => name !== 'null');
  if (isExactNumber(data) && names.some((name) => name === 'integer' || name === 'number'))
    return `${field} has more digits than can be kept exactly.`;
  return `${field} must be ${names.map((name) => TYPE_NAMES[name] ?? name).join(' or ')}.`;
}

function wrongFormat(field: string, data: unknown, format: string): string {
  if (typeof data === 'string' && !isStorable(data))
    return `${field} contains characters that cannot be stored.`;
  if (format === 'nonblank') return `${field} must not be blank.`;
  return `${field} is not a valid ${format}.`;
}
