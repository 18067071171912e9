// Slow repetitions of what other tests show faster: `npm run test:long` runs them (CONTRIBUTING.md).
import { test, type TestContext } from 'node:test';

export const isLong = process.env['TEST_LONG'] === '1';

const skip = isLong ? false : 'a slow repetition: npm run test:long';

export const long = {
  test: (name: string, run: (t: TestContext) => Promise<void>): void => void test(name, { skip }, run),
};
