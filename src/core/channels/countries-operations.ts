// The countries a channel may have, with their currencies.
import type { FastifyInstance } from 'fastify';
import { Type } from '../../platform/schema/json-schema.ts';
import { COUNTRIES } from '../rules/currency.ts';
import { ListOf } from '../../platform/admin-api/page.ts';
import { COMMON_ANSWERS, security } from '../../platform/admin-api/schemas.ts';

const CountryItem = Type.Object({
  country_code: Type.String({ examples: ['JP'] }),
  currency_code: Type.String({ examples: ['JPY'] }),
});

export function registerCountries(app: FastifyInstance): void {
  app.route({
    method: 'GET',
    url: '/countries',
    schema: {
      summary: 'All countries a channel may have, by code',
      tags: ['channels'],
      security,
      response: { 200: ListOf(CountryItem), ...COMMON_ANSWERS },
    },
    handler: async () => ({ data: COUNTRIES, next_cursor: null }),
  });
}
