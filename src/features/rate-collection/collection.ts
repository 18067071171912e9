// One run of the source of exchange rates: scheduled, or requested by an operator.
import type pg from 'pg';
import { timestampFormat } from '../../platform/values/timestamps.ts';
import type { Sealed, Sealer } from '../../platform/secrets/keys.ts';
import { collectQuotes, sourceKind, type Collected, type SourceCall } from './collect.ts';
import type { Tx } from '../../platform/database/database.ts';
import { readNow } from '../../platform/database/clock.ts';
import { RATE_SOURCE_CONTEXT } from './seals.ts';
import { readRateSourceWithKey, type RateSourceRow, type RunOutcome } from './store.ts';
import { inTransaction, reading } from '../../platform/database/transactions.ts';
import type { Actor } from '../../platform/audit/change.ts';
import type { Done } from '../../platform/admin-api/outcome.ts';
import { RATE_SOURCE_ACTOR, storeCollected } from './changes.ts';

export interface RateCollecting {
  pool: pg.Pool;
  sealer: Sealer;
  /** SLUICE_ALLOW_PRIVATE_CHANNEL_URLS */
  allowPrivate: boolean;
  /** Ends a run between two calls of the source. */
  signal?: AbortSignal | undefined;
}

type Storing = (tx: Tx, by: Actor) => Promise<Done<{ outcome: RunOutcome }>>;

/** The Korean bank publishes by the Korean calendar. The day is that of the database, which dates the rates. */
const dayInKorea = timestampFormat('Asia/Seoul');

/**
 * A run requested by an operator. `store` runs the transaction with the request's credentials. null: the source is
 * off.
 */
export async function collectRatesNow(
  collecting: RateCollecting,
  store: (work: Storing) => Promise<Done<{ outcome: RunOutcome }>>,
): Promise<RunOutcome | null> {
  const stored = await reading(collecting.pool, readRateSourceWithKey);
  if (stored.source.kind === 'none') return null;
  const found = await ask(collecting, stored);
  return (await store((tx, by) => storeCollected(tx, by, found))).outcome;
}

/**
 * A scheduled run; null: the source is off or not due. The run's time is stored with its outcome, so a killed run is
 * repeated.
 */
export async function collectRatesWhenDue(collecting: RateCollecting): Promise<RunOutcome | null> {
  const { pool } = collecting;
  const stored = await reading(pool, readRateSourceWithKey);
  if (!stored.source.is_due) return null;
  const found = await ask(collecting, stored);
  return (await inTransaction(pool, (tx) => storeCollected(tx, RATE_SOURCE_ACTOR, found))).outcome;
}

async function ask(
  { pool, sealer, allowPrivate, signal }: RateCollecting,
  { source, key }: { source: RateSourceRow; key: Sealed | null },
) {
  const today = dayInKorea(await reading(pool, readNow)).slice(0, 10);
  const collected = await quotesOf(source, await openKey(sealer, key), { today, allowPrivate, signal });
  return { asked: source, collected, today };
}

/** The source's key, opened; null: it cannot be opened. */
async function openKey(sealer: Sealer, sealed: Sealed | null): Promise<{ api_key: string | null } | null> {
  if (!sealed) return { api_key: null };
  const api_key = await sealer.open(sealed, RATE_SOURCE_CONTEXT);
  return api_key === null ? null : { api_key };
}

async function quotesOf(
  source: RateSourceRow,
  key: { api_key: string | null } | null,
  call: Pick<SourceCall, 'today' | 'allowPrivate' | 'signal'>,
): Promise<Collected> {
  const kind = sourceKind(source.kind);
  if (kind === 'none') return { kind: 'published', quoted_on: null, quotes: [], missing: [] };
  if (!key) return { kind: 'source_failed', failure: { reason: 'key_closed' } };
  return collectQuotes({ ...source, kind, path: source.path ?? '', ...key, ...call });
}
