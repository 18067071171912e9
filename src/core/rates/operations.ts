// Exchange rates: KRW for one unit of a currency. Rates are added and withdrawn, never changed; orders keep their rate.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { addExchangeRate, withdrawExchangeRate } from './changes.ts';
import { readCurrencyCode } from '../rules/currency.ts';
import type { FieldError } from '../../platform/values/field-fault.ts';
import { exactRate, RATE_DECIMALS_MAX } from '../../platform/values/money.ts';
import { readTimestamp } from '../../platform/values/timestamps.ts';
import { listExchangeRates, type ExchangeRate, type RatePosition } from './store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import {
  ListOf,
  pageQuery,
  readPage,
  refuseCursor,
  textAfter,
  type PageQuery,
} from '../../platform/admin-api/page.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  int32Id,
  PathId,
  RefusalBody,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

const rateIdOf = ({ id }: { id: string }): number =>
  int32Id(id, { kind: 'exchange_rate_unknown', exchange_rate_id: id });

const RateRequest = Type.Object({
  currency_code: Type.String({ description: 'ISO 4217; not KRW, which is always 1.', examples: ['JPY'] }),
  rate: Type.Unsafe<string | number>({
    type: ['string', 'number'],
    description: 'KRW for one unit: above 0, below 10^9, at most 12 decimals.',
    examples: ['9.4512'],
  }),
  effective_at: Type.Optional(
    nullable<string>({ type: 'string', description: 'ISO 8601 with offset; default: now.' }),
  ),
});
const RateItem = Type.Object(
  {
    id: Type.Integer(),
    currency_code: Type.String(),
    rate: Type.String({ description: 'A decimal string, exactly as entered.' }),
    effective_at: Timestamp,
    created_at: Timestamp,
  },
  { title: 'ExchangeRate' },
);

const RateQuery = Type.Object({
  ...pageQuery,
  currency_code: Type.Optional(Type.String({ format: 'text' })),
});
const RateParams = Type.Object({ id: PathId('The exchange rate id.') });
const tags = ['exchange rates'];

export function registerExchangeRates(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  registerAddition(app, services);
  registerWithdrawal(app, services);
}

function registerList(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: Static<typeof RateQuery> }>({
    method: 'GET',
    url: '/exchange-rates',
    schema: {
      summary: 'Exchange rates, latest first',
      tags,
      security,
      querystring: RateQuery,
      response: { 200: ListOf(RateItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const currency_code =
        query.currency_code === undefined
          ? null
          : (readCurrencyCode(query.currency_code) ?? query.currency_code);
      const filter = { currency_code, after: positionAfter(query) };
      return readPage(services.pool, query, {
        read: (tx, limit) => listExchangeRates(tx, { ...filter, limit }),
        key: ({ effective_us, id }) => `${effective_us}:${id}`,
        present: (rate) => present(services, rate),
      });
    },
  });
}

function registerAddition(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: Static<typeof RateRequest> }>({
    method: 'POST',
    url: '/exchange-rates',
    config: { role: 'operator' },
    schema: {
      summary: 'Add a rate; intake uses the latest one in effect',
      tags,
      security,
      body: RateRequest,
      response: { 201: DataOf(RateItem), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = readRate(request.body);
      const { rate } = await change(services, request, (tx, by) => addExchangeRate(tx, by, wanted));
      return reply.code(201).send({ data: present(services, rate) });
    },
  });
}

function registerWithdrawal(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof RateParams> }>({
    method: 'DELETE',
    url: '/exchange-rates/:id',
    config: { role: 'operator' },
    schema: {
      summary: 'Withdraw a rate; intake uses the one before it, orders keep theirs',
      tags,
      security,
      params: RateParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = rateIdOf(request.params);
      await change(services, request, (tx, by) => withdrawExchangeRate(tx, by, { id }));
      return reply.code(204).send();
    },
  });
}

const present = ({ formatTimestamp }: BackOffice, rate: ExchangeRate): Static<typeof RateItem> => ({
  id: rate.id,
  currency_code: rate.currency_code,
  rate: rate.rate,
  effective_at: formatTimestamp(rate.effective_at),
  created_at: formatTimestamp(rate.created_at),
});

/** PostgreSQL knows no time before 4713 BC. */
const EARLIEST_US = Date.parse('-004700-01-01T00:00:00Z') * 1000;

/** The cursor of `page` above. */
function positionAfter(query: PageQuery): RatePosition | null {
  const cursor = textAfter(query);
  if (cursor === null) return null;
  const [, effective_us, id] = /^(-?\d{1,18}):(\d{1,15})$/.exec(cursor) ?? [];
  if (effective_us === undefined || Number(effective_us) < EARLIEST_US) throw refuseCursor();
  return { effective_us, id: Number(id) };
}

/** Checks beyond the schema; all errors are reported together. */
function readRate(body: Static<typeof RateRequest>): Parameters<typeof addExchangeRate>[2] {
  const found: FieldError[] = [];
  const currency_code = readCurrencyCode(body.currency_code);
  if (currency_code === null) found.push({ field: 'currency_code', fault: { kind: 'not_a_currency' } });
  const rate = exactRate(String(body.rate));
  if (rate === null)
    found.push({ field: 'rate', fault: { kind: 'not_a_rate', decimals_max: RATE_DECIMALS_MAX } });
  const given = body.effective_at ?? null;
  const effective_at = given === null ? null : readTimestamp(given);
  if (given !== null && effective_at === null)
    found.push({ field: 'effective_at', fault: { kind: 'not_a_timestamp' } });
  if (currency_code === null || rate === null || found.length > 0) throw Refusal.invalidFields(found);
  return { currency_code, rate, effective_at };
}
