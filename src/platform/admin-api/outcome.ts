// The outcome of a change: done, with its facts, or refused.
import type { Refused } from './refused.ts';

/** `is_kept` false: the transaction is rolled back, whatever the work has written so far. */
export type Done<Facts extends object = object> = { kind: 'done'; is_kept?: false } & Facts;

const isRefused = (outcome: { kind: 'done' } | Refused): outcome is Refused => outcome.kind !== 'done';

/** False: the transaction must be rolled back. */
export const isKept = (outcome: Done | Refused): boolean =>
  outcome.kind === 'done' && outcome.is_kept !== false;

/** The outcome unless it is a refusal; otherwise throws the adapter's error. */
export function doneOr<Outcome extends { kind: 'done' } | Refused>(
  outcome: Outcome,
  failureFor: (no: Outcome & Refused) => Error,
): Exclude<Outcome, Refused> {
  if (isRefused(outcome)) throw failureFor(outcome);
  // oxlint-disable-next-line typescript/consistent-type-assertions -- TypeScript does not narrow a generic type by what it is not.
  return outcome as Exclude<Outcome, Refused>;
}

/** For a change whose refusals the caller has excluded. */
export const mustBeDone = <Outcome extends { kind: 'done' } | Refused>(
  outcome: Outcome,
): Exclude<Outcome, Refused> => doneOr(outcome, ({ kind }) => new Error(`unexpectedly refused: ${kind}`));
