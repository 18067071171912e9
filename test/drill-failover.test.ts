// The parts of `npm run drill:failover` that need no cluster. The drill itself needs Debian packages and takes minutes.
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import {
  haproxyConfiguration,
  PATRONI_TIMES,
  patroniConfiguration,
} from '../verify/drill/failover/configuration.ts';
import { FAULT_NAMES, planFaults } from '../verify/drill/failover/faults.ts';
import { readOptions } from '../verify/drill/failover/options.ts';
import { UsageError } from '../verify/kit/command-line.ts';
import { longestSilence } from '../verify/drill/failover/silence.ts';
import { startWall } from '../verify/drill/failover/wall.ts';
import { Random } from '../verify/kit/random.ts';
import { until } from '../verify/kit/until.ts';
import { listen } from '../verify/kit/ports.ts';

const NODE = {
  name: 'alpha',
  dir: '/drill/alpha',
  postgres_port: 1,
  postgres_wall_port: 2,
  rest_port: 3,
  rest_wall_port: 4,
  etcd_wall_port: 5,
};

test('Patroni configuration: strict synchronous mode, two synchronous standbys, timeouts within the TTL of the leader key', () => {
  const text = patroniConfiguration(NODE, '/bin', { superuser: 'a', replication: 'b', rewind: 'c' });
  for (const line of [
    'synchronous_mode: true',
    'synchronous_mode_strict: true',
    'synchronous_node_count: 2',
    "synchronous_commit: 'on'",
    'use_pg_rewind: true',
  ]) {
    assert.ok(text.includes(line), line);
  }
  const counterProof = patroniConfiguration(
    NODE,
    '/bin',
    { superuser: 'a', replication: 'b', rewind: 'c' },
    false,
  );
  assert.ok(counterProof.includes('synchronous_mode: false') && !counterProof.includes('synchronous_node'));
  const { ttl_s, loop_wait_s, retry_timeout_s } = PATRONI_TIMES;
  assert.ok(loop_wait_s + 2 * retry_timeout_s <= ttl_s);
});

test('all configured connections to a node go through its wall, the proxy around it', () => {
  const patroni = patroniConfiguration(NODE, '/bin', { superuser: 'a', replication: 'b', rewind: 'c' });
  assert.match(patroni, /etcd3:\n  hosts: 127\.0\.0\.1:5\n  use_proxies: true/);
  assert.deepEqual(
    [...patroni.matchAll(/connect_address: 127\.0\.0\.1:(\d)/g)].map((match) => match[1]),
    ['4', '2'],
  );
  const haproxy = haproxyConfiguration(9, [NODE]);
  assert.ok(haproxy.includes('server alpha 127.0.0.1:2 check port 4\n'));
  assert.ok(haproxy.includes('on-marked-down shutdown-sessions'));
});

test('the longest silence lasts from the last success before a gap to the first success after it', () => {
  assert.equal(longestSilence([10, 20, 30, 90, 95], 25, 100), 60);
  assert.equal(longestSilence([10, 20], 25, 100), 80);
  assert.equal(longestSilence([], 25, 100), 75);
  assert.equal(longestSilence([10, 20, 300], 25, 100), 80);
});

test('every kind of fault occurs once per round, in an order that the seed determines', () => {
  const plan = planFaults(FAULT_NAMES, 2 * FAULT_NAMES.length + 1, new Random(5));
  assert.deepEqual(plan, planFaults(FAULT_NAMES, plan.length, new Random(5)));
  for (const start of [0, FAULT_NAMES.length]) {
    assert.deepEqual(plan.slice(start, start + FAULT_NAMES.length).toSorted(), FAULT_NAMES.toSorted());
  }
});

test('flags: numbers and names are checked, anything unknown is refused with a one-line message', () => {
  assert.deepEqual(readOptions(['--cycles', '3', '--seed', '7', '--only', 'node,etcd']), {
    cycles: 3,
    seed: 7,
    only: ['node', 'etcd'],
    round: 10,
    synchronous_mode: 'on',
  });
  assert.equal(readOptions(['--synchronous-mode', 'off'])?.synchronous_mode, 'off');
  assert.equal(readOptions(['--help']), null);
  for (const argv of [
    ['--cycles', '0'],
    ['--seed', 'x'],
    ['--only', 'rain'],
    ['--synchronous-mode', 'perhaps'],
    ['--what'],
    ['stray'],
  ]) {
    assert.throws(
      () => readOptions(argv),
      (error: Error) => error instanceof UsageError && !/\n/.test(error.message),
    );
  }
});

test('a closed wall keeps connections open and delivers data after reopening; lose() drops matching messages', async () => {
  const received: string[] = [];
  const peers: Socket[] = [];
  const server = createServer((peer) => {
    peers.push(peer);
    peer.on('data', (chunk) => received.push(String(chunk)));
    peer.on('error', () => {});
  });
  const port = await listen(server);
  const [wall, beside] = await Promise.all([startWall(port), startWall(port)]);
  const open = connect(wall.port, '127.0.0.1');
  open.write('early ');
  await until(() => received.length > 0);
  wall.close();
  open.write('late ');
  const newcomer = connect(wall.port, '127.0.0.1');
  newcomer.write('newcomer ');
  // Sent later through another wall, and there first.
  const marker = connect(beside.port, '127.0.0.1');
  marker.write('marker ');
  await until(() => received.length >= 2);
  assert.deepEqual(received, ['early ', 'marker ']);
  assert.equal(open.destroyed || newcomer.destroyed, false);
  wall.open();
  await until(() => received.length >= 4);
  assert.deepEqual(received.toSorted(), ['early ', 'late ', 'marker ', 'newcomer ']);
  wall.lose('POST');
  open.write('POST /failsafe');
  newcomer.write('GET /');
  await until(() => received.includes('GET /'));
  assert.deepEqual(received.slice(4), ['GET /']);
  for (const socket of [open, newcomer, marker, ...peers]) socket.destroy();
  await Promise.all([wall.remove(), beside.remove()]);
  server.close();
});
