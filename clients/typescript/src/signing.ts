// Request signing: HMAC-SHA256 over method, target, timestamp and body.
import { hmacSha256 } from './sha256.ts';

interface SignedRequest {
  method: string;
  /** Path with query, exactly as sent. */
  target: string;
  body: string;
}

export type Sign = (request: SignedRequest) => Promise<Record<string, string>>;

export function signerOf(secret: string): Sign {
  const hmac = hmacOf(new TextEncoder().encode(secret));
  return async ({ method, target, body }) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = await hmac(new TextEncoder().encode(`${method}\n${target}\n${timestamp}\n${body}`));
    const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return { 'x-sluice-timestamp': timestamp, 'x-sluice-signature': `v1=${hex}` };
  };
}

type Hmac = (text: Uint8Array<ArrayBuffer>) => Promise<Uint8Array> | Uint8Array;

/** Uses WebCrypto if available: Node 18 does not have it, and browsers have it only in secure contexts. */
function hmacOf(secret: Uint8Array<ArrayBuffer>): Hmac {
  const { subtle } = (globalThis as { crypto?: Partial<typeof crypto> }).crypto ?? {};
  if (subtle === undefined) return (text) => hmacSha256(secret, text);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let key: ReturnType<typeof subtle.importKey> | undefined;
  return async (text) => {
    key ??= subtle.importKey('raw', secret, algorithm, false, ['sign']);
    return new Uint8Array(await subtle.sign('HMAC', await key, text));
  };
}
