export type FailureReason =
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'address_not_allowed'
  | 'redirect'
  | 'http_status'
  | 'too_large'
  | 'not_json'
  | 'wrong_shape'
  | 'not_found'
  | 'bad_url'
  | 'tls';

/** An expected failure of the call; the message is for the administrator. */
export type Failure = { kind: 'failed'; reason: FailureReason; message: string };

export function failed(reason: FailureReason, message: string): Failure {
  return { kind: 'failed', reason, message };
}
