// The masked form of an address: the region stays, everything else is hidden.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskAddress } from '../../src/core/rules/personal-data.ts';

test('country, province, city and district stay; street, number, building and person are hidden', () => {
  const cases: Record<string, string> = {
    // Korean, the largest unit first
    '서울특별시 강남구 테헤란로 152, 7층 (역삼동) 06236': '서울특별시 강남구 ***',
    '서울시  강남구\n테헤란로 1 (101호)': '서울시 강남구 ***',
    '서울 강남구 테헤란로 152': '서울 강남구 ***',
    '(06236) 서울 강남구 테헤란로 1': '서울 강남구 ***',
    '06236 경기도 성남시 분당구 판교로 1': '경기도 성남시 분당구 ***',
    '대한민국 서울특별시 중구 세종대로 110': '서울특별시 중구 ***',
    서울특별시강남구테헤란로152: '서울특별시 ***',
    '성남시 분당구 판교로 1': '성남시 분당구 ***',
    '세종특별자치시 한누리대로 2130': '세종특별자치시 ***',
    '제주특별자치도 제주시 첨단로 242': '제주특별자치도 제주시 ***',
    // streets and shops that begin like a city
    '서울로 12': '***',
    '부산식당 2층': '***',
    '서울역 앞 홍길동': '***',
    // the number first, the region last
    '12 Teheran-ro, Gangnam-gu, Seoul': '***, Gangnam-gu, Seoul',
    '12 Teheran-ro, Gangnam-gu, Seoul 06236, South Korea': '***, Gangnam-gu, Seoul, South Korea',
    '12 Teheran-ro Gangnam-gu Seoul': '*** Gangnam-gu Seoul',
    'Teheran-ro 12, Gangnam-gu, Seoul': '***, Gangnam-gu, Seoul',
    'P.O. Box 12, Seoul': '***, Seoul',
    'PO Box 12': '***',
    // the region first, the number last
    'Seoul, Gangnam-gu, Teheran-ro 12': 'Seoul, Gangnam-gu, ***',
    'Seoul Gangnam-gu Teheran-ro 12': 'Seoul Gangnam-gu ***',
    // Japanese
    '東京都千代田区丸の内1-1': '東京都千代田区 ***',
    '〒100-0005 東京都千代田区丸の内1丁目1-1': '東京都千代田区 ***',
    千葉県市川市八幡1: '千葉県市川市 ***',
    '1-1 Marunouchi, Chiyoda-ku, Tokyo 100-0005': '***, Chiyoda-ku, Tokyo',
    '1-1 Marunouchi, Tokyo': '***, Tokyo',
    // elsewhere only the country is certain
    '10 Rue de Rivoli, 75001 Paris, France': '***, France',
    'Flat 2, The Old Rectory, United Kingdom': '***, United Kingdom',
    'Hauptstraße 5, 10115 Berlin': '***',
    // in doubt nothing
    'Tokyo Street 1': '***',
    'Jordan Street 1': '***',
    '1 Jordan': '***',
    'Min-gu, 12 Street': '***',
    'Kim Min-gu': '***',
    '1 Sandbox Street': '***',
    'ул. Ленина 1, Москва': '***',
    'short address': '***',
    Seoul: '***',
    '': '***',
    ' , ,': '***',
  };
  assert.deepEqual(
    Object.fromEntries(Object.keys(cases).map((address) => [address, maskAddress(address)])),
    cases,
  );
});

const latin = fc.stringMatching(/^[A-Z][a-z]{4,9}xq$/);
const hangul = fc.stringMatching(/^[갂갃갅갆]{2,4}$/);
const number = fc.integer({ min: 1, max: 99_999 }).map(String);

test('neither a number nor the name of a street or a person is shown, in whatever order the parts are written', () => {
  const part = fc.oneof(
    fc.tuple(number, latin).map(([n, street]) => `${n} ${street}-ro`),
    fc.tuple(latin, number).map(([street, n]) => `${street} ${n}`),
    fc.tuple(hangul, number).map(([street, n]) => `${street}로 ${n}`),
    latin,
    hangul,
    number,
    fc.constantFrom(
      'Seoul',
      'Gangnam-gu',
      '서울',
      '강남구',
      'Japan',
      '東京都',
      '千代田区',
      'PO Box',
      'Apt.',
      '06236',
    ),
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 6 }),
      fc.constantFrom(', ', ' ', '、', '\n'),
      (parts, between) => {
        const masked = maskAddress(parts.join(between));
        assert.match(masked, /\*\*\*/);
        assert.doesNotMatch(masked, /\d|xq|[갂갃갅갆]/, masked);
      },
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (address) => {
      assert.doesNotMatch(maskAddress(address), /\d/);
    }),
  );
});
