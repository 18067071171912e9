// Checks at the start that every sealed value can be opened with the configured secret.
import type { FastifyBaseLogger } from 'fastify';
import { inspectSeals, totalSeals } from '../platform/sealed-values/changes.ts';
import type { Services } from './services.ts';
import { DatabaseUnavailable } from '../platform/database/failures.ts';

/** How many channels, webhooks or users are named in a log line. */
const NAMED_MAX = 20;

/** A wrong secret would otherwise be noticed much later, by requests for product information or by signatures. */
export async function checkSeals(
  { pool, sealer, config, metrics }: Services,
  logger: FastifyBaseLogger,
): Promise<void> {
  const states = await inspectSeals(pool, sealer).catch((error: unknown) => {
    if (error instanceof DatabaseUnavailable) return null;
    throw error;
  });
  if (!states) return;
  const { key: keys, signing_secret: secrets, rate_source_key: source } = states;
  const { webhook_secret: webhooks, second_factor: factors } = states;
  const { outdated, closed } = totalSeals(states);
  metrics.closedKeys(closed);
  if (keys.closed.length > 0) {
    const text = `the secret does not open the sealed keys of ${keys.closed.length} of ${keys.count} channels: their product information cannot be fetched. Start with the right secret, or rotate their keys`;
    logger.error({ channels: keys.closed.slice(0, NAMED_MAX) }, text);
  }
  if (secrets.closed.length > 0) {
    const text = `the secret does not open ${secrets.closed.length} of ${secrets.count} signing secrets: requests signed with them are answered 503. Start with the right secret, or replace them`;
    logger.error({ channels: secrets.closed.slice(0, NAMED_MAX) }, text);
  }
  if (source.closed.length > 0)
    logger.error(
      'the secret does not open the key of the exchange rate source: rates are not collected. Start with the right secret, or enter the key again',
    );
  if (webhooks.closed.length > 0) {
    const text = `the secret does not open the secrets of ${webhooks.closed.length} webhooks: nothing is sent to them. Start with the right secret, or rotate theirs`;
    logger.error({ webhooks: webhooks.closed.slice(0, NAMED_MAX) }, text);
  }
  if (factors.closed.length > 0)
    logger.error(
      { users: factors.closed.slice(0, NAMED_MAX) },
      'the secret does not open second factors: these users can sign in with recovery codes alone. Start with the right secret, or reset them',
    );
  if (outdated > 0)
    logger.warn({ sealed: outdated }, 'sealed keys need the previous secret: run "sluice secret rotate"');
  else if (config.previous_secret !== null && closed === 0)
    logger.info('SLUICE_SECRET_PREVIOUS is no longer needed and can be removed');
}
