// Parses the signature headers of a request.

export const SIGNING_MODES = ['off', 'accepted', 'required'] as const;
export type SigningMode = (typeof SIGNING_MODES)[number];

/** Valid signing secrets of a channel: two, so that one can be rotated without downtime. */
export const SIGNING_SECRETS_MAX = 2;

/** Allowed difference between the timestamp and the service's clock, in both directions. */
export const SIGNATURE_WINDOW_S = 300;

export type SignatureFault = 'signature_missing' | 'signature_invalid' | 'signature_expired';

/** A well-formed signature that is still to be verified. */
export interface GivenSignature {
  timestamp: string;
  /** 32 bytes, in hexadecimal */
  digest: string;
}

const SIGNATURE = /^v1=([0-9a-fA-F]{64})$/;
/** Also takes milliseconds, which are then refused as too far away, with a text that asks for seconds. */
const UNIX_TIME = /^\d{1,15}$/;

export function readSignature(
  headers: { signature: string | undefined; timestamp: string | undefined },
  isRequired: boolean,
  now_s: number,
): GivenSignature | SignatureFault | null {
  const { signature, timestamp } = headers;
  if (signature === undefined) return isRequired ? 'signature_missing' : null;
  if (timestamp === undefined) return 'signature_missing';
  const digest = SIGNATURE.exec(signature)?.[1];
  if (digest === undefined || !UNIX_TIME.test(timestamp)) return 'signature_invalid';
  if (Math.abs(Number(timestamp) - now_s) > SIGNATURE_WINDOW_S) return 'signature_expired';
  return { timestamp, digest };
}

/** The signed bytes before the body. `path` is the request target as sent, including the query. */
export const signedPrefix = (method: string, path: string, timestamp: string): string =>
  `${method}\n${path}\n${timestamp}\n`;
