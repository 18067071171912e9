// The parts of `npm run drill:restart` that need no load balancer. The drill itself needs Debian packages and takes minutes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BALANCERS, balancerConfiguration, type BalancerName } from '../verify/drill/restart-balancer.ts';
import { readOptions } from '../verify/drill/restart-options.ts';
import { UsageError } from '../verify/kit/command-line.ts';

const PORTS = { balancer: 1, services: [3, 4] };

test('each load balancer runs with its file of deploy/proxies, changed to loopback addresses only', () => {
  for (const name of Object.keys(BALANCERS) as BalancerName[]) {
    const text = readFileSync(new URL(`../deploy/proxies/${BALANCERS[name].file}`, import.meta.url), 'utf8');
    const made = balancerConfiguration(name, text, PORTS);
    const services = PORTS.services.slice(0, BALANCERS[name].addresses.length);
    for (const port of [PORTS.balancer, ...services])
      assert.ok(made.includes(`127.0.0.1:${port}`), `${name}: ${port}`);
    const addresses = made.match(/\b\d+\.\d+\.\d+\.\d+/g) ?? [];
    assert.deepEqual([...new Set(addresses)], ['127.0.0.1'], name);
    assert.match(text, /\/metrics/, `${name} has a rule for /metrics`);
    const kept = text.split('\n').filter((line) => made.includes(line));
    assert.ok(
      kept.length > text.split('\n').length - 8,
      `${name}: only a few lines of the file are replaced`,
    );
  }
});

test('a file without the lines that the drill replaces is refused', () => {
  assert.throws(() => balancerConfiguration('haproxy', 'backend other\n', PORTS), /haproxy.cfg has no/);
});

test('flags: numbers are checked, anything unknown is refused', () => {
  assert.deepEqual(readOptions(['--stops', '3', '--drain-ms', '100']), {
    stops: 3,
    balancer: 'haproxy',
    workers: 1,
    rate: 60,
    drain_ms: 100,
  });
  assert.equal(readOptions(['--help']), null);
  for (const argv of [['--stops', '0'], ['--rate', 'x'], ['--balancer', 'x'], ['--what']])
    assert.throws(() => readOptions(argv), UsageError);
});
