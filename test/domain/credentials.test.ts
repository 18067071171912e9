import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasNoChanges } from '../../src/core/rules/decide.ts';
import { isCredentialValid } from '../../src/platform/accounts/credential-rules.ts';
import { senderRefusal, UNSIGNED, type AcceptedCredentials } from '../../src/core/rules/credentials.ts';
import type { SigningMode } from '../../src/core/rules/signature.ts';
import { decideOne, intake, report, SEOUL, smallState } from '../kit/batch-state.ts';

const SIGNED = 7;
const accepts = (oldest_key_version: number): AcceptedCredentials => ({
  oldest_key_version,
  signing_mode: 'off',
  secret_ids: new Set(),
});

test('a sender is checked by channel, key and signature, in this order', () => {
  const objection = (
    key_version: number,
    secret_id: number,
    oldest_key_version: number,
    signing_mode: SigningMode,
    secret_ids: number[] = [],
  ) =>
    senderRefusal(
      { key_version, secret_id },
      { oldest_key_version, signing_mode, secret_ids: new Set(secret_ids) },
    )?.kind ?? null;
  assert.deepEqual(senderRefusal({ key_version: 9, secret_id: SIGNED }, undefined), {
    kind: 'channel_inactive',
  });
  assert.equal(objection(2, UNSIGNED, 3, 'required'), 'key_revoked');
  assert.equal(objection(3, UNSIGNED, 3, 'off'), null);
  assert.equal(objection(4, UNSIGNED, 3, 'off'), null, 'a key that is newer than the state that was read');
  assert.equal(objection(3, SIGNED, 3, 'off'), null, 'signatures are not checked any more');
  assert.equal(objection(3, UNSIGNED, 3, 'required', [SIGNED]), 'signature_missing');
  assert.equal(objection(3, UNSIGNED, 3, 'accepted', [SIGNED]), null);
  for (const mode of ['accepted', 'required'] as const) {
    assert.equal(objection(3, SIGNED, 3, mode, [SIGNED]), null);
    assert.equal(objection(3, SIGNED, 3, mode, [8]), 'signature_invalid');
  }
});

test('a back-office credential is valid only with the role that was checked for the request', () => {
  const roles = new Map([
    ['token:5', 'operator'],
    ['session:5', 'admin'],
  ]);
  assert.equal(isCredentialValid({ of: 'token', id: '5', role: 'operator' }, roles), true);
  assert.equal(isCredentialValid({ of: 'token', id: '5', role: 'admin' }, roles), false);
  assert.equal(isCredentialValid({ of: 'session', id: '5', role: 'admin' }, roles), true);
  assert.equal(isCredentialValid({ of: 'session', id: '6', role: 'admin' }, roles), false);
});

test('with a revoked credential, orders, resends and reports are refused before any other check', () => {
  const state = smallState();
  const sender = { key_version: 1, secret_id: UNSIGNED };
  state.accepted.set(SEOUL, accepts(1));
  assert.equal(decideOne(state, intake([['lens', 1]], { sender })).outcome.kind, 'created');
  assert.equal(decideOne(state, report(2, { sender })).outcome.kind, 'reported');
  state.accepted.set(SEOUL, accepts(2));
  for (const command of [
    intake([['lens', 1]], { sender }),
    intake([['nowhere', 1]], { sender, order_number: 'N2' }),
    report(2, { sender }),
    report(0, { sender }),
  ]) {
    const { outcome, changes } = decideOne(state, command);
    assert.deepEqual(outcome, { kind: 'key_revoked' });
    assert.equal(hasNoChanges(changes), true);
  }
  // A report on an unknown order changes nothing, and its key was valid when the request arrived.
  const unknown = { channel_id: SEOUL, order_number: 'nobody has this' };
  assert.equal(decideOne(state, report(2, { sender, target: unknown })).outcome.kind, 'order_unknown');
  const credential = { of: 'token', id: '5', role: 'operator' } as const;
  for (const target of [{ order_id: 501 }, { order_id: 999 }])
    assert.deepEqual(decideOne(state, report(88, { target, source: 'back_office', credential })).outcome, {
      kind: 'credential_revoked',
    });
});
