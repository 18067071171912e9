// Ajv with our formats, and its errors as messages (contract 7.1a).
import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
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
/** Path and query parameters are text, so integers are coerced there. */
const addresses = new Ajv({ ...OPTIONS, coerceTypes: true });

type Checked = true | { error: ErrorObject[] };

export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart, url }) =>
  (httpPart === 'body' ? checkBody : checkAddress)({ schema, url });

const checkAddress = compileOnce<unknown, Checked>((schema) => {
  const validate = addresses.compile(schema);
  return (value) => (validate(value) ? true : { error: validate.errors ?? [] });
});

export const checkBody = compileOnce<unknown, Checked>((schema) => {
  const lists = bodies.compile(listLimits(schema));
  const whole = bodies.compile(withPrices(schema));
  return (body) => {
    if (!lists(body)) return { error: lists.errors ?? [] };
    return whole(body) ? true : { error: whole.errors ?? [] };
  };
});

/** A price is a JSON number in the schema; here it may also be an `ExactNumber`. */
function withPrices(schema: object): object {
  const inside = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? withPrices(value) : value;
  if (Array.isArray(schema)) return schema.map(inside);
  if ('format' in schema && schema.format === PRICE_FORMAT) return { [PRICE_FORMAT]: true };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inside(value)]));
}

/** Below this, a float can have more decimals than allowed. */
const SHORT_PRICE_MIN = 1e-13;
const PRICE_BELOW = 1e15;

const isPrice: SchemaValidateFunction = (_schema, price: unknown) => {
  if (typeof price === 'number' && price >= SHORT_PRICE_MIN && price < PRICE_BELOW) return true;
  const fault = priceFault(price);
  if (fault === null) return true;
  isPrice.errors = [{ keyword: PRICE_FORMAT, message: fault, params: {} }];
  return false;
};
bodies.addKeyword({ keyword: PRICE_FORMAT, errors: true, validate: isPrice });

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
  const { properties = {} }: { properties?: Record<string, { maxItems?: number }> } = schema;
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

/** Ajv's, as Fastify hands it on; with the value, which Fastify's type leaves out. */
type Fault = FastifySchemaValidationError & { data?: unknown };

export function describeFailures(found: readonly Fault[]): ValidationFailure {
  const byField = new Map<string, Fault[]>();
  for (const error of found) {
    if (error.keyword === 'if') continue; // its `then` has said what is wrong
    const field = fieldOf(error);
    byField.set(field, [...(byField.get(field) ?? []), error]);
  }
  // No plain object: a field may be named `__proto__`.
  const errors: Record<string, string[]> = Object.create(null);
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

/** Which parameters an error has depends on its keyword; our schemas use these. */
interface FaultParams {
  limit?: unknown;
  allowedValue?: unknown;
  allowedValues?: unknown;
  format?: unknown;
  type?: unknown;
}

/** A value of the wrong type also violates other rules; only the type error is reported. */
function relevant(list: readonly Fault[]): readonly Fault[] {
  const first = list.find((error) => error.keyword === 'type' || error.keyword === 'required');
  return first ? [first] : list;
}

function fieldOf(error: Fault): string {
  const path = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') path.push(String(error.params['missingProperty']));
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

function textOf(field: string, error: Fault): string {
  const { limit, allowedValue, allowedValues, format, type }: FaultParams = error.params;
  switch (error.keyword) {
    case 'required':
      return `${field} is required.`;
    case 'type':
      // For a conditionally required field null counts as absent.
      if (error.data === null && error.schemaPath.startsWith('#/then/')) return `${field} is required.`;
      return wrongType(field, error.data, type);
    case 'enum':
      return `${field} must be one of ${[allowedValues]
        .flat()
        .filter((value) => value !== null)
        .map(String)
        .join(', ')}.`;
    case 'const':
      return `${field} must be ${String(allowedValue)}.`;
    case 'minLength':
      return `${field} must not be blank.`;
    case 'maxLength':
      return `${field} must have at most ${String(limit)} characters.`;
    case 'minItems':
      return `${field} must have at least ${String(limit)} element${limit === 1 ? '' : 's'}.`;
    case 'maxItems':
      return `${field} must have at most ${String(limit)} elements.`;
    case 'minimum':
      return `${field} must be at least ${String(limit)}.`;
    case 'maximum':
      return `${field} must be at most ${String(limit)}.`;
    case 'exclusiveMinimum':
      return `${field} must be greater than ${String(limit)}.`;
    case 'format':
      return wrongFormat(field, error.data, String(format));
    default:
      return `${field} ${error.message ?? 'is not valid'}.`;
  }
}

function wrongType(field: string, data: unknown, type: unknown): string {
  const names = [type]
    .flat()
    .map(String)
    .filter((name) => name !== 'null');
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
