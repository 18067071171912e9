// A reporter that prints the first failing test and ends the process.
import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

export default async function* firstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    writeSync(1, data.name);
    process.exit(1);
  }
  yield '';
}
