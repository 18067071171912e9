// OpenAPI 3.1 from the schemas that validate requests: one document for channels, one for the back office.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { REASONS, REASONS_TEXT } from '../channel/reasons.ts';

/** The part of JSON Schema 2020-12 that our schemas use. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
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
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Media {
  'application/json': { schema: Schema; example?: unknown };
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
  info: { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  tags: { name: string }[];
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
};

const SIGNING: readonly Parameter[] = [
  {
    name: 'X-Sluice-Timestamp',
    in: 'header',
    required: false,
    description: 'Only for a channel that signs its requests: Unix seconds.',
    schema: { type: 'string' },
  },
  {
    name: 'X-Sluice-Signature',
    in: 'header',
    required: false,
    description: 'Only for a channel that signs its requests: `v1=` and the HMAC in hexadecimal.',
    schema: { type: 'string' },
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
    transform: ({ schema, url }) => ({ schema: titled(schema), url }),
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
    info: { title: about.title, version: INTERFACE_VERSION, description: about.description },
    servers: [{ url: origin + about.prefix, description: about.server }],
    tags: [...new Set(tags)].map((tag) => ({ name: tag })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(about.schemes.map((scheme) => [scheme, SECURITY_SCHEMES[scheme]])),
      headers: HEADERS,
      schemas,
    },
  };
}

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
  { headers: always, refusals, signing }: (typeof DOCUMENTS)[DocumentName],
): Operation {
  const responses = Object.entries(operation.responses).map(([status, { content }]): [string, Answer] => {
    const wait =
      status === '503' || status === '429'
        ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
        : {};
    const tags = TAGGED.includes(`${method} ${path} ${status}`) ? ['ETag'] : [];
    const own = [...always, ...tags, ...(Number(status) >= 400 ? refusals : [])];
    const headers = {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...wait,
      ...Object.fromEntries(own.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    };
    const hasBody = content !== undefined && status !== '204' && status !== '304';
    const description = ANSWERS[status] ?? 'The answer.';
    return [status, { description, headers, ...(hasBody ? { content } : {}) }];
  });
  const parameters = [
    ...(operation.parameters ?? []),
    ...(TAGGED.includes(`${method} ${path} 304`) ? [IF_NONE_MATCH] : []),
    ...signing,
  ];
  const example = EXAMPLES[`${method} ${path}`];
  if (example !== undefined && operation.requestBody)
    operation.requestBody.content['application/json'].example = example;
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

const EXAMPLES: Record<string, object> = {
  'post /inventory/lookup': { skus: ['LENS-100', 'LENS-200'] },
  'post /orders': {
    order_number: 'A-20261115-0001',
    recipient_name: 'Kim Minji',
    recipient_phone: '010-1234-5678',
    shipping_address: '12 Teheran-ro, Gangnam-gu, Seoul',
    items: [{ sku: 'LENS-100', quantity: 2, unit_price: 22500 }],
  },
  'post /orders/{orderNumber}/status': { status: 3, tracking_number: '6864-1234-5678', courier_code: 'CJ' },
};
