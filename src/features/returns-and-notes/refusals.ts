// What is refused about returns, notes and corrected shipments.
import { fieldRefusal, refusal, type Id } from '../../platform/admin-api/refused.ts';
import type { Status } from '../../core/rules/transitions.ts';

export const RETURN_REFUSALS = {
  /** Only the goods of a shipped order can come back. */
  order_not_shipped: refusal<{ order: Id; status: Status }>({
    status: 409,
    words: ({ order, status }) =>
      `Order ${order} has status ${status}: only the goods of a shipped order can be returned.`,
  }),
  /** `returnable`: shipped, and not returned yet. */
  return_exceeds_shipped: refusal<{ order: Id; line: number; requested: number; returnable: number }>({
    status: 409,
    words: ({ order, line, requested, returnable }) =>
      `Of line ${line} of order ${order} ${returnable} can still be returned, not ${requested}.`,
  }),
  /** `positions` in the list of the request, from 0. */
  order_lines_unknown: fieldRefusal<{ positions: number[] }>({
    fields: ({ positions }) =>
      positions.map((at) => ({ field: `items.${at}.line`, fault: { kind: 'order_line_unknown' } })),
  }),
  /** The order's personal data was erased, and a note could contain it again. */
  order_erased: refusal<{ order: Id }>({
    status: 409,
    words: ({ order }) => `The personal data of order ${order} were erased: it takes no more notes.`,
  }),
  /** Only the shipment of a shipped order can be corrected. */
  shipment_not_shipped: refusal<{ order: Id; status: Status }>({
    status: 409,
    code: 'order_not_shipped',
    words: ({ order, status }) =>
      `Order ${order} has status ${status}: only the shipment of a shipped order can be corrected.`,
  }),
  /** The tracking number was erased with the order's personal data. */
  shipment_erased: refusal<{ order: Id }>({
    status: 409,
    words: ({ order }) => `The personal data of order ${order} were erased: its shipment stays as it is.`,
  }),
  /** `nearest`: couriers that it may mean. */
  courier_unknown: fieldRefusal<{ nearest: readonly { code: string; name: string }[] }>({
    code: 'validation',
    details: () => ({}),
    fields: ({ nearest }) => [{ field: 'courier_code', fault: { kind: 'courier_unknown', nearest } }],
  }),
};

type Own = typeof RETURN_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
