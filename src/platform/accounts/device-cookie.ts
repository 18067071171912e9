// Cookies of known devices, from which an account has signed in before. Signed with a key derived from the account's
// stored password hash: no table is needed, and a new password or a deactivation invalidates them all.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { hashKey } from '../secrets/keys.ts';
import type { AccountWithHash } from './store.ts';
import { addCookie, cookieOf } from './session-cookie.ts';

const KNOWN_SECONDS = 180 * 24 * 60 * 60;
const ID_BYTES = 16;

type Address = Pick<Config, 'public_url'>;
type Signer = Pick<AccountWithHash, 'id' | 'password_hash'>;

/** One cookie per account: several people may share a browser. */
const nameFor = ({ id }: Signer): string => `sluice_device_${id}`;

const signatureOf = ({ id, password_hash }: Signer, device: string, expires: string): string =>
  createHmac('sha256', password_hash).update(`sluice device ${id} ${device} ${expires}`).digest('base64url');

/** Sets a new id at each sign-in. Failures counted against the old id no longer apply. */
export function setDeviceCookie(reply: FastifyReply, config: Address, account: Signer): FastifyReply {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const expires = String(Math.floor(Date.now() / 1000) + KNOWN_SECONDS);
  const value = `${id}.${expires}.${signatureOf(account, id, expires)}`;
  return addCookie(reply, config, nameFor(account), value, KNOWN_SECONDS);
}

/** The device id; null: the device is unknown to this account, or its cookie has expired. */
export function knownDeviceOf(request: FastifyRequest, config: Address, account: Signer): string | null {
  const [id = '', expires = '', signature = ''] = cookieOf(request, config, nameFor(account)).split('.');
  if (!/^\d+$/.test(expires) || Number(expires) * 1000 < Date.now()) return null;
  const isRight = timingSafeEqual(hashKey(signature), hashKey(signatureOf(account, id, expires)));
  return isRight ? id : null;
}
