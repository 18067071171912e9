// Divides the connections that the PostgreSQL server allows among the workers.

/** Connections of a process besides its pool: gate, lookups, lists, announcements, and a health check. */
const FIXED_PER_PROCESS = 10;
/** Connections for jobs, which run in one worker, and in two during a handover. */
const FOR_JOBS = 8;
/** Connections left for commands and administrators. */
const LEFT_FREE = 5;
const POOL_MIN = 3;
const POOL_MAX = 10;

export interface ConnectionPlan {
  readonly workers: number;
  /** Size of each worker's pool. */
  readonly pool_connections: number;
}

/** During a restart there is one more worker. */
const processesFor = (workers: number): number => (workers === 1 ? 1 : workers + 1);

const neededFor = (workers: number, pool: number): number =>
  processesFor(workers) * (FIXED_PER_PROCESS + pool) + FOR_JOBS + LEFT_FREE;

/** Minimum for `max_connections` of the server. */
export const connectionsNeeded = (workers: number): number => neededFor(workers, POOL_MIN);

/** The best `max_connections` of a server that only this service uses. */
export const connectionsWanted = (workers: number): number => neededFor(workers, POOL_MAX);

/** null: too few connections. A single process always gets a plan, because it can wait for connections. */
export function planConnections(workers: number, available: number): ConnectionPlan | null {
  if (workers === 1) return { workers, pool_connections: POOL_MAX };
  const each = Math.floor((available - FOR_JOBS - LEFT_FREE) / processesFor(workers)) - FIXED_PER_PROCESS;
  return each < POOL_MIN ? null : { workers, pool_connections: Math.min(POOL_MAX, each) };
}

/** A plan for as many of the workers as fit. */
export function planFitting(workers: number, available: number): ConnectionPlan {
  return planConnections(workers, available) ?? planFitting(workers - 1, available);
}
