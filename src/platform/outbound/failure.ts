// Why a channel gave no usable answer: facts only. The messages are in `src/platform/outbound/failure-words.ts`.
import type { FieldFault } from '../values/field-fault.ts';

export type FailureFacts =
  /** The URL to call is invalid. */
  | { reason: 'bad_url'; part: 'api_url' | 'usercode'; fault: FieldFault }
  /** `address`: what the name resolved to; null: the host itself is an address. */
  | { reason: 'address_not_allowed'; host: string; address: string | null }
  /** `timeout_ms` null: the connection timed out before our own limit. */
  | { reason: 'timeout'; host: string; timeout_ms: number | null }
  | { reason: 'refused'; host: string }
  | {
      reason: 'unreachable';
      host: string;
      cause: 'name_unknown' | 'closed' | 'broke_off' | 'not_http' | 'network';
      /** Node's error code, if any. Node's messages are not used, because they can repeat what was sent. */
      error_code: string | null;
    }
  | { reason: 'tls'; host: string; error_code: string }
  | { reason: 'redirect'; host: string; status: number }
  /** `said`: the channel's message, masked and shortened; null: none. */
  | { reason: 'http_status'; host: string; status: number; said: string | null }
  | { reason: 'too_large'; host: string; part: 'answer'; bytes_max: number }
  | { reason: 'too_large'; host: string; part: 'headers' }
  | { reason: 'not_json'; host: string; cause: 'content_encoding' | 'body' }
  /** `field` null: the answer as a whole is wrong. */
  | { reason: 'wrong_shape'; host: string; field: string | null; fault: ShapeFault }
  | { reason: 'not_found'; host: string; usercode: string; said: string | null };

/** What is wrong with a value of the channel's answer. */
export type ShapeFault =
  | { kind: 'required' }
  | { kind: 'wrong_type'; types: readonly ('string' | 'integer' | 'boolean' | 'array' | 'object')[] }
  | { kind: 'null_character' }
  | { kind: 'lone_surrogate' }
  | { kind: 'too_long'; characters_max: number }
  | { kind: 'too_many'; elements_max: number }
  | { kind: 'repeats_key' };

export type FailureReason = FailureFacts['reason'];
export const FAILURE_REASONS = Object.keys({
  bad_url: 0,
  address_not_allowed: 0,
  timeout: 0,
  refused: 0,
  unreachable: 0,
  tls: 0,
  redirect: 0,
  http_status: 0,
  too_large: 0,
  not_json: 0,
  wrong_shape: 0,
  not_found: 0,
} satisfies Record<FailureReason, 0>);

/** An expected failure of the call. */
export type CallFailure = { kind: 'failed' } & FailureFacts;

export const failed = (facts: FailureFacts): CallFailure => ({ kind: 'failed', ...facts });
