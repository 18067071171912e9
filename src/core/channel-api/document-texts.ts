// The texts of the channel API's OpenAPI document besides the routes.
import type { DocumentTexts, Parameter } from '../../platform/docs/document.ts';
import { examplesFor } from './examples.ts';
import { CHANNEL_API_PATH } from './paths.ts';
import { REASONS, REASONS_TEXT } from './reasons.ts';

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

export const CHANNEL_DOCUMENT: DocumentTexts = {
  prefix: CHANNEL_API_PATH,
  schemes: {
    apiKey: {
      type: 'apiKey',
      name: 'X-Api-Key',
      in: 'header',
      description: "The channel's key: `sluice_` followed by a UUID. It decides which channel is asking.",
    },
  },
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
  headers: {
    'RateLimit-Limit': {
      description: 'Only for a channel with a limit: how many requests may come at once.',
      schema: { type: 'integer' },
    },
    'RateLimit-Remaining': { description: 'How many of them are left.', schema: { type: 'integer' } },
    'RateLimit-Reset': {
      description: 'Seconds until all of them are there again.',
      schema: { type: 'integer' },
    },
  },
  refusals: {
    'Sluice-Error': {
      description: `Of a refusal: why, for programs. ${REASONS_TEXT}.`,
      schema: { type: 'string', enum: REASONS },
    },
  },
  parameters: SIGNING,
  tagged: ['get /inventory'],
  examples: examplesFor,
  tags: {
    inventory: 'What the channel may sell.',
    orders: 'Orders of the channel, and what became of them.',
  },
};
