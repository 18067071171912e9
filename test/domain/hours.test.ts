import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastHours, startOfHour } from '../../src/domain/hours.ts';
import { timestampFormat } from '../../src/domain/timestamps.ts';

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
