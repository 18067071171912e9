// Alerts as sentences for mails: what is wrong, from the facts of the alert.
import { plainText } from '../../platform/values/plain-text.ts';

/** A channel chooses some of these texts, which must not begin another line. */
const TEXT_CHARACTERS_MAX = 100;

export type AlertFacts = Readonly<Record<string, string>>;

export const ALERT_WORDS = {
  low_stock: (f: AlertFacts) =>
    `${f['variant_code']}: ${f['common_available']} left, the threshold is ${f['low_stock_at']}`,
  overcommitted: (f: AlertFacts) =>
    `${f['variant_code']}: orders and pre-allocations exceed the stock by ${f['overcommitted_by']}`,
  unmapped_sku: (f: AlertFacts) => `${f['channel_name']} asked for the SKU ${f['sku']}, which is not mapped`,
  rate_missing: (f: AlertFacts) => `${f['currency_code']} has no exchange rate: amounts of its orders are 0`,
  rate_stale: (f: AlertFacts) => `the exchange rate of ${f['currency_code']} is of ${f['effective_at']}`,
  drift: (f: AlertFacts) => `${f['drift_count']} counters differ from orders and ledger`,
  channel_silent: (f: AlertFacts) => `${f['channel_name']} has sent no request since ${f['last_request_at']}`,
  prepayment_old: (f: AlertFacts) =>
    `${f['channel_name']} has ${f['count']} unpaid orders, the oldest of ${f['oldest_at']}`,
  channel_exceeds_stock: (f: AlertFacts) =>
    `${f['channel_name']} holds more of ${f['variant_code']} with unpaid orders or backorders than its stock of ${f['quantity']} allows`,
} satisfies Record<string, (facts: AlertFacts) => string>;

/** The sentence that `say` makes from the details of an alert. */
export function alertText(say: (facts: AlertFacts) => string, details: object): string {
  const facts = Object.entries(details).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' || typeof value === 'number'
      ? plainText(String(value), TEXT_CHARACTERS_MAX)
      : '',
  ]);
  return say(Object.fromEntries(facts));
}
