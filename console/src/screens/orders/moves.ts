// The status changes that the console offers. This decides only which buttons are shown; the service enforces the rules.
import { isUnshipped, pathBetween } from '../../../../src/core/rules/transitions.ts';
import type { OrderStatus } from '../../api/types.ts';

/** The statuses that operators can set, in the order in which an order passes through them. */
export const MOVES = [1, 2, 9, 3, 88] as const;
export type Move = (typeof MOVES)[number];

/** Across any number of steps: the service performs all of them. */
export const canMove = (from: OrderStatus, to: OrderStatus): boolean =>
  (pathBetween(from, to)?.length ?? 0) > 0;

/** Shipped and cancelled orders cannot change their status. */
export const isFinal = (status: OrderStatus): boolean => !isUnshipped(status);

/** The status changes that all of these orders allow. */
export const movesOf = (statuses: readonly OrderStatus[]): Move[] =>
  statuses.length === 0 ? [] : MOVES.filter((to) => statuses.every((from) => canMove(from, to)));

/** Some of these orders allow a status change that others do not. */
export const isMixed = (statuses: readonly OrderStatus[]): boolean =>
  MOVES.some(
    (to) => statuses.some((from) => canMove(from, to)) && !statuses.every((from) => canMove(from, to)),
  );

export const SHIP = 3 satisfies Move;
export const CANCEL = 88 satisfies Move;
