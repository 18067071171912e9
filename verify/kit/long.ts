// Slow tests, which `npm test` leaves out: `npm run test:long` runs them (CONTRIBUTING.md).
export const isLong = process.env['TEST_LONG'] === '1';

/** Options of a test that only it runs. */
export const LONG_ONLY = { skip: isLong ? false : 'npm run test:long' };
