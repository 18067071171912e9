// Which addresses the outbound call may reach. A channel's address is typed in by a person and its name is resolved
// by someone else's DNS: without this check the service could be made to read the company's own network.

import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Services of a cloud provider that hand out credentials or settings to the machine that asks, at addresses that
 * belong to no private range. The others are refused by their range: 169.254.169.254 (most providers), 100.100.100.200
 * (Alibaba, 100.64.0.0/10), 192.0.0.192 (Oracle, 192.0.0.0/24), fd00:ec2::254 (AWS, fc00::/7).
 */
const PROVIDER_SERVICES: readonly string[] = [
  '168.63.129.16', // Azure: WireServer, DNS and health probes
];

export const NOT_PUBLIC =
  'is not a public address (SLUICE_ALLOW_PRIVATE_CHANNEL_URLS=1 lets the call reach private ones)';

/** The error a guarded lookup gives instead of an answer. */
export class AddressNotAllowedError extends Error {
  readonly address: string;

  constructor(address: string) {
    super('address not allowed');
    this.address = address;
  }
}

/**
 * Whether a textual IP address is globally routable unicast and no provider's service: everything else is refused.
 * Forms that carry an IPv4 address inside an IPv6 one (mapped, NAT64, 6to4, Teredo) are refused whatever they carry.
 */
export function isPublicAddress(ip: string): boolean {
  // ipaddr.js also reads "0177.1" and "2130706433"; an address that is not in standard form is no address here.
  if (isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast' || PROVIDER_SERVICES.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
}

/**
 * Whether a URL's host (without brackets) is an address that is not public. A socket asks its lookup only about names,
 * so an address in the URL is judged by this function and a name by `guardedLookup`.
 */
export const isRefusedHost = (host: string): boolean => isIP(host) !== 0 && !isPublicAddress(host);

/**
 * A lookup for one connection. The addresses it hands over are the ones the socket connects to, so a name that
 * answers differently the next time gains nothing. One refused address refuses the name: a name with a public and a
 * private address is what an attack looks like, and the socket would try both.
 */
export function guardedLookup(resolve: LookupFunction, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, answer, family) => {
      if (error) return callback(error, '');
      const addresses =
        typeof answer === 'string' ? [{ address: answer, family: family ?? isIP(answer) }] : answer;
      const [first] = addresses;
      // Node's socket throws on an empty list, outside of any promise.
      if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
      const refused = addresses.find(({ address }) => !allowPrivate && !isPublicAddress(address));
      if (refused) return callback(new AddressNotAllowedError(refused.address), '');
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
