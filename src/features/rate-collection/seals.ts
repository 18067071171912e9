// The sealed key of the source of exchange rates.
import type { SealedColumn } from '../../platform/secrets/sealed-column.ts';

export const RATE_SOURCE_CONTEXT = 'exchange_rate_source';

export const rateSourceKey: SealedColumn = {
  name: 'rate_source_key',
  table: 'exchange_rate_source',
  owner: 'id',
  sealed: 'key_sealed',
  context: () => RATE_SOURCE_CONTEXT,
  closed: {
    log: () =>
      'the secret does not open the key of the exchange rate source: rates are not collected. Start with the right secret, or enter the key again',
    values: () => 'the sealed key of the exchange rate source',
    otherwise: 'enter the key again',
  },
};
