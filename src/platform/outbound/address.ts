// Which addresses the outbound call may reach. Operators enter the URL and other DNS servers resolve its name: without
// this check the service could be used to read the internal network (SSRF).

import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Metadata services of cloud providers at public addresses. The others are refused by range: 169.254.169.254 (most
 * providers), 100.100.100.200 (Alibaba, 100.64.0.0/10), 192.0.0.192 (Oracle, 192.0.0.0/24), fd00:ec2::254 (AWS,
 * fc00::/7).
 */
const PROVIDER_SERVICES: readonly string[] = [
  '168.63.129.16', // Azure: WireServer, DNS and health probes
];

/** The result of a guarded lookup for a refused address. */
export class AddressNotAllowedError extends Error {
  readonly address: string;

  constructor(address: string) {
    super('address not allowed');
    this.address = address;
  }
}

/**
 * Whether a textual IP address is globally routable unicast and not a metadata service. IPv6 addresses that embed an
 * IPv4 address (mapped, NAT64, 6to4, Teredo) are always refused.
 */
export function isPublicAddress(ip: string): boolean {
  // ipaddr.js also accepts "0177.1" and "2130706433"; only standard notation is accepted here.
  if (isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast' || PROVIDER_SERVICES.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
}

/**
 * Whether a URL's host (without brackets) is an IP address that is not public. A socket calls its lookup only for
 * names, so addresses in the URL are checked here and names by `guardedLookup`.
 */
export const isRefusedHost = (host: string): boolean => isIP(host) !== 0 && !isPublicAddress(host);

/**
 * A lookup for one connection. The socket connects to the addresses returned here, so DNS rebinding has no effect. One
 * refused address refuses the name: the socket would try all of its addresses.
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
