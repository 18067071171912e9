// The texts of the OpenAPI documents besides the routes: titles, descriptions, security schemes, headers.
import { REASONS, REASONS_TEXT } from '../../core/channel-api/reasons.ts';
import type { Parameter } from './document.ts';
import { examplesFor } from '../../core/channel-api/examples.ts';

export const SECURITY_SCHEMES = {
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

export const IF_NONE_MATCH: Parameter = {
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

/** The differences between the two documents. */
export const DOCUMENTS = {
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

export const HEADERS = {
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

export const ANSWERS: Record<string, string> = {
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
