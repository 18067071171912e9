// A reporter of `node --test`: writes what failed at the top level, one JSON text a line, for tools/scripts/test.mjs.
import type { TestEvent } from 'node:test/reporters';

const line = (name: string): string => `${JSON.stringify(name)}\n`;

export default async function* failures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.nesting === 0) yield line(data.name);
    // Node reports an error that belongs to no running test, or to one that has ended, only as a message.
    if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) yield line(data.message);
  }
}
