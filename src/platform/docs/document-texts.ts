// Texts that both OpenAPI documents share, and those of the admin API. The channel API's texts are in its own room.
import type { DocumentTexts, Parameter } from './document.ts';

export const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier answer: 304 where the list is still the same.',
  schema: { type: 'string' },
  example: '"mW3q0c9XbNw"',
};

export const ADMIN_DOCUMENT: DocumentTexts = {
  prefix: '/admin/v1',
  schemes: {
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
  },
  title: 'Sluice admin API',
  server: 'The base address of the admin API.',
  description:
    'Channels, catalogue, stock, allocations and orders for the back office. Success is `data`; lists add ' +
    '`next_cursor`, which is null on the last page. Errors have the two shapes of the channel API. Every refusal also ' +
    'carries `code` and, where there are facts, `details`; those of a validation error list each fault with its field, ' +
    'code and facts. Decide on these: the texts are for people and may change.',
  headers: {},
  refusals: {},
  parameters: [],
  tagged: [],
  examples: () => null,
  tags: {},
};

/** Headers that an answer of both APIs may have. */
export const HEADERS: Readonly<Record<string, object>> = {
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
