// rates.csv: adds exchange rates. Rates that exist already are not added again.
import { BASE_CURRENCY, readCurrencyCode } from '../../domain/currency.ts';
import { decimal, exactRate, formatPlain, RATE_DECIMALS_MAX } from '../../domain/money.ts';
import type { Tx } from '../../store/database.ts';
import {
  findRatesSince,
  insertExchangeRates,
  lockExchangeRates,
  type DatedRate,
} from '../../store/exchange-rates.ts';
import { RowReader, SeenKeys } from './fields.ts';
import { inChunks, type Import, type Plan, type Progress } from './plan.ts';

const keyOf = ({ currency_code, effective_at }: DatedRate): string =>
  `${currency_code} ${effective_at?.toISOString()}`;

export function importRates(): Import {
  const list: DatedRate[] = [];
  const seen = new SeenKeys();
  return {
    what: 'rates',
    channel_id: null,
    shape: { required: ['currency_code', 'rate'], optional: ['effective_at'] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const rate = readRate(reader);
      const first_line = reader.ok ? seen.earlier(keyOf(rate), row.line) : null;
      if (first_line !== null)
        reader.fail({ kind: 'rate_repeated', currency_code: rate.currency_code, first_line });
      if (reader.ok) list.push(rate);
    },
    lock: lockExchangeRates,
    plan: (tx, _problems, progress) => planRates(tx, list, progress),
  };
}

function readRate(reader: RowReader): DatedRate {
  const currency_code = readCurrencyCode(reader.word('currency_code'));
  if (currency_code === null || currency_code === BASE_CURRENCY)
    reader.fault('currency_code', { kind: 'not_a_currency' });
  const rate = exactRate(reader.word('rate'));
  if (rate === null) reader.fault('rate', { kind: 'not_a_rate', decimals_max: RATE_DECIMALS_MAX });
  const effective_at = reader.timestamp('effective_at');
  return { currency_code: currency_code ?? '', rate: rate ?? '', effective_at };
}

async function planRates(tx: Tx, list: readonly DatedRate[], progress: Progress): Promise<Plan> {
  const currencies = [...new Set(list.map(({ currency_code }) => currency_code))];
  const dates = list.flatMap(({ effective_at }) => (effective_at ? [effective_at.getTime()] : []));
  const stored =
    dates.length === 0
      ? []
      : await findRatesSince(tx, currencies, new Date(dates.reduce((a, b) => Math.min(a, b))));
  const valueOf = (rate: DatedRate): string => `${keyOf(rate)} ${formatPlain(decimal(rate.rate))}`;
  const known = new Set(stored.map(valueOf));
  const added = list.filter((rate) => !known.has(valueOf(rate)));
  const counts = { rows: list.length, rates_added: added.length };
  return {
    counts,
    changes: added.length > 0,
    async apply() {
      await inChunks(progress, added, (chunk) => insertExchangeRates(tx, chunk));
      return { counts };
    },
  };
}
