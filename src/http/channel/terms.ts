// What a channel is held to beyond its key: right after the key, before anything else of the request is looked at. The
// limit comes first, because it is cheap; so requests with a wrong signature count too.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../../domain/rate-limit.ts';
import { UNSIGNED } from '../../domain/credentials.ts';
import { readSignature, signedHead, type GivenSignature } from '../../domain/signature.ts';
import type { ActiveChannel, Signing } from '../../store/active-channels.ts';
import type { Services } from '../services.ts';
import { RETRY_AFTER_SECONDS } from '../transport/shedding.ts';
import { nameReason } from './reasons.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Given, and not yet held against the body. */
    signature: PendingSignature | null;
    /** The secret that the signature was checked against; UNSIGNED: none. */
    secret_id: number;
  }
}

interface PendingSignature extends GivenSignature {
  signing: Signing;
}

type Code = keyof typeof TEXTS;

const TEXTS = {
  rate_limited: 'Too many requests: wait for as long as Retry-After says.',
  signature_missing: 'This request must be signed: send X-Sluice-Timestamp and X-Sluice-Signature.',
  signature_invalid: 'The signature does not fit the request.',
  signature_expired: 'X-Sluice-Timestamp is more than five minutes away from the time here.',
  signature_unchecked: 'The service cannot check the signature right now. Please send the request again.',
};
const STATUSES = { rate_limited: 429, signature_unchecked: 503 };

const statusOf = (code: Code): number => (code in STATUSES ? STATUSES[code as keyof typeof STATUSES] : 401);

/** As an error, for where Fastify takes nothing else. */
export class TermsError extends Error {
  readonly code: Code;
  constructor(code: Code) {
    super(TEXTS[code]);
    this.name = 'TermsError';
    this.code = code;
  }
}

export const termsBody = (code: Code): object => ({ error: TEXTS[code], code });

export function answerTerms(reply: FastifyReply, code: Code, { metrics }: Services): FastifyReply {
  metrics.channelRefusal(code);
  if (code === 'signature_unchecked') reply.header('retry-after', RETRY_AFTER_SECONDS);
  return nameReason(reply, code).code(statusOf(code)).send(termsBody(code));
}

/** null: nothing against it so far. Where there is a body, its signature is left for `checkSignature`. */
export function objectionTo(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, terms }: ActiveChannel,
): Code | null {
  if (!terms) return null;
  const { rate_limit, signing } = terms;
  if (rate_limit && !isWithin(services, reply, id, rate_limit)) return 'rate_limited';
  return signing && objectionToSigning(request, signing);
}

function objectionToSigning(request: FastifyRequest, signing: Signing): Code | null {
  const given = readSignature(
    {
      signature: textOf(request.headers['x-sluice-signature']),
      timestamp: textOf(request.headers['x-sluice-timestamp']),
    },
    signing.isRequired,
    Date.now() / 1000,
  );
  if (given === null || typeof given === 'string') return given;
  const pending = { ...given, signing };
  if (!hasBody(request)) return objectionToSignature(pending, request, NOTHING);
  request.signature = pending;
  return null;
}

function isWithin({ rateLimits }: Services, reply: FastifyReply, id: number, limit: RateLimit): boolean {
  const { isTaken, remaining, reset_s, retry_after_s } = rateLimits.take(id, limit);
  reply.header('ratelimit-limit', limit.burst);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', reset_s);
  if (!isTaken) reply.header('retry-after', retry_after_s);
  return isTaken;
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

const NOTHING = Buffer.alloc(0);

/** As Fastify sees it: then, and only then, the bytes are shown to `checkSignature`. */
function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The terms have changed since the request began: it is held to those of this moment. */
export function holdToTerms(request: FastifyRequest, { terms }: ActiveChannel): void {
  request.signature = null;
  request.secret_id = UNSIGNED;
  const code = terms?.signing ? objectionToSigning(request, terms.signing) : null;
  if (code !== null) throw new TermsError(code);
}

/** Before the body is parsed: what is in it does not matter while nobody knows who wrote it. */
export function checkSignature(request: FastifyRequest, body: Buffer): void {
  if (!request.signature) return;
  const code = objectionToSignature(request.signature, request, body);
  if (code !== null) throw new TermsError(code);
  request.signature = null;
}

function objectionToSignature(
  { signing, timestamp, digest }: PendingSignature,
  request: FastifyRequest,
  body: Buffer,
): Code | null {
  const given = Buffer.from(digest, 'hex');
  const head = signedHead(request.method, request.raw.url ?? '', timestamp);
  for (const secret of signing.secrets) {
    // Node holds the path as one character for each byte that was sent.
    const right = createHmac('sha256', secret.key).update(head, 'latin1').update(body).digest();
    if (timingSafeEqual(right, given)) {
      secret.used = true;
      request.secret_id = secret.id;
      return null;
    }
  }
  return signing.isClosed ? 'signature_unchecked' : 'signature_invalid';
}
