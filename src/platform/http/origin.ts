// The origin under which a client reached the service, for documents that name it.
import type { Config } from '../config/config.ts';
import { isTrustedProxy } from '../values/client-address.ts';
import type { Received } from './client-address.ts';

export type OriginConfig = Pick<Config, 'public_url' | 'trusted_proxies' | 'port'>;

/** Anything else in `Host` would be text of the client in a document of the service. */
const HOST = /^[\w.-]+(?::\d+)?$|^\[[\da-fA-F:.]+\](?::\d+)?$/;

/** `public_url` if it is set. Otherwise the `Host` of the request, over TLS only if a trusted proxy says so. */
export function originOf(
  { headers, socket }: Received,
  { public_url, trusted_proxies, port }: OriginConfig,
): string {
  if (public_url !== null) return public_url;
  const host = headers.host ?? '';
  if (!HOST.test(host)) return `http://127.0.0.1:${port}`;
  const isTls =
    headers['x-forwarded-proto'] === 'https' && isTrustedProxy(socket.remoteAddress, trusted_proxies);
  return `${isTls ? 'https' : 'http'}://${host}`;
}
