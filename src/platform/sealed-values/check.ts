// Checks at the start that every sealed value can be opened with the configured secret.
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { DatabaseUnavailable } from '../database/failures.ts';
import type { Sealer } from '../secrets/keys.ts';
import type { SealedColumn } from '../secrets/sealed-column.ts';
import { inspectSeals, totalSeals } from './changes.ts';

/** How many owners are named in a log line. */
const NAMED_MAX = 20;

interface Checked {
  readonly pool: pg.Pool;
  readonly sealer: Sealer;
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly metrics: { readonly registry: Registry };
}

/** A wrong secret would otherwise be noticed much later, by requests for product information or by signatures. */
export async function checkSeals(
  { pool, sealer, config, log, metrics }: Checked,
  columns: readonly SealedColumn[],
): Promise<void> {
  const closedKeys = new Gauge({
    name: 'sluice_closed_keys',
    help: 'Sealed keys and signing secrets that could not be opened with the secret at startup.',
    aggregator: 'max',
    registers: [metrics.registry],
  });
  const states = await inspectSeals(pool, sealer, columns).catch((error: unknown) => {
    if (error instanceof DatabaseUnavailable) return null;
    throw error;
  });
  if (!states) return;
  for (const { column, count, closed } of states) {
    if (closed.length === 0) continue;
    const { owners, log: text } = column.closed;
    log.error(
      owners === undefined ? {} : { [owners]: closed.slice(0, NAMED_MAX) },
      text(closed.length, count),
    );
  }
  const { outdated, closed } = totalSeals(states);
  closedKeys.set(closed);
  if (outdated > 0)
    log.warn({ sealed: outdated }, 'sealed keys need the previous secret: run "sluice secret rotate"');
  else if (config.previous_secret !== null && closed === 0)
    log.info('SLUICE_SECRET_PREVIOUS is no longer needed and can be removed');
}
