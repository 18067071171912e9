// Creates, hashes and seals keys, tokens and signing secrets.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  randomUUID,
  type KeyObject,
} from 'node:crypto';

const API_KEY_PREFIX = 'sluice_';
const ADMIN_TOKEN_PREFIX = 'sluice_admin_';
const SIGNING_SECRET_PREFIX = 'sls_';

export const newApiKey = (): string => API_KEY_PREFIX + randomUUID();
export const newAdminToken = (): string => ADMIN_TOKEN_PREFIX + randomBytes(32).toString('base64url');
export const newSigningSecret = (): string => SIGNING_SECRET_PREFIX + randomBytes(32).toString('base64url');

const WEBHOOK_SECRET_PREFIX = 'whsec_';
/** A secret of the Standard Webhooks specification: the prefix, then 24 to 64 bytes in base64. */
export const newWebhookSecret = (): string => WEBHOOK_SECRET_PREFIX + randomBytes(32).toString('base64');

/** Created once for many signatures. */
export const webhookKey = (secret: string): KeyObject =>
  createSecretKey(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');

/** A signature of the Standard Webhooks specification, version 1. */
export const signWebhook = (key: KeyObject, id: string, timestamp_s: number, body: string): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp_s}.${body}`).digest('base64')}`;

/** A KeyObject, because it cannot be printed by accident. */
export const signingKey = (secret: string): KeyObject => createSecretKey(secret, 'utf8');

/** Keys and tokens made here have at least 122 random bits, so a plain hash is enough. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `current` seals and opens; `previous` only opens, during a rotation. */
export interface SealSecrets {
  readonly current: string;
  readonly previous: string | null;
}

/** Called at each use: secrets in a file can be rotated without a restart. */
export type SecretSource = () => Promise<SealSecrets>;

export interface Sealed {
  key_sealed: Buffer;
  /** The name of the secret; null: sealed before secrets had names. */
  sealed_with: string | null;
}

export interface Sealer {
  seal(key: string, context: string): Promise<Sealed>;
  /** null: sealed with an unknown secret, or for another context. */
  open(sealed: Sealed, context: string): Promise<string | null>;
  /** Whether the current secret opens it. */
  opensWithCurrent(sealed: Sealed, context: string): Promise<boolean>;
  /** The name of the current secret. */
  current(): Promise<string>;
}

/** AES-256-GCM; the context (additional authenticated data) binds a sealed key to its row. */
export function createSealer(secret: string | SecretSource): Sealer {
  const secrets = typeof secret === 'string' ? async () => ({ current: secret, previous: null }) : secret;
  return {
    async seal(key, context) {
      const { current } = await secrets();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealingKeyOf(current), iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
      return {
        key_sealed: Buffer.concat([iv, cipher.getAuthTag(), body]),
        sealed_with: nameOfSecret(current),
      };
    },
    async open({ key_sealed }, context) {
      const { current, previous } = await secrets();
      // The name is only used for counting; both secrets are tried.
      const key = openWith(current, key_sealed, context);
      return key === null && previous !== null ? openWith(previous, key_sealed, context) : key;
    },
    opensWithCurrent: async ({ key_sealed }, context) =>
      openWith((await secrets()).current, key_sealed, context) !== null,
    current: async () => nameOfSecret((await secrets()).current),
  };
}

const sealingKeyOf = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'sluice channel keys', 32));

/** Derived from the secret, one-way. */
const nameOfSecret = (secret: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', 'sluice secret name', 8)).toString('hex');

function openWith(secret: string, sealed: Buffer, context: string): string | null {
  const iv = sealed.subarray(0, IV_BYTES);
  const tag = sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  // Without its length, a shorter tag would be accepted, which is easier to guess.
  const options = { authTagLength: TAG_BYTES };
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKeyOf(secret), iv, options);
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(tag);
    const body = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([body, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
