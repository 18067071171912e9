// The share of one worker in the limits of the whole service.
import type { Config } from '../config/config.ts';

/** Enough for several of the largest bodies. */
const MEMORY_MIB_MIN = 8;

/** Connections are distributed round robin, so each worker has about the same number of connections of each address. */
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
