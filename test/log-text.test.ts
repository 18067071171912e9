// Log lines on a terminal.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { logText } from '../src/platform/log/log-text.ts';
import { createLogger } from '../src/platform/log/log.ts';

/** The text without colours that the logger of the service writes. */
function written(use: (logger: ReturnType<typeof createLogger>) => void): string {
  const stream = new PassThrough();
  use(createLogger('trace', { stream: pino.multistream([{ stream, level: 'trace' }]) }));
  return String(stream.read())
    .trimEnd()
    .split('\n')
    .map((line) => logText(line, (_, text) => text))
    .join('');
}

test('a line has time, level, message and fields, without the fields that are the same in every line', () => {
  const text = written((logger) => logger.warn({ channel: 7, reason: 'two words', path: '/a' }, 'slow'));
  assert.match(text, /^\d\d:\d\d:\d\d warn  slow channel=7 reason="two words" path=\/a\n$/);
});

test('the log has times in ISO 8601, or in milliseconds if set so; the terminal shows both as a clock', () => {
  for (const [time, pattern] of [
    [undefined, /^\{"level":30,"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/],
    ['epoch', /^\{"level":30,"time":\d{13},/],
  ] as const) {
    const stream = new PassThrough();
    createLogger('info', { stream, ...(time && { time }) }).info('x');
    const line = String(stream.read());
    assert.match(line, pattern);
    assert.match(
      logText(line, (_, text) => text),
      /^\d\d:\d\d:\d\d info  x\n$/,
    );
  }
});

test('an error is followed by its stack, without fields that may contain customer data', () => {
  const error = Object.assign(new Error('broken'), { code: '23505', detail: 'Key (phone)=(010) exists' });
  const text = written((logger) => logger.error({ err: error }, 'failed'));
  assert.match(text, /^\S+ error failed\nError: broken\n {4}at /);
  assert.doesNotMatch(text, /010/);
});

test('line breaks and control characters in a value cannot forge a second line', () => {
  const text = written((logger) => logger.info({ path: 'a\nb\u001b[31m\u009b31m' }, 'x\u009by'));
  assert.equal(text.trimEnd().split('\n').length, 1);
  assert.doesNotMatch(text.trimEnd(), /\p{Cc}/u);
});
