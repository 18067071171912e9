// Passwords: hashed with scrypt, a few at a time; and one-time passwords that are easy to type.
import type { FieldFault } from '../values/field-fault.ts';
import { Overloaded } from '../queues/coalescer.ts';
import { isGuessable, PASSWORD_COST_LOG2 } from './strength-rules.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../values/text-limits.ts';
import { randomBytes, randomInt, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

/** The e-mail of the account that the first start creates. */
export const FIRST_EMAIL = 'admin@localhost';

/** Stored with the hash, like the cost, so that they can be raised later. */
const BLOCK_SIZE = 8;
const PARALLELIZATION = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Sign-ins must not use up the memory and CPU that the gate needs. */
const HASHES_AT_ONCE_MAX = 2;
const HASHES_WAITING_MAX = 32;

/** Too many sign-ins are waiting. */
export class HashingBusy extends Overloaded {
  constructor() {
    super('too many passwords wait to be hashed');
    this.name = 'HashingBusy';
  }
}

/** NFKC: the same characters typed on different keyboards or systems give the same password. */
const normalized = (password: string): string => password.normalize('NFKC');

export const samePassword = (one: string, other: string): boolean => normalized(one) === normalized(other);

/** What is wrong with a chosen password, or null. Lengths count Unicode characters. */
export function passwordFault(password: string, email: string): FieldFault | null {
  const text = normalized(password);
  const characters = Array.from(text).length;
  if (characters < PASSWORD_CHARACTERS_MIN)
    return { kind: 'too_short', characters_min: PASSWORD_CHARACTERS_MIN };
  if (characters > PASSWORD_CHARACTERS_MAX)
    return { kind: 'too_long', characters_max: PASSWORD_CHARACTERS_MAX };
  if (text.trim().toLowerCase() === email) return { kind: 'is_email' };
  return isGuessable(text, [email]) ? { kind: 'guessable' } : null;
}

/** Without 0, 1, i, l and o, which are easily confused. 99 bits. */
const READABLE = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_CHARACTERS = 5;

export const newOneTimePassword = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_CHARACTERS }, () => READABLE[randomInt(READABLE.length)]).join(''),
  ).join('-');

/**
 * `scrypt$16$8$1$salt$hash`: log2 of the cost, block size, parallelization. A stored value may have a seventh part,
 * which is not used for passwords (platform/accounts/store.ts).
 */
export async function hashPassword(password: string, cost_log2 = PASSWORD_COST_LOG2): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const parameters = [cost_log2, BLOCK_SIZE, PARALLELIZATION] as const;
  const hash = await derive(password, salt, parameters);
  return ['scrypt', ...parameters, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** A hash for unknown e-mails: the comparison takes as long as with a real hash and never matches. */
const nobody = (cost_log2: number): string =>
  ['scrypt', cost_log2, BLOCK_SIZE, PARALLELIZATION, '', ''].join('$');

/** `stored` null: no such account. The check then takes as long as for a hash of `cost_log2`. */
export async function verifyPassword(
  password: string,
  stored: string | null,
  cost_log2 = PASSWORD_COST_LOG2,
): Promise<boolean> {
  const [, cost, size, parallel, salt = '', hash = ''] = (stored ?? nobody(cost_log2)).split('$');
  const parameters = [Number(cost), Number(size), Number(parallel)] as const;
  const expected = Buffer.from(hash, 'base64');
  const found = await derive(password, Buffer.from(salt, 'base64'), parameters);
  return expected.length === found.length && timingSafeEqual(expected, found);
}

let running = 0;
const waiting: (() => void)[] = [];

/** Called first at a sign-in, so that an attack is rejected without a query. */
export function ensureHashingHasRoom(): void {
  if (waiting.length >= HASHES_WAITING_MAX) throw new HashingBusy();
}

async function derive(
  password: string,
  salt: Buffer,
  [cost, blockSize, parallelization]: readonly [number, number, number],
): Promise<Buffer> {
  if (running >= HASHES_AT_ONCE_MAX) {
    ensureHashingHasRoom();
    // The finished hash passes its slot on, so `running` stays unchanged.
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  } else {
    running += 1;
  }
  try {
    const N = 2 ** cost;
    // Node's default limit is 32 MiB; scrypt needs 128 × N × r and a little more.
    const options = { N, r: blockSize, p: parallelization, maxmem: 256 * N * blockSize };
    return await scryptAsync(normalized(password), salt, options);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

const scryptAsync = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
