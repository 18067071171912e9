// Conservation: every number of every item follows from what it began with and from what became of the orders. The sums and
// the formulas are those of the naive model.
import { Model } from '../kit/model.ts';
import type { Account } from './account.ts';
import { itemOf } from './answers.ts';
import type { Stored, StoredMovement, StoredOrder } from './stored.ts';
import type { World } from './world.ts';

class Sums extends Map<string, number> {
  plus(key: string, amount: number): void {
    this.set(key, this.of(key) + amount);
  }

  of(key: string): number {
    return this.get(key) ?? 0;
  }
}

const variantOf = (world: World, code: string): number =>
  world.items.findIndex(({ variant_code }) => variant_code === code);

/** The one number that no answer tells: what each order drew from pre-allocations, by variant. */
export type Drawn = Map<string, ReadonlyMap<number, number>>;

export function addDrawn(drawn: Drawn, { order_number, items }: StoredOrder, world: World): void {
  const sums = new Map<number, number>();
  for (const item of items) {
    const variant = variantOf(world, item.variant_code);
    if (item.drawn > 0) sums.set(variant, (sums.get(variant) ?? 0) + item.drawn);
  }
  if (sums.size > 0) drawn.set(order_number, sums);
}

/** The model in the state that follows from the ledger: variants by their place in the world, channels by their ids. */
function modelOf(account: Account, world: World, byHand: Sums, drawn: Drawn): Model {
  const model = new Model(world.channels.map(({ id }) => id));
  for (const [variant, { kind, variant_code, quantity }] of world.items.entries())
    if (kind !== 'bare') model.setStock(variant, quantity + byHand.of(variant_code));
  for (const { channel_id, variant_code, allocated_qty, reserve_quota } of world.grants)
    model.setAllocation(channel_id, variantOf(world, variant_code), allocated_qty, reserve_quota);
  for (const { command, taken, states } of account.orders.values()) {
    if (!taken) continue;
    const { channel_id: channel, order_number: number, is_backorder: backorder, items } = command;
    const lines = items.map(({ sku, quantity }) => ({
      variant: variantOf(world, itemOf(world, channel, sku).variant_code),
      quantity,
    }));
    const status = states.furthest;
    model.restore({ channel, number, status, backorder, lines, drawn: drawn.get(number) });
  }
  return model;
}

export async function checkStock(
  stored: Stored,
  account: Account,
  world: World,
  drawn: Drawn,
): Promise<{ violations: string[]; model: Model }> {
  const violations: string[] = [];
  const byHand = checkByHand(await stored.movements(), account, world, violations);
  const model = modelOf(account, world, byHand, drawn);
  await compareStock(stored, world, model, violations);
  await compareAllocations(stored, world, model, violations);
  for (const [variant, { variant_code, kind }] of world.items.entries()) {
    if (kind === 'contended' && model.overcommittedBy(variant) > 0)
      violations.push(
        `${variant_code} is oversold: ${model.physical.get(variant)} there, ${model.unshipped(variant)} ordered, ${model.allocated(variant)} allocated`,
      );
  }
  return { violations, model };
}

/** What a channel is shown of an item that follows from the ledger. */
export function rowOf(model: Model, world: World, channel: number, code: string) {
  const variant = variantOf(world, code);
  return {
    quantity: model.physical.get(variant) ?? 0,
    allocated: model.allocated(variant),
    available: model.available(channel, variant),
    reserve_remaining: model.reserveRemaining(channel, variant),
  };
}

/** What was moved by hand since the start, by variant: each acknowledged move once, nothing that was not sent. */
function checkByHand(
  movements: readonly StoredMovement[],
  account: Account,
  world: World,
  violations: string[],
): Sums {
  const moved = new Sums();
  const reasons = new Sums();
  const adjustments = new Map(account.adjustments.map((told) => [told.command.reason, told]));
  for (const { variant_code, kind, delta, reason } of movements) {
    if (reason === 'initial') continue;
    if (kind === 'adjustment' && reason !== null) {
      reasons.plus(reason, 1);
      const told = adjustments.get(reason)?.command;
      if (told?.delta !== delta || told.variant_code !== variant_code)
        violations.push(
          `an adjustment "${reason}" of ${variant_code} by ${delta} is there and was never sent`,
        );
      moved.plus(variant_code, delta);
    } else if (
      kind !== 'set' ||
      world.items.find((item) => item.variant_code === variant_code)?.kind !== 'counted'
    ) {
      violations.push(`a movement "${kind}" of ${variant_code} by ${delta} is there and was never sent`);
    }
  }
  for (const { command, line, outcome, outcome_line } of account.adjustments) {
    const times = reasons.of(command.reason);
    const proof = `the adjustment "${command.reason}" of line ${line}`;
    if (times > 1) violations.push(`${proof} is there ${times} times`);
    if (outcome?.kind === 'adjusted' && times === 0)
      violations.push(`${proof}, acknowledged in line ${outcome_line}, is not there`);
    if (outcome?.kind === 'refused' && times > 0)
      violations.push(`${proof}, refused in line ${outcome_line}, is there`);
  }
  for (const { command, outcome } of account.counts) if (outcome) moved.plus(command.variant_code, 1);
  return moved;
}

async function compareStock(stored: Stored, world: World, model: Model, violations: string[]): Promise<void> {
  const rows = new Map((await stored.stock()).map((row) => [row.variant_code, row]));
  for (const [variant, quantity] of model.physical) {
    const variant_code = world.items[variant]?.variant_code ?? '';
    const row = rows.get(variant_code);
    rows.delete(variant_code);
    const wanted = {
      quantity,
      unshipped: model.unshipped(variant),
      allocated: model.allocated(variant),
      backordered: model.backordered(variant),
    };
    compare(variant_code, row, wanted, violations);
  }
  for (const variant of rows.keys()) violations.push(`a stock row of ${variant} is there that nobody made`);
}

async function compareAllocations(
  stored: Stored,
  world: World,
  model: Model,
  violations: string[],
): Promise<void> {
  const rows = await stored.allocations();
  for (const variant of model.physical.keys()) {
    const variant_code = world.items[variant]?.variant_code ?? '';
    for (const { id } of world.channels) {
      const row = rows.find((one) => one.channel_id === id && one.variant_code === variant_code);
      const wanted = {
        allocated_qty: model.allocatedQty(id, variant),
        reserve_quota: model.quota(id, variant),
        backordered_qty: model.backordered(variant, id),
      };
      const none = { allocated_qty: 0, reserve_quota: 0, backordered_qty: 0 };
      compare(`${variant_code} for channel ${id}`, row ?? none, wanted, violations);
    }
  }
}

function compare<Name extends string>(
  whose: string,
  row: Record<NoInfer<Name>, number> | undefined,
  wanted: Record<Name, number>,
  violations: string[],
): void {
  for (const name of Object.keys(wanted) as Name[]) {
    if (row?.[name] !== wanted[name])
      violations.push(`${name} of ${whose} is ${row?.[name]}, and ${wanted[name]} follows from the ledger`);
  }
}
