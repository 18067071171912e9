// decide() against the naive model: random commands, batch by batch, every outcome and every number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allocationKey, skuKey, type Command, type World } from '../src/domain/commands.ts';
import { decide } from '../src/domain/decide.ts';
import { NO_ALLOCATION, channelAvailable, commonAvailable, reserveRemaining } from '../src/domain/stock.ts';
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
  type Step,
} from './kit/scenario.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 400);

function emptyWorld(): World {
  let id = 0;
  return {
    now: new Date(0),
    stock: new Map(),
    allocations: new Map(),
    mappings: new Map(),
    orders: new Map(),
    currencies: new Map(CHANNELS.map((channel) => [channel, 'KRW'])),
    rates: new Map(),
    couriers: new Map(),
    nextOrderId: () => ++id,
  };
}

function map(world: World, model: Model, channel: number, sku: string, variant: number): void {
  model.map(channel, sku, variant);
  const code = `V${variant}`;
  world.mappings.set(skuKey(channel, sku), { variant_id: variant, product_code: code, product_name: code });
}

function setStock(world: World, model: Model, variant: number, quantity: number): void {
  model.setStock(variant, quantity);
  const stock = world.stock.get(variant) ?? { quantity: 0, unshipped: 0, allocated: 0, backordered: 0 };
  stock.quantity = quantity;
  world.stock.set(variant, stock);
}

function allocate(world: World, model: Model, step: Extract<DeskStep, { kind: 'allocate' }>): void {
  const stock = world.stock.get(step.variant);
  if (!stock) return;
  model.setAllocation(step.channel, step.variant, step.allocated, step.quota);
  const key = allocationKey(step.channel, step.variant);
  const allocation = world.allocations.get(key) ?? { ...NO_ALLOCATION };
  stock.allocated += step.allocated - allocation.allocated_qty;
  world.allocations.set(key, { ...allocation, allocated_qty: step.allocated, reserve_quota: step.quota });
}

function applyDesk(world: World, model: Model, step: DeskStep): void {
  const quantity = world.stock.get('variant' in step ? step.variant : -1)?.quantity;
  if (step.kind === 'set') setStock(world, model, step.variant, step.quantity);
  if (step.kind === 'adjust' && quantity !== undefined && quantity + step.delta >= 0) {
    setStock(world, model, step.variant, quantity + step.delta);
  }
  if (step.kind === 'allocate') allocate(world, model, step);
  if (step.kind === 'map') map(world, model, step.channel, step.sku, step.variant);
}

function compareNumbers(world: World, model: Model): void {
  for (const variant of VARIANTS) {
    const stock = world.stock.get(variant);
    if (!stock) continue;
    assert.deepEqual(stock, {
      quantity: model.physical.get(variant),
      unshipped: model.unshipped(variant),
      allocated: model.allocated(variant, CHANNELS),
      backordered: model.backordered(variant),
    });
    assert.equal(commonAvailable(stock), model.common(variant, CHANNELS));
    for (const channel of CHANNELS) {
      const allocation = world.allocations.get(allocationKey(channel, variant)) ?? NO_ALLOCATION;
      assert.equal(channelAvailable(stock, allocation), model.available(channel, variant, CHANNELS));
      assert.equal(reserveRemaining(allocation), model.reserveRemaining(channel, variant));
      assert.equal(allocation.backordered_qty, model.backordered(variant, channel));
    }
  }
}

function newScenario(): { world: World; model: Model } {
  const world = emptyWorld();
  const model = new Model();
  for (const channel of CHANNELS) {
    for (const variant of VARIANTS) {
      map(world, model, channel, skuOf(variant, 'a'), variant);
      map(world, model, channel, skuOf(variant, 'b'), variant);
    }
  }
  for (const variant of VARIANTS) if (variant !== BARE_VARIANT) setStock(world, model, variant, 20);
  return { world, model };
}

/** Splits a run into batches: desk changes happen between them, gate commands share them. */
function* batchesOf(run: readonly Step[], size: number): Generator<Step[]> {
  let batch: Step[] = [];
  for (const step of run) {
    if (!isGateStep(step) || batch.length >= size) {
      if (batch.length > 0) yield batch;
      batch = [];
    }
    if (isGateStep(step)) batch.push(step);
    else yield [step];
  }
  if (batch.length > 0) yield batch;
}

test('decide agrees with the naive model on every outcome and every number, whatever shares a batch', () => {
  fc.assert(
    fc.property(steps(120), fc.integer({ min: 1, max: 12 }), (run, size) => {
      const { world, model } = newScenario();
      for (const batch of batchesOf(run, size)) {
        const gateSteps = batch.filter(isGateStep);
        const expected = gateSteps.map((step) => applyToModel(model, step));
        const ids = {
          channel: (index: number) => index,
          // The back office knows an id only once the order is there, so such a report ends the batch before it.
          orderId: (number: string) => world.orders.get(number)?.id ?? -1,
        };
        const commands: Command[] = [];
        const outcomes: string[] = [];
        const flush = () => outcomes.push(...decide(commands.splice(0), world).outcomes.map(wordsOf));
        for (const step of gateSteps) {
          if (step.kind === 'report' && step.channel === null) flush();
          commands.push(commandOf(step, ids));
        }
        flush();
        assert.deepEqual(outcomes, expected);
        for (const step of batch) if (!isGateStep(step)) applyDesk(world, model, step);
        compareNumbers(world, model);
      }
    }),
    { numRuns: RUNS },
  );
});

test('the net deltas of a batch are exactly the difference it made', () => {
  fc.assert(
    fc.property(steps(60), (run) => {
      const { world, model } = newScenario();
      const gateSteps = run
        .filter(isGateStep)
        .filter((step) => step.kind === 'intake' || step.channel !== null);
      for (const step of run) if (!isGateStep(step)) applyDesk(world, model, step);
      const before = structuredClone({ stock: world.stock, allocations: world.allocations });
      const ids = { channel: (index: number) => index, orderId: () => -1 };
      const { changes } = decide(
        gateSteps.map((step) => commandOf(step, ids)),
        world,
      );
      for (const [variant, delta] of changes.stock) {
        const old = before.stock.get(variant);
        for (const counter of ['quantity', 'unshipped', 'allocated', 'backordered'] as const) {
          assert.equal((old?.[counter] ?? 0) + delta[counter], world.stock.get(variant)?.[counter]);
        }
      }
      for (const [key, delta] of changes.allocations) {
        const old = before.allocations.get(key) ?? NO_ALLOCATION;
        assert.equal(old.allocated_qty + delta.allocated_qty, world.allocations.get(key)?.allocated_qty);
        assert.equal(
          old.backordered_qty + delta.backordered_qty,
          world.allocations.get(key)?.backordered_qty,
        );
      }
      const shipped = changes.movements.reduce((sum, move) => sum + move.delta, 0);
      assert.equal(
        shipped,
        [...changes.stock.values()].reduce((sum, delta) => sum + delta.quantity, 0),
      );
    }),
    { numRuns: RUNS },
  );
});
