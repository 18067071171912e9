// How many connections to PostgreSQL the workers may use together, within what the server allows.

/** Of a process: the gate, lookups, lists, announcements, and a health check. */
const FIXED_PER_PROCESS = 10;
/** Of the jobs, which run in one worker, and in two while one takes over from the other. */
const FOR_JOBS = 8;
/** Left for commands and people. */
const LEFT_FREE = 5;
const POOL_MIN = 3;
const POOL_MAX = 10;

export interface ConnectionPlan {
  readonly workers: number;
  /** Size of each worker's pool. */
  readonly pool_connections: number;
}

/** A restart has one worker more for a while. */
const processesFor = (workers: number): number => (workers === 1 ? 1 : workers + 1);

const neededFor = (workers: number, pool: number): number =>
  processesFor(workers) * (FIXED_PER_PROCESS + pool) + FOR_JOBS + LEFT_FREE;

/** What `max_connections` of the server must be at the least. */
export const connectionsNeeded = (workers: number): number => neededFor(workers, POOL_MIN);

/** What `max_connections` of a server that is for this service alone should be. */
export const connectionsWanted = (workers: number): number => neededFor(workers, POOL_MAX);

/** null: they do not fit. One process is not refused: it waits for connections. */
export function planConnections(workers: number, available: number): ConnectionPlan | null {
  if (workers === 1) return { workers, pool_connections: POOL_MAX };
  const each = Math.floor((available - FOR_JOBS - LEFT_FREE) / processesFor(workers)) - FIXED_PER_PROCESS;
  return each < POOL_MIN ? null : { workers, pool_connections: Math.min(POOL_MAX, each) };
}

/** As many of the workers as fit. */
export function planFitting(workers: number, available: number): ConnectionPlan {
  return planConnections(workers, available) ?? planFitting(workers - 1, available);
}
