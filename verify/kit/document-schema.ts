// Converts schemas of an OpenAPI document for the validation of answers.
import assert from 'node:assert/strict';
import type { OpenApiDocument } from '../../src/http/docs/openapi.ts';

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
