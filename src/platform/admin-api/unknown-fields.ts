// Refuses fields that an operation does not have, at any depth of the body and in the query. A misspelled or misplaced
// field would otherwise be ignored, and the answer would look like success. The channel API ignores them (contract 7.1b).
import type { FastifyRequest } from 'fastify';
import { closest } from '../values/closest.ts';
import type { FieldError } from '../values/field-fault.ts';
import { Refusal } from './refusal.ts';

/** A request can have millions of unknown fields. */
const REPORTED_MAX = 20;

/** The part of JSON Schema in which our schemas say which fields there are. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  /** The fields have free names. */
  readonly patternProperties?: object;
  readonly additionalProperties?: unknown;
}

/** An operation without a schema for its body or query has no fields there. */
const NO_FIELDS: Schema = { properties: {} };

/** A preValidation hook. */
export async function refuseUnknownFields({ routeOptions, query, body }: FastifyRequest): Promise<void> {
  const { schema, config } = routeOptions;
  const found: FieldError[] = [];
  // Identity providers add parameters of their own.
  if (config.entrance !== 'redirect') collect(schema?.querystring ?? NO_FIELDS, query, '', found);
  collect(schema?.body ?? NO_FIELDS, body, '', found);
  if (found.length > 0) throw Refusal.invalidFields(found);
}

function collect(schema: Schema, value: unknown, prefix: string, found: FieldError[]): void {
  if (typeof value !== 'object' || value === null || found.length >= REPORTED_MAX) return;
  const { properties, items } = schema;
  if (Array.isArray(value)) {
    if (items) for (const [at, one] of value.entries()) collect(items, one, `${prefix}${at}.`, found);
    return;
  }
  if (!properties) return;
  const isOpen = schema.patternProperties !== undefined || schema.additionalProperties !== undefined;
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) collect(known, inner, `${prefix}${name}.`, found);
    else if (!isOpen && found.length < REPORTED_MAX)
      found.push(unknownField(`${prefix}${name}`, name, Object.keys(properties)));
  }
}

export const unknownField = (field: string, name: string, known: readonly string[]): FieldError => ({
  field,
  fault: { kind: 'unknown_field', nearest: closest(name, known) },
});
