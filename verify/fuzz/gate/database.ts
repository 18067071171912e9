// The second level: the real gate on a real PostgreSQL, administrators through HTTP, every visible number compared after
// each batch.
import { reconcile } from '../../../src/core/reconcile/store.ts';
import { must, unique } from '../../kit/fixtures.ts';
import type { Model } from '../../kit/model.ts';
import type { TestService } from '../../kit/service.ts';
import { deskOnModel, deskRequest, newMarket, type DeskStep, type GateStep, type Market } from '../steps.ts';
import { CHANNELS, COUNTRIES, FIRST_QUANTITIES, FIRST_RATE, type Group } from './random-runs.ts';
import {
  agree,
  agreeThatHeldIsThere,
  answersOf,
  commandOf,
  expectedOf,
  firstModel,
  isById,
  type Ids,
} from './words.ts';

interface Scenario extends Market {
  service: TestService;
  model: Model;
  /** Order numbers are global, so each run has its own prefix. */
  prefix: string;
}

/** Runs all steps with channels and items that no other run uses; throws at the first disagreement. Returns the answers. */
export async function runOnDatabase(service: TestService, groups: readonly Group[]): Promise<string[]> {
  const channelFields = COUNTRIES.map((country_code) => ({ country_code }));
  const market = await newMarket(service, channelFields, FIRST_QUANTITIES);
  const scenario = { service, ...market, model: firstModel(), prefix: unique('M') };
  await runDesk(scenario, { kind: 'rate', rate: FIRST_RATE });
  const answers: string[] = [];
  for (const group of groups) {
    if (Array.isArray(group)) answers.push(...(await runBatch(scenario, group)));
    else await runDesk(scenario, group);
    await compareNumbers(scenario);
  }
  await compareOrders(scenario);
  const { drift } = await reconcile(service.service.services.pool);
  agree('the counters recomputed from orders and ledger', drift, []);
  return answers;
}

/** The status of a change that was made, and of one that was refused. */
const DESK_STATUS: Readonly<Record<DeskStep['kind'], readonly [made: number, refused: number | null]>> = {
  set: [200, 409],
  adjust: [200, 422],
  allocate: [200, 422],
  map: [200, null],
  unmap: [204, 404],
  rate: [201, null],
};

async function runDesk(scenario: Scenario, step: DeskStep): Promise<void> {
  const [made, refused] = DESK_STATUS[step.kind];
  const status = deskOnModel(scenario.model, step) ? made : (refused ?? made);
  const { method, path, body } = deskRequest(scenario, step);
  await must(scenario.service.admin(method, path, body), status);
}

/** One step of each sender in turn, as the gate takes them. */
function inTurns(steps: readonly GateStep[]): GateStep[] {
  const lines = [
    ...Map.groupBy(steps, (step) => (isById(step) || !('channel' in step) ? null : step.channel)).values(),
  ];
  const longest = Math.max(...lines.map((line) => line.length));
  return Array.from({ length: longest }, (_, at) => lines.flatMap((line) => line[at] ?? [])).flat();
}

/**
 * Commands submitted in one turn of the event loop share batches. Submitted in turns, they keep the order of submission
 * also where a batch takes only some of them.
 */
async function runBatch(scenario: Scenario, steps: readonly GateStep[]): Promise<string[]> {
  const batch = inTurns(steps);
  const { service, model, channels, variants, prefix } = scenario;
  const { gate, pool } = service.service.services;
  const numbered = batch.map((step) => ({ ...step, number: `${prefix}-${step.number}` }));
  const known = await pool.query<{ id: number; order_number: string }>(
    'select id, order_number from orders where order_number = any($1)',
    [numbered.filter(isById).map((step) => step.number)],
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
  return answersOf(batch, outcomes, expected, ids);
}

/** Compares the list over HTTP, and the lookup of each SKU. */
async function compareNumbers({ service, model, channels, variants }: Scenario): Promise<void> {
  const { inventory } = service.service.services;
  const figures = variants.map(({ code, product }, variant) => ({
    product_code: code,
    product_name: `Product ${product}`,
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
      agree(`the stock list of channel ${channel}`, list?.json?.data, expected);
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
  const { rows } = await service.service.services.pool.query({
    rowMode: 'array',
    text: `select o.order_number, o.channel_id, o.is_backorder, o.status, o.total_amount,
            (select array_agg(h.to_status order by array_position(array[0, 1, 2, 9, 3, 88]::smallint[], h.to_status))
             from order_history h where h.order_id = o.id),
            (select array_agg(array[i.quantity, i.cancelled_quantity] order by i.line)
             from order_item i where i.order_id = o.id)
     from orders o where o.order_number like $1 || '-%' order by o.order_number collate "C"`,
    values: [prefix],
  });
  const expected = [...model.orders.values()]
    .toSorted((a, b) => (a.number < b.number ? -1 : 1))
    .map((order) => [
      order.number,
      channels[order.channel]?.id,
      order.backorder,
      order.status,
      order.total,
      order.history,
      order.lines.map((line) => [line.quantity, order.status === 88 ? line.quantity : 0]),
    ]);
  agree('the stored orders', rows, expected);
}
