// Explains what was wrong with a request, with a link to the docs. Correct but unusual results are explained too.
import type { Body } from './body.ts';
import { explainKey } from './explain-key.ts';
import { meantBy, type Meant, type Operation } from './operations.ts';

export interface Note {
  is_fault: boolean;
  text: string;
  /** The link to the documentation. */
  link: string;
}

export interface Facts {
  method: string;
  /** The requested path with its query, without keys. */
  path: string;
  status: number;
  /** The key as sent; null: none. */
  api_key: string | null;
  sent: Body;
  answer: unknown;
  /** Whether the body of a resend differs from that of the first request; false if the first one was not seen. */
  has_other_body: boolean;
}

interface ErrorBody {
  error?: string;
  code?: string;
  errors?: Record<string, string[]>;
  current_status?: number;
}

export function explain(facts: Facts, operations: readonly Operation[]): Note[] {
  const meant = meantBy(operations, facts.method, facts.path);
  const body: ErrorBody | null = typeof facts.answer === 'object' ? facts.answer : null;
  const fault = (...texts: string[]): Note[] =>
    texts.map((text) => ({ is_fault: true, text, link: meant.link }));
  const { status } = facts;
  if (status === 200 && meant.id === 'postOrders') return resend(facts, meant);
  if (status === 304) {
    const text = 'Nothing has changed since the list with this ETag, so there is no body. That is fine.';
    return [{ is_fault: false, text, link: meant.link }];
  }
  if (status < 400) return [];
  if (status === 401) return fault(...unauthorized(facts, body));
  if (meant.id === null && (status === 404 || status === 405)) return fault(noSuchPath(facts, meant));
  if (body?.errors) return fault(...invalid(facts, body.errors));
  if (status === 409) return fault(conflict(body));
  if (status === 422) return fault(refused(body?.error ?? ''));
  return fault(OTHERS[status]?.(body?.error ?? '') ?? body?.error ?? `The answer was ${status}.`);
}

function resend({ has_other_body }: Facts, { link }: Meant): Note[] {
  const known =
    'This order number was taken before, so the answer is the stored order, with 200 instead of 201. Nothing is counted twice. That is fine.';
  const ignored =
    'The body differs from that of the first request. Only the first counts: a different order needs a different order_number.';
  return [
    { is_fault: false, text: known, link },
    ...(has_other_body ? [{ is_fault: true, text: ignored, link }] : []),
  ];
}

const SIGNATURE: Readonly<Record<string, string>> = {
  signature_missing:
    'The key is right, but this channel has to sign its requests, and the signature headers are missing.',
  signature_invalid:
    'The key is right, but the signature does not match: it covers the method, the path with its query as sent, the timestamp and the bytes of the body.',
  signature_expired:
    'The key is right, but the timestamp of the signature is too far from the time of the server: check the clock of the sending machine.',
};

const unauthorized = ({ api_key }: Facts, body: ErrorBody | null): string[] => [
  SIGNATURE[body?.code ?? ''] ?? explainKey(api_key),
];

function noSuchPath({ method, path }: Facts, { near }: Meant): string {
  const asked = `There is no operation at ${method} ${path.split('?')[0]}.`;
  return near === null
    ? `${asked} Every path of the channel API begins with /api/v1.`
    : `${asked} Did you mean ${near}?`;
}

function invalid({ sent }: Facts, errors: Record<string, string[]>): string[] {
  const texts = Object.entries(errors).flatMap(([field, list]) =>
    list.map((text) => text + (sent.kind === 'json' ? asSent(sent.value, field, text) : '')),
  );
  if (sent.kind !== 'broken' || sent.at === null) return texts;
  return texts.map((text) => `${text} The error is at line ${sent.at?.line}, column ${sent.at?.column}.`);
}

/** JSON types are strict, and the usual mistake is a number in quotes. */
function asSent(body: unknown, field: string, text: string): string {
  if (!/must be (?:a whole number|a number|true or false|one of)/.test(text)) return '';
  const value = field
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], body);
  const isQuoted = typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value.trim());
  return isQuoted ? ' It was sent as text: leave the quotation marks out.' : '';
}

function conflict(body: ErrorBody | null): string {
  if (body?.code === 'insufficient_stock')
    return `${body.error} The order stays as it is; the same report succeeds once stock was added.`;
  const final = 'This is final: do not send the report again.';
  const others =
    body?.current_status === 3 || body?.current_status === 88
      ? 'Shipped and cancelled orders cannot change any more.'
      : 'Orders only move forward.';
  return `${body?.error ?? 'This change of status is not possible.'} ${others} ${final}`;
}

/** Explanations by the beginning or end of the error text; test/sandbox.test.ts triggers each of them. */
const RULES: readonly [RegExp, string][] = [
  [
    /is not mapped/,
    'An administrator has to map it to a product first; GET /api/v1/inventory lists the mapped SKUs.',
  ],
  [
    /has no stock record/,
    'The product is known, but its stock was never counted: lookups show 0 until it is.',
  ],
  [
    /^Not enough stock/,
    'This answer decides, not an earlier lookup: other orders may have come in meanwhile.',
  ],
  [/^Limit of this channel/, 'The operator sets these limits: ask for a higher one, or order less at once.'],
  [/^Backorder quota/, 'Lookups show the remaining quota as reserve_remaining.'],
];

function refused(error: string): string {
  const hint = RULES.find(([pattern]) => pattern.test(error))?.[1];
  return hint === undefined ? error : `${error} ${hint}`;
}

const OTHERS: Readonly<Record<number, (error: string) => string>> = {
  404: (error) => `${error} Order numbers and SKUs are looked up for the channel of this key alone.`,
  408: (error) => error,
  429: (error) => `${error} Wait for the time in Retry-After.`,
  500: () =>
    'An error in the service, or an order number that another channel has used: begin your order numbers with your own prefix.',
  503: (error) => `${error} Orders and reports can be resent safely; wait for the time in Retry-After.`,
};
