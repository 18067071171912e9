// Exchange rates: KRW for one unit of a currency, from a moment on. Rows are only ever added.
import { rows, statement, type Tx } from './database.ts';

export interface ExchangeRate {
  id: number;
  currency_code: string;
  /** exact, as it was given */
  rate: string;
  effective_at: Date;
  created_at: Date;
}

const COLUMNS = 'id, currency_code, rate, effective_at, created_at';

const INSERT = statement(
  'exchange_rate_insert',
  `insert into exchange_rate (currency_code, rate, effective_at)
   values ($1, $2::numeric, coalesce($3::timestamptz, now())) returning ${COLUMNS}`,
);

/** `effective_at` null: now, by the clock that intake reads too. */
export async function insertExchangeRate(
  tx: Tx,
  fields: { currency_code: string; rate: string; effective_at: Date | null },
): Promise<ExchangeRate> {
  const values = [fields.currency_code, fields.rate, fields.effective_at];
  const [rate] = await rows<ExchangeRate>(tx, INSERT, values);
  if (!rate) throw new RangeError('the exchange rate was not inserted');
  return rate;
}

// In the order in which intake prefers them. A row never changes, so its id tells where a page ended.
const LIST = statement(
  'exchange_rate_list',
  `select ${COLUMNS} from exchange_rate
   where ($1::text is null or currency_code = $1)
     and ($2::bigint is null
       or (effective_at, id) < (select l.effective_at, l.id from exchange_rate l where l.id = $2))
   order by effective_at desc, id desc limit $3`,
);

/** The latest first; `afterId` continues behind an earlier page. */
export const listExchangeRates = (
  tx: Tx,
  filter: { currency_code: string | null; afterId: number | null; limit: number },
): Promise<ExchangeRate[]> => rows(tx, LIST, [filter.currency_code, filter.afterId, filter.limit]);
