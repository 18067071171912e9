// The second level: the real gate on a real PostgreSQL, administrators through HTTP, every visible number compared after
// each batch.
import { reconcile } from '../../../src/store/reconcile.ts';
import { fixtures, must, unique, type TestChannel, type TestVariant } from '../../kit/fixtures.ts';
import type { Model } from '../../kit/model.ts';
import type { TestService } from '../../kit/service.ts';
import {
  BARE_VARIANT,
  CHANNELS,
  COUNTRIES,
  CURRENCIES,
  FIRST_QUANTITY,
  FIRST_RATE,
  RATED_CHANNEL,
  rateText,
  VARIANTS,
  type DeskStep,
  type GateStep,
  type Group,
} from './steps.ts';
import {
  agree,
  agreeThatHeldIsThere,
  commandOf,
  deskOnModel,
  expectedOf,
  newModel,
  wordsOf,
  type Ids,
  type Tally,
} from './words.ts';

interface Scenario {
  service: TestService;
  model: Model;
  channels: TestChannel[];
  variants: TestVariant[];
  /** Order numbers are global, so each run has its own prefix. */
  prefix: string;
}

/** Runs all steps with channels and items that no other run uses; throws at the first disagreement. */
export async function runOnDatabase(
  service: TestService,
  groups: readonly Group[],
  tally?: Tally,
): Promise<void> {
  const scenario = await newScenario(service);
  for (const group of groups) {
    if (Array.isArray(group)) await runBatch(scenario, group, tally);
    else await runDesk(scenario, group);
    await compareNumbers(scenario);
  }
  await compareOrders(scenario);
}

/** Recomputes every counter of the database from orders and ledger. */
export async function reconciled(service: TestService): Promise<void> {
  const { drift } = await reconcile(service.service.services.pool);
  agree('the counters recomputed from orders and ledger', drift, []);
}

async function newScenario(service: TestService): Promise<Scenario> {
  const make = fixtures(service);
  const model = newModel();
  const channels = await Promise.all(COUNTRIES.map((country_code) => make.channel({ country_code })));
  const variants = await Promise.all(
    VARIANTS.map((variant) => make.variant(variant === BARE_VARIANT ? null : FIRST_QUANTITY)),
  );
  const scenario = { service, model, channels, variants, prefix: unique('M') };
  await setRate(scenario, FIRST_RATE);
  for (const channel of CHANNELS) {
    const mappings = [...model.mappings]
      .filter(([key]) => key.startsWith(`${channel}/`))
      .map(([key, variant]) => ({ sku: key.slice(2), variant_code: variants[variant]?.code }));
    await must(service.admin('PUT', `/channels/${channels[channel]?.id}/mappings`, { mappings }), 200);
  }
  return scenario;
}

const setRate = ({ service }: Scenario, rate: number): Promise<unknown> => {
  const body = { currency_code: CURRENCIES[RATED_CHANNEL], rate: rateText(rate) };
  return must(service.admin('POST', '/exchange-rates', body), 201);
};

async function runDesk(scenario: Scenario, step: DeskStep): Promise<void> {
  const { service, model, channels, variants } = scenario;
  const taken = deskOnModel(model, step);
  const channel = 'channel' in step ? channels[step.channel]?.id : undefined;
  const code = 'variant' in step ? variants[step.variant]?.code : undefined;
  switch (step.kind) {
    case 'set': {
      const body = { quantity: step.quantity, expected_quantity: step.expected };
      await must(service.admin('PUT', `/stock/${code}`, body), taken ? 200 : 409);
      return;
    }
    case 'adjust': {
      const body = { delta: step.delta, reason: 'count' };
      await must(service.admin('POST', `/stock/${code}/adjustments`, body), taken ? 200 : 422);
      return;
    }
    case 'allocate': {
      const body = { allocated_qty: step.allocated, reserve_quota: step.quota };
      await must(service.admin('PUT', `/channels/${channel}/allocations/${code}`, body), taken ? 200 : 422);
      return;
    }
    case 'map': {
      const mappings = [{ sku: step.sku, variant_code: code }];
      await must(service.admin('PUT', `/channels/${channel}/mappings`, { mappings }), 200);
      return;
    }
    case 'unmap':
      await must(
        service.admin('DELETE', `/channels/${channel}/mappings/${step.sku}`),
        ...(taken ? [204] : [404]),
      );
      return;
    case 'rate':
      await setRate(scenario, step.rate);
      return;
  }
}

/** Commands submitted in one turn of the event loop share batches and keep the order of submission. */
async function runBatch(scenario: Scenario, batch: readonly GateStep[], tally?: Tally): Promise<void> {
  const { service, model, channels, variants, prefix } = scenario;
  const { gate, pool } = service.service.services;
  const numbered = batch.map((step) => ({ ...step, number: `${prefix}-${step.number}` }));
  const named = numbered.filter((step) => step.kind === 'report' && step.channel === null);
  const known = await pool.query<{ id: number; order_number: string }>(
    'select id, order_number from orders where order_number = any($1)',
    [named.map((step) => step.number)],
  );
  const orderIds = new Map(known.rows.map((row) => [row.order_number, row.id]));
  const ids: Ids = {
    channel: (index) => channels[index]?.id ?? -1,
    orderId: (number) => orderIds.get(number) ?? -1,
    variantOf: (productCode) => variants.findIndex(({ product }) => product === productCode),
  };
  // No channel has an expiry, so no order expires.
  const expected = expectedOf(model, numbered, false);
  const outcomes = await Promise.all(numbered.map((step) => gate.submit(commandOf(step, ids))));
  const stored = await pool.query<{ code: string; quantity: number; unshipped: number }>(
    'select v.code, s.quantity, s.unshipped from stock s join variant v on v.id = s.variant_id where v.code = any($1)',
    [variants.map(({ code }) => code)],
  );
  agreeThatHeldIsThere(batch, outcomes, ids, (variant) =>
    stored.rows.find(({ code }) => code === variants[variant]?.code),
  );
  for (const [index, outcome] of outcomes.entries()) {
    const words = wordsOf(outcome, ids);
    agree(JSON.stringify(batch[index]), words, expected[index]);
    tally?.add(words);
  }
}

interface Listed {
  sku: string;
  available: number;
  reserve_remaining: number;
}

/** Compares the list over HTTP, and the lookup of each SKU. */
async function compareNumbers({ service, model, channels, variants }: Scenario): Promise<void> {
  const { inventory } = service.service.services;
  const figures = VARIANTS.map((variant) => ({
    product_code: variants[variant]?.code,
    product_name: `Product ${variants[variant]?.product}`,
    quantity: model.physical.get(variant) ?? 0,
    allocated: model.physical.has(variant) ? model.allocated(variant) : 0,
  }));
  await Promise.all(
    CHANNELS.map(async (channel) => {
      const id = channels[channel]?.id ?? -1;
      const expected = [...model.mappings]
        .filter(([key]) => key.startsWith(`${channel}/`))
        .map(([key, variant]) => ({
          sku: key.slice(2),
          ...figures[variant],
          available: model.available(channel, variant),
          reserve_remaining: model.reserveRemaining(channel, variant),
        }))
        .toSorted((a, b) => (a.sku < b.sku ? -1 : 1));
      const [list, ...singles] = await Promise.all([
        channels[channel]?.call('GET', '/inventory'),
        ...expected.map(({ sku }) => inventory.find(id, sku)),
      ]);
      agree(`the stock list of channel ${channel}`, list?.json?.data as Listed[], expected);
      agree(
        `the lookups of channel ${channel}`,
        singles,
        expected.map(({ available, reserve_remaining }) => ({ available, reserve_remaining })),
      );
    }),
  );
}

/** Compares every stored order and its history. */
async function compareOrders({ service, model, prefix, channels }: Scenario): Promise<void> {
  const { rows } = await service.service.services.pool.query(
    `select o.order_number, o.channel_id, o.is_backorder, o.status, o.total_amount,
            (select array_agg(h.to_status order by array_position(array[0, 1, 2, 9, 3, 88]::smallint[], h.to_status))
             from order_history h where h.order_id = o.id) as walk,
            (select array_agg(array[i.quantity, i.cancelled_quantity] order by i.line)
             from order_item i where i.order_id = o.id) as lines
     from orders o where o.order_number like $1 || '-%'`,
    [prefix],
  );
  const stored = rows.toSorted((a, b) => (a.order_number < b.order_number ? -1 : 1));
  agree(
    'the stored orders',
    stored.map((row) => [
      row.order_number,
      row.channel_id,
      row.is_backorder,
      row.status,
      row.total_amount,
      row.walk,
      row.lines,
    ]),
    [...model.orders.values()]
      .toSorted((a, b) => (a.number < b.number ? -1 : 1))
      .map((order) => [
        order.number,
        channels[order.channel]?.id,
        order.backorder,
        order.status,
        order.total,
        order.history,
        order.lines.map((line) => [line.quantity, order.status === 88 ? line.quantity : 0]),
      ]),
  );
}
