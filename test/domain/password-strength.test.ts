// Passwords that are long enough, but refused because they are easy to guess.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isGuessable } from '../../src/platform/passwords/strength-rules.ts';
import { newOneTimePassword } from '../../src/platform/passwords/passwords.ts';

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

test('common words, sequences, repetitions, years and the e-mail address of the user are refused, alone and combined', () => {
  for (const password of GUESSABLE) assert.equal(isGuessable(password, OWN), true, password);
});

test('several unrelated words and random characters are accepted', () => {
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

test('the score decides: one more unpredictable character makes a password acceptable', () => {
  // Six unpredictable characters and one predictable piece.
  for (const [password, ...own] of [
    ['wqfjtz8901'],
    ['wqfjtz2026'],
    ['kimberlywqfjtz', 'kim', 'kimberly'],
    ['kimberlywqfjtz', 'ｋｉｍｂｅｒｌｙ'],
  ] as const) {
    assert.equal(isGuessable(password, own), true, password);
    assert.equal(isGuessable(`8${password}`, own), false, `8${password}`);
  }
  // Eight characters that are not neighbours; a year after seven other characters.
  for (const password of ['acegikmo', 'wqfjtz8 2026']) assert.equal(isGuessable(password), false, password);
});

test('upper case, blanks or repetition do not make a guessable password acceptable', () => {
  const times = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...GUESSABLE), times, (password, count) => {
      assert.equal(isGuessable(password.toUpperCase(), OWN), true);
      assert.equal(isGuessable(` ${password.split('').join(' ')} `, OWN), true);
      assert.equal(isGuessable(password.repeat(count), OWN), true, password.repeat(count));
    }),
  );
});

test('a repeated text of fewer than eight characters is refused, and so is every sequence', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 7 }), fc.integer({ min: 2, max: 30 }), (unit, count) => {
      assert.equal(isGuessable(unit.repeat(count)), true);
    }),
  );
  const start = fc.oneof(fc.integer({ min: 0x30, max: 0x50 }), fc.integer({ min: 0xac00, max: 0xd000 }));
  fc.assert(
    fc.property(
      start,
      // Short enough to stay within ASCII: some characters beyond it are normalized to others before the check.
      fc.integer({ min: 12, max: 40 }),
      fc.constantFrom(-1, 0, 1),
      (first, length, step) => {
        const codes = Array.from({ length }, (_, at) => Math.max(0x21, first + at * step));
        assert.equal(isGuessable(String.fromCodePoint(...codes)), true);
      },
    ),
  );
});

/** Eight characters, none of which is predictable from the others. */
const RANDOM = Array.from('k8-w4-zb');

/** The score of the text: 8 minus the number of random characters that make it acceptable. */
function weightOf(text: string, own: string[] = []): number {
  const missing = RANDOM.findIndex((_, count) => !isGuessable(text + RANDOM.slice(0, count).join(''), own));
  return missing < 0 ? 0 : RANDOM.length - missing;
}

test('scores: a character counts 1, a sequence or a year 1, a common word 2', () => {
  const weights: [text: string, weight: number][] = [
    ['', 0],
    ['x', 1],
    ['x9', 2],
    ['1987', 1],
    ['2026', 1],
    ['1850', 4],
    ['2126', 4],
    ['x2026', 2],
    ['abc', 3],
    ['abcd', 1],
    ['dcba', 1],
    ['abcdefg', 1],
    ['aaa', 3],
    ['aaaa', 1],
    ['7777777', 1],
    ['qwer', 1],
    ['rewq', 1],
    ['sdfg', 1],
    ['xcvb', 1],
    ['!@#$', 1],
    ['1qaz2wsx', 1],
    ['7890', 1],
    ['8901', 1],
    ['ㅂㅈㄷㄱ', 1],
    ['가각갂갃', 1],
    ['dragon', 2],
    ['DraGon', 2],
    ['d r a g o n', 2],
    ['administrator', 2],
    ['dragonmonkey', 4],
    ['dragon-monkey', 5],
    ['dragon-dragon', 3],
    ['dragonabcd', 3],
    ['abcd-abcd', 2],
    ['qwerty', 1],
    ['관리자', 2],
    ['😀', 1],
    ['😀🚀', 2],
    ['ｄｒａｇｏｎ', 2],
  ];
  for (const [text, weight] of weights) assert.equal(weightOf(text), weight, text);
});

test('digits and signs in place of letters do not hide a common word', () => {
  for (const text of [
    'm0nkey',
    'adm1n',
    's3cret',
    '4pple',
    '5ecret',
    '7est',
    '@pple',
    '$ecret',
    'adm!n',
    '$3cr37',
  ])
    assert.equal(weightOf(text), 2, text);
  assert.equal(weightOf('m9nkex'), 6);
});

test('parts of the e-mail address of the user count 1 from three characters on, unless a common word is longer', () => {
  const own = ['Minji.Kim@example.com'];
  for (const text of [
    'minji.kim@example.com',
    'minji.kim',
    'minji',
    'kim',
    'example.com',
    'example',
    'm1nj1',
  ])
    assert.equal(weightOf(text, own), 1, text);
  assert.equal(weightOf('minji'), 5, 'not a part of the e-mail address');
  assert.equal(
    weightOf('kim-kim', own),
    3,
    'a part below four characters may occur by chance and counts each time',
  );
  assert.equal(weightOf('minji-minji', own), 2);
  assert.equal(weightOf('ab', ['ab@shop.example']), 2);
  assert.equal(weightOf('test', ['test@shop.example']), 1);
  assert.equal(weightOf('password', ['pass@shop.example']), 2, 'the longer of part and common word counts');
});

test('a repeated text counts once, even if the last repetition is incomplete', () => {
  const seven = RANDOM.slice(0, 7).join('');
  const eight = RANDOM.join('');
  for (const text of [seven, seven + seven, seven + seven + seven.slice(0, 3), seven.repeat(9)])
    assert.equal(isGuessable(text), true, text);
  for (const text of [eight, eight + eight, eight.repeat(3)]) assert.equal(isGuessable(text), false, text);
  const inner = 'x9x9x9x9x'; // x9, the last one incomplete: the unit of the whole text is a repetition itself
  assert.equal(isGuessable(inner + inner), true);
  assert.equal(weightOf(inner), 7, 'only repetitions of the whole text are detected');
});
