// Schemas of the source of exchange rates.
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { RATE_CURRENCIES_MAX, RATE_SOURCE_MINUTES } from './changes.ts';
import { API_KEY_PLACEHOLDER, CURRENCY_PLACEHOLDER, SOURCE_KINDS, type SourceKind } from './collect.ts';
import type { RateRun } from './store.ts';
import {
  nullable,
  OptionalBoolean,
  OptionalInteger,
  OptionalText,
} from '../../platform/schema/building-blocks.ts';
import { PathText, Timestamp } from '../../platform/admin-api/schemas.ts';

const API_KEY_CHARACTERS_MAX = 500;
const PATH_CHARACTERS_MAX = 200;
const UNITS_MAX = 1_000_000;
export const RUNS_SHOWN_MAX = 20;

const KindName = Type.Unsafe<SourceKind>({
  type: 'string',
  enum: [...SOURCE_KINDS],
  description:
    'none: rates are entered by hand; ecb: European Central Bank, daily; koreaexim: Export-Import Bank of Korea, with a key; json: any address.',
});
export const QuoteItem = Type.Object({ currency_code: Type.String(), rate: Type.String() });
export const RunItem = Type.Object(
  {
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
  },
  { title: 'RateRun' },
);
export const Source = Type.Object(
  {
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
  },
  { title: 'RateSource' },
);

export const SourceRequest = Type.Object({
  kind: KindName,
  url: OptionalText(2_000, {
    description: `http or https; null: the usual one. For json it may contain ${CURRENCY_PLACEHOLDER}, one call for each currency, and ${API_KEY_PLACEHOLDER}.`,
  }),
  api_key: OptionalText(API_KEY_CHARACTERS_MAX, {
    description:
      'Absent: the stored key stays if the URL has the same scheme, host and port, otherwise it is removed; null or empty: it is removed. For json it is sent as bearer token unless the URL has a place for it.',
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
export type SourceRequest = Static<typeof SourceRequest>;

export const QuoteParams = Type.Object({ currency_code: PathText('The currency.') });
export const Decision = Type.Object({
  rate: Type.String({ description: 'The rate that waits, as it was shown; 409 if another one waits now.' }),
});
