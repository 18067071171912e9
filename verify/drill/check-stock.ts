// Conservation: every stored counter of every item must follow from the initial stock and the outcomes of the orders.
import type { FinalState } from '../observer/final-state.ts';
import type { Account } from './account.ts';
import type { Stored, StoredMovement } from './stored.ts';

type AddViolation = (text: string) => void;

class Sums extends Map<string, number> {
  plus(key: string, amount: number): void {
    this.set(key, (this.get(key) ?? 0) + amount);
  }
}

/**
 * The sums of manual stock changes since the start, by variant. Each acknowledged change must be stored exactly
 * once; a change that was never sent must not be stored.
 */
export function movedByHand(
  account: Account,
  movements: readonly StoredMovement[],
  addViolation: AddViolation,
): Sums {
  const { items } = account.catalogue;
  const moved = new Sums();
  const reasons = new Sums();
  const sent = account.commandsOf('adjust');
  const adjustments = new Map(sent.map(({ command }) => [command.reason, command]));
  for (const { variant_code, kind, delta, reason } of movements) {
    if (reason === 'initial') continue;
    if (kind === 'adjustment' && reason !== null) {
      reasons.plus(reason, 1);
      const command = adjustments.get(reason);
      if (command?.delta !== delta || command.variant_code !== variant_code)
        addViolation(
          `an adjustment "${reason}" of ${variant_code} by ${delta} is stored but was never sent.`,
        );
      moved.plus(variant_code, delta);
    } else if (
      kind !== 'set' ||
      items.find((item) => item.variant_code === variant_code)?.kind !== 'counted'
    ) {
      addViolation(`a movement "${kind}" of ${variant_code} by ${delta} is stored but was never sent.`);
    }
  }
  for (const { command, line, kind } of sent) {
    const times = reasons.get(command.reason) ?? 0;
    const proof = `the adjustment "${command.reason}" of line ${line}`;
    if (times > 1) addViolation(`${proof} is stored ${times} times.`);
    if (kind === 'adjusted' && times === 0) addViolation(`${proof} was acknowledged but is not stored.`);
    if (kind === 'refused' && times > 0) addViolation(`${proof} was refused but is stored.`);
  }
  for (const { command, kind } of account.commandsOf('count'))
    if (kind !== null) moved.plus(command.variant_code, 1);
  return moved;
}

export async function checkStock(
  stored: Stored,
  { catalogue }: Account,
  { model, codes }: FinalState,
  addViolation: AddViolation,
): Promise<void> {
  const compare = (
    whose: string,
    row: Record<string, unknown> = {},
    wanted: Record<string, number>,
  ): void => {
    for (const [name, value] of Object.entries(wanted)) {
      const here = row[name];
      if (here !== value)
        addViolation(`${name} of ${whose} is ${String(here)}, and ${value} follows from the ledger.`);
    }
  };
  const rows = new Map((await stored.stock()).map((row) => [row.variant_code, row]));
  const allocations = await stored.allocations();
  for (const [variant, code] of codes.entries()) {
    compare(code, rows.get(code), {
      quantity: model.physical.get(variant) ?? 0,
      unshipped: model.unshipped(variant),
      allocated: model.allocated(variant),
      backordered: model.backordered(variant),
    });
    rows.delete(code);
    for (const [channel, { id }] of catalogue.channels.entries()) {
      const none = { allocated_qty: 0, reserve_quota: 0, backordered_qty: 0 };
      const row = allocations.find((one) => one.channel_id === id && one.variant_code === code);
      compare(`${code} for channel ${id}`, row ?? none, {
        allocated_qty: model.allocatedQty(channel, variant),
        reserve_quota: model.quota(channel, variant),
        backordered_qty: model.backordered(variant, channel),
      });
    }
    const isContended = catalogue.items.some(
      (item) => item.variant_code === code && item.kind === 'contended',
    );
    if (isContended && model.overcommittedBy(variant) > 0)
      addViolation(
        `${code} is oversold: ${model.physical.get(variant)} in stock, ${model.unshipped(variant)} ordered, ${model.allocated(variant)} allocated.`,
      );
  }
  for (const code of rows.keys()) addViolation(`a stock row of ${code} exists that was never created.`);
}
