// What is refused about collected rates.
import { refusal, STALE } from '../../platform/admin-api/refused.ts';

export const RATE_COLLECTION_REFUSALS = {
  /** The source of exchange rates is off. */
  rate_source_off: refusal({
    status: 409,
    words: () => 'No source of exchange rates is set: choose one first.',
  }),
  /** No quote of this currency waits for a decision. */
  rate_quote_unknown: refusal<{ currency_code: string }>({
    status: 404,
    words: ({ currency_code }) => `No rate of ${currency_code} waits for a decision.`,
  }),
  /** `rate`: the quote that waits now. */
  rate_quote_changed: refusal<{ currency_code: string; rate: string }>({
    ...STALE,
    words: ({ currency_code, rate }) => `The rate of ${currency_code} that waits is now ${rate}.`,
  }),
};

type Own = typeof RATE_COLLECTION_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
