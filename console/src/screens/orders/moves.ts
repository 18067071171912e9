// What an order may become. It decides only which buttons are there; the service decides what happens.
import { isUnshipped, pathBetween } from '../../../../src/domain/transitions.ts';
import type { OrderStatus } from '../../api/types.ts';

/** What the desk can do with an order, in the order of its life. */
export const MOVES = [1, 2, 9, 3, 88] as const;
export type Move = (typeof MOVES)[number];

/** Over any number of steps: the service walks them. */
export const canMove = (from: OrderStatus, to: OrderStatus): boolean =>
  (pathBetween(from, to)?.length ?? 0) > 0;

/** Shipped and cancelled orders stay what they are. */
export const isFinal = (status: OrderStatus): boolean => !isUnshipped(status);

/** The moves that every one of these orders may take. */
export const movesOf = (statuses: readonly OrderStatus[]): Move[] =>
  statuses.length === 0 ? [] : MOVES.filter((to) => statuses.every((from) => canMove(from, to)));

/** Some of them could do more than all of them together. */
export const isMixed = (statuses: readonly OrderStatus[]): boolean =>
  MOVES.some(
    (to) => statuses.some((from) => canMove(from, to)) && !statuses.every((from) => canMove(from, to)),
  );

export const SHIP = 3 satisfies Move;
export const CANCEL = 88 satisfies Move;
