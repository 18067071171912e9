import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addressGroup,
  clientAddress,
  isInRanges,
  isLoopback,
  isTrustedProxy,
  LOOPBACK,
  parseAddressRanges,
  parseProxies,
  type TrustedProxies,
} from '../../src/platform/values/client-address.ts';

function proxies(text: string): TrustedProxies {
  const parsed = parseProxies(text);
  assert.ok(parsed, text);
  return parsed;
}
const loopback = proxies(LOOPBACK);

test('a direct client cannot choose its address: the header counts only from a trusted proxy', () => {
  assert.equal(clientAddress('203.0.113.9', '10.0.0.1', loopback), '203.0.113.9');
  assert.equal(clientAddress('203.0.113.9', undefined, loopback), '203.0.113.9');
  assert.equal(clientAddress('127.0.0.1', '203.0.113.9', loopback), '203.0.113.9');
  assert.equal(clientAddress('127.0.0.1', '203.0.113.9', proxies('none')), '127.0.0.1');
  assert.equal(clientAddress('127.0.0.1', undefined, loopback), '127.0.0.1');
});

test('of several entries the rightmost untrusted one is the client; entries that the client itself wrote do not count', () => {
  const two = proxies('10.0.0.0/8, 2001:db8::5');
  assert.equal(clientAddress('10.1.2.3', '1.2.3.4, 203.0.113.9', two), '203.0.113.9');
  assert.equal(clientAddress('10.1.2.3', '1.2.3.4, 203.0.113.9, 10.9.9.9', two), '203.0.113.9');
  assert.equal(clientAddress('2001:db8::5', '1.2.3.4,203.0.113.9,10.9.9.9', two), '203.0.113.9');
  assert.equal(clientAddress('10.1.2.3', '10.0.0.7', two), '10.0.0.7', 'a client inside a trusted range');
});

test('an entry that is not an address ends the search: the client is the proxy that wrote it', () => {
  for (const rubbish of [
    '',
    'unknown',
    '_hidden',
    '1.2.3',
    '0177.0.0.1',
    '2130706433',
    'zz:1',
    '192.0.2.5:80x',
    'x192.0.2.5:80',
    '[2001:db8::1]x',
    'x[2001:db8::1]',
    'x'.repeat(5_000),
  ])
    assert.equal(clientAddress('127.0.0.1', `203.0.113.9, ${rubbish}`, loopback), '127.0.0.1', rubbish);
  assert.equal(clientAddress(undefined, '203.0.113.9', loopback), 'unknown');
});

test('ports, zones and IPv4 inside IPv6 are normalised', () => {
  assert.equal(clientAddress('::ffff:127.0.0.1', '203.0.113.9:4711', loopback), '203.0.113.9');
  assert.equal(clientAddress('::1', '[2001:DB8:0::1]:4711', loopback), '2001:db8::1');
  assert.equal(clientAddress('fe80::1%eth0', undefined, loopback), 'fe80::1');
  assert.equal(clientAddress('127.0.0.1', '::ffff:203.0.113.9', loopback), '203.0.113.9');
  assert.ok(isTrustedProxy('::ffff:127.0.0.2', loopback) && !isTrustedProxy('203.0.113.9', loopback));
});

test('a proxy list consists of addresses and CIDR ranges; one invalid entry refuses the whole list', () => {
  for (const nobody of ['none', ' none ']) assert.deepEqual(parseProxies(nobody), []);
  assert.equal(parseProxies(' 10.0.0.0/8, ')?.length, 1, 'blanks and commas around an entry are ignored');
  assert.equal(parseProxies('10.0.0.0/8 192.168.1.7,fd00::/8')?.length, 3);
  for (const wrong of [
    '10.0.0.0/33',
    'fd00::/129',
    'proxy',
    '10.0.0/8',
    '10.0.0.1/8/8',
    '::ffff:10.0.0.0/104',
    '::ffff:10.0.0.0/24',
    '10.0.0.0/8x',
    '10.0.0.0/-8',
    '1.2.3.4/',
  ])
    assert.equal(parseProxies(`127.0.0.1, ${wrong}`), null, wrong);
});

test('a range matches exactly its prefix, and only addresses of the same IP version', () => {
  const range = proxies('10.1.0.0/16 fd00:1::/32 192.0.2.7');
  for (const inside of ['10.1.0.0', '10.1.255.255', 'fd00:1:ffff::1', '192.0.2.7', '::ffff:10.1.2.3'])
    assert.equal(isTrustedProxy(inside, range), true, inside);
  for (const outside of [
    '10.2.0.0',
    '10.0.255.255',
    'fd00:2::',
    '192.0.2.6',
    '192.0.2.8',
    '::a01:1',
    undefined,
  ])
    assert.equal(isTrustedProxy(outside, range), false, outside);
  const everybody = proxies('0.0.0.0/0, ::/0');
  assert.ok(isTrustedProxy('203.0.113.9', everybody) && isTrustedProxy('2001:db8::1', everybody));
  assert.equal(isTrustedProxy('2001:db8::1', proxies('0.0.0.0/0')), false);
  assert.ok(proxies('255.255.255.255/32').length === 1 && proxies('::1/128').length === 1);
});

test('loopback is 127.0.0.0/8 and ::1', () => {
  for (const own of ['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1'])
    assert.ok(isLoopback(own), own);
  for (const other of ['126.255.255.255', '128.0.0.1', '::2', '::', '', undefined])
    assert.equal(isLoopback(other), false, other);
});

test('limits treat an IPv6 /64 network as one address', () => {
  for (const neighbour of ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::', '2001:db8:1:2:8000::1'])
    assert.equal(addressGroup(neighbour), addressGroup('2001:db8:1:2::9'), neighbour);
  assert.notEqual(addressGroup('2001:db8:1:2::9'), addressGroup('2001:db8:1:3::9'));
  assert.equal(addressGroup('2001:db8:1:2::9'), '2001:db8:1:2::/64');
  assert.equal(addressGroup('::ffff:203.0.113.9'), '203.0.113.9');
  assert.equal(addressGroup('rubbish'), 'unknown');
});

test('entries to the left of the client never change the result', () => {
  const range = proxies('10.0.0.0/8, fd00::/8, 127.0.0.1');
  const byte = fc.integer({ min: 0, max: 255 });
  const trusted = fc.oneof(
    byte.map((n) => `10.${n}.0.1`),
    byte.map((n) => `fd00::${n.toString(16)}`),
    fc.constant('127.0.0.1'),
  );
  const stranger = fc.oneof(
    byte.map((n) => `203.0.113.${n}`),
    byte.map((n) => `2001:db8::${(n + 1).toString(16)}`),
  );
  const written = fc.array(fc.oneof(stranger, trusted, fc.string()), { maxLength: 4 });
  const hops = fc.array(trusted, { maxLength: 3 });
  fc.assert(
    fc.property(written, stranger, hops, trusted, (own, client, between, last) => {
      assert.equal(clientAddress(last, [...own, client, ...between].join(', '), range), client);
      assert.equal(clientAddress(client, [...own, ...between].join(', '), range), client);
    }),
    { numRuns: 1_000 },
  );
});

test('address ranges: each entry is an address or a CIDR range; text that is not an address is in no range', () => {
  const ranges = parseAddressRanges(['203.0.113.0/24', '2001:db8::/32', '198.51.100.7']) ?? [];
  for (const inside of [
    '203.0.113.0',
    '203.0.113.255',
    '::ffff:203.0.113.1',
    '2001:db8:ffff::1',
    '198.51.100.7',
  ])
    assert.ok(isInRanges(inside, ranges), inside);
  for (const outside of ['203.0.114.0', '2001:db9::', '198.51.100.8', 'unknown', '', '203.0.113'])
    assert.equal(isInRanges(outside, ranges), false, outside);
  assert.equal(isInRanges('203.0.113.1', []), false);
  for (const wrong of [
    '',
    'x',
    '1.2.3',
    '1.2.3.4/33',
    '1.2.3.4/',
    '::1/129',
    '1.2.3.4 5.6.7.8',
    '::ffff:1.2.3.4/104',
  ])
    assert.equal(parseAddressRanges(['10.0.0.1', wrong]), null, wrong);
});

test('a range contains exactly the addresses with the same leading bits', () => {
  const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const text = (n: number): string => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.');
  fc.assert(
    fc.property(number, number, fc.integer({ min: 0, max: 32 }), (network, address, bits) => {
      const same = Math.floor(network / 2 ** (32 - bits)) === Math.floor(address / 2 ** (32 - bits));
      const ranges = parseAddressRanges([`${text(network)}/${bits}`]) ?? [];
      assert.equal(isInRanges(text(address), ranges), same);
      assert.ok(isInRanges(text(network), ranges));
    }),
  );
});
