// Validates with Ajv and our formats, and turns its errors into facts: field and fault.
import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { FieldError, FieldFault } from '../values/field-fault.ts';
import { parsePrice, UNIT_PRICE_DECIMALS_MAX } from '../values/money.ts';
import { compileOnce, type When } from './compiled.ts';
import { isExactNumber, numberText } from './json-body.ts';
import { FORMATS, isStorable, PRICE_BELOW, PRICE_FORMAT } from './building-blocks.ts';

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: false,
  formats: FORMATS,
  // test/openapi.test.ts validates the schemas. Here the JSON Schema meta-schema alone took 130 ms of every start.
  meta: false,
  validateSchema: false,
} as const;

const ajv = new Ajv({ ...OPTIONS, coerceTypes: false });

type Checked = true | { error: ErrorObject[] };

export const compileValidator =
  (when: When): FastifySchemaCompiler<object> =>
  ({ schema, httpPart }) =>
    (httpPart === 'body' ? checkBody : checkAddress)[when](schema);

/** Path and query parameters are text. The coercion of Ajv would also read `0x10`, `1e2` and ` 5` as integers. */
const READERS: Record<string, (text: string) => unknown> = {
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

const checkAddress = compileOnce<Record<string, unknown>, Checked>((schema) => {
  const validate = ajv.compile(schema);
  const readers = readersOf(schema);
  return (parameters) => {
    for (const [name, read] of readers) {
      const text = parameters[name];
      if (typeof text === 'string') parameters[name] = read(text);
    }
    return validate(parameters) ? true : { error: validate.errors ?? [] };
  };
});

/** The parameters of a schema that are not texts, with their readers. */
function readersOf(schema: object): [name: string, read: (text: string) => unknown][] {
  const { properties = {} }: { properties?: Record<string, { type?: string }> } = schema;
  return Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const read = READERS[type];
    return read ? [[name, read]] : [];
  });
}

export const checkBody = compileOnce<unknown, Checked>((schema) => {
  const lists = ajv.compile(listLimits(schema));
  const whole = ajv.compile(withPrices(schema));
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

const isPrice: SchemaValidateFunction = (_schema, price: unknown) => {
  if (typeof price === 'number' && price >= SHORT_PRICE_MIN && price < PRICE_BELOW) return true;
  const fault = priceFault(price);
  if (fault === null) return true;
  isPrice.errors = [{ keyword: PRICE_FORMAT, params: { fault } }];
  return false;
};
ajv.addKeyword({ keyword: PRICE_FORMAT, errors: true, validate: isPrice });

function priceFault(price: unknown): FieldFault | null {
  if (typeof price !== 'number' && !isExactNumber(price)) return { kind: 'wrong_type', types: ['number'] };
  const text = numberText(price);
  if (parsePrice(text)) return null;
  if (text.startsWith('-')) return { kind: 'too_small', minimum: 0 };
  return { kind: 'not_a_price', decimals_max: UNIT_PRICE_DECIMALS_MAX };
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

/** An error of Ajv as Fastify passes it on. Fastify's type lacks the value. */
type AjvError = FastifySchemaValidationError & { data?: unknown };

/** Every fault of every field, in the order in which Ajv found the fields. */
export function fieldErrorsOf(found: readonly AjvError[]): FieldError[] {
  // An error of `if` accompanies the error of its `then`, which names the fault.
  const said = found.filter((error) => error.keyword !== 'if');
  return [...Map.groupBy(said, fieldOf)].flatMap(([field, list]) => {
    // A blank text violates two rules of the schema, but is one fault.
    const byKind = new Map(
      relevant(list)
        .map(faultOf)
        .map((fault) => [fault.kind, fault]),
    );
    return [...byKind.values()].map((fault) => ({ field, fault }));
  });
}

/** A value of the wrong type also violates other rules; only the type error is reported. */
function relevant(list: readonly AjvError[]): readonly AjvError[] {
  const first = list.find((error) => error.keyword === 'type' || error.keyword === 'required');
  return first ? [first] : list;
}

function fieldOf(error: AjvError): string {
  const path = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') path.push(String(error.params['missingProperty']));
  const decoded = path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return decoded.length === 0 ? 'body' : decoded.join('.');
}

/** The parameters of an error depend on its keyword; these belong to the keywords in our schemas. */
interface Params {
  limit?: unknown;
  allowedValue?: unknown;
  allowedValues?: unknown;
  format?: unknown;
  type?: unknown;
  fault?: FieldFault;
}

const FAULTS: Record<string, (params: Params, error: AjvError) => FieldFault> = {
  required: () => ({ kind: 'required' }),
  type: ({ type }, error) => wrongType(type, error),
  enum: ({ allowedValues }) => ({ kind: 'not_listed', allowed: listed(allowedValues) }),
  const: ({ allowedValue }) => ({ kind: 'not_equal', expected: String(allowedValue) }),
  minLength: () => ({ kind: 'blank' }),
  maxLength: ({ limit }) => ({ kind: 'too_long', characters_max: Number(limit) }),
  minItems: ({ limit }) => ({ kind: 'too_few', elements_min: Number(limit) }),
  maxItems: ({ limit }) => ({ kind: 'too_many', elements_max: Number(limit) }),
  minimum: ({ limit }) => ({ kind: 'too_small', minimum: Number(limit) }),
  maximum: ({ limit }) => ({ kind: 'too_large', maximum: Number(limit) }),
  exclusiveMinimum: ({ limit }) => ({ kind: 'not_above', limit: Number(limit) }),
  format: ({ format }, { data }) => wrongFormat(String(format), data),
  [PRICE_FORMAT]: ({ fault }) => fault ?? { kind: 'invalid', rule: PRICE_FORMAT },
};

const faultOf = (error: AjvError): FieldFault =>
  FAULTS[error.keyword]?.(error.params, error) ?? { kind: 'invalid', rule: error.keyword };

/** Without null, which means that the value is absent. */
const listed = (values: unknown): (string | number)[] =>
  [values].flat().filter((value) => typeof value === 'string' || typeof value === 'number');

function wrongType(type: unknown, { data, schemaPath }: AjvError): FieldFault {
  // For a conditionally required field null counts as absent.
  if (data === null && schemaPath.startsWith('#/then/')) return { kind: 'required' };
  const types = [type]
    .flat()
    .map(String)
    .filter((name) => name !== 'null');
  if (isExactNumber(data) && types.some((name) => name === 'integer' || name === 'number'))
    return { kind: 'too_many_digits' };
  return { kind: 'wrong_type', types };
}

function wrongFormat(format: string, data: unknown): FieldFault {
  if (typeof data === 'string' && !isStorable(data)) return { kind: 'not_storable' };
  return format === 'nonblank' ? { kind: 'blank' } : { kind: 'wrong_format', format };
}
