// What one of several workers may use of the limits of the whole service.
import type { Config } from '../config.ts';

/** Large enough for the largest body, several times. */
const MEMORY_MIB_MIN = 8;

/** Connections are handed out in turn, so every worker has about as many of each address. */
export function shareOf(config: Config): Config {
  const { workers, limits } = config;
  const share = (count: number, least = 1): number => Math.max(least, Math.ceil(count / workers));
  return {
    ...config,
    limits: {
      ...limits,
      connections: share(limits.connections),
      connections_per_address: share(limits.connections_per_address),
      large_bodies_mib: share(limits.large_bodies_mib, MEMORY_MIB_MIN),
      unsent_lists_mib: share(limits.unsent_lists_mib, MEMORY_MIB_MIN),
    },
  };
}
