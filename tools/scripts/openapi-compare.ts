// Compares two versions of the channel API's document: which clients of the first version would break with the
// second, and why.
import type {
  ResponseObject,
  OpenApiDocument,
  Operation,
  Parameter,
  Schema,
} from '../../src/platform/docs/document.ts';
import { misfits } from './schema-compare.ts';

/** Returns one sentence per kind of client that would break. Empty: there are only additions. */
export function breakingChanges(before: OpenApiDocument, now: OpenApiDocument): string[] {
  const faults = baseFaults(before, now);
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const after = now.paths[path]?.[method];
      if (!after) faults.push(`A client that calls ${name} gets 404: the operation was removed.`);
      else
        faults.push(
          ...operationFaults(name, { document: before, operation }, { document: now, operation: after }),
        );
    }
  }
  return faults;
}

function baseFaults(before: OpenApiDocument, now: OpenApiDocument): string[] {
  const faults: string[] = [];
  const [was, is] = [before, now].map(({ servers }) => servers[0]?.url);
  if (was !== is) faults.push(`Every client fails: the base address was ${was} and is now ${is}.`);
  for (const [name, scheme] of Object.entries(before.components.securitySchemes)) {
    const after = now.components.securitySchemes[name];
    if (after === undefined || JSON.stringify(essence(scheme)) !== JSON.stringify(essence(after)))
      faults.push(`A client that authenticates by ${name} gets 401: the scheme was changed or removed.`);
  }
  return faults;
}

const essence = (scheme: object): object => ({ ...scheme, description: undefined });

interface Version {
  document: OpenApiDocument;
  operation: Operation;
}

function operationFaults(name: string, before: Version, now: Version): string[] {
  return [
    ...securityFaults(name, before.operation, now.operation),
    ...parameterFaults(name, before, now),
    ...bodyFaults(name, before, now),
    ...Object.entries(before.operation.responses).flatMap(([status, answer]) =>
      answerFaults(name, status, { ...before, answer }, { ...now, answer: now.operation.responses[status] }),
    ),
    ...newSuccesses(name, before.operation, now.operation),
  ];
}

/** Credentials that were sufficient before must still be sufficient. */
function securityFaults(name: string, before: Operation, now: Operation): string[] {
  const wanted = (now.security ?? []).map((one) => Object.keys(one));
  const isEnough = (given: string[]): boolean =>
    wanted.length === 0 || wanted.some((schemes) => schemes.every((scheme) => given.includes(scheme)));
  const ways = before.security?.map((one) => Object.keys(one)) ?? [];
  return (ways.length === 0 ? [[]] : ways)
    .filter((given) => !isEnough(given))
    .map(
      (given) =>
        `A client that calls ${name} with ${given.join(' and ') || 'no credentials'} gets 401: more is required.`,
    );
}

const keyOf = ({ in: place, name }: Parameter): string => `${place} parameter "${name}"`;

function parameterFaults(name: string, before: Version, now: Version): string[] {
  const was = new Map((before.operation.parameters ?? []).map((one) => [keyOf(one), one]));
  const is = new Map((now.operation.parameters ?? []).map((one) => [keyOf(one), one]));
  const removed = [...was.keys()]
    .filter((key) => !is.has(key))
    .map((key) => `A client that sends the ${key} to ${name} is no longer understood: it was removed.`);
  const others = [...is].flatMap(([key, parameter]) => {
    const known = was.get(key);
    if (parameter.required === true && known?.required !== true)
      return [`A client that calls ${name} without the ${key} is refused: it is now required.`];
    return known ? requestFaults(name, `the ${key}`, [before, known.schema], [now, parameter.schema]) : [];
  });
  return [...removed, ...others];
}

function bodyFaults(name: string, before: Version, now: Version): string[] {
  const was = before.operation.requestBody?.content['application/json'].schema;
  const is = now.operation.requestBody?.content['application/json'].schema;
  if (was && !is)
    return [
      `A client that sends a body to ${name} is no longer understood: the operation no longer takes a body.`,
    ];
  if (!was && is && now.operation.requestBody?.required === true)
    return [`A client that sends no body to ${name} is refused: a body is now required.`];
  return was && is ? requestFaults(name, 'the body', [before, was], [now, is]) : [];
}

type Placed = [Version, Schema];

/** Requests that were valid before must still be valid. */
function requestFaults(name: string, place: string, [before, was]: Placed, [now, is]: Placed): string[] {
  const writer = { document: before.document, schema: was };
  const reader = { document: now.document, schema: is };
  return misfits({ of: 'request', reader, writer, place }).map(
    (text) => `A client that sends ${name} breaks: ${text}.`,
  );
}

type Answered = Version & { answer: ResponseObject | undefined };

/** Existing clients must still be able to read the answers. */
function answerFaults(name: string, status: string, before: Answered, now: Answered): string[] {
  const { answer: was } = before;
  const { answer: is } = now;
  if (!was) return [];
  if (!is) return [`A client that waits for ${status} from ${name} breaks: the status was removed.`];
  const headers = Object.keys(was.headers ?? {}).filter((header) => is.headers?.[header] === undefined);
  const faults = headers.map(
    (header) => `A client that reads ${header} of ${name} (${status}) breaks: the header was removed.`,
  );
  const shape = was.content?.['application/json']?.schema;
  const shapeNow = is.content?.['application/json']?.schema;
  if (!shape) return faults;
  if (!shapeNow)
    return [
      ...faults,
      `A client that reads the body of ${name} (${status}) breaks: the response no longer has a body.`,
    ];
  const reader = { document: before.document, schema: shape };
  const writer = { document: now.document, schema: shapeNow };
  const texts = misfits({ of: 'answer', reader, writer, place: 'the body' });
  return [...faults, ...texts.map((text) => `A client that reads ${name} (${status}) breaks: ${text}.`)];
}

/**
 * New failure statuses are allowed, because clients know their classes; an unknown success status looks like a failure.
 */
const newSuccesses = (name: string, before: Operation, now: Operation): string[] =>
  Object.keys(now.responses)
    .filter((status) => /^[23]/.test(status) && before.responses[status] === undefined)
    .map((status) => `A client of ${name} does not know ${status} as a success: the status is new.`);
