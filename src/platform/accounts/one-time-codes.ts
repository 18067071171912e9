// Codes of the second factor: one-time codes of an app (TOTP, RFC 6238) and recovery codes.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const SECRET_BYTES = 20;
const STEP_S = 30;
/** A clock may be off by one step in either direction. */
const STEPS_AROUND = 1;
const ISSUER = 'Sluice';

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: STEP_S, digits: 6 });

/** For the QR code: otpauth://totp/… */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The time step of a code; null: the code is wrong or not valid now. */
export function totpStep(secret: string, code: string, now_ms: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now_ms, window: STEPS_AROUND });
  return delta === null ? null : Math.floor(now_ms / 1000 / STEP_S) + delta;
}

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
const GROUP = /.{4}/g;

/** 80 random bits each, so a plain hash is enough: `ABCD-EFGH-…`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    (
      new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32.match(GROUP) ?? []
    ).join('-'),
  );

/** The form that is hashed, because users leave out hyphens and type small letters. */
export const normalRecoveryCode = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z2-7]/g, '');

/** Removes the blanks that users may type in a one-time code: `123 456`. */
export const normalCode = (text: string): string => text.replaceAll(/\s/g, '');
