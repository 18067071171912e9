// Exchange rates: KRW for one unit of a currency. A new one is added, none is changed: orders keep theirs.
import { BASE_CURRENCY } from '../domain/currency.ts';
import type { Tx } from '../store/database.ts';
import { insertExchangeRate, type ExchangeRate } from '../store/exchange-rates.ts';
import { changing, type Actor } from './changing.ts';

/** `effective_at` null: now, by the database's clock. */
export const addExchangeRate = (
  tx: Tx,
  by: Actor,
  wanted: { currency_code: string; rate: string; effective_at: Date | null },
) =>
  changing<{ rate: ExchangeRate }, 'base_currency'>(tx, by, async () => {
    const { currency_code } = wanted;
    if (currency_code === BASE_CURRENCY) return { kind: 'base_currency', currency_code };
    const rate = await insertExchangeRate(tx, wanted);
    return {
      done: { rate },
      audit: {
        action: 'exchange_rate.create',
        subject: `exchange_rate:${currency_code}`,
        before: null,
        after: { rate: rate.rate, effective_at: rate.effective_at.toISOString() },
      },
      journal: null,
    };
  });
