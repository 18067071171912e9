// Converts schemas of an OpenAPI document for the validation of answers.
import assert from 'node:assert/strict';
import type { ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '../../src/platform/docs/document.ts';

export function at(document: OpenApiDocument, ref: string): unknown {
  assert.match(ref, /^#\//, `${ref} stays inside the document`);
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

/** References are inlined, and undocumented properties are rejected. */
export function closed(document: OpenApiDocument, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one) => closed(document, one));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as { $ref?: string };
  if ($ref !== undefined) return closed(document, at(document, $ref));
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(document, value)]),
  );
  const isObject = 'properties' in copy && !('additionalProperties' in copy);
  return isObject ? { ...copy, additionalProperties: false } : copy;
}

/** Validators of closed schemas. Most answers share a few schemas, and compiling one takes milliseconds. */
export function validators(ajv: Ajv2020): (document: OpenApiDocument, schema: unknown) => ValidateFunction {
  const compiled = new Map<string, ValidateFunction>();
  return (document, schema) => {
    const whole = closed(document, schema) as object;
    const key = JSON.stringify(whole);
    const validate = compiled.get(key) ?? ajv.compile(whole);
    compiled.set(key, validate);
    return validate;
  };
}
