// Secrets: how they are made, how a presented one is found, how the one that must be sent again is kept.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';

const API_KEY_PREFIX = 'sluice_';
const ADMIN_TOKEN_PREFIX = 'sluice_admin_';

export const newApiKey = (): string => API_KEY_PREFIX + randomUUID();
export const newAdminToken = (): string => ADMIN_TOKEN_PREFIX + randomBytes(32).toString('base64url');

/** Keys and tokens carry 122 random bits and more, so a plain hash is enough to find and to protect them. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  seal(key: string, context: string): Buffer;
  open(sealed: Buffer, context: string): string;
}

/** AES-256-GCM; the context binds a sealed key to its row, so that it cannot be moved to another channel. */
export function createSealer(secret: string): Sealer {
  const sealingKey = Buffer.from(hkdfSync('sha256', secret, '', 'sluice channel keys', 32));
  return {
    seal(key, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const iv = sealed.subarray(0, IV_BYTES);
      const tag = sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, iv).setAAD(Buffer.from(context));
      decipher.setAuthTag(tag);
      const body = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    },
  };
}
