// Judges whether an answer is allowed.
import { METHODS } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { findOperation, isJson, parsedBody, type ApiOperation } from './document.ts';
import { asksForUpgrade, isComplete, isWhole, type Case, type HttpMessage } from './message.ts';
import type { RawAnswer, RawExchange } from '../../kit/raw-http.ts';

/** `kind` stays the same while a case is shrunk. */
export interface HttpFault {
  kind: string;
  text: string;
}

/** Node reads at most 16 KiB of headers. */
const HEAD_BYTES_SAFE = 8_000;
const USUAL_HEADERS = ['Host', 'X-Request-Id', 'X-Api-Key', 'Authorization', 'Cookie', 'X-CSRF-Token'];

const LEAKS =
  /\bat \S+:\d+:\d+|node_modules|node:internal|\bFST_ERR|\bsqlstate\b|violates [\w-]+ constraint|invalid byte sequence/i;

/** Operations that hash passwords: their queue may be full. No other operation may answer 503 here. */
const MAY_BE_BUSY = /(session|password|users)/;

export function faultIn(
  operations: readonly ApiOperation[],
  given: Case,
  { answers, end, ms, rest }: RawExchange,
): HttpFault | null {
  // Node misses a parse error after an ignored "Upgrade" until the header timeout; see campaign.ts.
  if (given.messages.slice(0, -1).some(asksForUpgrade) && end === 'silent') return null;
  if (end === 'silent')
    return {
      kind: 'silent',
      text: `no answer, and the connection was still open after ${Math.round(ms)} ms`,
    };
  if (end === 'garbled')
    return {
      kind: 'garbled',
      text: `bytes that are not an HTTP response: ${JSON.stringify(rest.toString('latin1', 0, 200))}`,
    };
  const unanswered = missingAnswer(given, answers);
  if (unanswered) return unanswered;
  for (const [place, answer] of answers.entries()) {
    const fault = faultOfAnswer(operations, given.messages[place] ?? null, answer);
    if (fault) return fault;
  }
  return null;
}

/**
 * Every message before the first malformed one must be answered; a malformed one is only guaranteed an answer if it is
 * alone.
 */
function missingAnswer(given: Case, answers: readonly RawAnswer[]): HttpFault | null {
  if (!isComplete(given)) return null;
  const firstOdd = given.messages.findIndex((message) => !isPlain(message));
  const wanted = firstOdd === -1 ? given.messages.length : Math.max(1, firstOdd);
  // A message after "close" or "upgrade" makes the service close the connection, which may discard the last answer.
  const closing = given.messages.slice(0, -1).findIndex(saysClose);
  if (answers.length >= (closing === -1 ? wanted : Math.min(wanted, closing))) return null;
  if (answers.at(-1)?.headers.get('connection')?.toLowerCase() === 'close') return null;
  return {
    kind: 'unanswered',
    text: `closed after ${answers.length} of ${given.messages.length} answers, of which ${wanted} were expected`,
  };
}

const saysClose = ({ version, headers }: HttpMessage): boolean =>
  version === 'HTTP/1.0' ||
  headers.some(([name, value]) => name.toLowerCase() === 'connection' && /close|upgrade/i.test(value));

/** Certainly valid HTTP, with usual headers only. */
export const isPlain = ({ method, target, version, headers }: HttpMessage): boolean =>
  METHODS.includes(method) &&
  method !== 'CONNECT' &&
  /^\/[\x21-\x7e]*$/.test(target) &&
  version === 'HTTP/1.1' &&
  target.length < HEAD_BYTES_SAFE &&
  headers.every(([name, value]) => USUAL_HEADERS.includes(name) && /^[\x20-\x7e]{0,4000}$/.test(value));

function faultOfAnswer(
  operations: readonly ApiOperation[],
  message: HttpMessage | null,
  answer: RawAnswer,
): HttpFault | null {
  const { status, headers } = answer;
  const body = headers.get('content-encoding') === 'gzip' ? gunzipSync(answer.body) : answer.body;
  const text = body.toString();
  const fault = (kind: string, what: string): HttpFault => ({
    kind: `${kind} ${status}`,
    text: `${what}; status ${status}, ${text.slice(0, 300)}`,
  });
  if (!/^[\w.-]{1,64}$/.test(headers.get('x-request-id') ?? '')) return fault('id', 'no X-Request-Id');
  if (status >= 400 && LEAKS.test(text)) return fault('leak', 'the body shows internals');
  const found = message && findOperation(operations, message.method, message.target);
  if (status >= 500 && !isSpecified(message, found?.operation ?? null, answer))
    return fault('server error', 'a server error that is not specified');
  if (message?.method === 'HEAD')
    return body.length > 0 && headers.get('connection') !== 'close' ? fault('body', 'HEAD has a body') : null;
  const contentType = headers.get('content-type') ?? '';
  const wrong = found?.operation.faultOf(status, contentType, body) ?? null;
  if (found && !wrong) return null;
  if (found?.clean && !isBroken(message)) return fault('shape', wrong ?? '');
  const isPage = message?.target.startsWith('/console') || (status < 400 && !found);
  const general = isPage ? null : generalFault(answer);
  return general === null ? null : fault('shape', general);
}

/** A truncated or malformed request is answered before its operation is known. */
const isBroken = (message: HttpMessage | null): boolean =>
  message === null || !isWhole(message) || !isPlain(message);

/** 500: the order number belongs to another channel, see books.ts. 503: overloaded, with Retry-After. */
function isSpecified(
  message: HttpMessage | null,
  operation: ApiOperation | null,
  { status, headers }: RawAnswer,
): boolean {
  if (status === 500) return operation?.name === 'post /api/v1/orders';
  // The page for a console that has not been built.
  if (status === 503 && /^\/(?:c|%63)onsole/i.test(message?.target ?? '')) return true;
  if (status !== 503 || headers.get('retry-after') === undefined) return false;
  return MAY_BE_BUSY.test(message?.target ?? '');
}

/** For requests without an operation: the two error shapes, and the statuses of contract 7.5a and 7.5b. */
function generalFault({ status, headers, body }: RawAnswer): string | null {
  if (![401, 403, 404, 422, 429].includes(status) && status < 500)
    return `status ${status} for a request that matches no operation`;
  if (!isJson(headers.get('content-type') ?? '')) return 'an error that is not JSON';
  const value = parsedBody(body) as { error?: unknown; message?: unknown; errors?: unknown } | undefined;
  const isError = typeof value?.error === 'string';
  const isInvalid =
    typeof value?.message === 'string' && typeof value.errors === 'object' && value.errors !== null;
  return isError || isInvalid ? null : 'an error in neither of the two shapes';
}
