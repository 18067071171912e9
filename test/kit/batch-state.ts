// A small state for exact cases of decide(): two channels, one with a foreign currency, and three items, one without stock.
import type {
  Changes,
  Command,
  IntakeCommand,
  Outcome,
  ReportCommand,
  BatchState,
} from '../../src/core/rules/commands.ts';
import { allocationKey, skuKey } from '../../src/core/rules/commands.ts';
import { decide } from '../../src/core/rules/decide.ts';
import { decimal } from '../../src/platform/values/money.ts';
import type { Status } from '../../src/core/rules/transitions.ts';
import { PERSON } from '../../verify/kit/canaries.ts';

export const SEOUL = 1;
export const TOKYO = 2;
export const LENS = 10;
export const CASE = 20;

/** A hundred lenses and ten cases; SEOUL sells both, the lens under two SKUs, TOKYO sells the lens. */
export function smallState(): BatchState {
  let id = 500;
  const lens = { variant_id: LENS, product_code: 'LENS', product_name: 'Lens', product_version_id: 7 };
  return {
    now: new Date('2026-11-15T00:30:00Z'),
    stock: new Map([
      [LENS, { quantity: 100, unshipped: 0, allocated: 0, backordered: 0 }],
      [CASE, { quantity: 10, unshipped: 0, allocated: 0, backordered: 0 }],
    ]),
    allocations: new Map(),
    unpaid: new Map(),
    mappings: new Map([
      [skuKey(SEOUL, 'lens'), lens],
      [skuKey(SEOUL, 'lens-2'), lens],
      [
        skuKey(SEOUL, 'case'),
        { variant_id: CASE, product_code: 'CASE', product_name: 'Case', product_version_id: 8 },
      ],
      [
        skuKey(SEOUL, 'bare'),
        { variant_id: 30, product_code: 'BARE', product_name: 'Bare', product_version_id: 9 },
      ],
      [skuKey(TOKYO, 'lens'), lens],
    ]),
    orders: new Map(),
    currencies: new Map([
      [SEOUL, 'KRW'],
      [TOKYO, 'JPY'],
    ]),
    accepted: new Map(),
    roles: new Map(),
    expiries: new Map(),
    rates: new Map([['JPY', decimal('9.12')]]),
    couriers: new Map([['CJ', 'CJ Logistics']]),
    nextOrderId: () => ++id,
  };
}

export function allocate(
  state: BatchState,
  channel: number,
  variant: number,
  allocated_qty: number,
  reserve_quota = 0,
): void {
  state.allocations.set(allocationKey(channel, variant), {
    allocated_qty,
    reserve_quota,
    backordered_qty: 0,
  });
  const stock = state.stock.get(variant);
  if (stock) stock.allocated += allocated_qty;
}

export const intake = (
  lines: readonly (readonly [sku: string, quantity: number, price?: string])[],
  fields: Partial<IntakeCommand> = {},
): IntakeCommand => ({
  kind: 'intake',
  channel_id: SEOUL,
  order_number: 'N1',
  status: 1,
  is_backorder: false,
  ...PERSON,
  tracking_number: null,
  lines: lines.map(([sku, quantity, price = '10']) => ({ sku, quantity, unit_price: decimal(price) })),
  ...fields,
});

export const report = (status: Status, fields: Partial<ReportCommand> = {}): ReportCommand => ({
  kind: 'report',
  target: { channel_id: SEOUL, order_number: 'N1' },
  status,
  tracking_number: status === 3 ? 'T1' : null,
  courier_code: null,
  reason: null,
  source: 'channel',
  actor: 'channel:1',
  request_id: null,
  ...fields,
});

export function decideOne(state: BatchState, command: Command): { outcome: Outcome; changes: Changes } {
  const { outcomes, changes } = decide([command], state);
  const [outcome] = outcomes;
  if (!outcome || outcomes.length !== 1) throw new RangeError(`${outcomes.length} outcomes of one command`);
  return { outcome, changes };
}
