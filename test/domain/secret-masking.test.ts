// A secret that a channel echoes is not shown, however it is written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { holdsSecret, maskSecrets } from '../../src/domain/secret-masking.ts';

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
  test(`${name}: nothing of the secret is left, whatever stands around it`, () => {
    fc.assert(
      fc.property(secrets, ascii, ascii, (secret, before, after) => {
        const sent = encode(`${before}${secret}${after}`);
        const shown = maskSecrets(`wrong key ${sent} given`, [secret]);
        assert.notEqual(shown, `wrong key ${sent} given`);
        assert.ok(!shown.toLowerCase().includes(secret.toLowerCase()), shown);
        assert.ok(!shown.includes(encode(secret)), shown);
        assert.equal(holdsSecret(sent, secret), true);
      }),
    );
  });
}

test('a text without the secret stays as it is', () => {
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
