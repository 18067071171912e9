// Alerts as sentences for mails: what is wrong, from the facts of the alert.
import { plainText } from '../../platform/values/plain-text.ts';
import type { AlertKind } from './rules.ts';

/** A channel chooses some of these texts, which must not begin another line. */
const TEXT_CHARACTERS_MAX = 100;

type Facts = Readonly<Record<string, string>>;

const WORDS: Readonly<Record<AlertKind, (facts: Facts) => string>> = {
  low_stock: (f) =>
    `${f['variant_code']}: ${f['common_available']} left, the threshold is ${f['low_stock_at']}`,
  overcommitted: (f) =>
    `${f['variant_code']}: orders and pre-allocations exceed the stock by ${f['overcommitted_by']}`,
  unmapped_sku: (f) => `${f['channel_name']} asked for the SKU ${f['sku']}, which is not mapped`,
  rate_missing: (f) => `${f['currency_code']} has no exchange rate: amounts of its orders are 0`,
  rate_stale: (f) => `the exchange rate of ${f['currency_code']} is of ${f['effective_at']}`,
  drift: (f) => `${f['drift_count']} counters differ from orders and ledger`,
  channel_silent: (f) => `${f['channel_name']} has sent no request since ${f['last_request_at']}`,
  prepayment_old: (f) =>
    `${f['channel_name']} has ${f['count']} unpaid orders, the oldest of ${f['oldest_at']}`,
  channel_exceeds_stock: (f) =>
    `${f['channel_name']} holds more of ${f['variant_code']} with unpaid orders or backorders than its stock of ${f['quantity']} allows`,
  webhook_failing: (f) =>
    `the webhook to ${f['host']}${f['description'] ? ` (${f['description']})` : ''} ${f['pause_reason'] ? 'was paused' : `has failed since ${f['failing_since']}`}`,
};

export function alertText(kind: AlertKind, details: object): string {
  const facts = Object.entries(details).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' || typeof value === 'number'
      ? plainText(String(value), TEXT_CHARACTERS_MAX)
      : '',
  ]);
  return WORDS[kind](Object.fromEntries(facts));
}
