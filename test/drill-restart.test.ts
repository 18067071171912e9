// The pure parts of `npm run drill:restart`; the drill itself needs Debian's packages and minutes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { balancerConfiguration } from '../verify/drill/restart-balancer.ts';
import { readOptions } from '../verify/drill/restart-options.ts';
import { UsageError } from '../verify/kit/command-line.ts';

const OPERATIONS = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const PORTS = { balancer: 1, statistics: 2, services: [3, 4] };

test('HAProxy runs with the lines of docs/operations.md, on addresses of this machine alone', () => {
  const lines = balancerConfiguration(OPERATIONS, PORTS).split('\n');
  const backend = lines.slice(lines.indexOf('backend sluice')).filter((line) => line !== '');
  assert.deepEqual(backend.splice(-2), ['  server one 127.0.0.1:3 check', '  server two 127.0.0.1:4 check']);
  assert.ok(backend.length > 5);
  assert.ok(OPERATIONS.includes(`${backend.join('\n')}\n  server one `));
  const addresses = lines.flatMap((line) => line.match(/\b\d+\.\d+\.\d+\.\d+/g) ?? []);
  assert.deepEqual([...new Set(addresses)], ['127.0.0.1']);
});

test('documentation without the lines, or with another number of servers, is refused', () => {
  assert.throws(() => balancerConfiguration('backend other\n', PORTS), /shows no "backend sluice"/);
  assert.throws(
    () => balancerConfiguration(OPERATIONS, { ...PORTS, services: [3, 4, 5] }),
    /shows 2 servers/,
  );
});

test('flags: numbers are checked, anything unknown is refused', () => {
  assert.deepEqual(readOptions(['--stops', '3', '--drain-ms', '100']), {
    stops: 3,
    rate: 60,
    drain_ms: 100,
  });
  assert.equal(readOptions(['--help']), null);
  for (const argv of [['--stops', '0'], ['--rate', 'x'], ['--what']])
    assert.throws(() => readOptions(argv), UsageError);
});
