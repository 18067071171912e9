// Contract 3, with the table of contract 3.2.11a.

export const STATUSES = [0, 1, 2, 9, 3, 88] as const;
export type Status = (typeof STATUSES)[number];

export const SHIPPED = 3 satisfies Status;
export const CANCELLED = 88 satisfies Status;

const NEXT: Record<Status, readonly Status[]> = {
  0: [1, 88],
  1: [2, 9, 88],
  2: [9, 3, 88],
  9: [3, 88],
  3: [],
  88: [],
};

/** The others only change what an order is called. */
export const movesStock = (status: Status): boolean => status === SHIPPED || status === CANCELLED;

/** Every single step that an order may take. */
export const STATUS_EDGES: readonly (readonly [from: Status, to: Status])[] = STATUSES.flatMap((from) =>
  NEXT[from].map((to) => [from, to] as const),
);

/** Unshipped orders hold stock. The numbers are not ordered: 9 comes before 3. */
export const isUnshipped = (status: Status): boolean => NEXT[status].length > 0;

/** The shortest walk from one status to another, without the start; ties in the order of the table. */
function shortestPath(from: Status, to: Status): readonly Status[] | null {
  let frontier: Status[][] = [[from]];
  while (frontier.length > 0) {
    const arrived = frontier.find((path) => path.at(-1) === to);
    if (arrived) return arrived.slice(1);
    frontier = frontier.flatMap((path) => NEXT[path.at(-1) as Status].map((next) => [...path, next]));
  }
  return null;
}

const PATHS = new Map(
  STATUSES.flatMap((from) => STATUSES.map((to) => [`${from}:${to}`, shortestPath(from, to)] as const)),
);

/** The steps to take, none when the order is there already, null when there is no way. */
export const pathBetween = (from: Status, to: Status): readonly Status[] | null =>
  PATHS.get(`${from}:${to}`) ?? null;
