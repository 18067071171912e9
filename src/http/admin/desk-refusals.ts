// One table: what the stock desk did not do → status and text.
import { Type } from 'typebox';
import { INT32_MAX } from '../../domain/stock.ts';
import type { DeskOutcome } from '../../engine/stock-desk.ts';
import { Refusal } from './refusal.ts';

/** What the request was about. */
interface Subject {
  variant_code: string;
  channel_id?: number;
}

/** Somebody was faster: look again, then decide again. */
const STALE = { code: 'stale' };
export const StaleBody = Type.Object(
  { error: Type.String({ description: 'Names what is there now.' }), code: Type.Literal('stale') },
  { $id: 'Stale', description: 'What was expected no longer holds; nothing was changed.' },
);

type Undone = Exclude<DeskOutcome, { kind: 'done' }>;
type Refusals = { [K in Undone['kind']]: (outcome: Extract<Undone, { kind: K }>, about: Subject) => Refusal };

const REFUSALS = {
  channel_unknown: (_outcome, { channel_id }) => Refusal.notFound(`Channel ${channel_id}`),
  variant_unknown: (_outcome, { variant_code }) => Refusal.notFound(`Variant ${variant_code}`),
  stock_missing: (_outcome, { variant_code }) =>
    Refusal.rule(`Variant ${variant_code} has no stock record yet: set its quantity first.`),
  quantity_changed: ({ quantity }, { variant_code }) =>
    Refusal.conflict(
      quantity === null
        ? `Variant ${variant_code} has no stock record yet, so no quantity can be expected of it.`
        : `The quantity of variant ${variant_code} is now ${quantity}.`,
      STALE,
    ),
  allocation_changed: ({ allocated_qty, reserve_quota }, { variant_code, channel_id }) =>
    Refusal.conflict(
      `The allocation of variant ${variant_code} to channel ${channel_id} is now ${allocated_qty}, its backorder quota ${reserve_quota}.`,
      STALE,
    ),
  below_zero: ({ quantity }, { variant_code }) =>
    Refusal.rule(`The physical stock of variant ${variant_code} is ${quantity} and cannot fall below 0.`),
  beyond_limit: ({ quantity }, { variant_code }) =>
    Refusal.rule(
      `The physical stock of variant ${variant_code} is ${quantity} and cannot rise above ${INT32_MAX}.`,
    ),
} satisfies Refusals;

export function refuseUndone(outcome: DeskOutcome, about: Subject): void {
  if (outcome.kind === 'done') return;
  // The table is exhaustive; TypeScript cannot tie the key to the argument by itself.
  const refusal = REFUSALS[outcome.kind] as (outcome: Undone, about: Subject) => Refusal;
  throw refusal(outcome, about);
}
