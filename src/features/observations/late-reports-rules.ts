// Requests of channels that came too late, or that name an order which the service does not have. They are answered as
// the contract says. Operators see them on a worklist, because money or goods may have to be returned.
import type { Outcome } from '../../core/rules/commands.ts';
import { CANCELLED, SHIPPED, type Status } from '../../core/rules/transitions.ts';

export const LATE_KINDS = [
  'report_after_cancel',
  'resend_after_cancel',
  'cancel_after_ship',
  'report_unknown',
] as const;
export type LateKind = (typeof LATE_KINDS)[number];

/** The late kind of an intake; null: not late. */
export const lateResend = (outcome: Outcome): LateKind | null =>
  outcome.kind === 'resent' && outcome.order.status === CANCELLED ? 'resend_after_cancel' : null;

/** The late kind of a report of this status; null: not late. */
export function lateReport(outcome: Outcome, status: Status): LateKind | null {
  if (outcome.kind === 'order_unknown') return 'report_unknown';
  if (outcome.kind !== 'invalid_transition') return null;
  if (outcome.current_status === CANCELLED) return 'report_after_cancel';
  return outcome.current_status === SHIPPED && status === CANCELLED ? 'cancel_after_ship' : null;
}
