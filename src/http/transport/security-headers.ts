// What every answer tells a browser, whoever gave it: take the type as it is said, run nothing, show it in no frame.
// Pages say more in their own policy.
import type { Config } from '../../config.ts';

const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export type SecurityHeaders = Readonly<Record<string, string>>;

/** Where browsers come over TLS, they are told to go on doing so. */
export const securityHeadersFor = ({ public_url }: Pick<Config, 'public_url'>): SecurityHeaders => ({
  'x-content-type-options': 'nosniff',
  'content-security-policy': ANSWER_POLICY,
  ...(public_url?.startsWith('https:') === true
    ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }
    : {}),
});
