// How long every request of a channel may be logged.
import type { FieldFault } from '../../platform/values/field-fault.ts';

/** A trace ends automatically, so that it is not left on by mistake. */
export const TRACE_DAYS_MAX = 1;
const DAY_MS = 24 * 60 * 60 * 1000;

/** null: `until` is allowed as the end of a trace. */
export function traceFault(until: Date, now: Date): FieldFault | null {
  const ahead = until.getTime() - now.getTime();
  if (ahead > 0 && ahead <= TRACE_DAYS_MAX * DAY_MS) return null;
  return { kind: 'expiry_out_of_range', days_max: TRACE_DAYS_MAX };
}
