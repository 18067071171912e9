// Requests rates from a source of exchange rates, with the guarded HTTP client: no private addresses unless allowed, no
// redirects, limits on time and size.
import { lookup as dnsLookup } from 'node:dns';
import { guardedLookup, isRefusedHost } from '../../platform/outbound/address.ts';
import { bareHost, exchange } from '../../platform/outbound/exchange.ts';
import { keyHeader } from '../../core/rules/api-key.ts';
import { ECB_URL, readEcb } from './ecb.ts';
import { CURRENCY_PLACEHOLDER, readAnyJson, type JsonReading } from './json.ts';
import { KOREAEXIM_DAYS_BACK_MAX, KOREAEXIM_URL, readKoreaexim } from './koreaexim.ts';
import { UnusableAnswer, type Published, type SourceFailure } from './quotes.ts';

const SOURCE_TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;

export const SOURCE_KINDS = ['none', 'ecb', 'koreaexim', 'json'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];
/** The kind of stored settings. */
export const sourceKind = (text: string): SourceKind => SOURCE_KINDS.find((one) => one === text) ?? 'none';

/** Default URLs of the sources; null: no default. */
export const USUAL_URLS: Readonly<Record<SourceKind, string | null>> = {
  none: null,
  ecb: ECB_URL,
  koreaexim: KOREAEXIM_URL,
  json: null,
};

export const API_KEY_PLACEHOLDER = '{api_key}';
export { CURRENCY_PLACEHOLDER };

/** The address as it is called, for one currency and with a key. */
export const filledUrl = (url: string): string =>
  url.replaceAll(CURRENCY_PLACEHOLDER, 'USD').replaceAll(API_KEY_PLACEHOLDER, 'key');

/**
 * Whether a stored key is sent to the same server after a change of the settings. A key without a URL is one of the
 * Korean bank, also while the source is off.
 */
export function keyStays(before: SourceAddress, after: SourceAddress): boolean {
  const [old, next] = [before, after].map(({ kind, url }) => {
    const { protocol, host } = new URL(filledUrl(url ?? USUAL_URLS[sourceKind(kind)] ?? KOREAEXIM_URL));
    return `${protocol}${host}`;
  });
  return old === next;
}

interface SourceAddress {
  kind: string;
  url: string | null;
}

export interface SourceCall extends JsonReading {
  kind: Exclude<SourceKind, 'none'>;
  /** null: the default URL */
  url: string | null;
  api_key: string | null;
  currencies: readonly string[];
  /** Today in Korea, YYYY-MM-DD. */
  today: string;
  /** SLUICE_ALLOW_PRIVATE_CHANNEL_URLS */
  allowPrivate: boolean;
  signal?: AbortSignal | undefined;
}

export type Collected =
  | ({ kind: 'published' } & Published)
  | { kind: 'source_failed'; failure: SourceFailure };

export async function collectQuotes(call: SourceCall): Promise<Collected> {
  const url = call.url ?? USUAL_URLS[call.kind] ?? '';
  const host = URL.canParse(url) ? new URL(url).host : '';
  try {
    return { kind: 'published', ...(await READERS[call.kind](call, url)) };
  } catch (error) {
    if (error instanceof CallFailed) return { kind: 'source_failed', failure: error.failure };
    if (!(error instanceof UnusableAnswer)) throw error;
    return { kind: 'source_failed', failure: { reason: 'unusable', host, fault: error.fault } };
  }
}

class CallFailed extends Error {
  readonly failure: SourceFailure;
  constructor(failure: SourceFailure) {
    super(failure.reason);
    this.name = 'CallFailed';
    this.failure = failure;
  }
}

type Read = (call: SourceCall, url: string) => Promise<Published>;

const READERS: Readonly<Record<SourceCall['kind'], Read>> = {
  ecb: async (call, url) => readEcb(await textOf(call, new URL(url), 'application/xml'), call.currencies),

  koreaexim: async (call, url) => {
    for (let back = 0; back <= KOREAEXIM_DAYS_BACK_MAX; back++) {
      const day = new Date(Date.parse(`${call.today}T00:00:00Z`) - back * DAY_MS).toISOString().slice(0, 10);
      const asked = new URL(url);
      asked.searchParams.set('authkey', call.api_key ?? '');
      asked.searchParams.set('searchdate', day.replaceAll('-', ''));
      asked.searchParams.set('data', 'AP01');
      const published = readKoreaexim(await textOf(call, asked), call.currencies, day);
      if (published) return published;
    }
    throw new UnusableAnswer({ kind: 'nothing_published', days: KOREAEXIM_DAYS_BACK_MAX });
  },

  json: async (call, url) => {
    const { api_key } = call;
    const keyed = url.replaceAll(API_KEY_PLACEHOLDER, encodeURIComponent(api_key ?? ''));
    const headers: Record<string, string> =
      api_key === null || url.includes(API_KEY_PLACEHOLDER)
        ? {}
        : { Authorization: `Bearer ${keyHeader(api_key)}` };
    const ask = (address: string) => textOf(call, new URL(address), 'application/json', headers);
    if (!keyed.includes(CURRENCY_PLACEHOLDER)) return readAnyJson(await ask(keyed), call.currencies, call);
    const all: Published = { quoted_on: null, quotes: [], missing: [] };
    for (const currency of call.currencies) {
      const one = readAnyJson(await ask(keyed.replaceAll(CURRENCY_PLACEHOLDER, currency)), [currency], call);
      all.quotes.push(...one.quotes);
      all.missing.push(...one.missing);
    }
    return all;
  },
};

/** Requests a URL. Failures name only its host, because its query may contain the key. */
async function textOf(
  { allowPrivate, signal }: SourceCall,
  url: URL,
  accept = 'application/json',
  headers: Record<string, string> = {},
): Promise<string> {
  signal?.throwIfAborted();
  const { host } = url;
  if (!allowPrivate && isRefusedHost(bareHost(url)))
    throw new CallFailed({ reason: 'address_not_allowed', host, address: null });
  const answer = await exchange({
    url,
    headers: { ...headers, Accept: accept, 'Accept-Encoding': 'identity', 'User-Agent': 'sluice' },
    lookup: guardedLookup(dnsLookup, allowPrivate),
    timeoutMs: SOURCE_TIMEOUT_MS,
  });
  if (answer.kind === 'failed') throw new CallFailed(sourceFailureOf(answer));
  const { status, body } = answer;
  if (status >= 300 && status < 400) throw new CallFailed({ reason: 'redirect', host, status });
  // The text of an error page is not shown: it may repeat the key.
  if (status !== 200) throw new CallFailed({ reason: 'http_status', host, status, said: null });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new UnusableAnswer({ kind: accept === 'application/json' ? 'not_json' : 'not_xml' });
  }
}

/** Maps all reasons for the type's sake: `exchange` does not check bodies, so some of these reasons cannot occur. */
function sourceFailureOf(
  failed: Extract<Awaited<ReturnType<typeof exchange>>, { kind: 'failed' }>,
): SourceFailure {
  const { kind: _kind, ...failure } = failed;
  if (failure.reason === 'not_json')
    return { reason: 'unusable', host: failure.host, fault: { kind: 'not_json' } };
  if (failure.reason === 'wrong_shape' || failure.reason === 'not_found')
    return { reason: 'unusable', host: failure.host, fault: { kind: 'wrong_shape' } };
  if (failure.reason === 'bad_url') throw new TypeError('the URL was checked');
  return failure;
}
