// The gate on a real database against the naive model: random interleaved commands of several channels,
// administrators in between, every visible number compared after each step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { reconcile } from '../src/store/reconcile.ts';
import { fixtures, must, unique, type TestChannel, type TestVariant } from './kit/fixtures.ts';
import { Model } from './kit/model.ts';
import {
  applyToModel,
  BARE_VARIANT,
  CHANNELS,
  commandOf,
  isGateStep,
  skuOf,
  steps,
  VARIANTS,
  wordsOf,
  type DeskStep,
  type GateStep,
  type Step,
} from './kit/scenario.ts';
import { startTestService } from './kit/service.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 25);

const service = await startTestService();
const make = fixtures(service);
const { gate, inventory, pool } = service.service.services;

interface Scenario {
  model: Model;
  channels: TestChannel[];
  variants: TestVariant[];
  /** Order numbers are global, so each run has its own. */
  prefix: string;
}

async function newScenario(): Promise<Scenario> {
  const model = new Model();
  const channels = await Promise.all(CHANNELS.map(() => make.channel()));
  const variants = await Promise.all(
    VARIANTS.map((variant) => make.variant(variant === BARE_VARIANT ? null : 20)),
  );
  for (const channel of CHANNELS) {
    const mappings = VARIANTS.flatMap((variant) =>
      (['a', 'b'] as const).map((alias) => {
        model.map(channel, skuOf(variant, alias), variant);
        return { sku: skuOf(variant, alias), variant_code: variants[variant]?.code };
      }),
    );
    await must(service.admin('PUT', `/channels/${channels[channel]?.id}/mappings`, { mappings }), 200);
  }
  for (const variant of VARIANTS) if (variant !== BARE_VARIANT) model.setStock(variant, 20);
  return { model, channels, variants, prefix: unique('M') };
}

async function applyDesk({ model, channels, variants }: Scenario, step: DeskStep): Promise<void> {
  const channel = 'channel' in step ? channels[step.channel]?.id : undefined;
  const code = 'variant' in step ? variants[step.variant]?.code : undefined;
  if (step.kind === 'set') {
    await must(service.admin('PUT', `/stock/${code}`, { quantity: step.quantity }), 200, 201);
    model.setStock(step.variant, step.quantity);
  } else if (step.kind === 'adjust') {
    const taken = model.physical.has(step.variant) && model.adjustStock(step.variant, step.delta);
    const body = { delta: step.delta, reason: 'count' };
    await must(service.admin('POST', `/stock/${code}/adjustments`, body), ...(taken ? [200, 201] : [422]));
  } else if (step.kind === 'allocate') {
    const known = model.physical.has(step.variant);
    if (known) model.setAllocation(step.channel, step.variant, step.allocated, step.quota);
    const body = { allocated_qty: step.allocated, reserve_quota: step.quota };
    await must(service.admin('PUT', `/channels/${channel}/allocations/${code}`, body), known ? 200 : 422);
  } else if (step.kind === 'map') {
    const mappings = [{ sku: step.sku, variant_code: code }];
    await must(service.admin('PUT', `/channels/${channel}/mappings`, { mappings }), 200);
    model.map(step.channel, step.sku, step.variant);
  }
}

/** Submitted in one turn of the event loop, they share batches; their order is the order of submission. */
async function applyTogether(scenario: Scenario, together: readonly GateStep[]): Promise<void> {
  const { model, channels, prefix } = scenario;
  const numbered = together.map((step) => ({ ...step, number: `${prefix}-${step.number}` }));
  const known = await pool.query<{ id: number; order_number: string }>(
    'select id, order_number from orders where order_number = any($1)',
    [numbered.map((step) => step.number)],
  );
  const ids = new Map(known.rows.map((row) => [row.order_number, row.id]));
  // The back office can name an order only once it is there: such a report on a newer one goes to nobody.
  const expected = numbered.map((step) =>
    step.kind === 'report' && step.channel === null && !ids.has(step.number)
      ? 'order_unknown'
      : applyToModel(model, step),
  );
  const outcomes = await Promise.all(
    numbered.map((step) =>
      gate.submit(
        commandOf(step, {
          channel: (index) => channels[index]?.id ?? -1,
          orderId: (number) => ids.get(number) ?? -1,
        }),
      ),
    ),
  );
  assert.deepEqual(outcomes.map(wordsOf), expected);
}

async function compareNumbers({ model, channels, variants }: Scenario): Promise<void> {
  for (const channel of CHANNELS) {
    const id = channels[channel]?.id ?? -1;
    const list = (await channels[channel]?.call('GET', '/inventory'))?.json.data as {
      sku: string;
      available: number;
      reserve_remaining: number;
    }[];
    const expected = [...model.mappings]
      .filter(([key]) => key.startsWith(`${channel}/`))
      .map(([key, variant]) => ({
        sku: key.slice(key.indexOf('/') + 1),
        product_code: variants[variant]?.code,
        product_name: `Product ${variants[variant]?.product}`,
        quantity: model.physical.get(variant) ?? 0,
        allocated: model.physical.has(variant) ? model.allocated(variant, CHANNELS) : 0,
        available: model.available(channel, variant, CHANNELS),
        reserve_remaining: model.reserveRemaining(channel, variant),
      }))
      .toSorted((a, b) => (a.sku < b.sku ? -1 : 1));
    assert.deepEqual(list, expected);
    const singles = await Promise.all(list.map(({ sku }) => inventory.find(id, sku)));
    assert.deepEqual(
      singles,
      list.map(({ available, reserve_remaining }) => ({ available, reserve_remaining })),
    );
  }
}

/** Neighbouring gate steps go together in groups of this size; an administrator's step stands alone. */
function groupsOf(run: readonly Step[], size: number): (GateStep[] | DeskStep)[] {
  const groups: (GateStep[] | DeskStep)[] = [];
  for (const step of run) {
    const last = groups.at(-1);
    if (!isGateStep(step)) groups.push(step);
    else if (Array.isArray(last) && last.length < size) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

test('the gate agrees with the naive model on every answer and every number, step by step', async () => {
  await fc.assert(
    fc.asyncProperty(steps(80), fc.integer({ min: 1, max: 16 }), async (run, size) => {
      const scenario = await newScenario();
      for (const group of groupsOf(run, size)) {
        if (Array.isArray(group)) await applyTogether(scenario, group);
        else await applyDesk(scenario, group);
        await compareNumbers(scenario);
      }
      const report = await reconcile(pool);
      assert.equal(report.ok, true, JSON.stringify(report.drift));
      await compareHistories(scenario);
    }),
    { numRuns: RUNS, endOnFailure: process.env['CI'] === 'true' },
  );
});

async function compareHistories({ model, prefix }: Scenario): Promise<void> {
  const stored = await pool.query<{ order_number: string; walk: number[] }>(
    `select o.order_number,
            array_agg(h.to_status order by array_position(array[0, 1, 2, 9, 3, 88]::smallint[], h.to_status)) as walk
     from orders o join order_history h on h.order_id = o.id
     where o.order_number like $1 || '-%' group by o.order_number order by o.order_number`,
    [prefix],
  );
  assert.deepEqual(
    stored.rows.map((row) => [row.order_number, row.walk.join(' ')]),
    model.orders
      .map((order) => [order.number, order.history.join(' ')])
      .toSorted((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1)),
  );
}
