// Signs requests as described in the documentation, independent of the service's code.
import { createHmac } from 'node:crypto';

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** `path` includes the query. */
export function signatureOf(
  secret: string,
  request: { method: string; path: string; body?: string | Uint8Array },
  timestamp: number | string = nowSeconds(),
): { 'x-sluice-timestamp': string; 'x-sluice-signature': string } {
  const hmac = createHmac('sha256', Buffer.from(secret, 'utf8'));
  hmac.update(Buffer.from(`${request.method}\n${request.path}\n${timestamp}\n`, 'utf8'));
  hmac.update(request.body ?? '');
  return { 'x-sluice-timestamp': String(timestamp), 'x-sluice-signature': `v1=${hmac.digest('hex')}` };
}
