// A channel's policy: rate limit and request signatures. Checked right after the API key. The rate limit comes first
// because it is cheap; requests with a wrong signature therefore count against it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimitResult } from '../rules/rate-limit.ts';
import { UNSIGNED } from '../rules/credentials.ts';
import { readSignature, signedPrefix, type GivenSignature } from '../rules/signature.ts';
import type { ActiveChannel, Signing } from '../directory/store.ts';
import type { ChannelApi } from './channel-api.ts';
import { AnsweredError } from '../../platform/http/answered-error.ts';
import { RETRY_AFTER_SECONDS } from '../../platform/http/load-shedding.ts';
import { nameReason } from './reasons.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Well-formed, and not yet verified against the body. */
    signature: PendingSignature | null;
    /** When its headers arrived: a signature does not expire while the request waits. */
    arrived_s: number;
    /** The signing secret that verified the signature, or UNSIGNED. */
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
  signature_expired:
    'X-Sluice-Timestamp is more than five minutes away from the time here. It holds Unix seconds, not milliseconds.',
  signature_unchecked: 'The service cannot check the signature right now. Please send the request again.',
};
const STATUSES: Partial<Record<Code, number>> = { rate_limited: 429, signature_unchecked: 503 };

const statusOf = (code: Code): number => STATUSES[code] ?? 401;

export const policyBody = (code: Code): { error: string; code: Code } => ({ error: TEXTS[code], code });

export function refuseByPolicy(reply: FastifyReply, code: Code, { metrics }: ChannelApi): FastifyReply {
  metrics.channelRefusal(code);
  if (code === 'signature_unchecked') reply.header('retry-after', RETRY_AFTER_SECONDS);
  return nameReason(reply, code).code(statusOf(code)).send(policyBody(code));
}

/** Thrown where Fastify accepts only errors, such as in a body parser. */
const violated = (services: ChannelApi, code: Code): AnsweredError =>
  new AnsweredError(TEXTS[code], (reply) => refuseByPolicy(reply, code, services));

/** null: no violation so far. With a body, the signature is verified later by `checkSignature`. */
export function policyViolation(
  services: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, policy }: ActiveChannel,
): Code | null | Promise<Code | null> {
  request.arrived_s = Date.now() / 1000;
  if (!policy) return null;
  const { rate_limit, signing } = policy;
  const signingCode = () => signing && signingViolation(services, request, signing);
  if (!rate_limit) return signingCode();
  const judge = (result: RateLimitResult) => {
    tellLimit(reply, rate_limit.burst, result);
    return result.isTaken ? signingCode() : 'rate_limited';
  };
  const result = services.rateLimits.take(id, rate_limit);
  return result instanceof Promise ? result.then(judge) : judge(result);
}

function signingViolation(services: ChannelApi, request: FastifyRequest, signing: Signing): Code | null {
  const given = readSignature(
    {
      signature: textOf(request.headers['x-sluice-signature']),
      timestamp: textOf(request.headers['x-sluice-timestamp']),
    },
    signing.isRequired,
    request.arrived_s,
  );
  if (given === null || typeof given === 'string') return given;
  const pending = { ...given, signing };
  if (!hasBody(request)) return signatureViolation(services, pending, request, NOTHING);
  request.signature = pending;
  return null;
}

function tellLimit(reply: FastifyReply, burst: number, result: RateLimitResult): void {
  const { isTaken, remaining, reset_s, retry_after_s } = result;
  reply.header('ratelimit-limit', burst);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', reset_s);
  if (!isTaken) reply.header('retry-after', retry_after_s);
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

const NOTHING = Buffer.alloc(0);

/** The same condition as in Fastify's body parsing: `checkSignature` is called for these requests only. */
function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Applies the current policy, which has changed since the request began. */
export function recheckPolicy(
  services: ChannelApi,
  request: FastifyRequest,
  { policy }: ActiveChannel,
): void {
  request.signature = null;
  request.secret_id = UNSIGNED;
  const code = policy?.signing ? signingViolation(services, request, policy.signing) : null;
  if (code !== null) throw violated(services, code);
}

/** Runs before the body is parsed, so that unauthenticated input is never parsed. */
export function checkSignature(services: ChannelApi, request: FastifyRequest, body: Buffer): void {
  if (!request.signature) return;
  const code = signatureViolation(services, request.signature, request, body);
  if (code !== null) throw violated(services, code);
  request.signature = null;
}

function signatureViolation(
  { directory }: ChannelApi,
  { signing, timestamp, digest }: PendingSignature,
  request: FastifyRequest,
  body: Buffer,
): Code | null {
  const given = Buffer.from(digest, 'hex');
  const head = signedPrefix(request.method, request.raw.url ?? '', timestamp);
  for (const secret of signing.secrets) {
    // Node decodes the request target as latin1, one character per byte.
    const right = createHmac('sha256', secret.key).update(head, 'latin1').update(body).digest();
    if (timingSafeEqual(right, given)) {
      directory.usedSecret(secret.id);
      request.secret_id = secret.id;
      return null;
    }
  }
  return signing.isClosed ? 'signature_unchecked' : 'signature_invalid';
}
