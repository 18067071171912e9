// The exchange rates of the Export-Import Bank of Korea: KRW for one unit or for 100, as text with thousands commas. On
// days without rates (weekends, holidays, before 11:00) the answer is an empty list.
import { collectedRate } from '../../core/rules/exchange-rate.ts';
import { numberOf, readJson } from './json.ts';
import { UnusableAnswer, type Published } from './quotes.ts';

export const KOREAEXIM_URL = 'https://oapi.koreaexim.go.kr/site/program/financial/exchangeJSON';
/** How many days before today are tried until one has rates. The longest run of Korean holidays is shorter. */
export const KOREAEXIM_DAYS_BACK_MAX = 10;

/** Result codes as documented: 1 success, 2 wrong `data`, 3 wrong key, 4 the limit of the day. */
const SUCCESS = 1;
const KEY_REFUSED = 3;
const LIMIT_REACHED = 4;
const UNIT = /^([A-Z]{3})(?:\((\d{1,6})\))?$/;

/** The bank publishes only the offshore yuan. */
const ALIASES: Readonly<Record<string, string>> = { CNY: 'CNH' };

/** Pure. null: no rates for that day. */
export function readKoreaexim(
  text: string,
  currencies: readonly string[],
  quoted_on: string,
): Published | null {
  const list = readJson(text);
  if (!Array.isArray(list)) throw new UnusableAnswer({ kind: 'wrong_shape' });
  if (list.length === 0) return null;
  const entries = new Map<string, { per: string; value: unknown }>();
  for (const entry of list) {
    const { result, cur_unit, deal_bas_r } = fieldsOf(entry);
    checkResult(result);
    const [, code, per = '1'] = typeof cur_unit === 'string' ? (UNIT.exec(cur_unit.trim()) ?? []) : [];
    // Other currencies are skipped: only the requested ones must be readable.
    if (code === undefined) continue;
    if (entries.has(code)) throw new UnusableAnswer({ kind: 'wrong_shape' });
    entries.set(code, { per, value: deal_bas_r });
  }
  const published: Published = { quoted_on, quotes: [], missing: [] };
  for (const currency_code of currencies) {
    const entry = entries.get(currency_code) ?? entries.get(ALIASES[currency_code] ?? '');
    if (!entry) {
      published.missing.push(currency_code);
      continue;
    }
    const { per, value } = entry;
    const krw = numberOf(
      typeof value === 'number' ? String(value) : typeof value === 'string' && value.trim(),
    );
    const rate = krw && collectedRate(krw, { units: BigInt(per), scale: 0 });
    if (rate === null) throw new UnusableAnswer({ kind: 'not_a_rate', currency_code });
    published.quotes.push({ currency_code, rate });
  }
  return published;
}

function fieldsOf(entry: unknown): { result: unknown; cur_unit: unknown; deal_bas_r: unknown } {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new UnusableAnswer({ kind: 'wrong_shape' });
  const field = (name: string): unknown => Reflect.get(entry, name);
  return { result: field('result'), cur_unit: field('cur_unit'), deal_bas_r: field('deal_bas_r') };
}

function checkResult(result: unknown): void {
  if (result === SUCCESS) return;
  if (result === KEY_REFUSED) throw new UnusableAnswer({ kind: 'key_refused' });
  if (result === LIMIT_REACHED) throw new UnusableAnswer({ kind: 'limit_reached' });
  if (typeof result === 'number' && Number.isInteger(result))
    throw new UnusableAnswer({ kind: 'source_error', result });
  throw new UnusableAnswer({ kind: 'wrong_shape' });
}
