// What is refused about exchange rates.
import { refusal, type Id } from '../../platform/admin-api/refused.ts';

export const RATE_REFUSALS = {
  base_currency: refusal<{ currency_code: string }>({
    status: 422,
    words: ({ currency_code }) => `${currency_code} is the base currency: its rate is always 1.0.`,
  }),
  exchange_rate_unknown: refusal<{ exchange_rate_id: Id }>({
    status: 404,
    words: ({ exchange_rate_id }) => `Exchange rate ${exchange_rate_id} was not found.`,
  }),
};

type Own = typeof RATE_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
