// The address of a client. X-Forwarded-For counts only where a trusted proxy wrote it; any client can send the header.
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [network: Address, bits: number];

/** Addresses and networks, parsed once. */
export type AddressRanges = readonly Range[];
/** Proxies whose X-Forwarded-For is trusted. */
export type TrustedProxies = AddressRanges;

export const LOOPBACK = '127.0.0.0/8, ::1';

/** Addresses and CIDR ranges, separated by commas or spaces; `none` for no proxy. null: an entry is invalid. */
export function parseProxies(text: string): TrustedProxies | null {
  if (text.trim() === 'none') return [];
  return parseAddressRanges(text.split(/[\s,]+/).filter((part) => part !== ''));
}

function parseRange(text: string): Range | null {
  const [given = '', bitsText, ...more] = text.split('/');
  const address = parse(given);
  if (!address || more.length > 0) return null;
  const bitsMax = address.kind() === 'ipv4' ? 32 : 128;
  if (bitsText === undefined) return [address, bitsMax];
  // The bits of "::ffff:10.0.0.0/104" count as IPv6 bits; such a range must be written as IPv4.
  if (!/^\d{1,3}$/.test(bitsText) || Number(bitsText) > bitsMax || isMapped(given)) return null;
  return [address, Number(bitsText)];
}

/** Each entry is an address or a CIDR range. null: an entry is invalid. */
export function parseAddressRanges(entries: readonly string[]): AddressRanges | null {
  const ranges = entries.map(parseRange);
  return ranges.every((range) => range !== null) ? ranges : null;
}

const isMapped = (text: string): boolean =>
  ipaddr.IPv6.isValid(text) && ipaddr.IPv6.parse(text).isIPv4MappedAddress();

/** Cheap check first: for text that is no address, ipaddr.js throws and catches an error, which takes 50 µs. */
const LIKE_IPV4 = /^[\d.]+$/;

/**
 * An IPv4-mapped IPv6 address is treated as IPv4. ipaddr.js also accepts octal forms such as "0177.1"; these are
 * rejected.
 */
function parse(text: string): Address | null {
  const [bare = ''] = text.split('%');
  if (LIKE_IPV4.test(bare)) return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : null;
  if (!bare.includes(':') || !ipaddr.IPv6.isValid(bare)) return null;
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

const contains = (ranges: AddressRanges, address: Address): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

/** Whether an address is in one of the ranges. False for text that is not an address. */
export function isInRanges(text: string, ranges: AddressRanges): boolean {
  const address = parse(text);
  return address !== null && contains(ranges, address);
}

export const isTrustedProxy = (socketAddress: string | undefined, proxies: TrustedProxies): boolean =>
  isInRanges(socketAddress ?? '', proxies);

const LOOPBACK_RANGES = parseProxies(LOOPBACK) ?? [];

export const isLoopback = (socketAddress: string | undefined): boolean =>
  isTrustedProxy(socketAddress, LOOPBACK_RANGES);

const UNKNOWN = 'unknown';

/**
 * Each proxy appends the address of its caller, so the header is read from the end. The first address that is not a
 * trusted proxy is the client.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  let client = parse(socketAddress ?? '');
  const entries = (forwardedFor ?? '').split(',');
  while (client && contains(proxies, client) && entries.length > 0) {
    const before = parse(withoutPort(entries.pop()?.trim() ?? ''));
    // Not an address: the last known proxy counts as the client.
    if (!before) break;
    client = before;
  }
  return client?.toString() ?? UNKNOWN;
}

/** Some proxies write "192.0.2.1:4711" and "[2001:db8::1]:4711". */
const withoutPort = (entry: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;

const NETWORK_BYTES = 8;

/**
 * Groups addresses for rate limits. An IPv6 client usually owns a whole /64 network, so its addresses share one limit.
 */
export function addressGroup(address: string): string {
  const parsed = parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? UNKNOWN;
  const bytes = parsed.toByteArray().map((byte, at) => (at < NETWORK_BYTES ? byte : 0));
  return `${new ipaddr.IPv6(bytes).toString()}/64`;
}
