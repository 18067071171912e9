// Exchange rates: KRW for one unit of a currency. Rates are added and withdrawn, never changed: orders keep theirs.
import { BASE_CURRENCY } from '../rules/currency.ts';
import type { Tx } from '../../platform/database/database.ts';
import { deleteExchangeRate, insertExchangeRate, type ExchangeRate } from './store.ts';
import { changing, type Actor } from '../journal/change.ts';

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

/** After this, intake uses the previous rate. Existing orders keep theirs. */
export const withdrawExchangeRate = (tx: Tx, by: Actor, { id }: { id: number }) =>
  changing<object, 'exchange_rate_unknown'>(tx, by, async () => {
    const rate = await deleteExchangeRate(tx, id);
    if (!rate) return { kind: 'exchange_rate_unknown', exchange_rate_id: id };
    return {
      done: {},
      audit: {
        action: 'exchange_rate.withdraw',
        subject: `exchange_rate:${rate.currency_code}`,
        before: { rate: rate.rate, effective_at: rate.effective_at.toISOString() },
        after: null,
      },
      journal: null,
    };
  });
