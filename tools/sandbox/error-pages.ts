// Finds the section of docs/channels about a refusal, by the reason in its `Sluice-Error` header.
import type { Reason } from '../../src/core/channel-api/reasons.ts';

const PLACES: Record<Reason, string> = {
  key_required: 'errors#401-the-key-is-missing',
  key_invalid: 'errors#401-the-key-is-wrong',
  signature_missing: 'signing#when-it-is-refused',
  signature_invalid: 'signing#when-it-is-refused',
  signature_expired: 'signing#when-it-is-refused',
  signature_unchecked: 'signing#when-it-is-refused',
  rate_limited: 'rate-limits',
  validation: 'errors#two-shapes',
  not_found: 'errors#404-nothing-at-this-path',
  sku_unmapped: 'errors#422-a-sku-is-not-linked',
  stock_missing: 'errors#422-no-stock-record',
  stock_insufficient: 'errors#422-not-enough-stock',
  quota_insufficient: 'errors#422-the-backorder-quota-is-used-up',
  limit_exceeded: 'errors#422-a-limit-of-your-channel',
  order_number_taken: 'errors#500-the-order-number-is-another-channels',
  order_unknown: 'errors#404-the-order-is-unknown',
  invalid_transition: 'errors#409-invalid_transition',
  insufficient_stock: 'errors#409-insufficient_stock',
  request_timeout: 'errors#408-too-slow',
  overloaded: 'errors#503-not-now',
  unavailable: 'errors#503-not-now',
  internal: 'errors#500-something-broke',
};

/** Returns null if the reason is not one of the channel API. */
export function errorPageOf(reason: string): string | null {
  const place = Object.entries(PLACES).find(([name]) => name === reason)?.[1];
  return place === undefined ? null : `/docs/channels/${place}`;
}

export const ERROR_PAGES: readonly string[] = Object.values(PLACES).map((place) => `/docs/channels/${place}`);
