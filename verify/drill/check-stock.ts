// Conservation: every number of every item follows from what it began with and from what became of the orders.
import type { Account } from './account.ts';
import { itemOf } from './answers.ts';
import { isOpen } from './rules.ts';
import type { Stored, StoredMovement, StoredOrder } from './stored.ts';
import type { Item, World } from './world.ts';

const keyOf = (channelId: number, variantCode: string): string => `${channelId} ${variantCode}`;

export class Sums extends Map<string, number> {
  plus(key: string, amount: number): void {
    this.set(key, this.of(key) + amount);
  }

  of(key: string): number {
    return this.get(key) ?? 0;
  }
}

/** The one number that no answer tells: what orders drew from pre-allocations, by channel and variant. */
export function addDrawn(sums: Sums, { channel_id, status, items }: StoredOrder): void {
  if (status === 88) return;
  for (const { variant_code, drawn } of items) sums.plus(keyOf(channel_id, variant_code), drawn);
}

/** What the acknowledged orders claim, from the ledger alone. */
interface Claims {
  unshipped: Sums;
  backordered: Sums;
  shipped: Sums;
  /** By channel and variant. */
  backorderedBy: Sums;
}

function claimsOf(account: Account, world: World): Claims {
  const claims = {
    unshipped: new Sums(),
    backordered: new Sums(),
    shipped: new Sums(),
    backorderedBy: new Sums(),
  };
  for (const { command, taken, status } of account.orders.values()) {
    if (!taken) continue;
    for (const { sku, quantity } of command.items) {
      const { variant_code } = itemOf(world, command.channel_id, sku);
      if (status === 3) claims.shipped.plus(variant_code, quantity);
      if (!isOpen(status)) continue;
      if (!command.is_backorder) claims.unshipped.plus(variant_code, quantity);
      else {
        claims.backordered.plus(variant_code, quantity);
        claims.backorderedBy.plus(keyOf(command.channel_id, variant_code), quantity);
      }
    }
  }
  return claims;
}

/** What an item and its channels must be at now. */
export interface Expected extends Item {
  unshipped: number;
  allocated: number;
  backordered: number;
  channels: Map<number, { allocated_qty: number; reserve_quota: number; backordered_qty: number }>;
}

export async function checkStock(
  stored: Stored,
  account: Account,
  world: World,
  drawn: Sums,
): Promise<{ violations: string[]; expected: Expected[] }> {
  const violations: string[] = [];
  const byHand = checkByHand(await stored.movements(), account, world, violations);
  const claims = claimsOf(account, world);
  const expected = world.items
    .filter(({ kind }) => kind !== 'bare')
    .map((item) => expectedOf(item, world, claims, byHand, drawn));
  await compareStock(stored, expected, violations);
  await compareAllocations(stored, expected, violations);
  for (const { variant_code, kind, quantity, unshipped, allocated } of expected) {
    if (kind === 'contended' && quantity - unshipped - allocated < 0)
      violations.push(
        `${variant_code} is oversold: ${quantity} there, ${unshipped} ordered, ${allocated} allocated`,
      );
  }
  return { violations, expected };
}

function expectedOf(item: Item, world: World, claims: Claims, byHand: Sums, drawn: Sums): Expected {
  const { variant_code, quantity } = item;
  const channels = new Map(
    world.channels.map(({ id }) => {
      const grant = world.grants.find((one) => one.channel_id === id && one.variant_code === variant_code);
      const key = keyOf(id, variant_code);
      const allocated_qty = (grant?.allocated_qty ?? 0) - drawn.of(key);
      const reserve_quota = grant?.reserve_quota ?? 0;
      return [id, { allocated_qty, reserve_quota, backordered_qty: claims.backorderedBy.of(key) }];
    }),
  );
  return {
    ...item,
    quantity: quantity + byHand.of(variant_code) - claims.shipped.of(variant_code),
    unshipped: claims.unshipped.of(variant_code),
    allocated: [...channels.values()].reduce((sum, { allocated_qty }) => sum + allocated_qty, 0),
    backordered: claims.backordered.of(variant_code),
    channels,
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

async function compareStock(stored: Stored, expected: Expected[], violations: string[]): Promise<void> {
  const rows = new Map((await stored.stock()).map((row) => [row.variant_code, row]));
  for (const { variant_code, ...wanted } of expected) {
    const row = rows.get(variant_code);
    rows.delete(variant_code);
    for (const name of ['quantity', 'unshipped', 'allocated', 'backordered'] as const) {
      if (row?.[name] !== wanted[name])
        violations.push(
          `${name} of ${variant_code} is ${row?.[name]}, and ${wanted[name]} follows from the ledger`,
        );
    }
  }
  for (const variant of rows.keys()) violations.push(`a stock row of ${variant} is there that nobody made`);
}

async function compareAllocations(stored: Stored, expected: Expected[], violations: string[]): Promise<void> {
  const rows = new Map(
    (await stored.allocations()).map((row) => [keyOf(row.channel_id, row.variant_code), row]),
  );
  for (const { variant_code, channels } of expected) {
    for (const [id, wanted] of channels) {
      const row = rows.get(keyOf(id, variant_code));
      for (const name of ['allocated_qty', 'reserve_quota', 'backordered_qty'] as const) {
        const here = row?.[name] ?? 0;
        if (here !== wanted[name])
          violations.push(
            `${name} of ${variant_code} for channel ${id} is ${here}, and ${wanted[name]} follows from the ledger`,
          );
      }
    }
  }
}
