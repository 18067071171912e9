// What is refused about erasure.
import { commandRefusal, type Id } from '../../platform/admin-api/refused.ts';
import type { Status } from '../../core/rules/transitions.ts';

export const ERASURE_REFUSALS = {
  /** Only final orders can be erased. */
  order_open: commandRefusal<{ order: Id; status: Status }>({
    status: 409,
    words: ({ order, status }) =>
      `Order ${order} has status ${status}: only shipped and cancelled orders can be erased.`,
    commandWords: ({ order, status }) =>
      `order ${order} has status ${status}: only shipped and cancelled orders can be erased.`,
  }),
};

type Own = typeof ERASURE_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
