// Generates TypeScript types from the OpenAPI documents, for the channel API client and the console.
// `npm run types:api` writes them; `npm run check` and test/client.test.ts fail if a stored file is outdated. Why no
// library is used: ADR 0006.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, type FormatConfig } from 'oxfmt';
import { readDocument } from './openapi-documents.ts';
import type {
  ResponseObject,
  OpenApiDocument,
  Operation,
  Parameter,
  Schema,
} from '../../src/platform/docs/document.ts';

const fileAt = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const TYPE_FILES = {
  api: fileAt('clients/typescript/src/schema.ts'),
  admin: fileAt('console/src/api/schema.ts'),
} as const;
const STYLE = new URL('../../.oxfmtrc.json', import.meta.url);

export async function typesOf({ info, paths, components }: OpenApiDocument): Promise<string> {
  const schemas = Object.entries(components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation)),
  );
  const text = [
    `// Written by tools/scripts/api-types.ts from the OpenAPI document "${info.title}". Not to be edited.`,
    '',
    `export interface Schemas ${block(schemas.map(([name, schema]) => property(name, schema)))}`,
    '',
    `export interface Operations ${block(operations)}`,
    '',
    `export interface Paths ${block(Object.entries(paths).map(([path, methods]) => pathOf(path, methods)))}`,
  ].join('\n');
  const style = JSON.parse(readFileSync(STYLE, 'utf8')) as FormatConfig;
  const { code, errors } = await format('schema.ts', text, style);
  if (errors.length > 0) throw new Error(`The types cannot be read: ${errors[0]?.message}\n${text}`);
  return code;
}

function pathOf(path: string, methods: Record<string, Operation>): string {
  const lines = Object.entries(methods).map(
    ([method, { operationId }]) => `${method}: Operations['${operationId}'];`,
  );
  return `${JSON.stringify(path)}: ${block(lines)};`;
}

/** Starts with a line break, which the formatter keeps. */
const block = (lines: readonly string[]): string => `{\n${lines.join('\n')}\n}`;

function operationOf(path: string, method: string, operation: Operation): string {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, answer]) => property(status, bodyOf(answer)));
  const parts = [
    ...(['path', 'query'] as const).flatMap((place) => parametersIn(place, parameters)),
    ...(requestBody ? [property('body', requestBody.content['application/json'].schema)] : []),
    `answers: ${block(answers)};`,
  ];
  return `/** ${method.toUpperCase()} ${path} */\n${operationId}: ${block(parts)};`;
}

function parametersIn(place: Parameter['in'], parameters: readonly Parameter[]): string[] {
  const chosen = parameters.filter((parameter) => parameter.in === place);
  if (chosen.length === 0) return [];
  const lines = chosen.map(({ name, description = '', schema, required = false }) =>
    property(name, { description, ...schema }, required),
  );
  return [`${place}: ${block(lines)};`];
}

/** The body of an answer; null if it has none. */
const bodyOf = ({ content }: ResponseObject): Schema =>
  content?.['application/json']?.schema ?? { type: 'null' };

function property(name: string, schema: Schema, isRequired = true): string {
  const { description = '' } = schema;
  const comment = description === '' ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`;
  return `${comment}${JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeOf(schema)};`;
}

function typeOf(schema: Schema & { const?: unknown }): string {
  if (schema.$ref !== undefined) return `Schemas['${schema.$ref.split('/').at(-1)}']`;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  return [schema.type ?? 'unknown']
    .flat()
    .map((name) => namedType(name, schema))
    .join(' | ');
}

function namedType(name: string, schema: Schema & { patternProperties?: Record<string, Schema> }): string {
  const { items = {}, properties, required = [], additionalProperties, patternProperties = {} } = schema;
  if (name === 'integer') return 'number';
  if (name === 'array') return `(${typeOf(items)})[]`;
  if (name !== 'object') return name;
  if (properties) {
    return block(
      Object.entries(properties).map(([key, inner]) => property(key, inner, required.includes(key))),
    );
  }
  const values = [additionalProperties, ...Object.values(patternProperties)].find(
    (one) => typeof one === 'object',
  );
  return `Record<string, ${typeOf(values ?? {})}>`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const api of ['api', 'admin'] as const) {
    const types = await typesOf(await readDocument(api));
    if (process.argv[2] !== '--check') writeFileSync(TYPE_FILES[api], types);
    else if (readFileSync(TYPE_FILES[api], 'utf8') !== types) {
      process.stderr.write(`${TYPE_FILES[api]} does not match the API: run "npm run types:api".\n`);
      process.exitCode = 1;
    }
  }
}
