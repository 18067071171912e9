// Exchange rates collected from a source. A quote becomes a rate if it is new: another number, or another day. A rate
// that an operator enters therefore stays in effect until the source publishes a new quote. A quote that differs too
// much from the rate in effect waits until an operator accepts or rejects it.
import { maskedApiUrl } from '../../core/channels/api-url.ts';
import { isRateJump } from '../../core/rules/exchange-rate.ts';
import { decimal } from '../../platform/values/money.ts';
import type { Sealer } from '../../platform/secrets/keys.ts';
import { keyStays, type Collected } from './collect.ts';
import type { Quote } from './quotes.ts';
import { RATE_SOURCE_CONTEXT } from './seals.ts';
import { sealWhile } from '../../platform/secrets/seal-store.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  clearRateQuotes,
  insertRateRun,
  listRateQuotes,
  lockRateSource,
  markRateRun,
  putRateQuote,
  rateInEffect,
  readRateSource,
  setRateSourceKey,
  updateRateSource,
  type RateRun,
  type RateSourceFields,
  type RateSourceRow,
  type RunOutcome,
  type StoredQuote,
} from './store.ts';
import { changing, type Actor } from '../../core/journal/change.ts';
import { addExchangeRate } from '../../core/rates/changes.ts';

/** The actor of scheduled runs. */
export const RATE_SOURCE_ACTOR: Actor = { actor: 'exchange-rate-source', request_id: null };

export const RATE_CURRENCIES_MAX = 50;
export const RATE_SOURCE_MINUTES = { min: 5, max: 7 * 24 * 60 } as const;

/** Without the query of the URL, which may contain a secret. */
const audited = ({ run_at: _run, next_run_at: _next, is_due: _due, ...source }: RateSourceRow): object => ({
  ...source,
  url: source.url === null ? null : maskedApiUrl(source.url),
});

/**
 * `api_key` undefined: unchanged, but never sent to another server than before; null: removed. If the source now reads
 * other data, the stored quotes are deleted.
 */
export const changeRateSource = (
  tx: Tx,
  by: Actor,
  {
    sealer,
    fields,
    api_key,
  }: { sealer: Sealer; fields: RateSourceFields; api_key: string | null | undefined },
) =>
  changing<{ source: RateSourceRow }>(tx, by, async () => {
    const before = await lockRateSource(tx);
    const startsOver = readsElsewhere(before, fields);
    if (startsOver) await clearRateQuotes(tx);
    await updateRateSource(tx, fields, startsOver);
    if (typeof api_key === 'string')
      await setRateSourceKey(tx, await sealWhile(tx, sealer, api_key, RATE_SOURCE_CONTEXT));
    else if (api_key === null || !keyStays(before, fields)) await setRateSourceKey(tx, null);
    const source = await readRateSource(tx);
    return {
      done: { source },
      audit: {
        action: 'exchange_rate_source.update',
        subject: 'exchange_rate_source',
        before: audited(before),
        after: { ...audited(source), ...(typeof api_key === 'string' ? { api_key: 'replaced' } : {}) },
      },
      journal: null,
    };
  });

const readsElsewhere = (before: RateSourceFields, after: RateSourceFields): boolean =>
  (['kind', 'url', 'path', 'per_units', 'is_inverted'] as const).some((name) => before[name] !== after[name]);

/** Records a run and stores new quotes. `today`: the day for quotes without a date. */
export const storeCollected = (
  tx: Tx,
  by: Actor,
  { asked, collected, today }: { asked: RateSourceRow; collected: Collected; today: string },
) =>
  changing<{ outcome: RunOutcome }>(tx, by, async () => {
    const source = await lockRateSource(tx);
    // The settings were changed during the request: these rates are discarded, and the next run stays due.
    const isOutdated = readsElsewhere(asked, source) || asked.currencies.join() !== source.currencies.join();
    const record = async (outcome: RunOutcome, details: RateRun['details']) => {
      await insertRateRun(tx, { kind: asked.kind, actor: by.actor, outcome, details });
      if (!isOutdated) await markRateRun(tx);
      // Each new rate has its own audit entry.
      return { done: { outcome }, audit: 'nothing_changed' as const };
    };
    if (isOutdated) return record('unchanged', {});
    if (collected.kind === 'source_failed') return record('failed', { failure: collected.failure });
    const known = new Map((await listRateQuotes(tx)).map((quote) => [quote.currency_code, quote]));
    const quoted_on = collected.quoted_on ?? today;
    const taken: Record<'stored' | 'waiting', Quote[]> = { stored: [], waiting: [] };
    for (const quote of collected.quotes) {
      const state = await takeQuote(tx, by, { quote, quoted_on, known: known.get(quote.currency_code) });
      if (state !== null) taken[state].push(quote);
    }
    const { stored: rates, waiting } = taken;
    const outcome = waiting.length > 0 ? 'waiting' : rates.length > 0 ? 'collected' : 'unchanged';
    return record(outcome, { quoted_on, rates, waiting, missing: collected.missing });
  });

/** null: the quote is not new. */
async function takeQuote(
  tx: Tx,
  by: Actor,
  { quote, quoted_on, known }: { quote: Quote; quoted_on: string; known: StoredQuote | undefined },
): Promise<'stored' | 'waiting' | null> {
  const { currency_code, rate } = quote;
  if (known && isSameRate(known.rate, rate) && known.quoted_on === quoted_on) return null;
  const last_rate = await rateInEffect(tx, currency_code);
  const state = last_rate !== null && isRateJump(decimal(last_rate), decimal(rate)) ? 'waiting' : 'stored';
  await putRateQuote(tx, { currency_code, rate, quoted_on, state, last_rate });
  if (state === 'stored') await addExchangeRate(tx, by, { currency_code, rate, effective_at: null });
  return state;
}

/** Compares as numbers, because PostgreSQL may add trailing zeros. */
function isSameRate(a: string, b: string): boolean {
  const [one, other] = [decimal(a), decimal(b)];
  return one.units * 10n ** BigInt(other.scale) === other.units * 10n ** BigInt(one.scale);
}

/**
 * An operator accepts or rejects a waiting quote. `rate`: the rate that was shown; a newer one is not decided unseen.
 */
export const decideRateQuote = (
  tx: Tx,
  by: Actor,
  { currency_code, rate, accepts }: { currency_code: string; rate: string; accepts: boolean },
) =>
  changing<object, 'rate_quote_unknown' | 'rate_quote_changed'>(tx, by, async () => {
    await lockRateSource(tx);
    const quote = (await listRateQuotes(tx)).find((one) => one.currency_code === currency_code);
    if (quote?.state !== 'waiting') return { kind: 'rate_quote_unknown', currency_code };
    if (!isSameRate(quote.rate, rate)) return { kind: 'rate_quote_changed', currency_code, rate: quote.rate };
    await putRateQuote(tx, { ...quote, state: accepts ? 'stored' : 'rejected' });
    if (accepts) await addExchangeRate(tx, by, { currency_code, rate: quote.rate, effective_at: null });
    return {
      done: {},
      audit: {
        action: accepts ? 'exchange_rate_quote.accept' : 'exchange_rate_quote.reject',
        subject: `exchange_rate:${currency_code}`,
        before: { rate: quote.last_rate },
        after: { rate: quote.rate, quoted_on: quote.quoted_on },
      },
      journal: null,
    };
  });
