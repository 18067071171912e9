// A reporter of `node --test`: writes what failed at the top level, one JSON object a line, for tools/scripts/test.mjs.
import type { TestEvent } from 'node:test/reporters';
import type { Failure } from './test-again.ts';

const line = (failure: Failure): string => `${JSON.stringify(failure)}\n`;

export default async function* failures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.nesting === 0) {
      const { failureType } = data.details.error as { failureType?: string };
      yield line({ name: data.name, isTimeout: failureType === 'testTimeoutFailure' });
    }
    // Node reports an error that belongs to no running test, or to one that has ended, only as a message.
    if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) {
      yield line({ name: data.message, isTimeout: false });
    }
  }
}
