// Checks whether everything written with one schema can be read with another. A request is written by an old
// client and read by the new service; an answer is written by the new service and read by an old client. The
// same rules apply to both.
import { isDeepStrictEqual } from 'node:util';
import type { OpenApiDocument, Schema } from '../../src/platform/docs/document.ts';

export interface Side {
  document: OpenApiDocument;
  schema: Schema;
}

export interface Reading {
  /** A request has an old writer; an answer has an old reader. */
  of: 'request' | 'answer';
  reader: Side;
  writer: Side;
  /** The name of the place in messages. */
  place: string;
}

/** Incompatibilities, as sentences without a full stop that start with the place. */
export function misfits(reading: Reading): string[] {
  const [reader, writer] = [open(reading.reader), open(reading.writer)];
  const readable = branchesOf(reader);
  const written = branchesOf(writer);
  if (readable.length === 1 && written.length === 1) return plainMisfits({ ...reading, reader, writer });
  const tries = written.map((one) =>
    readable.map((other) => misfits({ ...reading, reader: other, writer: one })),
  );
  return tries.flatMap((found) => {
    if (found.some((list) => list.length === 0)) return [];
    if (found.length === 1) return found[0] ?? [];
    return [sentence(reading, 'no longer accepts one of its shapes', 'can have a new shape')];
  });
}

function open({ document, schema }: Side): Side {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return { document, schema };
  return open({ document, schema: document.components.schemas[name] ?? {} });
}

const branchesOf = (side: Side): Side[] =>
  (side.schema.anyOf ?? [side.schema]).map((schema) => ({ ...side, schema }));

const sentence = ({ of, place }: Reading, request: string, answer: string): string =>
  `${place} ${of === 'request' ? request : answer}`;

function plainMisfits(reading: Reading): string[] {
  const types = typeMisfits(reading);
  // If the types differ, other differences are not reported.
  if (types.length > 0) return types;
  return [
    ...enumMisfits(reading),
    ...limitMisfits(reading),
    ...conditionMisfits(reading),
    ...requiredMisfits(reading),
    ...fieldMisfits(reading),
    ...elementMisfits(reading),
  ];
}

const typesOf = ({ schema: { type } }: Side): string[] => (type === undefined ? [] : [type].flat());

function typeMisfits(reading: Reading): string[] {
  const accepted = typesOf(reading.reader);
  const given = typesOf(reading.writer);
  if (accepted.length === 0) return [];
  const accepts = (type: string): boolean =>
    accepted.includes(type) || (type === 'integer' && accepted.includes('number'));
  const refused = given.length === 0 ? ['anything'] : given.filter((type) => !accepts(type));
  if (refused.length === 0) return [];
  const [others, usual] = [refused.join(' or '), accepted.join(' or ')];
  return [
    sentence(reading, `no longer takes ${others}, only ${usual}`, `can be ${others}, not only ${usual}`),
  ];
}

function enumMisfits(reading: Reading): string[] {
  const accepted = reading.reader.schema.enum;
  const given = reading.writer.schema.enum;
  if (!accepted) return [];
  const others = given?.filter((value) => !accepted.includes(value)).map(String) ?? ['other values'];
  if (others.length === 0) return [];
  return [
    sentence(reading, `no longer takes ${others.join(', ')}`, `can be ${others.join(', ')}, which is new`),
  ];
}

const UPPER = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum'];
const LOWER = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum'];
const EXACT = ['format', 'pattern', 'multipleOf', 'const'];

function limitMisfits(reading: Reading): string[] {
  const [read, written] = loose(reading);
  const number = (value: unknown, none: number): number => (typeof value === 'number' ? value : none);
  const tight = [
    ...UPPER.filter((name) => number(read[name], Infinity) < number(written[name], Infinity)),
    ...LOWER.filter((name) => number(read[name], -Infinity) > number(written[name], -Infinity)),
    ...EXACT.filter((name) => read[name] !== undefined && read[name] !== written[name]),
  ];
  return tight.map((name) => {
    const reads = JSON.stringify(read[name]);
    const writes = written[name] === undefined ? 'none' : JSON.stringify(written[name]);
    return sentence(
      reading,
      `has a narrower ${name}: ${reads}, previously ${writes}`,
      `has a wider ${name}: ${writes}, previously ${reads}`,
    );
  });
}

/** Keywords that `Schema` does not name. */
const loose = ({ reader, writer }: Reading): [Record<string, unknown>, Record<string, unknown>] => [
  { ...reader.schema },
  { ...writer.schema },
];

/** Conditions are not analyzed: any change of them counts. */
const CONDITIONS = ['if', 'then', 'else', 'allOf', 'oneOf', 'not', 'dependentRequired'];

function conditionMisfits(reading: Reading): string[] {
  const [read, written] = loose(reading);
  return CONDITIONS.filter((name) => !isDeepStrictEqual(read[name], written[name])).map(
    (name) => `${reading.place} has a different condition than before (${name})`,
  );
}

const fieldPlace = ({ place }: Reading, name: string): string =>
  place === 'the body'
    ? `"${name}"`
    : place.endsWith('"')
      ? `${place.slice(0, -1)}.${name}"`
      : `${place}.${name}`;

function requiredMisfits(reading: Reading): string[] {
  const { schema: read } = reading.reader;
  const { schema: written } = reading.writer;
  const missing = (read.required ?? [])
    .filter((name) => written.required?.includes(name) !== true)
    // A field that was removed from an answer is reported below.
    .filter((name) => reading.of === 'request' || written.properties?.[name] !== undefined)
    .map((name) => {
      const place = fieldPlace(reading, name);
      return sentence({ ...reading, place }, 'is now required', 'is no longer always present');
    });
  const isClosed = read.additionalProperties === false && written.additionalProperties !== false;
  return isClosed && reading.of === 'request'
    ? [...missing, `${reading.place} no longer takes unknown fields`]
    : missing;
}

/** A field that the old side knows must still exist. New fields are additions. */
function fieldMisfits(reading: Reading): string[] {
  const { reader, writer, of } = reading;
  const known = (of === 'request' ? writer : reader).schema.properties ?? {};
  return Object.keys(known).flatMap((name) => {
    const [read, written] = [reader.schema.properties?.[name], writer.schema.properties?.[name]];
    const place = fieldPlace(reading, name);
    if (!read || !written) return [sentence({ ...reading, place }, 'is no longer understood', 'was removed')];
    return misfits({
      of,
      reader: { ...reader, schema: read },
      writer: { ...writer, schema: written },
      place,
    });
  });
}

/** Items of lists, and values of maps. */
function elementMisfits(reading: Reading): string[] {
  const { reader, writer } = reading;
  const place = reading.place.endsWith('"') ? `${reading.place.slice(0, -1)}[]"` : `${reading.place}[]`;
  const inner = (read: unknown, written: unknown): string[] =>
    typeof read === 'object' && read !== null
      ? misfits({
          ...reading,
          reader: { ...reader, schema: read },
          writer: { ...writer, schema: typeof written === 'object' && written !== null ? written : {} },
          place,
        })
      : [];
  return [
    ...inner(reader.schema.items, writer.schema.items),
    ...inner(reader.schema.additionalProperties, writer.schema.additionalProperties),
  ];
}
