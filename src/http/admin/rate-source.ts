// Where exchange rates are collected from, its runs, and quotes that wait for an operator.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { collectRatesNow } from '../../backoffice/rate-collection.ts';
import {
  changeRateSource,
  decideRateQuote,
  RATE_CURRENCIES_MAX,
  RATE_SOURCE_MINUTES,
} from '../../backoffice/rate-source.ts';
import { checkApiUrl, maskedApiUrl } from '../../channel-client/api-url.ts';
import { BASE_CURRENCY, readCurrencyCode } from '../../domain/currency.ts';
import type { FieldError } from '../../domain/field-fault.ts';
import { exactRate, RATE_DECIMALS_MAX } from '../../domain/money.ts';
import {
  API_KEY_PLACEHOLDER,
  CURRENCY_PLACEHOLDER,
  SOURCE_KINDS,
  USUAL_URLS,
  type SourceKind,
} from '../../rate-sources/collect.ts';
import type { SourceFailure } from '../../rate-sources/quotes.ts';
import {
  listRateQuotes,
  listRateRuns,
  readRateSource,
  type RateRun,
  type RateSourceFields,
  type RateSourceRow,
} from '../../store/rate-source.ts';
import { reading } from '../../store/transactions.ts';
import { sourceFailureText } from '../../words/source-failures.ts';
import { nullable, OptionalBoolean, OptionalInteger, OptionalText } from '../schema.ts';
import type { Services } from '../services.ts';
import { operatorOf } from './auth.ts';
import { Refusal, refusalOf } from './refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  PathText,
  readNoBodies,
  RefusalBody,
  security,
  Timestamp,
} from './schemas.ts';
import { change, outcomeOf } from './writing.ts';

const API_KEY_CHARACTERS_MAX = 500;
const PATH_CHARACTERS_MAX = 200;
const UNITS_MAX = 1_000_000;
const RUNS_SHOWN_MAX = 20;

const KindName = Type.Unsafe<SourceKind>({
  type: 'string',
  enum: [...SOURCE_KINDS],
  description:
    'none: rates are entered by hand; ecb: European Central Bank, daily; koreaexim: Export-Import Bank of Korea, with a key; json: any address.',
});
const QuoteItem = Type.Object({ currency_code: Type.String(), rate: Type.String() });
const RunItem = Type.Object({
  at: Timestamp,
  kind: Type.String(),
  actor: Type.String(),
  outcome: Type.Unsafe<RateRun['outcome']>({
    type: 'string',
    enum: ['collected', 'unchanged', 'waiting', 'failed'],
    description:
      'collected: new rates are in effect; unchanged: the source has nothing new; waiting: an operator must decide on a rate.',
  }),
  quoted_on: nullable<string>({
    type: 'string',
    description: 'The day that the source gives its rates for.',
  }),
  rates: Type.Array(QuoteItem, { description: 'New rates.' }),
  missing: Type.Array(Type.String(), { description: 'Currencies that the source does not publish.' }),
  error: nullable<string>({ type: 'string', description: 'Why it failed, for people.' }),
  code: nullable<string>({ type: 'string', description: 'Why it failed, for programs.' }),
  details: nullable<object>({ type: 'object', additionalProperties: true }),
});
const Source = Type.Object({
  kind: KindName,
  url: nullable<string>({
    type: 'string',
    description: 'null: the usual one. Only administrators see its query, which may contain secrets.',
  }),
  usual_url: nullable<string>({
    type: 'string',
    description: 'Where this kind is asked unless `url` is set.',
  }),
  has_api_key: Type.Boolean({ description: 'Whether a key is stored. It is never shown.' }),
  currencies: Type.Array(Type.String()),
  every_minutes: Type.Integer(),
  path: nullable<string>({ type: 'string' }),
  per_units: Type.Integer(),
  is_inverted: Type.Boolean(),
  last_run: Type.Union([RunItem, Type.Null()]),
  next_run_at: nullable<string>({ type: 'string', description: 'null: the source is off.' }),
  runs: Type.Array(RunItem, { description: `The last ${RUNS_SHOWN_MAX} runs, latest first.` }),
  waiting: Type.Array(
    Type.Object({
      currency_code: Type.String(),
      rate: Type.String({ description: 'What the source publishes.' }),
      last_rate: nullable<string>({ type: 'string', description: 'The rate in effect when it came.' }),
      quoted_on: Type.String(),
      since: Timestamp,
    }),
    { description: 'Rates that differ from the one before by more than 20 %: accept or reject them.' },
  ),
});

const SourceRequest = Type.Object({
  kind: KindName,
  url: OptionalText(2_000, {
    description: `http or https; null: the usual one. For json it may contain ${CURRENCY_PLACEHOLDER}, one call for each currency, and ${API_KEY_PLACEHOLDER}.`,
  }),
  api_key: OptionalText(API_KEY_CHARACTERS_MAX, {
    description:
      'Absent: the stored key stays; null or empty: it is removed. For json it is sent as bearer token unless the URL has a place for it.',
  }),
  currencies: Type.Optional(
    nullable<string[]>({
      type: 'array',
      items: { type: 'string' },
      maxItems: RATE_CURRENCIES_MAX,
      examples: [['JPY', 'USD']],
    }),
  ),
  every_minutes: OptionalInteger({
    minimum: RATE_SOURCE_MINUTES.min,
    maximum: RATE_SOURCE_MINUTES.max,
    description: 'Default 360.',
  }),
  path: OptionalText(PATH_CHARACTERS_MAX, {
    description: `For json: the way to the number, names and positions separated by dots, such as rates.${CURRENCY_PLACEHOLDER}.`,
  }),
  per_units: OptionalInteger({
    minimum: 1,
    maximum: UNITS_MAX,
    description: 'For json: the number is for so many units. Default 1.',
  }),
  is_inverted: OptionalBoolean({
    description: 'For json: the number is units of the currency for KRW, not KRW for units. Default false.',
  }),
});
type SourceRequest = Static<typeof SourceRequest>;

const QuoteParams = Type.Object({ currency_code: PathText('The currency.') });
const Decision = Type.Object({
  rate: Type.String({ description: 'The rate that waits, as it was shown; 409 if another one waits now.' }),
});

const tags = ['exchange rates'];
const URL_PATH = '/exchange-rate-source';

export function registerRateSource(app: FastifyInstance, services: Services): void {
  registerSettings(app, services);
  registerDecisions(app, services);
  app.register(async (scope) => {
    readNoBodies(scope);
    registerRun(scope, services);
  });
}

async function show(services: Services, request: FastifyRequest): Promise<Static<typeof Source>> {
  const { source, runs, quotes } = await reading(services.pool, async (tx) => ({
    source: await readRateSource(tx),
    runs: await listRateRuns(tx, RUNS_SHOWN_MAX),
    quotes: await listRateQuotes(tx),
  }));
  const { formatTimestamp } = services;
  const shown = runs.map((one) => runOf(services, one));
  const { run_at: _run, is_due: _due, next_run_at, ...settings } = source;
  const kind = kindOf(source);
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

const kindOf = ({ kind }: RateSourceRow): SourceKind => SOURCE_KINDS.find((one) => one === kind) ?? 'none';

/** The details are written by `storeCollected`. */
interface RunDetails {
  quoted_on?: string;
  rates?: Static<typeof QuoteItem>[];
  missing?: string[];
  failure?: SourceFailure;
}

function runOf(
  { formatTimestamp }: Services,
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

function registerSettings(app: FastifyInstance, services: Services): void {
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
      summary: 'Set the source of exchange rates; what is not given gets its default, except the key',
      tags,
      security,
      body: SourceRequest,
      response: { 200: DataOf(Source), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { has_api_key } = await reading(services.pool, readRateSource);
      const fields = readSource(request.body, has_api_key);
      const { api_key } = request.body;
      const wanted = { sealer: services.sealer, fields, api_key: api_key === '' ? null : api_key };
      await change(services, request, (tx, by) => changeRateSource(tx, by, wanted));
      return { data: await show(services, request) };
    },
  });
}

/** Checks beyond the schema; all errors are reported together. */
function readSource(body: SourceRequest, hasKey: boolean): RateSourceFields {
  const { kind } = body;
  const found: FieldError[] = [];
  const url = body.url || null;
  // The places in a URL are filled before it is called.
  const filled = url?.replaceAll(CURRENCY_PLACEHOLDER, 'USD').replaceAll(API_KEY_PLACEHOLDER, 'key');
  const checked = filled === undefined ? null : checkApiUrl(filled);
  if (checked?.ok === false) found.push({ field: 'url', fault: checked.fault });
  if (kind === 'json' && url === null) found.push({ field: 'url', fault: { kind: 'required' } });
  const path = kind === 'json' ? body.path?.trim() || null : null;
  if (kind === 'json' && path === null) found.push({ field: 'path', fault: { kind: 'required' } });
  const keyStays = body.api_key === undefined && hasKey;
  if (kind === 'koreaexim' && !keyStays && (body.api_key ?? '') === '')
    found.push({ field: 'api_key', fault: { kind: 'required' } });
  const codes = [...new Set((body.currencies ?? []).map((code) => readCurrencyCode(code) ?? code))];
  if (kind !== 'none' && codes.length === 0) found.push({ field: 'currencies', fault: { kind: 'required' } });
  for (const [at, code] of codes.entries())
    if (readCurrencyCode(code) === null || code === BASE_CURRENCY)
      found.push({ field: `currencies.${at}`, fault: { kind: 'not_a_currency' } });
  const hasPlace = [url, path].some((text) => text?.includes(CURRENCY_PLACEHOLDER) === true);
  if (kind === 'json' && codes.length > 1 && !hasPlace)
    found.push({
      field: 'path',
      fault: { kind: 'placeholder_missing', placeholder: CURRENCY_PLACEHOLDER },
    });
  if (found.length > 0) throw Refusal.invalidFields(found);
  return {
    kind,
    url,
    currencies: codes,
    every_minutes: body.every_minutes ?? 360,
    path,
    per_units: body.per_units ?? 1,
    is_inverted: body.is_inverted ?? false,
  };
}

function registerRun(app: FastifyInstance, services: Services): void {
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

function registerDecisions(app: FastifyInstance, services: Services): void {
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
