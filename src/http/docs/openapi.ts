// OpenAPI 3.1 from the schemas that validate requests: one document for channels, one for the back office.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { REASONS, REASONS_TEXT } from '../channel/reasons.ts';
import { PRICE_BELOW, PRICE_FORMAT } from '../schema.ts';
import { examplesFor } from './examples.ts';

/** The part of JSON Schema 2020-12 that our schemas use. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: string | number;
}

interface Media {
  'application/json': { schema: Schema; example?: unknown; examples?: Record<string, { value: object }> };
}

export interface Answer {
  description: string;
  headers?: Record<string, { $ref: string }>;
  /** JSON, or a file to download. */
  content?: Partial<Media> & { 'text/csv'?: { schema: Schema } };
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Media };
  responses: Record<string, Answer>;
}

interface SecurityScheme {
  type: string;
  name?: string;
  in?: string;
  scheme?: string;
  description?: string;
}

export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    description: string;
    contact?: { name: string; url?: string };
    license?: { name: string; url: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, SecurityScheme>;
    headers: Record<string, object>;
    schemas: Record<string, Schema>;
  };
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    name: 'X-Api-Key',
    in: 'header',
    description: "The channel's key: `sluice_` followed by a UUID. It decides which channel is asking.",
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An admin token. Its role decides what it may do: viewer, operator or admin.',
  },
  session: {
    type: 'apiKey',
    name: 'sluice_session',
    in: 'cookie',
    description:
      'Or the session of an account, which `POST /session` opens; over TLS the cookie is called ' +
      '`__Host-sluice_session`. Whatever is not GET then also needs the `csrf_token` of the session in `X-CSRF-Token`.',
  },
} as const;

/** Answers with an ETag. */
const TAGGED = ['get /inventory 200', 'get /inventory 304'];

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier answer: 304 where the list is still the same.',
  schema: { type: 'string' },
  example: '"mW3q0c9XbNw"',
};

const SIGNING: readonly Parameter[] = [
  {
    name: 'X-Sluice-Timestamp',
    in: 'header',
    required: false,
    description: 'Only for a channel that signs its requests: Unix seconds.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1794700000',
  },
  {
    name: 'X-Sluice-Signature',
    in: 'header',
    required: false,
    description: 'Only for a channel that signs its requests: `v1=` and the HMAC in hexadecimal.',
    schema: { type: 'string', pattern: '^v1=[0-9a-f]{64}$' },
    example: 'v1=ec15fc2d24e87687d085b6f3bc18505898bd9720932ba00f424ed7e89e91894d',
  },
];

/** What differs between the two documents. */
const DOCUMENTS = {
  channel: {
    prefix: '/api/v1',
    schemes: ['apiKey'],
    title: 'Sluice channel API',
    server: 'The base address of the channel API.',
    description:
      'Read sellable stock, submit orders, report what became of them. Two shapes of errors: a request that is ' +
      'not of the required form is answered with `message` and `errors` by field; a rule that says no, with ' +
      '`error` alone. The header `Sluice-Error` names the reason of every refusal: decide on it, on the status and on `code`, ' +
      'not on the text. Amounts are decimal strings. ' +
      'Sending an order again is safe: 200 instead of 201.\n\nA channel can agree to sign its requests: ' +
      '`X-Sluice-Timestamp` holds Unix seconds, `X-Sluice-Signature` holds `v1=` and the HMAC-SHA256 in hexadecimal, ' +
      'under the signing secret, over method, path with query as sent, and timestamp, each followed by a line feed, ' +
      'then the bytes of the body. The timestamp may be five minutes off; a request that is sent again within them ' +
      'changes nothing, because orders and reports can be repeated. A channel can also have a limit of requests: ' +
      'its answers then say what is left of it, and 429 says how long to wait.',
    headers: ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    refusals: ['Sluice-Error'],
    signing: SIGNING,
    examples: examplesFor,
    tags: {
      inventory: 'What the channel may sell.',
      orders: 'Orders of the channel, and what became of them.',
    },
  },
  admin: {
    prefix: '/admin/v1',
    schemes: ['bearer', 'session'],
    title: 'Sluice admin API',
    server: 'The base address of the admin API.',
    description:
      'Channels, catalogue, stock, allocations and orders for the back office. Success is `data`; lists add ' +
      '`next_cursor`, which is null on the last page. Errors have the two shapes of the channel API. Every refusal also ' +
      'carries `code` and, where there are facts, `details`; those of a validation error list each fault with its field, ' +
      'code and facts. Decide on these: the texts are for people and may change.',
    headers: [],
    refusals: [],
    signing: [],
    examples: () => null,
    tags: {},
  },
} as const;
export type DocumentName = keyof typeof DOCUMENTS;

/** The revision of the interface description that the channel API follows. */
const INTERFACE_VERSION = '1.5.0';

export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Sluice', version: INTERFACE_VERSION },
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    // The plugin drops `$id` or creates its own references; a title is kept.
    transform: ({ schema, url }) => ({ schema: portable(titled(schema)), url }),
  });
}

/** A copy in which `change` has replaced each object, the inner ones first. */
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

/** U+0000 cannot be stored. Lone surrogates neither, but a class for them would refuse emoji without the flag `u`. */
const STORABLE = '^[^\\u0000]*$';
const NOT_BLANK = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** What other programs know instead of our own formats. */
const PORTABLE: Record<string, object> = {
  text: { pattern: STORABLE },
  nonblank: { pattern: NOT_BLANK },
  [PRICE_FORMAT]: { exclusiveMaximum: PRICE_BELOW },
};

const portable = <T>(schema: T): T =>
  rebuilt(schema, (copy) => {
    const { format, then, ...rest }: { format?: unknown; then?: Schema; properties?: Schema['properties'] } =
      copy;
    // Some tools read a branch as if it were the whole object, so it names all properties.
    const named = Object.keys(rest.properties ?? {}).map((name) => [name, {}]);
    const branch = then
      ? { then: { ...then, properties: { ...Object.fromEntries(named), ...then.properties } } }
      : {};
    const known = typeof format === 'string' ? PORTABLE[format] : undefined;
    return { ...rest, ...branch, ...(known ?? (format === undefined ? {} : { format })) };
  });

/** `origin` is empty where the public address is not known. */
export function documentOf(app: FastifyInstance, name: DocumentName, origin: string): OpenApiDocument {
  const about = DOCUMENTS[name];
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
      const description = Object.entries(about.tags).find(([known]) => known === tag)?.[1];
      return { name: tag, ...(description === undefined ? {} : { description }) };
    }),
    paths,
    components: {
      securitySchemes: Object.fromEntries(about.schemes.map((scheme) => [scheme, SECURITY_SCHEMES[scheme]])),
      headers: usedHeaders(paths),
      schemas,
    },
  };
}

const usedHeaders = (paths: OpenApiDocument['paths']): Record<string, object> => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
};

/** Moves schemas with a title to the components, under that name. */
const hoist = <T>(value: T, schemas: Record<string, Schema>): T =>
  rebuilt(value, (copy) => {
    const { title }: { title?: unknown } = copy;
    // A property may be named "title" too; then it is a schema.
    if (typeof title !== 'string') return copy;
    schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  });

const HEADERS = {
  'Sluice-Error': {
    description: `Of a refusal: why, for programs. ${REASONS_TEXT}.`,
    schema: { type: 'string', enum: REASONS },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated: `@` and Unix seconds (RFC 9745).',
    schema: { type: 'string' },
  },
  Sunset: {
    description: 'Until when the operation is answered (RFC 8594).',
    schema: { type: 'string' },
  },
  RequestId: { description: 'Names this request in our logs.', schema: { type: 'string' } },
  ETag: {
    description: 'Names the content of the list; for If-None-Match of the next request.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer' } },
  'RateLimit-Limit': {
    description: 'Only for a channel with a limit: how many requests may come at once.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: { type: 'integer' } },
  'RateLimit-Reset': {
    description: 'Seconds until all of them are there again.',
    schema: { type: 'integer' },
  },
};

const ANSWERS: Record<string, string> = {
  200: 'The answer.',
  201: 'Taken or made.',
  204: 'Done; there is no body.',
  304: 'Nothing has changed since; there is no body.',
  401: 'No credentials, or none that are valid.',
  408: 'The request did not arrive in time: send it again.',
  403: 'The role does not allow it, or `code` says why not.',
  404: 'There is nothing of this name.',
  409: 'In conflict with how things are now.',
  422: 'Not of the required form (`message` and `errors`), or a rule says no (`error`).',
  429: 'Too many attempts: wait.',
  500: 'A fault on our side.',
  503: 'No work is taken at the moment: send it again.',
};

/** Adds what the routes do not declare: operation ids, texts, headers, an example. */
function completed(
  method: string,
  path: string,
  operation: Operation,
  { headers: always, refusals, signing, examples: examplesOf }: (typeof DOCUMENTS)[DocumentName],
): Operation {
  const examples = examplesOf(`${method} ${path}`);
  const responses = Object.entries(operation.responses).map(([status, { content }]): [string, Answer] => {
    const wait =
      status === '503' || status === '429'
        ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
        : {};
    const tags = TAGGED.includes(`${method} ${path} ${status}`) ? ['ETag'] : [];
    const own = [
      ...always,
      ...tags,
      ...(Number(status) >= 400 ? refusals : []),
      ...(operation.deprecated === true ? ['Deprecation', 'Sunset'] : []),
    ];
    const headers = {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...wait,
      ...Object.fromEntries(own.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    };
    const hasBody = content !== undefined && status !== '204' && status !== '304';
    const description = ANSWERS[status] ?? 'The answer.';
    const shown = Object.entries(examples?.answers[status] ?? {}).map(([name, value]) => [name, { value }]);
    const json = content?.['application/json'];
    if (json && shown.length > 0) json.examples = Object.fromEntries(shown);
    return [status, { description, headers, ...(hasBody ? { content } : {}) }];
  });
  const parameters = [
    ...(operation.parameters ?? []),
    ...(TAGGED.includes(`${method} ${path} 304`) ? [IF_NONE_MATCH] : []),
    ...signing,
  ].map((parameter) => {
    const example = examples?.parameters?.[parameter.name];
    return example === undefined ? parameter : { ...parameter, example };
  });
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
