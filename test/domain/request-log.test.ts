import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainText } from '../../src/platform/values/plain-text.ts';
import { traceFault } from '../../src/core/channels/rules.ts';
import { requestOutcome } from '../../src/features/observations/requests-rules.ts';

test('a request is refused by its status and slow from the limit on; the wait that the client asked for does not count', () => {
  const outcome = (status: number, ms: number, waited_ms = 0) =>
    requestOutcome({ status, ms, waited_ms }, 1_000);
  assert.deepEqual(
    [outcome(399, 999), outcome(200, 1_000), outcome(400, 5_000)],
    ['served', 'slow', 'refused'],
  );
  assert.deepEqual([outcome(200, 30_999, 30_000), outcome(200, 31_000, 30_000)], ['served', 'slow']);
});

test('a trace lasts at most one day', () => {
  const now = new Date('2026-11-15T00:00:00Z');
  const at = (ms: number) => traceFault(new Date(now.getTime() + ms), now);
  const day = 24 * 60 * 60 * 1000;
  assert.deepEqual([at(1), at(day)], [null, null]);
  for (const ms of [-1, 0, day + 1]) assert.deepEqual(at(ms), { kind: 'expiry_out_of_range', days_max: 1 });
});

test('a logged text is bounded, well-formed and without invisible characters; a short plain text is unchanged', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      (text, max) => {
        const logged = plainText(text, max);
        assert.ok(logged.isWellFormed());
        assert.doesNotMatch(logged, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.ok(Array.from(logged).length <= max * '\\u{10ffff}'.length + 1);
        const characters = Array.from(text);
        if (characters.length <= max && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
          assert.equal(logged, text);
        if (characters.length > max) assert.ok(logged.endsWith('…'));
      },
    ),
  );
  assert.equal(plainText('a\nb\u202e\ud800', 10), 'a\\u{a}b\\u{202e}\\u{d800}');
  assert.equal(plainText('🙂'.repeat(4), 3), '🙂🙂🙂…');
});
