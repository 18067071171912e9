// What is refused about orders.
import { commandRefusal, type Id } from '../../platform/admin-api/refused.ts';

export const ORDER_REFUSALS = {
  order_unknown: commandRefusal<{ order: Id }>({
    status: 404,
    words: ({ order }) => `Order ${order} was not found.`,
    commandWords: ({ order }) => `there is no order ${order}.`,
  }),
};

type Own = typeof ORDER_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
