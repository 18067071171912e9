// The quotes of a source of exchange rates, converted to KRW for one unit.
import type { FailureFacts } from '../../platform/outbound/failure.ts';

export interface Quote {
  currency_code: string;
  /** KRW for one unit: a decimal text that can be stored. */
  rate: string;
}

export interface Published {
  /** The date of the rates, YYYY-MM-DD; null: the source gives none. */
  quoted_on: string | null;
  quotes: Quote[];
  /** Requested currencies that the source does not publish. */
  missing: string[];
}

/** Why an answer cannot be used. */
export type SourceFault =
  | { kind: 'not_xml' }
  | { kind: 'not_json' }
  | { kind: 'wrong_shape' }
  /** The source quotes in another currency, and has no rate for KRW. */
  | { kind: 'base_missing' }
  /** An invalid rate: zero, negative, too large, or not a number. */
  | { kind: 'not_a_rate'; currency_code: string }
  | { kind: 'key_refused' }
  | { kind: 'limit_reached' }
  | { kind: 'source_error'; result: number }
  /** No rates for today and the `days` before. */
  | { kind: 'nothing_published'; days: number };

export type SourceFailure =
  | Exclude<FailureFacts, { reason: 'wrong_shape' | 'not_found' | 'bad_url' | 'not_json' }>
  /** The stored key is sealed with another secret. */
  | { reason: 'key_closed' }
  | { reason: 'unusable'; host: string; fault: SourceFault };

/** Thrown by the readers, which are pure; `collect` turns it into a failure with the host. */
export class UnusableAnswer extends Error {
  readonly fault: SourceFault;
  constructor(fault: SourceFault) {
    super(fault.kind);
    this.name = 'UnusableAnswer';
    this.fault = fault;
  }
}
