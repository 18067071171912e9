// Security headers of every response: no MIME sniffing, no scripts, no frames. HTML pages override the policy.
import type { Config } from '../config/config.ts';

const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export type SecurityHeaders = Readonly<Record<string, string>>;

/** With TLS, browsers are told to keep using it (HSTS). */
export const securityHeadersFor = ({ public_url }: Pick<Config, 'public_url'>): SecurityHeaders => ({
  'x-content-type-options': 'nosniff',
  'content-security-policy': ANSWER_POLICY,
  ...(public_url?.startsWith('https:') === true
    ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }
    : {}),
});
