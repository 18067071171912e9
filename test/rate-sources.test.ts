// Readers of the exchange rate sources: the documented formats, and answers that must not become rates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyStays } from '../src/features/rate-collection/collect.ts';
import { readEcb } from '../src/features/rate-collection/ecb.ts';
import { readAnyJson } from '../src/features/rate-collection/json.ts';
import { KOREAEXIM_URL, readKoreaexim } from '../src/features/rate-collection/koreaexim.ts';
import { UnusableAnswer } from '../src/features/rate-collection/quotes.ts';
import { ecbDocument, koreaeximDocument } from './kit/rate-documents.ts';

const fault = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof UnusableAnswer) return error.fault.kind;
    throw error;
  }
  return 'accepted';
};

test('ecb: rates are KRW per unit, computed through the euro, with the date of the document', () => {
  const published = readEcb(ecbDocument(), ['USD', 'JPY', 'EUR', 'VND']);
  assert.equal(published.quoted_on, '2026-11-13');
  assert.deepEqual(published.quotes, [
    { currency_code: 'USD', rate: '1360.6384959' }, // 1461.87 / 1.0744
    { currency_code: 'JPY', rate: '8.8582076' }, // 1461.87 / 165.03
    { currency_code: 'EUR', rate: '1461.87' },
  ]);
  assert.deepEqual(published.missing, ['VND']);
  const spaced = `\uFEFF${ecbDocument().replaceAll("'", '"').replaceAll('/>', ' />')}<!-- end -->\n`;
  assert.deepEqual(readEcb(spaced, ['USD']).quotes, published.quotes.slice(0, 1));
});

test('ecb: XML that differs from the documented format is refused, especially entities and DTDs', () => {
  const good = ecbDocument();
  const wrong: Record<string, string> = {
    'a DTD with entities': good.replace(
      '?>',
      '?><!DOCTYPE x [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    ),
    'an external entity': good.replace('?>', '?><!DOCTYPE x SYSTEM "file:///etc/passwd">'),
    'an entity in an attribute': good.replace("rate='1.0744'", "rate='&#49;.0744'"),
    'an entity in a text': good.replace('Reference rates', '&lol;'),
    CDATA: good.replace('Reference rates', '<![CDATA[x]]>'),
    'a second instruction': good.replace('<Cube>', '<?php x ?><Cube>'),
    'an attribute without quotes': good.replace("rate='1.0744'", 'rate=1.0744'),
    'a tag that is not closed': good.replace('</gesmes:Envelope>', ''),
    'tags in the wrong order': good.replace('</Cube>\n\t</Cube>', '</gesmes:x></Cube>'),
    'text after the end': `${good}x`,
    'a second root': `${good}<x/>`,
    nothing: '',
    HTML: '<!doctype html><html></html>',
    JSON: '{"rates":{}}',
    'too deep': `${'<a>'.repeat(20)}${'</a>'.repeat(20)}`,
  };
  for (const [name, text] of Object.entries(wrong))
    assert.equal(
      fault(() => readEcb(text, ['USD'])),
      'not_xml',
      name,
    );
});

test('ecb: an invalid rate, an invalid date, a duplicate currency and a missing KRW are refused', () => {
  const good = ecbDocument();
  for (const rate of ['0', '-1', '1e3', 'NaN', 'Infinity', '', ' 1', '1,5', '0x10', '9'.repeat(400), '0.0'])
    assert.equal(
      fault(() => readEcb(good.replace("rate='1.0744'", `rate='${rate}'`), ['USD'])),
      'not_a_rate',
      rate,
    );
  // Only the requested currencies must be valid.
  assert.equal(readEcb(good.replace("rate='1.0744'", "rate='x'"), ['JPY']).quotes.length, 1);
  assert.equal(
    fault(() => readEcb(good.replace("'KRW'", "'XXX'"), ['USD'])),
    'base_missing',
  );
  assert.equal(
    fault(() => readEcb(good.replace("'KRW'", "'USD'"), ['USD'])),
    'wrong_shape',
  );
  assert.equal(
    fault(() => readEcb(good.replace("'2026-11-13'", "'2026-02-30'"), ['USD'])),
    'wrong_shape',
  );
  assert.equal(
    fault(() => readEcb(good.replace(" time='2026-11-13'", ''), ['USD'])),
    'wrong_shape',
  );
  assert.equal(
    fault(() => readEcb('<a/>', ['USD'])),
    'wrong_shape',
  );
});

test('ecb: 1 MiB of hostile text is read in linear time', () => {
  for (const text of [
    `<a ${'b="c" '.repeat(170_000)}`,
    `<!--${'-'.repeat(1_000_000)}`,
    `<a ${' '.repeat(1_000_000)}`,
    `${'<a>'.repeat(16)}${' '.repeat(1_000_000)}&`,
  ]) {
    const before = process.cpuUsage();
    assert.equal(
      fault(() => readEcb(text, ['USD'])),
      'not_xml',
    );
    assert.ok(process.cpuUsage(before).user < 2_000_000, text.slice(0, 20));
  }
});

test('koreaexim: thousands separators, rates per 100 units, and the offshore yuan for CNY', () => {
  const published = readKoreaexim(koreaeximDocument(), ['USD', 'JPY', 'CNY', 'IDR', 'VND'], '2026-11-16');
  assert.deepEqual(published, {
    quoted_on: '2026-11-16',
    quotes: [
      { currency_code: 'USD', rate: '1376.8' },
      { currency_code: 'JPY', rate: '8.9412' },
      { currency_code: 'CNY', rate: '190.31' },
      { currency_code: 'IDR', rate: '0.0855' },
    ],
    missing: ['VND'],
  });
});

test('koreaexim: an empty list is a day without rates; each result code has its own fault', () => {
  assert.equal(readKoreaexim('[]', ['USD'], '2026-11-15'), null);
  const failed = (result: unknown) => JSON.stringify([{ result, cur_unit: null, deal_bas_r: null }]);
  const of = (text: string) => fault(() => readKoreaexim(text, ['USD'], '2026-11-16'));
  assert.equal(of(failed(3)), 'key_refused');
  assert.equal(of(failed(4)), 'limit_reached');
  assert.equal(of(failed(2)), 'source_error');
  for (const text of ['{}', 'null', '7', '[7]', '[null]', '[[]]', failed('1'), failed(1.5), failed(null)])
    assert.equal(of(text), 'wrong_shape', text);
  for (const text of ['', '[', '<html>', '[1,]', '{"a":NaN}']) assert.equal(of(text), 'not_json', text);
});

test('koreaexim: invalid rates are refused', () => {
  const with_ = (deal_bas_r: unknown, cur_unit = 'USD') =>
    JSON.stringify([{ result: 1, cur_unit, deal_bas_r }]);
  const of = (text: string) => fault(() => readKoreaexim(text, ['USD', 'JPY'], '2026-11-16'));
  for (const value of [
    '0',
    '-1',
    '',
    'x',
    null,
    {},
    [],
    '1,37,6.8',
    '1376,8',
    ',1',
    '1e99',
    '9'.repeat(50),
    0,
  ])
    assert.equal(of(with_(value)), 'not_a_rate', JSON.stringify(value));
  assert.equal(of(with_('1', 'JPY(0)')), 'not_a_rate');
  assert.equal(
    of(JSON.stringify([1, 1].map(() => ({ result: 1, cur_unit: 'USD', deal_bas_r: '1' })))),
    'wrong_shape',
  );
});

test('json: paths of names and indexes, rates per units, inverted rates, and more digits than a float', () => {
  const reading = { path: 'rates.{currency}.0.mid', per_units: 1, is_inverted: false };
  const text = '{"rates":{"JPY":[{"mid":9.123456780000000001}],"USD":[{"mid":"1,376.80"}]}}';
  assert.deepEqual(readAnyJson(text, ['JPY', 'USD', 'EUR'], reading), {
    quoted_on: null,
    quotes: [
      { currency_code: 'JPY', rate: '9.12345678' },
      { currency_code: 'USD', rate: '1376.8' },
    ],
    missing: ['EUR'],
  });
  const one = (number: string, change: object) =>
    readAnyJson(`{"n":${number}}`, ['JPY'], { ...reading, path: 'n', ...change }).quotes[0]?.rate;
  assert.equal(one('912.3', { per_units: 100 }), '9.123');
  assert.equal(one('0.1096', { is_inverted: true }), '9.12408759');
  assert.equal(one('10.96', { is_inverted: true, per_units: 100 }), '9.12408759');
  assert.equal(one('9.12e2', {}), '912');
});

test('json: zero, negative, huge and non-numeric rates are refused, and prototype properties are not rates', () => {
  const reading = { path: 'n', per_units: 1, is_inverted: false };
  const of = (text: string, change: object = {}) =>
    fault(() => readAnyJson(text, ['JPY'], { ...reading, ...change }));
  for (const value of [
    '0',
    '-1',
    '1e999',
    '1e-999',
    '1e300',
    '"x"',
    'true',
    '{}',
    '[]',
    '""',
    '9'.repeat(60),
  ])
    for (const is_inverted of [false, true])
      assert.equal(of(`{"n":${value}}`, { is_inverted }), 'not_a_rate', value);
  assert.equal(of('{"n":NaN}'), 'not_json');
  for (const path of ['constructor', '__proto__', 'length', 'n.length', 'n.text', 'toString.length'])
    assert.deepEqual(readAnyJson('{"n":1}', ['JPY'], { ...reading, path }).missing, ['JPY'], path);
  assert.equal(of('['.repeat(100_000)), 'not_json');
});

test('json: strings that contain numbers, quotes and escapes are unchanged, and numbers in strings are not replaced', () => {
  const text = String.raw`{"a\"1":{"\\":[1,"-2",{"\u0031 x":3.10}]},"n 1, 2":"x"}`;
  for (const [path, rate] of [
    ['a"1.\\.0', '1'],
    ['a"1.\\.2.1 x', '3.1'],
  ] as const)
    assert.deepEqual(readAnyJson(text, ['JPY'], { path, per_units: 1, is_inverted: false }).quotes, [
      { currency_code: 'JPY', rate },
    ]);
  // The replacement would make this valid JSON.
  assert.equal(
    fault(() => readAnyJson('{1:2}', ['JPY'], { path: '1', per_units: 1, is_inverted: false })),
    'not_json',
  );
});

test('1 MiB of numbers stops the service not much longer than JSON.parse', () => {
  const list = `[${'1,'.repeat(2 ** 19 - 2)}1]`;
  const bestOf5 = (read: () => unknown): number =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const before = process.cpuUsage();
        read();
        const { user, system } = process.cpuUsage(before);
        return user + system;
      }),
    );
  const plain = bestOf5(() => JSON.parse(list));
  const json = bestOf5(() => readAnyJson(list, ['JPY'], { path: '7', per_units: 1, is_inverted: false }));
  const koreaexim = bestOf5(() => fault(() => readKoreaexim(list, ['JPY'], '2026-11-16')));
  assert.ok(json < 25 * plain, `${json} µs, JSON.parse: ${plain} µs`);
  assert.ok(koreaexim < 3 * plain, `${koreaexim} µs, JSON.parse: ${plain} µs`);
});

test('a key stays with its server: scheme, host and port, also while the source is off', () => {
  const at = (url: string | null, kind = 'json') => ({ kind, url });
  const bank = at(null, 'koreaexim');
  const off = at(null, 'none');
  for (const [before, after, stays] of [
    [at('https://a.example/x?k={api_key}'), at('https://a.example:443/{currency}'), true],
    [at('https://{currency}.a.example'), at('https://{currency}.a.example/y'), true],
    [at('https://a.example'), at('http://a.example'), false],
    [at('https://a.example'), at('https://a.example:8443'), false],
    [at('https://a.example'), at('https://b.example'), false],
    [at('https://a.example'), at('https://a.example', 'none'), true],
    [at('https://a.example'), off, false],
    [bank, off, true],
    [off, bank, true],
    [off, at('https://a.example'), false],
    [bank, at(null, 'ecb'), false],
    [bank, at('https://a.example', 'koreaexim'), false],
    [at(KOREAEXIM_URL), bank, true],
  ] as const)
    assert.equal(keyStays(before, after), stays, JSON.stringify([before, after]));
});

test('for any text the readers throw nothing but their own error', () => {
  const any = fc.oneof(fc.string(), fc.json(), fc.constant(ecbDocument()), fc.constant(koreaeximDocument()));
  const broken = fc
    .tuple(any, fc.nat(), fc.string({ maxLength: 3 }))
    .map(
      ([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice(at % (text.length + 1)),
    );
  fc.assert(
    fc.property(broken, (text) => {
      fault(() => readEcb(text, ['USD', 'JPY']));
      fault(() => readKoreaexim(text, ['USD', 'JPY'], '2026-11-16'));
      fault(() => readAnyJson(text, ['USD', 'JPY'], { path: '0', per_units: 1, is_inverted: false }));
    }),
  );
});
