// Order statuses (contract 3), with the transitions of contract 3.2.11a.

export const STATUSES = [0, 1, 2, 9, 3, 88] as const;
export type Status = (typeof STATUSES)[number];

export const UNPAID = 0 satisfies Status;
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

/** Only shipping and cancelling change stock. */
export const movesStock = (status: Status): boolean => status === SHIPPED || status === CANCELLED;

/** Every allowed single step. */
export const STATUS_EDGES: readonly (readonly [from: Status, to: Status])[] = STATUSES.flatMap((from) =>
  NEXT[from].map((to) => [from, to] as const),
);

/** Unshipped orders hold stock. Statuses are not ordered by number: 9 comes before 3. */
export const isUnshipped = (status: Status): boolean => NEXT[status].length > 0;

/** The shortest path, without the start. Ties are resolved in the order of the table. */
function shortestPath(from: Status, to: Status): readonly Status[] | null {
  let frontier: { at: Status; path: Status[] }[] = [{ at: from, path: [] }];
  while (frontier.length > 0) {
    const arrived = frontier.find(({ at }) => at === to);
    if (arrived) return arrived.path;
    frontier = frontier.flatMap(({ at, path }) =>
      NEXT[at].map((next) => ({ at: next, path: [...path, next] })),
    );
  }
  return null;
}

const PATHS = new Map(
  STATUSES.flatMap((from) => STATUSES.map((to) => [`${from}:${to}`, shortestPath(from, to)] as const)),
);

/** The steps to take; empty if the order already has the status; null if it cannot be reached. */
export const pathBetween = (from: Status, to: Status): readonly Status[] | null =>
  PATHS.get(`${from}:${to}`) ?? null;
