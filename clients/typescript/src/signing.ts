// Request signing: HMAC-SHA256 over method, target, timestamp and body.

interface SignedRequest {
  method: string;
  /** Path with query, exactly as sent. */
  target: string;
  body: string;
}

export type Sign = (request: SignedRequest) => Promise<Record<string, string>>;

export function signerOf(secret: string): Sign {
  let key: ReturnType<typeof importKey> | undefined;
  return async ({ method, target, body }) => {
    key ??= importKey(secret);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const text = new TextEncoder().encode(`${method}\n${target}\n${timestamp}\n${body}`);
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await key, text));
    const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return { 'x-sluice-timestamp': timestamp, 'x-sluice-signature': `v1=${hex}` };
  };
}

const importKey = (secret: string) =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
