import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastHours, startOfDay, startOfHour } from '../../src/platform/values/hours.ts';
import { timestampFormat } from '../../src/platform/values/timestamps.ts';

test('hours start at full hours of local time, also with half-hour offsets and at clock changes', () => {
  const hoursOf = (zone: string, now: string, count: number) => {
    const show = timestampFormat(zone);
    return lastHours(new Date(now), count, show).map(show);
  };
  assert.deepEqual(hoursOf('Asia/Kolkata', '2030-01-01T10:10:00Z', 2), [
    '2030-01-01T14:00:00+05:30',
    '2030-01-01T15:00:00+05:30',
  ]);
  assert.deepEqual(hoursOf('Asia/Kathmandu', '2030-01-01T10:10:00Z', 2), [
    '2030-01-01T14:00:00+05:45',
    '2030-01-01T15:00:00+05:45',
  ]);
  assert.deepEqual(hoursOf('Europe/Berlin', '2026-10-25T02:10:00Z', 4), [
    '2026-10-25T01:00:00+02:00',
    '2026-10-25T02:00:00+02:00',
    '2026-10-25T02:00:00+01:00',
    '2026-10-25T03:00:00+01:00',
  ]);
  assert.equal(hoursOf('Australia/Lord_Howe', '2026-10-04T03:00:00Z', 168).length, 168);
  for (const zone of ['America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Chatham']) {
    const shown = hoursOf(zone, '2026-11-02T03:07:11Z', 168);
    assert.equal(new Set(shown).size, 168);
    assert.ok(
      shown.every((text) => Date.parse(text) < Date.now() + 1e11 && /T\d\d:[03]0:00/.test(text)),
      zone,
    );
  }
  const start = startOfHour(new Date('1969-12-31T23:30:00Z'), timestampFormat('UTC'));
  assert.equal(start.toISOString(), '1969-12-31T23:00:00.000Z');
});

test('a day begins at its first instant, also where the clock changes at midnight', () => {
  const begins = (zone: string, day: string): string => {
    const show = timestampFormat(zone);
    return show(startOfDay(new Date(`${day}T00:00:00Z`), show));
  };
  for (const [zone, day, start] of [
    ['Asia/Seoul', '2026-11-15', '2026-11-15T00:00:00+09:00'],
    ['Pacific/Kiritimati', '2026-11-15', '2026-11-15T00:00:00+14:00'],
    ['Etc/GMT+12', '2026-11-15', '2026-11-15T00:00:00-12:00'],
    // Summer time begins: there is no midnight.
    ['America/Santiago', '2026-09-06', '2026-09-06T01:00:00-03:00'],
    ['America/Havana', '2026-03-08', '2026-03-08T01:00:00-04:00'],
    ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00+00:00'],
    // It ends: midnight comes twice, or the day before is an hour longer.
    ['America/Havana', '2026-11-01', '2026-11-01T00:00:00-04:00'],
    ['America/Santiago', '2026-04-05', '2026-04-05T00:00:00-04:00'],
    ['Europe/Berlin', '2026-03-29', '2026-03-29T00:00:00+01:00'],
    ['Australia/Lord_Howe', '2026-10-04', '2026-10-04T00:00:00+10:30'],
    // The day was left out when the zone moved to the other side of the date line.
    ['Pacific/Apia', '2011-12-30', '2011-12-31T00:00:00+14:00'],
    ['Africa/Monrovia', '1971-06-01', '1971-06-01T00:00:00-00:45'],
  ] as const)
    assert.equal(begins(zone, day), start, zone);
});

test('an hour in which the offset changes by half an hour begins at the change', () => {
  const show = timestampFormat('Australia/Lord_Howe');
  const start = (at: string): string => show(startOfHour(new Date(at), show));
  assert.equal(start('2026-10-04T02:40:00+11:00'), '2026-10-04T02:30:00+11:00');
  assert.equal(start('2026-04-05T01:50:00+11:00'), '2026-04-05T01:00:00+11:00');
  assert.equal(start('2026-04-05T01:50:00+10:30'), '2026-04-05T01:30:00+10:30');
});
