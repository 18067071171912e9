// Parts of the console that need no browser: numbers, times, search, pasted lists, chart axes, audit differences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticks } from '../console/src/components/charts/scale.ts';
import { formatDecimal, formatMoney, instantInZone, makeFormat } from '../console/src/i18n/intl.ts';
import { matches } from '../console/src/i18n/matches.ts';
import { wholeNumber } from '../console/src/components/whole-number.ts';
import { listOf, pastedList } from '../console/src/screens/stock/pasted.ts';
import { byPower } from '../console/src/screens/products/product/by-power.ts';
import { difference } from '../console/src/screens/audit/difference.ts';
import { groupAlerts } from '../console/src/components/alert-groups.ts';
import { koreanViolation, sideName } from '../console/src/screens/register/violation-ko.ts';

test('amounts keep every digit, far beyond the precision of a float', () => {
  assert.equal(formatMoney('en', '12345678901234567890.50', 'KRW'), '₩12,345,678,901,234,567,890.5');
  assert.equal(formatMoney('en', '90071992547409930.01', 'USD'), '$90,071,992,547,409,930.01');
  assert.equal(formatDecimal('en', '0.100000000000000000000000000001'), '0.100000000000000000000000000001');
});

test('amounts have the decimals of their currency, or more if the amount has more', () => {
  assert.equal(formatMoney('en', '45000.00', 'KRW'), '₩45,000');
  assert.equal(formatMoney('ko', '45000.55', 'KRW'), '₩45,000.55');
  assert.equal(formatMoney('en', '1234.5', 'USD'), '$1,234.50');
  assert.equal(formatMoney('en', '1234', 'JPY'), '¥1,234');
  assert.equal(formatMoney('en', '-3.005', 'USD'), '-$3.005');
});

test('won are shown without decimals, rounded half up', () => {
  const { won } = makeFormat('en', 'Asia/Seoul');
  assert.equal(won('35745.90'), '₩35,746');
  assert.equal(won('35745.50'), '₩35,746');
  assert.equal(won('0.49'), '₩0');
  assert.equal(won('999999999999999.40'), '₩999,999,999,999,999');
  // The sum with an order of 1,000 lines of 2,147,483,647 at 10^15: nobody reads 28 digits.
  assert.equal(won('2147483647000008589934588413.00'), '₩2.15E27');
  assert.equal(won('a lot'), 'a lot KRW');
});

test('text that is not a decimal, and an unknown currency code, are shown unchanged', () => {
  assert.equal(formatMoney('en', 'a lot', 'KRW'), 'a lot KRW');
  assert.equal(formatMoney('en', '1000', 'not one'), '1,000 not one');
  assert.equal(formatDecimal('en', '1e21'), '1e21');
});

test('times are shown in the time zone of the service, not of the browser', () => {
  const at = '2026-11-15T00:30:00Z';
  assert.match(makeFormat('en', 'Asia/Seoul').dateTime(at), /^15 Nov 2026, 09:30:00$/);
  assert.match(makeFormat('en', 'America/New_York').dateTime(at), /^14 Nov 2026, 19:30:00$/);
  assert.equal(makeFormat('ko', 'Asia/Seoul').time('2026-11-14T15:00:00Z'), '00:00');
  assert.equal(
    makeFormat('en', 'Asia/Seoul').relative('2026-11-15T00:27:00Z', Date.parse(at)),
    '3 minutes ago',
  );
});

test('a typed time is read in the time zone of the service, also on the day of a daylight saving change', () => {
  assert.equal(instantInZone('2026-11-15T09:30', 'Asia/Seoul'), '2026-11-15T00:30:00.000Z');
  assert.equal(instantInZone('2026-11-15 09:30', 'Asia/Seoul'), '2026-11-15T00:30:00.000Z');
  assert.equal(instantInZone('2026-03-08T12:00', 'America/New_York'), '2026-03-08T16:00:00.000Z');
  assert.equal(instantInZone('2026-03-08T01:00', 'America/New_York'), '2026-03-08T06:00:00.000Z');
  // A time that the clock leaves out is taken as one after the gap.
  assert.equal(instantInZone('2026-09-06T00:30', 'America/Santiago'), '2026-09-06T04:30:00.000Z');
  assert.equal(instantInZone('2026-03-29T02:30', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z');
  for (const text of ['soon', '01/02/2020', '2026-11-15', '2026-13-01T00:00'])
    assert.equal(instantInZone(text, 'Asia/Seoul'), null, text);
});

test('Korean search: consonants match syllables that begin with them, and an unfinished syllable matches its completions', () => {
  for (const typed of ['민준', 'ㅁㅈ', '민ㅈ', 'ㅁ', 'ㅈ', '미', '김미', ' 준 ', ''])
    assert.ok(matches('김민준', typed), typed);
  for (const typed of ['ㅈㅁ', '믽', '민준이', 'ㅁㅁ', '맨', 'ㅏ'])
    assert.ok(!matches('김민준', typed), typed);
  assert.ok(matches('Rejected orders', 'reJECT'));
  assert.ok(matches('ㅋㅋ 마켓', 'ㅋㅋ ㅁ'));
  assert.ok(matches('김민준', '김민준'.normalize('NFD')));
});

test('a whole number consists of digits, also full-width digits; any other text is refused', () => {
  const typed: [string, number | null][] = [
    ['0', 0],
    [' 12 ', 12],
    ['007', 7],
    ['１２', 12],
    ['2147483647', 2_147_483_647],
  ];
  for (const [text, n] of typed) assert.equal(wholeNumber(text), n, text);
  const wrong = [
    '',
    ' ',
    '12.5',
    '-5',
    '1e3',
    '1,200',
    '1 2',
    '2147483648',
    '99999999999',
    '0x1f',
    '½',
    '+1',
  ];
  for (const text of wrong) assert.equal(wholeNumber(text), null, text);
  for (const text of ['-5', '−5', '－５']) assert.equal(wholeNumber(text, -10), -5, text);
  assert.equal(wholeNumber('-0', -10), 0);
  assert.equal(wholeNumber('-11', -10), null);
});

test('powers are in the order of a catalogue: from plus over zero to minus, then other texts in their own order', () => {
  const powers = ['toric B', '-0.50', '-10.00', null, '0.00', '+1.25', '-0.75', 'toric A', '−'];
  const sorted = powers.map((power) => ({ power })).toSorted(byPower);
  assert.deepEqual(
    sorted.map(({ power }) => power),
    ['+1.25', '0.00', '-0.50', '-0.75', '-10.00', 'toric B', null, 'toric A', '−'],
  );
});

test('a list pasted from a spreadsheet, with or without a header, becomes the CSV that the service reads', () => {
  const header = 'variant_code,quantity\n';
  assert.deepEqual(pastedList('A\t5\nB "x"\t１２\n'), {
    csv: `${header}A,5\n"B ""x""",12\n`,
    linesAdded: 1,
  });
  assert.deepEqual(pastedList('A;5\r\nB;6'), { csv: `${header}A,5\nB,6`, linesAdded: 1 });
  assert.deepEqual(pastedList('A,5'), { csv: `${header}A,5`, linesAdded: 1 });
  assert.deepEqual(pastedList('품목\t수량\nA\t5'), { csv: `${header}A,5`, linesAdded: 0 });
  const exported = '\u{feff}variant_code,quantity\r\n"a, b",5\r\n';
  assert.deepEqual(pastedList(exported), { csv: exported.slice(1), linesAdded: 0 });
  assert.deepEqual(
    pastedList(' A \t ５ '),
    { csv: `${header}" A "," 5 "`, linesAdded: 1 },
    'blanks of a code are kept',
  );
  assert.equal(pastedList('1,000\t1,000\nB\t12,345,678').csv, `${header}"1,000",1000\nB,12345678`);
  assert.equal(pastedList('quantity\tvariant_code\n1,000\tA').csv, 'quantity,variant_code\n1000,A');
  assert.equal(pastedList('A\t1,00').csv, `${header}A,"1,00"`, 'refused by the service');
  assert.equal(pastedList('A\t12.5').csv, `${header}A,12.5`, 'refused by the service, not rounded here');
  assert.equal(listOf([['a "b", c', 3]]), `${header}"a ""b"", c",3`);
});

test('axis labels are round values that cover the data, and whole numbers for counts', () => {
  assert.deepEqual(ticks(0, 272, 4, true), [0, 100, 200, 300]);
  assert.deepEqual(ticks(0, 1, 4, true), [0, 1]);
  assert.deepEqual(ticks(9.1, 9.5, 4, false), [9.1, 9.2, 9.3, 9.4, 9.5]);
  assert.ok((ticks(7, 7, 4, false).at(-1) ?? 0) >= 7);
});

test('an audit difference lists changed and added fields, and no unchanged fields', () => {
  assert.deepEqual(difference({ a: 1, b: 'x', c: null }, { a: 2, b: 'x', d: [1] }), [
    { field: 'a', before: '1', after: '2' },
    { field: 'd', before: undefined, after: '[1]' },
  ]);
  assert.deepEqual(difference(null, null), []);
});

test('a side of a set and its option group with the same name: the name is shown once', () => {
  assert.deepEqual(
    [sideName('좌', '좌', ' '), sideName('우', 'R', ' '), sideName('Left', '좌', ' ')],
    ['좌', '우 (R)', 'Left (좌)'],
  );
  const missing = (group: string) =>
    koreanViolation({
      code: 'power_missing',
      rows: [],
      message: '',
      details: { power: '-1.00', group, side: 'right' },
    });
  assert.match(missing('우'), /^우에 도수 -1\.00 옵션이 없습니다/);
  assert.match(missing('R'), /^우\(R\)에 도수/);
});

test('alerts of one cause are one group: the unmapped SKUs of a channel, the items of a kind', () => {
  const alert = (id: number, kind: 'unmapped_sku' | 'low_stock' | 'drift', details: object) => ({
    id,
    kind,
    subject: String(id),
    details: { ...details },
    opened_at: '2026-11-15T09:30:00+09:00',
    closed_at: null,
    runbook_url: '',
  });
  const groups = groupAlerts([
    alert(1, 'unmapped_sku', { channel_id: 1, sku: 'A' }),
    alert(2, 'low_stock', { variant_code: 'V' }),
    alert(3, 'unmapped_sku', { channel_id: 1, sku: 'B' }),
    alert(4, 'unmapped_sku', { channel_id: 2, sku: 'B' }),
    alert(5, 'low_stock', { variant_code: 'W' }),
    alert(6, 'drift', {}),
    alert(7, 'drift', {}),
  ]);
  assert.deepEqual(
    groups.map(({ alerts }) => alerts.map(({ id }) => id)),
    [[1, 3], [2, 5], [4], [6], [7]],
  );
});
