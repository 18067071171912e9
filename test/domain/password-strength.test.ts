// Which passwords are refused although they are long enough.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isGuessable } from '../../src/domain/password-strength.ts';
import { newOneTimePassword } from '../../src/passwords.ts';

const GUESSABLE = [
  'passwordpassword',
  'PasswordPassword1',
  'P@ssw0rd2024!',
  '123456789012',
  '210987654321',
  '111111111111',
  '000000000000000',
  'abcdefghijkl',
  'qwertyuiop123',
  'qwerty123456',
  '1qaz2wsx3edc',
  'asdfghjklasdfghjkl',
  'aaaabbbbcccc',
  'abc123abc123abc123',
  'admin-admin-admin',
  'administrator',
  'administrator1',
  'welcome2026!!',
  'letmein letmein',
  'iloveyou1234',
  'sluicesluice',
  'sluice-warehouse',
  'changeme1234',
  'Spring2026Spring2026',
  '비밀번호비밀번호비밀번호',
  'minji@example.com',
  'minji.kim-2026',
  'example.com1234',
];
const OWN = ['minji.kim@example.com'];

test('common words, sequences, repetitions, years and the own e-mail are refused, alone and together', () => {
  for (const password of GUESSABLE) assert.equal(isGuessable(password, OWN), true, password);
});

test("a few words of one's own and random characters are accepted", () => {
  for (const password of [
    'canary horse battery staple',
    'a perfectly good one',
    '새로운 비밀번호 twelve',
    'violet tractor 7 pickle',
    'Zx7!mQp2#vLw',
    'kim likes old boats',
    'wq8-fjt-2zn-7dk',
  ])
    assert.equal(isGuessable(password, OWN), false, password);
  for (let n = 0; n < 200; n++) assert.equal(isGuessable(newOneTimePassword()), false);
});

test('neither case, blanks nor repeating makes a guessable password a good one', () => {
  const times = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...GUESSABLE), times, (password, count) => {
      assert.equal(isGuessable(password.toUpperCase(), OWN), true);
      assert.equal(isGuessable(` ${password.split('').join(' ')} `, OWN), true);
      assert.equal(isGuessable(password.repeat(count), OWN), true, password.repeat(count));
    }),
  );
});

test('fewer than eight different characters, however often they come, are refused; so is every sequence', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 7 }), fc.integer({ min: 2, max: 30 }), (unit, count) => {
      assert.equal(isGuessable(unit.repeat(count)), true);
    }),
  );
  const start = fc.oneof(fc.integer({ min: 0x30, max: 0x50 }), fc.integer({ min: 0xac00, max: 0xd000 }));
  fc.assert(
    fc.property(
      start,
      // Short enough to stay within ASCII: the signs behind it are turned into others before they are judged.
      fc.integer({ min: 12, max: 40 }),
      fc.constantFrom(-1, 0, 1),
      (first, length, step) => {
        const codes = Array.from({ length }, (_, at) => Math.max(0x21, first + at * step));
        assert.equal(isGuessable(String.fromCodePoint(...codes)), true);
      },
    ),
  );
});
