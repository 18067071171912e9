// Checks of a signature before its digest is computed, and the text that is signed in front of the body.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  readSignature,
  SIGNATURE_WINDOW_S,
  signedPrefix,
  SIGNING_MODES,
  SIGNING_SECRETS_MAX,
} from '../../src/core/rules/signature.ts';

const NOW = 1_800_000_000;
const DIGEST = '0123456789abcdefABCDEF'.padEnd(64, '0');
const SIGNATURE = `v1=${DIGEST}`;

const read = (signature: string | undefined, timestamp: string | undefined, isRequired = true) =>
  readSignature({ signature, timestamp }, isRequired, NOW);

test('a valid signature and its timestamp are returned unchanged', () => {
  for (const isRequired of [true, false])
    assert.deepEqual(read(SIGNATURE, String(NOW), isRequired), { timestamp: String(NOW), digest: DIGEST });
});

test('no signature is an error only where one is required; a signature without a timestamp always is', () => {
  assert.equal(read(undefined, String(NOW)), 'signature_missing');
  assert.equal(read(undefined, undefined), 'signature_missing');
  assert.equal(read(undefined, String(NOW), false), null);
  assert.equal(read(undefined, undefined, false), null);
  assert.equal(read(SIGNATURE, undefined, false), 'signature_missing');
});

test('a malformed signature is invalid whatever its timestamp, and so is a malformed timestamp', () => {
  const wrong = [
    '',
    DIGEST,
    `v2=${DIGEST}`,
    `V1=${DIGEST}`,
    `v1=${DIGEST}0`,
    `v1=${DIGEST.slice(1)}`,
    ` v1=${DIGEST}`,
    `v1=${DIGEST} `,
    `v1=${DIGEST},v1=${DIGEST}`,
    `v1=${'g'.repeat(64)}`,
  ];
  for (const signature of wrong)
    for (const timestamp of [String(NOW), '1'])
      assert.equal(read(signature, timestamp, false), 'signature_invalid', signature);
  for (const timestamp of ['', 'now', '-1', `${NOW}.5`, ` ${NOW}`, `${NOW} `, '1'.repeat(16), '0x10'])
    assert.equal(read(SIGNATURE, timestamp), 'signature_invalid', timestamp);
});

test('a timestamp up to 300 s in the past or future is accepted, 301 s is not', () => {
  assert.equal(SIGNATURE_WINDOW_S, 300);
  for (const away of [-300, -1, 0, 1, 300])
    assert.equal(typeof read(SIGNATURE, String(NOW + away)), 'object', `${away} s`);
  // 999 * NOW: the time in milliseconds, which clients send by mistake.
  for (const away of [-301, 301, -NOW, 10 * NOW, 999 * NOW])
    assert.equal(read(SIGNATURE, String(NOW + away)), 'signature_expired', `${away} s`);
});

test('the signed prefix, the modes and the number of secrets are fixed, because channels rely on them', () => {
  assert.equal(signedPrefix('POST', '/api/v1/orders?a=%20', '12'), 'POST\n/api/v1/orders?a=%20\n12\n');
  assert.deepEqual(SIGNING_MODES, ['off', 'accepted', 'required']);
  assert.equal(SIGNING_SECRETS_MAX, 2);
});
