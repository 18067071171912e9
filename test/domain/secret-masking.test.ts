// A secret that a channel echoes is masked in every encoding.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { containsSecret, maskSecrets } from '../../src/platform/values/secret-masking.ts';

const KEY = 'sluice_0b2f6f6e-5a0e-4f0e-9d55-3c1f0c4c7a11';

const escaped = (text: string, escape: (code: string) => string): string =>
  Array.from(text, (one) => escape((one.codePointAt(0) ?? 0).toString(16).padStart(2, '0'))).join('');

const ENCODINGS: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'upper case': (text) => text.toUpperCase(),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'upper-case hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded throughout': (text) => escaped(text, (code) => `%${code}`),
  'percent-encoded twice': (text) => escaped(text, (code) => `%25${code}`),
  'JSON escapes': (text) => escaped(text, (code) => `\\u${code.padStart(4, '0')}`),
  'character references': (text) => escaped(text, (code) => `&#x${code};`),
};

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
const secrets = fc.oneof(
  fc.constant(KEY),
  fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ0189_-+/=.~ ')), minLength: 8, maxLength: 50 }),
);

for (const [name, encode] of Object.entries(ENCODINGS)) {
  test(`${name}: the secret is masked completely, whatever text surrounds it`, () => {
    fc.assert(
      fc.property(secrets, ascii, ascii, (secret, before, after) => {
        const sent = encode(`${before}${secret}${after}`);
        const shown = maskSecrets(`wrong key ${sent} given`, [secret]);
        assert.notEqual(shown, `wrong key ${sent} given`);
        assert.ok(!shown.toLowerCase().includes(secret.toLowerCase()), shown);
        assert.ok(!shown.includes(encode(secret)), shown);
        assert.equal(containsSecret(sent, secret), true);
      }),
    );
  });
}

test('a text without the secret is unchanged', () => {
  for (const text of [
    '',
    'Product not found',
    '재고가 없습니다 100%',
    'see https://example.com/a?b=c%20d',
    KEY.slice(0, 20),
  ])
    assert.equal(maskSecrets(text, [KEY]), text);
  assert.equal(maskSecrets('token t0ps is wrong', ['t0ps', '']), 'token *** is wrong');
  assert.equal(maskSecrets('anything', []), 'anything');
});

test('exactly the secret is masked, in each of its forms', () => {
  const secret = 'p@ss wörd+/=9';
  const forms = [
    secret,
    secret.toUpperCase(),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
  ];
  for (const form of forms) assert.equal(maskSecrets(`a ${form} b ${form}`, [secret]), 'a *** b ***', form);
  assert.equal(maskSecrets('one two', ['one', 'two']), '*** ***');
  assert.equal(
    maskSecrets('first-part-and-more', ['first-part', 'first-part-and-more']),
    '***',
    'the longest secret is masked first',
  );
});

test('in Base64, exactly the characters that depend only on the secret are masked, at every offset', () => {
  const secret = '>>?secret~~?';
  for (const encoding of ['base64', 'base64url'] as const) {
    for (const [before, from, to] of [
      [0, 0, 16],
      [1, 2, 17],
      [2, 3, 18],
      [3, 4, 20],
    ] as const) {
      const text = Buffer.from(`${'b'.repeat(before)}${secret}and more`).toString(encoding);
      assert.match(text, encoding === 'base64' ? /[+/]/ : /[-_]/);
      assert.equal(maskSecrets(text, [secret]), `${text.slice(0, from)}***${text.slice(to)}`, text);
    }
  }
});

test('a secret of fewer than 8 characters is masked as plain text only, not in its encoded forms', () => {
  for (const [secret, isFound] of [
    ['7-chars', false],
    ['8-chars!', true],
  ] as const) {
    const hex = Buffer.from(secret).toString('hex');
    assert.equal(maskSecrets(`a ${secret} b`, [secret]), 'a *** b');
    assert.equal(maskSecrets(hex, [secret]), isFound ? '***' : hex);
  }
});

test('a secret is matched as text, not as a pattern', () => {
  const secret = String.raw`a.b*c+d?(e)[f]{g}|h^i$j\k/l`;
  assert.equal(maskSecrets(`x ${secret} y`, [secret]), 'x *** y');
  for (const text of [secret.replace('.', 'x'), 'h^i$j', 'abbbccc', 'a'])
    assert.equal(maskSecrets(text, [secret]), text);
  assert.equal(containsSecret('\ud800 alone', 'lone \ud800 surrogate'), false);
});

test('every kind of escape is decoded, up to three levels deep', () => {
  const secret = 'top"secret/9';
  const hidden = [
    'top%22secret/9',
    String.raw`top\"secret\/9`,
    String.raw`top\u0022secret/9`,
    String.raw`top\u{22}secret/9`,
    String.raw`top\x22secret/9`,
    'top&#x22;secret/9',
    'top&#34;secret/9',
    'TOP%22SECRET/9',
    'top%2522secret/9',
    'top%252522secret/9',
  ];
  for (const text of hidden) assert.equal(maskSecrets(`in ${text} it`, [secret]), '***', text);
  const fourTimes = 'top%25252522secret/9';
  assert.equal(maskSecrets(fourTimes, [secret]), fourTimes);
  for (const none of [String.raw`\u{110000} top secret`, '&#1114112;', '&#x110000;', '%zz', String.raw`\q`])
    assert.equal(maskSecrets(none, [secret]), none);
  assert.equal(
    maskSecrets('the last one is \u{10ffff}&#x10ffff;&#1114111;', ['\u{10ffff}\u{10ffff}']),
    '***',
  );
});
