// Which kind of failure the service's text tells of, so that the page can say what to do about it.
// The text itself is always shown; a text that is not known here has a general heading.
import { ApiError, messageOf } from '../../api/error.ts';

const CAUSES = [
  ['no_address', /has no api_url/],
  ['address', /api_url|is not a public address/],
  ['timeout', /did not answer completely|timed out/],
  ['refused', /refused the connection/],
  ['redirect', /answered with a redirect/],
  ['not_json', /is not JSON|content encoding/],
  ['wrong_shape', /cannot be used:/],
  ['too_large', /too large|larger than/],
  ['tls', /No secure connection/],
  ['http_status', /answered with status/],
  ['unreachable', /does not exist|cannot be reached|closed the connection|broke off|does not answer in HTTP/],
] as const;

export type Cause = (typeof CAUSES)[number][0] | 'service' | 'other';

export function causeOf(error: unknown): Cause {
  if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) return 'service';
  const text = messageOf(error);
  return CAUSES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}

/** Those that are mended in the channel's settings. */
export const isOfChannel = (cause: Cause): boolean =>
  !['service', 'other', 'wrong_shape', 'too_large'].includes(cause);
