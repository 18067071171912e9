// OpenAPI 3.1 from the schemas that validate requests: one document for channels, one for the back office.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { PRICE_BELOW, PRICE_FORMAT } from '../schema/building-blocks.ts';
import { ADMIN_DOCUMENT, ANSWERS, HEADERS, IF_NONE_MATCH } from './document-texts.ts';
import type { DocumentTexts, ResponseObject, OpenApiDocument, Operation, Schema } from './document.ts';

/** Statuses of responses with an ETag. */
const TAGGED = ['200', '304'];

/** The revision of the interface description that the channel API follows. */
const INTERFACE_VERSION = '1.5.0';

export async function registerOpenApi(app: FastifyInstance, channel: DocumentTexts): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Sluice', version: INTERFACE_VERSION },
      components: { securitySchemes: { ...channel.schemes, ...ADMIN_DOCUMENT.schemes } },
    },
    // The plugin drops `$id` or creates its own references; a title is kept.
    transform: ({ schema, url }) => ({ schema: portable(titled(schema)), url }),
  });
}

/** A copy in which each object is replaced by the result of `change`, inner objects first. */
function rebuilt<T>(value: T, change: (copy: JsonObject) => object): T {
  const copied = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(copied);
    if (typeof inner !== 'object' || inner === null) return inner;
    return change(Object.fromEntries(Object.entries(inner).map(([key, child]) => [key, copied(child)])));
  };
  // oxlint-disable-next-line typescript/consistent-type-assertions -- what `change` returns fits where the object was; TypeScript cannot follow that through JSON.
  return copied(value) as T;
}
type JsonObject = ReturnType<typeof Object.fromEntries>;

const titled = <T>(schema: T): T =>
  rebuilt(schema, ({ $id, ...rest }) => (typeof $id === 'string' ? { title: $id, ...rest } : rest));

/** U+0000 cannot be stored. Lone surrogates cannot either, but without the flag `u` a class for them would refuse emoji. */
const STORABLE = '^[^\\u0000]*$';
const NOT_BLANK = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** Standard keywords that replace our own formats, which other programs do not know. */
const PORTABLE: Record<string, object> = {
  text: { pattern: STORABLE },
  nonblank: { pattern: NOT_BLANK },
  [PRICE_FORMAT]: { exclusiveMaximum: PRICE_BELOW },
};

const portable = <T>(schema: T): T =>
  rebuilt(schema, (copy) => {
    const { format, then, ...rest }: { format?: unknown; then?: Schema; properties?: Schema['properties'] } =
      copy;
    // Some tools treat a branch as the whole object, so the branch lists all properties.
    const named = Object.keys(rest.properties ?? {}).map((name) => [name, {}]);
    const branch = then
      ? { then: { ...then, properties: { ...Object.fromEntries(named), ...then.properties } } }
      : {};
    const known = typeof format === 'string' ? PORTABLE[format] : undefined;
    return { ...rest, ...branch, ...(known ?? (format === undefined ? {} : { format })) };
  });

/** `origin` is empty if the public address is unknown. */
export function documentOf(app: FastifyInstance, about: DocumentTexts, origin: string): OpenApiDocument {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the plugin's type is all of OpenAPI; ours is the part that our schemas can give.
  const source = app.swagger().paths as unknown as OpenApiDocument['paths'];
  const schemas: Record<string, Schema> = {};
  const paths: OpenApiDocument['paths'] = {};
  for (const [path, methods] of Object.entries(source)) {
    if (!path.startsWith(`${about.prefix}/`)) continue;
    const short = path.slice(about.prefix.length);
    paths[short] = Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        completed(method, short, hoist(operation, schemas), about),
      ]),
    );
  }
  const tags = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => operation.tags ?? []),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: INTERFACE_VERSION,
      description: about.description,
      contact: { name: 'The operator of this service', ...(origin === '' ? {} : { url: origin }) },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: origin + about.prefix, description: about.server }],
    tags: [...new Set(tags)].map((tag) => {
      const description = about.tags[tag];
      return { name: tag, ...(description === undefined ? {} : { description }) };
    }),
    paths,
    components: {
      securitySchemes: about.schemes,
      headers: usedHeaders(paths, about),
      schemas,
    },
  };
}

const usedHeaders = (
  paths: OpenApiDocument['paths'],
  { headers, refusals }: DocumentTexts,
): Record<string, object> => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries({ ...refusals, ...HEADERS, ...headers }).filter(([name]) =>
      text.includes(`"#/components/headers/${name}"`),
    ),
  );
};

/** Moves schemas with a title to the components, under that name. */
const hoist = <T>(value: T, schemas: Record<string, Schema>): T =>
  rebuilt(value, (copy) => {
    const { title }: { title?: unknown } = copy;
    // A property may be named "title" as well; its value is then a schema.
    if (typeof title !== 'string') return copy;
    const known = schemas[title];
    if (known && JSON.stringify(known) !== JSON.stringify(copy))
      throw new Error(`two schemas are called ${title}`);
    schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  });

/** Adds what the routes do not declare: operation ids, texts, headers, an example. */
function completed(
  method: string,
  path: string,
  operation: Operation,
  { headers: always, refusals, parameters: common, tagged, examples: examplesOf }: DocumentTexts,
): Operation {
  const name = `${method} ${path}`;
  const examples = examplesOf(name);
  const hasTag = tagged.includes(name);
  const responses = Object.entries(operation.responses).map(
    ([status, { content }]): [string, ResponseObject] => {
      const wait =
        status === '503' || status === '429'
          ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
          : {};
      const tags = hasTag && TAGGED.includes(status) ? ['ETag'] : [];
      const own = [
        ...Object.keys(always),
        ...tags,
        ...(Number(status) >= 400 ? Object.keys(refusals) : []),
        ...(operation.deprecated === true ? ['Deprecation', 'Sunset'] : []),
      ];
      const headers = {
        'X-Request-Id': { $ref: '#/components/headers/RequestId' },
        ...wait,
        ...Object.fromEntries(own.map((header) => [header, { $ref: `#/components/headers/${header}` }])),
      };
      const hasBody = content !== undefined && status !== '204' && status !== '304';
      const description = ANSWERS[status] ?? 'The answer.';
      const shown = Object.entries(examples?.answers[status] ?? {}).map(([title, value]) => [
        title,
        { value },
      ]);
      const json = content?.['application/json'];
      if (json && shown.length > 0) json.examples = Object.fromEntries(shown);
      return [status, { description, headers, ...(hasBody ? { content } : {}) }];
    },
  );
  const parameters = [...(operation.parameters ?? []), ...(hasTag ? [IF_NONE_MATCH] : []), ...common].map(
    (parameter) => {
      const example = examples?.parameters?.[parameter.name];
      return example === undefined ? parameter : { ...parameter, example };
    },
  );
  if (examples?.request && operation.requestBody)
    operation.requestBody.content['application/json'].example = examples.request;
  return {
    ...operation,
    ...(parameters.length > 0 ? { parameters } : {}),
    operationId: operationIdOf(method, path),
    responses: Object.fromEntries(responses),
  };
}

/** `post /orders/{orderNumber}/status` → postOrdersByOrderNumberStatus */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replaceAll(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
