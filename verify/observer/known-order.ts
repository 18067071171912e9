// One order as its channel knows it.
import type { OrderStates, Status } from './order-states.ts';
import type { OrderBody } from './requests.ts';
import type { OrderShown } from './shapes.ts';

export interface KnownOrder {
  channel: number;
  body: OrderBody;
  /** Quantity by variant code; SKUs that are not mapped are not in it. */
  needs: ReadonlyMap<string, number>;
  /** Intake requests: sent, answered 201, and unanswered. */
  sent: number;
  created: number;
  lost: number;
  /** The first answer with this order. */
  shown: OrderShown | null;
  states: OrderStates;
  /** Statuses that were reported, and those that an answer confirmed. */
  reported: Set<Status>;
  reached: Set<Status>;
  lost_reports: number;
  /** The ledger lines about it, if there is a ledger. */
  lines: number[];
}
