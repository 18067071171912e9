// Schemas as readable rows: one per field, nested fields with their path.
import type { OpenApiDocument, Schema } from './document.ts';

export interface Field {
  name: string;
  type: string;
  required: boolean;
  /** Limits and descriptions as text. */
  notes: string[];
}

function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

/** The alternatives of a response; a plain schema is its only one. */
export const alternatives = (document: OpenApiDocument, schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema]).map((one) => resolve(document, one));

export function fieldsOf(document: OpenApiDocument, schema: Schema, path = ''): Field[] {
  const resolved = resolve(document, schema);
  const required = new Set(resolved.required);
  return Object.entries(resolved.properties ?? {}).flatMap(([key, property]) => {
    const inner = resolve(document, property);
    const name = `${path}${key}`;
    const row = { name, type: typeOf(inner), required: required.has(key), notes: notesOf(inner) };
    const element = inner.items ? resolve(document, inner.items) : undefined;
    const nested = element
      ? fieldsOf(document, element, `${name}[].`)
      : fieldsOf(document, inner, `${name}.`);
    return [row, ...nested];
  });
}

export function typeOf(schema: Schema): string {
  const names = [schema.type ?? 'any'].flat();
  const [first = 'any', ...others] = names.filter((name) => name !== 'null');
  const main = first === 'array' && schema.items ? `array of ${elementType(schema.items)}` : first;
  const orNull = names.includes('null') ? ['null'] : [];
  return [main, ...others, ...orNull].join(' or ');
}

function elementType(items: Schema): string {
  const inner = typeOf(items);
  return inner.startsWith('array') ? inner : `${inner}s`;
}

export function notesOf(schema: Schema): string[] {
  const values = schema.enum?.filter((value) => value !== null);
  const notes = [
    schema.description,
    values && `One of ${values.map(String).join(', ')}.`,
    schema.maxLength === undefined ? undefined : `At most ${schema.maxLength} characters.`,
    range(schema.minItems, schema.maxItems, 'elements'),
    range(schema.minimum, schema.maximum, ''),
    schema.exclusiveMinimum === undefined ? undefined : `Greater than ${schema.exclusiveMinimum}.`,
    schema.exclusiveMaximum === undefined ? undefined : `Less than ${schema.exclusiveMaximum}.`,
    schema.pattern?.includes('\\s') === true ? 'Not blank.' : undefined,
    schema.examples && `For example ${schema.examples.map((one) => JSON.stringify(one)).join(' or ')}.`,
  ];
  return notes.filter((note) => note !== undefined);
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const text = [
    least === undefined ? '' : `at least ${least}`,
    most === undefined ? '' : `at most ${most}`,
  ].filter((part) => part !== '');
  if (text.length === 0) return undefined;
  const sentence = `${text.join(', ')} ${unit}`.trim();
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}
