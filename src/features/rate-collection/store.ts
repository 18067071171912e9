// The source of exchange rates: its settings, its runs, and the latest quote for each currency.
import type { Sealed } from '../../platform/secrets/keys.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface RateSourceRow {
  kind: string;
  url: string | null;
  has_api_key: boolean;
  currencies: string[];
  every_minutes: number;
  path: string | null;
  per_units: number;
  is_inverted: boolean;
  run_at: Date | null;
  /** null: the source is off */
  next_run_at: Date | null;
  is_due: boolean;
}

const NEXT = `case when kind <> 'none' then coalesce(run_at + make_interval(mins => every_minutes), now()) end`;
const COLUMNS = `kind, url, key_sealed is not null as has_api_key, currencies, every_minutes, path, per_units, is_inverted, run_at,
  ${NEXT} as next_run_at, coalesce(${NEXT} <= now(), false) as is_due`;

const READ = statement('rate_source_read', `select ${COLUMNS} from exchange_rate_source`);
const LOCK = statement(
  'rate_source_lock',
  `select ${COLUMNS} from exchange_rate_source order by id for update`,
);

const EVERY_MINUTES_DEFAULT = 360;
const OFF: RateSourceRow = {
  kind: 'none',
  url: null,
  has_api_key: false,
  currencies: [],
  every_minutes: EVERY_MINUTES_DEFAULT,
  path: null,
  per_units: 1,
  is_inverted: false,
  run_at: null,
  next_run_at: null,
  is_due: false,
};

export const readRateSource = async (tx: Tx): Promise<RateSourceRow> =>
  (await rows<RateSourceRow>(tx, READ))[0] ?? OFF;

const ENSURE = statement(
  'rate_source_ensure',
  `insert into exchange_rate_source (id, kind, currencies, every_minutes, per_units, is_inverted)
   values (1, 'none', '{}', ${EVERY_MINUTES_DEFAULT}, 1, false) on conflict do nothing`,
);

/** Also held while quotes are written, so that two concurrent runs do not write a quote twice. */
export async function lockRateSource(tx: Tx): Promise<RateSourceRow> {
  await run(tx, ENSURE);
  return (await rows<RateSourceRow>(tx, LOCK))[0] ?? OFF;
}

export type RateSourceFields = Omit<RateSourceRow, 'has_api_key' | 'run_at' | 'next_run_at' | 'is_due'>;

const UPDATE = statement(
  'rate_source_update',
  `update exchange_rate_source
   set kind = $1, url = $2, currencies = $3, every_minutes = $4, path = $5, per_units = $6, is_inverted = $7,
     run_at = case when $8 then null else run_at end`,
);

/** `startsOver`: the next run is due now. */
export const updateRateSource = (tx: Tx, fields: RateSourceFields, startsOver: boolean): Promise<number> =>
  run(tx, UPDATE, [
    fields.kind,
    fields.url,
    fields.currencies,
    fields.every_minutes,
    fields.path,
    fields.per_units,
    fields.is_inverted,
    startsOver,
  ]);

const SET_KEY = statement(
  'rate_source_set_key',
  'update exchange_rate_source set key_sealed = $1, sealed_with = $2',
);

/** null: removes the key. */
export const setRateSourceKey = (tx: Tx, sealed: Sealed | null): Promise<number> =>
  run(tx, SET_KEY, [sealed?.key_sealed ?? null, sealed?.sealed_with ?? null]);

const READ_WITH_KEY = statement(
  'rate_source_read_with_key',
  `select ${COLUMNS}, key_sealed, sealed_with from exchange_rate_source`,
);

/**
 * One statement: after a change between two of them, the key of the new server would be sent to the old one. `key`
 * null: none.
 */
export async function readRateSourceWithKey(tx: Tx): Promise<{ source: RateSourceRow; key: Sealed | null }> {
  const [row] = await rows<RateSourceRow & Sealed>(tx, READ_WITH_KEY);
  if (!row) return { source: OFF, key: null };
  const { key_sealed, sealed_with, ...source } = row;
  return { source, key: source.has_api_key ? { key_sealed, sealed_with } : null };
}

const MARK_RUN = statement('rate_source_mark_run', 'update exchange_rate_source set run_at = now()');

/** The next run is due `every_minutes` from now. */
export const markRateRun = (tx: Tx): Promise<number> => run(tx, MARK_RUN);

export type RunOutcome = 'collected' | 'unchanged' | 'waiting' | 'failed';

export interface RateRun {
  id: number;
  at: Date;
  kind: string;
  actor: string;
  outcome: RunOutcome;
  details: Record<string, unknown>;
}

const RUNS_KEPT_MAX = 200;
const RUN_COLUMNS = 'id, at, kind, actor, outcome, details';
const ADD_RUN = statement(
  'rate_run_insert',
  'insert into exchange_rate_run (kind, actor, outcome, details) values ($1, $2, $3, $4)',
);
const TRIM_RUNS = statement(
  'rate_run_trim',
  `delete from exchange_rate_run
   where id <= (select id from exchange_rate_run order by id desc offset ${RUNS_KEPT_MAX} limit 1)`,
);

export async function insertRateRun(tx: Tx, made: Omit<RateRun, 'id' | 'at'>): Promise<void> {
  await run(tx, ADD_RUN, [made.kind, made.actor, made.outcome, JSON.stringify(made.details)]);
  await run(tx, TRIM_RUNS);
}

const RUNS = statement(
  'rate_run_list',
  `select ${RUN_COLUMNS} from exchange_rate_run order by id desc limit $1`,
);

/** Latest first. */
export const listRateRuns = (tx: Tx, limit: number): Promise<RateRun[]> => rows(tx, RUNS, [limit]);

type QuoteState = 'stored' | 'waiting' | 'rejected';

export interface StoredQuote {
  currency_code: string;
  rate: string;
  /** YYYY-MM-DD */
  quoted_on: string;
  state: QuoteState;
  last_rate: string | null;
  at: Date;
}

const QUOTE_COLUMNS = `currency_code, rate::text, to_char(quoted_on, 'YYYY-MM-DD') as quoted_on, state, last_rate::text, at`;
const QUOTES = statement(
  'rate_quote_list',
  `select ${QUOTE_COLUMNS} from exchange_rate_quote order by currency_code`,
);

export const listRateQuotes = (tx: Tx): Promise<StoredQuote[]> => rows(tx, QUOTES);

const PUT_QUOTE = statement(
  'rate_quote_put',
  `insert into exchange_rate_quote (currency_code, rate, quoted_on, state, last_rate)
   values ($1, $2::numeric, $3::date, $4, $5::numeric)
   on conflict (currency_code) do update
   set rate = excluded.rate, quoted_on = excluded.quoted_on, state = excluded.state, last_rate = excluded.last_rate,
     at = now()`,
);

export const putRateQuote = (tx: Tx, quote: Omit<StoredQuote, 'at'>): Promise<number> =>
  run(tx, PUT_QUOTE, [quote.currency_code, quote.rate, quote.quoted_on, quote.state, quote.last_rate]);

const CLEAR_QUOTES = statement('rate_quote_clear', 'delete from exchange_rate_quote');

/** Called when the source changes: its quotes cannot be compared with those of another source. */
export const clearRateQuotes = (tx: Tx): Promise<number> => run(tx, CLEAR_QUOTES);

const IN_EFFECT = statement(
  'rate_in_effect',
  `select rate::text as rate from exchange_rate where currency_code = $1 and effective_at <= now()
   order by effective_at desc, id desc limit 1`,
);

/** The rate that intake uses now; null: none. */
export const rateInEffect = async (tx: Tx, currencyCode: string): Promise<string | null> =>
  (await rows<{ rate: string }>(tx, IN_EFFECT, [currencyCode]))[0]?.rate ?? null;
