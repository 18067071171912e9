// The source of exchange rates, its runs, and the quotes that wait for an operator.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from '../../platform/schema/json-schema.ts';
import { collectRatesNow } from './collection.ts';
import { changeRateSource, decideRateQuote } from './changes.ts';
import { maskedApiUrl } from '../../core/channels/api-url.ts';
import { readCurrencyCode } from '../../core/rules/currency.ts';
import { exactRate, RATE_DECIMALS_MAX } from '../../platform/values/money.ts';
import { sourceKind, USUAL_URLS } from './collect.ts';
import type { SourceFailure } from './quotes.ts';
import { listRateQuotes, listRateRuns, readRateSource, type RateRun } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { sourceFailureText } from './words.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { operatorOf } from '../../platform/accounts/auth.ts';
import { readSource } from './request.ts';
import {
  Decision,
  QuoteParams,
  RUNS_SHOWN_MAX,
  Source,
  SourceRequest,
  type QuoteItem,
  type RunItem,
} from './schemas.ts';
import { Refusal, refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  readNoBodies,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { change, outcomeOf } from '../../platform/accounts/change.ts';

const tags = ['exchange rates'];
const URL_PATH = '/exchange-rate-source';

export function registerRateSource(app: FastifyInstance, services: BackOffice): void {
  registerSettings(app, services);
  registerDecisions(app, services);
  app.register(async (scope) => {
    readNoBodies(scope);
    registerRun(scope, services);
  });
}

async function show(services: BackOffice, request: FastifyRequest): Promise<Static<typeof Source>> {
  const { source, runs, quotes } = await reading(services.pool, async (tx) => ({
    source: await readRateSource(tx),
    runs: await listRateRuns(tx, RUNS_SHOWN_MAX),
    quotes: await listRateQuotes(tx),
  }));
  const { formatTimestamp } = services;
  const shown = runs.map((one) => runOf(services, one));
  const { run_at: _run, is_due: _due, next_run_at, ...settings } = source;
  const kind = sourceKind(source.kind);
  return {
    ...settings,
    kind,
    url: source.url !== null && operatorOf(request).role !== 'admin' ? maskedApiUrl(source.url) : source.url,
    usual_url: USUAL_URLS[kind],
    last_run: shown[0] ?? null,
    next_run_at: next_run_at && formatTimestamp(next_run_at),
    runs: shown,
    waiting: quotes
      .filter(({ state }) => state === 'waiting')
      .map(({ currency_code, rate, last_rate, quoted_on, at }) => ({
        currency_code,
        rate,
        last_rate,
        quoted_on,
        since: formatTimestamp(at),
      })),
  };
}

/** The details are written by `storeCollected`. */
interface RunDetails {
  quoted_on?: string;
  rates?: Static<typeof QuoteItem>[];
  missing?: string[];
  failure?: SourceFailure;
}

function runOf(
  { formatTimestamp }: BackOffice,
  { at, kind, actor, outcome, details }: RateRun,
): Static<typeof RunItem> {
  const { quoted_on, rates = [], missing = [], failure }: RunDetails = details;
  const { reason, ...more } = failure ?? { reason: null };
  return {
    at: formatTimestamp(at),
    kind,
    actor,
    outcome,
    quoted_on: quoted_on ?? null,
    rates,
    missing,
    error: failure ? sourceFailureText(failure) : null,
    code: reason,
    details: failure ? more : null,
  };
}

function registerSettings(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'GET',
    url: URL_PATH,
    schema: {
      summary: 'The source of exchange rates, its last runs, and rates that wait for a decision',
      tags,
      security,
      response: { 200: DataOf(Source), ...COMMON_ANSWERS },
    },
    handler: async (request) => ({ data: await show(services, request) }),
  });

  app.route<{ Body: SourceRequest }>({
    method: 'PUT',
    url: URL_PATH,
    config: { role: 'admin' },
    schema: {
      summary:
        'Set the source of exchange rates; what is not given gets its default, except the key, which stays for the same server',
      tags,
      security,
      body: SourceRequest,
      response: { 200: DataOf(Source), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const fields = readSource(request.body, await reading(services.pool, readRateSource));
      const { api_key } = request.body;
      const wanted = { sealer: services.sealer, fields, api_key: api_key === '' ? null : api_key };
      await change(services, request, (tx, by) => changeRateSource(tx, by, wanted));
      return { data: await show(services, request) };
    },
  });
}

function registerRun(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'POST',
    url: `${URL_PATH}/run`,
    config: { role: 'operator' },
    schema: {
      summary: 'Collect exchange rates now; a failure is an outcome of the run',
      tags,
      security,
      response: { 200: DataOf(Source), 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { pool, sealer, config } = services;
      const collecting = { pool, sealer, allowPrivate: config.allow_private_channel_urls };
      const outcome = await collectRatesNow(collecting, (work) => outcomeOf(services, request, work));
      if (outcome === null) throw refusalOf({ kind: 'rate_source_off' });
      return { data: await show(services, request) };
    },
  });
}

function registerDecisions(app: FastifyInstance, services: BackOffice): void {
  for (const [name, accepts] of [
    ['accept', true],
    ['reject', false],
  ] as const) {
    app.route<{ Params: Static<typeof QuoteParams>; Body: Static<typeof Decision> }>({
      method: 'POST',
      url: `${URL_PATH}/waiting/:currency_code/${name}`,
      config: { role: 'operator' },
      schema: {
        summary: accepts
          ? 'Accept a rate that waits: it is in effect from now on'
          : 'Reject a rate that waits: the rate before it stays in effect',
        tags,
        security,
        params: QuoteParams,
        body: Decision,
        response: { 200: DataOf(Source), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
      },
      handler: async (request) => {
        const rate = exactRate(request.body.rate);
        if (rate === null)
          throw Refusal.invalid('rate', { kind: 'not_a_rate', decimals_max: RATE_DECIMALS_MAX });
        const given = request.params.currency_code;
        const currency_code = readCurrencyCode(given) ?? given;
        await change(services, request, (tx, by) =>
          decideRateQuote(tx, by, { currency_code, rate, accepts }),
        );
        return { data: await show(services, request) };
      },
    });
  }
}
