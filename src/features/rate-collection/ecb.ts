// The daily reference rates of the European Central Bank: units of each currency for one euro.
//
// This reads only the documented format and is not an XML parser: the document needs no entities, CDATA or DTD, and a
// reader without them cannot be attacked through them. Numbers remain text until they are exact decimals.
import { BASE_CURRENCY } from '../../core/rules/currency.ts';
import { collectedRate } from '../../core/rules/exchange-rate.ts';
import { ONE, parseDecimal, type Decimal } from '../../platform/values/money.ts';
import { UnusableAnswer, type Published } from './quotes.ts';

export const ECB_URL = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml';
const EURO = 'EUR';
const DEPTH_MAX = 16;

const DECLARATION = /^\uFEFF?\s*<\?xml\s[^<>]*\?>/;
/** A comment, a tag with quoted attributes, or text. Nothing else: no entity, no CDATA, no DOCTYPE. */
const TOKEN =
  /<!--(?:[^-]|-(?!->))*-->|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[A-Za-z][\w:.-]*\s*=\s*(?:"[^"<&]*"|'[^'<&]*'))*)\s*(\/?)>|[^<&]+/y;
const ATTRIBUTE = /([A-Za-z][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

interface Element {
  name: string;
  attributes: Map<string, string>;
}

/** The elements in document order, each with the names of its ancestors. Throws if the document is not well-formed. */
function* elementsOf(text: string): Generator<Element> {
  const open: string[] = [];
  let roots = 0;
  TOKEN.lastIndex = DECLARATION.exec(text)?.[0].length ?? 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    if (!token) throw new UnusableAnswer({ kind: 'not_xml' });
    const [all, closing, name, attributes = '', selfClosing] = token;
    if (name === undefined) {
      if (open.length === 0 && !all.startsWith('<!--') && all.trim() !== '')
        throw new UnusableAnswer({ kind: 'not_xml' });
      continue;
    }
    if (closing === '/') {
      if (open.pop() !== name || attributes !== '' || selfClosing === '/')
        throw new UnusableAnswer({ kind: 'not_xml' });
      continue;
    }
    if (open.length === 0) roots += 1;
    if (roots > 1 || open.length >= DEPTH_MAX) throw new UnusableAnswer({ kind: 'not_xml' });
    const found = [...attributes.matchAll(ATTRIBUTE)].map(
      ([, key = '', double, single]) => [key, double ?? single ?? ''] as const,
    );
    yield { name, attributes: new Map(found) };
    if (selfClosing !== '/') open.push(name);
  }
  if (open.length > 0 || roots !== 1) throw new UnusableAnswer({ kind: 'not_xml' });
}

const RATE = /^\d{1,12}(?:\.\d{1,12})?$/;

/** Pure. KRW for one unit of X is (KRW for a euro) ÷ (X for a euro). */
export function readEcb(text: string, currencies: readonly string[]): Published {
  const perEuro = new Map<string, Decimal | null>([[EURO, ONE]]);
  let quoted_on: string | null = null;
  for (const { name, attributes } of elementsOf(text)) {
    if (name !== 'Cube') continue;
    const time = attributes.get('time');
    if (time !== undefined) {
      if (quoted_on !== null || !isDay(time)) throw new UnusableAnswer({ kind: 'wrong_shape' });
      quoted_on = time;
    }
    const code = attributes.get('currency');
    if (code === undefined) continue;
    if (quoted_on === null || perEuro.has(code)) throw new UnusableAnswer({ kind: 'wrong_shape' });
    const rate = attributes.get('rate') ?? '';
    perEuro.set(code, RATE.test(rate) ? parseDecimal(rate) : null);
  }
  if (quoted_on === null) throw new UnusableAnswer({ kind: 'wrong_shape' });
  const krw = perEuro.get(BASE_CURRENCY);
  if (krw === undefined) throw new UnusableAnswer({ kind: 'base_missing' });
  const published: Published = { quoted_on, quotes: [], missing: [] };
  for (const currency_code of currencies) {
    const units = perEuro.get(currency_code);
    if (units === undefined) {
      published.missing.push(currency_code);
      continue;
    }
    const rate = krw && units && collectedRate(krw, units);
    if (rate === null) throw new UnusableAnswer({ kind: 'not_a_rate', currency_code });
    published.quotes.push({ currency_code, rate });
  }
  return published;
}

/** Whether the text is a valid date, YYYY-MM-DD. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
