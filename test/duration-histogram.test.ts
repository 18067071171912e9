import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { DurationHistogram } from '../src/platform/metrics/duration-histogram.ts';

const NAME = 'request_seconds';
const HELP = 'Time from the request to its answer.';
const BOUNDS = [0.001, 0.01, 0.1, 1];

test('the scraped text is identical, line by line, to that of the histogram of prom-client', async () => {
  const seconds = fc.oneof(fc.constantFrom(0, ...BOUNDS, 2), fc.double({ min: 0, max: 3, noNaN: true }));
  const observation = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    route: fc.constantFrom('/a', '/b"\\'),
    status: fc.constantFrom(200, 422),
    seconds,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(observation, { maxLength: 60 }), async (observations) => {
      const [ours, theirs] = [new Registry(), new Registry()];
      const own = new DurationHistogram(ours, NAME, HELP, BOUNDS);
      const labelNames = ['method', 'route', 'status'];
      const known = new Histogram({
        name: NAME,
        help: HELP,
        buckets: BOUNDS,
        labelNames,
        registers: [theirs],
      });
      for (const one of observations) {
        const { method, route, status } = one;
        own.observe(method, route, status, one.seconds);
        known.observe({ method, route, status }, one.seconds);
      }
      assert.equal(await ours.metrics(), await theirs.metrics());
    }),
    { numRuns: 200 },
  );
});
