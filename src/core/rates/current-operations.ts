// The rates that intake uses now, and the channels whose currency has none.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { BASE_CURRENCY } from '../rules/currency.ts';
import { reading } from '../../platform/database/transactions.ts';
import { listCurrencies, type CurrencyState } from './store.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { COMMON_ANSWERS, DataOf, security, Timestamp } from '../../platform/admin-api/schemas.ts';
import { readNow } from '../../platform/database/clock.ts';

const rate = {
  rate: Type.String({ description: 'A decimal string, exactly as entered.' }),
  effective_at: Timestamp,
};
const Next = Type.Unsafe<{ rate: string; effective_at: string } | null>({
  type: ['object', 'null'],
  properties: rate,
  required: ['rate', 'effective_at'],
  description: 'The next scheduled rate.',
});
const Users = Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
  description: 'Active channels with this currency.',
});
const CurrentRates = Type.Object({
  now: Timestamp,
  rates: Type.Array(Type.Object({ currency_code: Type.String(), ...rate, next: Next, channels: Users })),
  missing: Type.Array(Type.Object({ currency_code: Type.String(), next: Next, channels: Users }), {
    description: 'Currencies without a rate in effect: amounts of their orders are recorded as 0.',
  }),
});

export function registerCurrentRates(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'GET',
    url: '/exchange-rates/current',
    schema: {
      summary: 'The rate in effect of each currency, and the channels without one',
      tags: ['exchange rates'],
      security,
      response: { 200: DataOf(CurrentRates), ...COMMON_ANSWERS },
    },
    handler: async () => {
      const [found, now] = await reading(services.pool, (tx) =>
        Promise.all([listCurrencies(tx, BASE_CURRENCY), readNow(tx)]),
      );
      return { data: present(found, now, services.formatTimestamp) };
    },
  });
}

function present(
  found: readonly CurrencyState[],
  now: Date,
  format: BackOffice['formatTimestamp'],
): Static<typeof CurrentRates> {
  const nextOf = ({ next_rate, next_effective_at }: CurrencyState) =>
    next_rate === null || next_effective_at === null
      ? null
      : { rate: next_rate, effective_at: format(next_effective_at) };
  const rates = found.flatMap((one) => {
    const { currency_code, rate: value, effective_at, channels } = one;
    if (value === null || effective_at === null) return [];
    return [{ currency_code, rate: value, effective_at: format(effective_at), next: nextOf(one), channels }];
  });
  const missing = found
    .filter(({ rate: value, channels }) => value === null && channels.length > 0)
    .map((one) => ({ currency_code: one.currency_code, next: nextOf(one), channels: one.channels }));
  return { now: format(now), rates, missing };
}
