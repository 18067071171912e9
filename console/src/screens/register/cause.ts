// The kind of a failure, so that the page can say what to do.
import { ApiError } from '../../api/error.ts';

/** By `details.reason` of `channel_failed`. */
const CAUSES = {
  bad_url: 'address',
  address_not_allowed: 'address',
  timeout: 'timeout',
  refused: 'refused',
  unreachable: 'unreachable',
  tls: 'tls',
  redirect: 'redirect',
  http_status: 'http_status',
  too_large: 'too_large',
  not_json: 'not_json',
  wrong_shape: 'wrong_shape',
} as const;

export type Cause =
  | (typeof CAUSES)[keyof typeof CAUSES]
  | 'channel_error'
  | 'no_address'
  | 'service'
  | 'other';

export function causeOf(error: unknown): Cause {
  if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) return 'service';
  if (error.code === 'api_url_missing') return 'no_address';
  if (error.code === 'channel_failed' && Number(error.details['status']) >= 500) return 'channel_error';
  const causes: Record<string, Cause> = CAUSES;
  return (error.code === 'channel_failed' && causes[String(error.details['reason'])]) || 'other';
}

/** Causes for which the page links to the channel's settings. */
export const isOfChannel = (cause: Cause): boolean =>
  !['service', 'other', 'channel_error', 'wrong_shape', 'too_large'].includes(cause);
