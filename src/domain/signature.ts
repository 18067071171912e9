// What a request says about its signature, before anything is computed.

export const SIGNING_MODES = ['off', 'accepted', 'required'] as const;
export type SigningMode = (typeof SIGNING_MODES)[number];

/** Live secrets of a channel: the one in use, and the one it is changed for. */
export const SIGNING_SECRETS_MAX = 2;

/** How far a timestamp may be from the service's clock, either way. */
export const SIGNATURE_WINDOW_S = 300;

export type SignatureFault = 'signature_missing' | 'signature_invalid' | 'signature_expired';

/** What was given, still to be held against the secrets; null: nothing was, and nothing had to be. */
export interface GivenSignature {
  timestamp: string;
  /** 32 bytes, in hexadecimal */
  digest: string;
}

const SIGNATURE = /^v1=([0-9a-f]{64})$/i;
const UNIX_SECONDS = /^\d{1,12}$/;

export function readSignature(
  headers: { signature: string | undefined; timestamp: string | undefined },
  isRequired: boolean,
  now_s: number,
): GivenSignature | SignatureFault | null {
  const { signature, timestamp } = headers;
  if (signature === undefined) return isRequired ? 'signature_missing' : null;
  if (timestamp === undefined) return 'signature_missing';
  const digest = SIGNATURE.exec(signature)?.[1];
  if (digest === undefined || !UNIX_SECONDS.test(timestamp)) return 'signature_invalid';
  if (Math.abs(Number(timestamp) - now_s) > SIGNATURE_WINDOW_S) return 'signature_expired';
  return { timestamp, digest };
}

/** What stands in front of the body in the signed bytes. `path` is as sent, with its query. */
export const signedHead = (method: string, path: string, timestamp: string): string =>
  `${method}\n${path}\n${timestamp}\n`;
