// Assertions for every answer of the channel API: the two error shapes and the transport rules.
import assert from 'node:assert/strict';
import type { HttpAnswer } from '../../verify/kit/service.ts';

/** Internal terms that no answer may contain. */
const LEAKS =
  /\bat \S+:\d+|\.(ts|js|mjs):\d+|node_modules|node:internal|fastify|ajv|FST_ERR|postgres|sqlstate|violates|relation "|_key\b|\bselect\b.*\bfrom\b|\binsert into\b/i;

/** Contract 7.6a and 10.1: an id on every answer, JSON on every answer with a body, and no internal details. */
export function assertCareful(answer: HttpAnswer): void {
  assert.match(answer.headers.get('x-request-id') ?? '', /^[\w.-]{1,64}$/, 'no X-Request-Id');
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/, answer.text.slice(0, 200));
  assert.notEqual(answer.json, undefined, `not JSON: ${answer.text.slice(0, 200)}`);
  if (answer.status >= 400) assert.doesNotMatch(answer.text, LEAKS);
}

/** A business refusal: exactly `{"error": text}`, and the text contains these parts. */
export function assertRefused(
  answer: HttpAnswer,
  status: number,
  ...parts: readonly (string | number)[]
): void {
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  assertCareful(answer);
  assert.deepEqual(Object.keys(answer.json), ['error']);
  assert.equal(typeof answer.json.error, 'string');
  assert.notEqual(answer.json.error, '');
  for (const part of parts)
    assert.ok(answer.json.error.includes(String(part)), `no ${part} in: ${answer.json.error}`);
}

/** The validation shape of contract 7.1a, with an error for exactly these fields (none given: for any). */
export function assertInvalid(answer: HttpAnswer, ...fields: readonly string[]): void {
  assert.equal(answer.status, 422, answer.text.slice(0, 500));
  assertCareful(answer);
  assert.deepEqual(Object.keys(answer.json), ['message', 'errors']);
  const errors = answer.json.errors as Record<string, string[]>;
  if (fields.length > 0) assert.deepEqual(Object.keys(errors).toSorted(), [...fields].toSorted());
  const texts = Object.values(errors).flat();
  assert.ok(texts.length > 0, 'no errors listed');
  for (const list of Object.values(errors)) {
    assert.ok(Array.isArray(list) && list.length > 0);
    for (const text of list) assert.ok(typeof text === 'string' && text !== '');
  }
  const more = texts.length - 1;
  const count = more === 0 ? '' : more === 1 ? ' (and 1 more error)' : ` (and ${more} more errors)`;
  assert.equal(answer.json.message, `${texts[0]}${count}`);
}

/** The 409 of the status endpoint, with exactly these keys. */
export function assertConflict(
  answer: HttpAnswer,
  code: 'invalid_transition' | 'insufficient_stock',
  current_status: number,
  requested_status: number,
  ...parts: readonly (string | number)[]
): void {
  assert.equal(answer.status, 409, answer.text);
  assertCareful(answer);
  const { error, ...rest } = answer.json;
  assert.deepEqual(Object.keys(answer.json), ['error', 'code', 'current_status', 'requested_status']);
  assert.equal(typeof error, 'string');
  assert.deepEqual(rest, { code, current_status, requested_status });
  for (const part of parts) assert.ok(error.includes(String(part)), `no ${part} in: ${error}`);
}
