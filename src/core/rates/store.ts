// Exchange rates: KRW for one unit of a currency, valid from a time on. Rows are added and deleted, never changed.
import { BASE_CURRENCY } from '../rules/currency.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface ExchangeRate {
  id: number;
  currency_code: string;
  /** exact, as entered */
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

/** `effective_at` null: now, by the database's clock, which intake uses too. */
export async function insertExchangeRate(
  tx: Tx,
  fields: { currency_code: string; rate: string; effective_at: Date | null },
): Promise<ExchangeRate> {
  const values = [fields.currency_code, fields.rate, fields.effective_at];
  const [rate] = await rows<ExchangeRate>(tx, INSERT, values);
  if (!rate) throw new RangeError('the exchange rate was not inserted');
  return rate;
}

/** `effective_at` null: now. */
export type DatedRate = Pick<ExchangeRate, 'currency_code' | 'rate'> & { effective_at: Date | null };

const INSERT_MANY = statement(
  'exchange_rate_insert_many',
  `insert into exchange_rate (currency_code, rate, effective_at)
   select d.currency_code, d.rate, coalesce(d.effective_at, now())
   from unnest($1::text[], $2::numeric[], $3::timestamptz[]) as d (currency_code, rate, effective_at)`,
);

export const insertExchangeRates = (tx: Tx, rates: readonly DatedRate[]): Promise<number> =>
  run(tx, INSERT_MANY, [
    rates.map(({ currency_code }) => currency_code),
    rates.map(({ rate }) => rate),
    rates.map(({ effective_at }) => effective_at?.toISOString() ?? null),
  ]);

const WITHOUT_RATE = statement(
  'exchange_rate_channels_without',
  `select c.id as channel_id, c.name, c.currency_code from channel c
   where c.is_active and c.currency_code <> '${BASE_CURRENCY}' and not exists (
     select from exchange_rate r where r.currency_code = c.currency_code and r.effective_at <= now())
   order by c.id`,
);

/** Active channels without a rate in effect: intake stores their orders with amounts of 0.00 (contract 2.6.5a). */
export const listChannelsWithoutRate = (
  tx: Tx,
): Promise<{ channel_id: number; name: string; currency_code: string }[]> => rows(tx, WITHOUT_RATE);

// Rates have no unique key: the same one can be entered again later. Reads, as by intake, continue.
const LOCK = statement('exchange_rate_lock', 'lock table exchange_rate in share row exclusive mode');

/** Prevents new rates until the transaction ends. */
export const lockExchangeRates = (tx: Tx): Promise<number> => run(tx, LOCK);

const FIND_SINCE = statement(
  'exchange_rate_find_since',
  `select ${COLUMNS} from exchange_rate where currency_code = any($1::text[]) and effective_at >= $2`,
);

export const findRatesSince = (tx: Tx, currencies: readonly string[], since: Date): Promise<ExchangeRate[]> =>
  rows(tx, FIND_SINCE, [currencies, since]);

const FIND_CURRENT = statement(
  'exchange_rate_find_current',
  `select distinct on (currency_code) ${COLUMNS} from exchange_rate
   where currency_code = any($1::text[]) and effective_at <= now() order by currency_code, effective_at desc, id desc`,
);

/** The rates in effect. */
export const findCurrentRates = (tx: Tx, currencies: readonly string[]): Promise<ExchangeRate[]> =>
  rows(tx, FIND_CURRENT, [currencies]);

const DELETE = statement(
  'exchange_rate_delete',
  `delete from exchange_rate where id = $1 returning ${COLUMNS}`,
);

export const deleteExchangeRate = async (tx: Tx, id: number): Promise<ExchangeRate | undefined> =>
  (await rows<ExchangeRate>(tx, DELETE, [id]))[0];

// In the order in which intake selects them.
const LIST = statement(
  'exchange_rate_list',
  `select ${COLUMNS}, (extract(epoch from effective_at) * 1000000)::bigint::text as effective_us
   from exchange_rate
   where ($1::text is null or currency_code = $1)
     and ($2::bigint is null
       or (effective_at, id) < (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::bigint))
   order by effective_at desc, id desc limit $4`,
);

/** The end of a page. Not only an id, because the row can be withdrawn before the next page is requested. */
export interface RatePosition {
  /** Microseconds since 1970, as text: far years do not fit a number. */
  effective_us: string;
  id: number;
}

/** Latest rates first. */
export const listExchangeRates = (
  tx: Tx,
  filter: { currency_code: string | null; after: RatePosition | null; limit: number },
): Promise<(ExchangeRate & RatePosition)[]> =>
  rows(tx, LIST, [
    filter.currency_code,
    filter.after?.effective_us ?? null,
    filter.after?.id ?? null,
    filter.limit,
  ]);

export interface CurrencyState {
  currency_code: string;
  /** the rate that intake uses now; null: none, so that amounts are 0 */
  rate: string | null;
  effective_at: Date | null;
  next_rate: string | null;
  next_effective_at: Date | null;
  /** active channels, by id */
  channels: { id: number; name: string }[];
}

// Every currency with a rate or an active channel, by the same rule and clock as intake.
const CURRENT = statement(
  'exchange_rate_current',
  `select k.currency_code, r.rate, r.effective_at, n.rate as next_rate, n.effective_at as next_effective_at,
          (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name) order by c.id), '[]')
           from channel c where c.is_active and c.currency_code = k.currency_code) as channels
   from (
     select currency_code from exchange_rate
     union
     select currency_code from channel where is_active and currency_code <> $1
   ) k
   left join lateral (
     select rate, effective_at from exchange_rate
     where currency_code = k.currency_code and effective_at <= now()
     order by effective_at desc, id desc limit 1
   ) r on true
   left join lateral (
     select rate, effective_at from exchange_rate
     where currency_code = k.currency_code and effective_at > now()
     order by effective_at, id desc limit 1
   ) n on true
   order by k.currency_code collate "C"`,
);

/** The base currency is left out, because it needs no rate. */
export const listCurrencies = (tx: Tx, baseCurrency: string): Promise<CurrencyState[]> =>
  rows(tx, CURRENT, [baseCurrency]);
