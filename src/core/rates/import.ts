// rates.csv: adds exchange rates. Rates that exist already are not added again.
import { BASE_CURRENCY, readCurrencyCode } from '../rules/currency.ts';
import { decimal, exactRate, formatPlain, RATE_DECIMALS_MAX } from '../../platform/values/money.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  findCurrentRates,
  findRatesSince,
  insertExchangeRates,
  lockExchangeRates,
  type DatedRate,
} from './store.ts';
import { RowReader, SeenKeys } from '../../platform/csv/fields.ts';
import { inChunks, type Import, type Plan, type Progress } from '../imports/plan.ts';
import type { Problems } from '../../platform/csv/problems.ts';
import type { OfferedImport } from '../imports/offered.ts';

const keyOf = ({ currency_code, effective_at }: DatedRate): string =>
  `${currency_code} ${effective_at?.toISOString()}`;

interface RateRow extends DatedRate {
  line: number;
}

function importRates(): Import {
  const list: RateRow[] = [];
  const seen = new SeenKeys();
  return {
    what: 'rates',
    shape: { required: ['currency_code', 'rate'], optional: ['effective_at'] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const rate = readRate(reader);
      const first_line = reader.ok ? seen.earlier(keyOf(rate), row.line) : null;
      if (first_line !== null)
        reader.fail({ kind: 'rate_repeated', currency_code: rate.currency_code, first_line });
      if (reader.ok) list.push({ ...rate, line: row.line });
    },
    lock: lockExchangeRates,
    plan: (tx, problems, progress) => planRates(tx, list, problems, progress),
  };
}

export const ratesImport: OfferedImport = {
  name: 'rates',
  command: {
    summary: 'add exchange rates from a CSV file',
    about: [
      'Columns: currency_code,rate[,effective_at]. rate: KRW for one unit. effective_at: ISO 8601 with its offset, now',
      'if empty. A rate that already exists with the same time is not added again.',
    ],
    examples: ['sluice import rates rates.csv'],
  },
  operation: {
    url: '/exchange-rates/import',
    tag: 'exchange rates',
    role: 'operator',
    summary: 'Add exchange rates from a CSV text, all or none',
    columns: 'currency_code,rate[,effective_at]',
  },
  make: importRates,
};

function readRate(reader: RowReader): DatedRate {
  const currency_code = readCurrencyCode(reader.word('currency_code'));
  if (currency_code === null || currency_code === BASE_CURRENCY)
    reader.fault('currency_code', { kind: 'not_a_currency' });
  const rate = exactRate(reader.word('rate'));
  if (rate === null) reader.fault('rate', { kind: 'not_a_rate', decimals_max: RATE_DECIMALS_MAX });
  const effective_at = reader.timestamp('effective_at');
  return { currency_code: currency_code ?? '', rate: rate ?? '', effective_at };
}

async function planRates(
  tx: Tx,
  list: readonly RateRow[],
  problems: Problems,
  progress: Progress,
): Promise<Plan> {
  const currencies = [...new Set(list.map(({ currency_code }) => currency_code))];
  const dates = list.flatMap(({ effective_at }) => (effective_at ? [effective_at.getTime()] : []));
  const dated =
    dates.length === 0
      ? []
      : await findRatesSince(tx, currencies, new Date(dates.reduce((a, b) => Math.min(a, b))));
  // A rate without a time is one from now on: it is there already if it is in effect.
  const current = (await findCurrentRates(tx, currencies)).map((rate) => ({ ...rate, effective_at: null }));
  const stored = Map.groupBy<string, DatedRate>([...dated, ...current], keyOf);
  const valueOf = ({ rate }: DatedRate): string => formatPlain(decimal(rate));
  const added = list.filter((rate) => {
    const same = stored.get(keyOf(rate)) ?? [];
    const [first] = same;
    if (same.some((one) => valueOf(one) === valueOf(rate))) return false;
    if (first && rate.effective_at !== null) {
      const { line, currency_code } = rate;
      const values = { stored: valueOf(first), given: valueOf(rate) };
      problems.add(line, { kind: 'rate_differs', column: 'rate', currency_code, ...values });
    }
    return true;
  });
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
