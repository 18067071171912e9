// Korean particles by the last sound of the word before them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { afterWord } from '../console/src/i18n/particle.ts';

const said = (word: string, both: string): string => `${word}${afterWord(word, both)}`;

test('after Hangul, digits and Latin letters the particle follows their pronunciation', () => {
  for (const [word, both, expected] of [
    ['결제 완료', '(으)로 변경', '결제 완료로 변경'],
    ['상품 준비 중', '(으)로', '상품 준비 중으로'],
    ['배송 시작일', '(으)로', '배송 시작일로'],
    ['배송 시작일', '을(를)', '배송 시작일을'],
    ['창고', '이(가)', '창고가'],
    ['상품', '은(는)', '상품은'],
    ['상품', '와(과)', '상품과'],
    ['창고', '와(과)', '창고와'],
    ['0', '(으)로', '0으로'],
    ['1', '(으)로', '1로'],
    ['2', '(으)로', '2로'],
    ['3', '(으)로', '3으로'],
    ['6', '(으)로', '6으로'],
    ['7', '(으)로', '7로'],
    ['8', '이(가)', '8이'],
    ['9', '이(가)', '9가'],
    ['10', '(으)로', '10으로'],
    ['1,000', '(으)로', '1,000으로'],
    ['2,000,000,000,000', '(으)로', '2,000,000,000,000로'],
    ['1.50', '(으)로', '1.50으로'],
    ['-12', '(으)로', '-12로'],
    ['URL', '(으)로', 'URL로'],
    ['URL', '을(를)', 'URL을'],
    ['CSV', '을(를)', 'CSV를'],
    ['VPN', '(으)로', 'VPN으로'],
    ['optional', '(으)로', 'optional로'],
    ['required', '(으)로', 'required로'],
    ['on', '(으)로', 'on으로'],
    ['off', '(으)로', 'off로'],
    ['Shop B', '이(가)', 'Shop B가'],
    ['출고', '’(으)로 변경', '출고’로 변경'],
    ['발송(완)', '(으)로', '발송(완)으로'],
    ['', '(으)로', '로'],
  ] as const)
    assert.equal(said(word, both), expected, word);
});

test('after every syllable the particle follows its final consonant, and the rest of the text is unchanged', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0xac00, max: 0xd7a3 }), fc.string(), (code, rest) => {
      const syllable = String.fromCharCode(code);
      const [, final = ''] = Array.from(syllable.normalize('NFD')).slice(1);
      assert.equal(
        said(syllable, `(으)로${rest}`),
        `${syllable}${'ᆯ'.includes(final) ? '로' : '으로'}${rest}`,
      );
      assert.equal(said(syllable, `을(를)${rest}`), `${syllable}${final === '' ? '를' : '을'}${rest}`);
      fc.pre(!/^[’”'")\]]*(?:\(으|을\(|이\(|은\(|와\()/.test(rest));
      assert.equal(afterWord(syllable, rest), rest);
    }),
  );
});

test('Korean texts of the console contain both forms of a particle only after a placeholder', () => {
  const root = new URL('../console/src/', import.meta.url).pathname;
  const both = /(.?.?)(?:\(으\)로|을\(를\)|를\(을\)|이\(가\)|가\(이\)|은\(는\)|는\(은\)|와\(과\)|과\(와\))/g;
  const wrong = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && file !== 'i18n/particle.ts')
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(both)]
        // After a placeholder of a sentence, or an argument of `afterWord`.
        .filter(([, before = '']) => !/\}’?$| '$/.test(before))
        .map(([text]) => `${file}: ${text}`),
    );
  assert.deepEqual(wrong, []);
});
