// Limits on the resources held for clients, besides the queue of the gate.
import type { Variables } from './variables.ts';

export interface Limits {
  readonly connections: number;
  /** Per client address; trusted proxies excepted. */
  readonly connections_per_address: number;
  /** Bodies above 16 KiB, from their first byte until the response. */
  readonly large_bodies_mib: number;
  /** Stock lists that clients have not read yet. */
  readonly unsent_lists_mib: number;
  /** Wrong API keys and admin tokens per client address. */
  readonly wrong_credentials_per_minute: number;
}

const COUNT = { min: 1, max: 1_000_000 };
const CONNECTIONS = { min: 16, max: 1_000_000 };
const CONNECTIONS_DEFAULT = 8_192;
/** Default share of the connections for one address. */
const CONNECTIONS_SHARE_PER_ADDRESS = 1 / 4;
const MIB = { min: 16, max: 65_536 };

export function readLimits({ wholeNumber }: Variables): Limits {
  const connections = wholeNumber('SLUICE_CONNECTIONS_MAX', CONNECTIONS, CONNECTIONS_DEFAULT);
  // NaN if the number of connections is wrong, which is then the only fault to report.
  const share = Math.max(1, Math.floor(connections * CONNECTIONS_SHARE_PER_ADDRESS)) || CONNECTIONS_DEFAULT;
  return Object.freeze({
    connections,
    connections_per_address: wholeNumber('SLUICE_CONNECTIONS_PER_ADDRESS_MAX', COUNT, share),
    large_bodies_mib: wholeNumber('SLUICE_LARGE_BODIES_MIB', MIB, 64),
    unsent_lists_mib: wholeNumber('SLUICE_UNSENT_LISTS_MIB', MIB, 256),
    wrong_credentials_per_minute: wholeNumber('SLUICE_WRONG_CREDENTIALS_PER_MINUTE_MAX', COUNT, 100),
  });
}
