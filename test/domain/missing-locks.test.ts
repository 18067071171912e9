// Which commands of a batch must wait for a row: the others are decided as if no row were locked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { skuKey, type Command, type BatchState } from '../../src/core/rules/commands.ts';
import { decide } from '../../src/core/rules/decide.ts';
import { missingLocks, type LoadedRows } from '../../src/core/rules/missing-locks.ts';
import type { Status } from '../../src/core/rules/transitions.ts';
import { CASE, intake, LENS, report, SEOUL, smallState, TOKYO } from '../kit/batch-state.ts';

const STORED = ['N1', 'N2', 'N3'];

/** A batch state with three stored orders: for lens, for case, for both. */
function state(): BatchState {
  const made = smallState();
  const lines = [[['lens', 2]], [['case', 1]], [['lens-2', 1], ['case', 1]]] as const; // prettier-ignore
  decide(
    lines.map((items, index) => intake(items, { order_number: STORED[index] ?? '' })),
    made,
  );
  return made;
}

/** The rows that a batch loads while another transaction holds those in `held`. */
const foundIn = ({ mappings, orders, stock }: BatchState, held: ReadonlySet<string>): LoadedRows => ({
  mappings,
  orders: new Map(orders),
  locked_orders: new Set([...orders.values()].map(({ id }) => id).filter((id) => !held.has(`orders:${id}`))),
  locked_stock: new Map([...stock].filter(([id]) => !held.has(`stock:${id}`))),
  unlocked_stock: new Set([...stock.keys()].filter((id) => held.has(`stock:${id}`))),
});

const skus = fc.constantFrom('lens', 'lens-2', 'case', 'bare', 'nowhere');
const numbers = fc.constantFrom(...STORED, 'N4', 'N5');
const channels = fc.constantFrom(SEOUL, TOKYO);
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    fc
      .tuple(fc.array(fc.tuple(skus, fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 3 }), numbers, channels, fc.nat(9))
      .map(([lines, order_number, channel_id, n]) => intake(lines, { order_number, channel_id, is_number_reserved: n === 0 })),
    fc
      .tuple(fc.constantFrom<Status>(1, 2, 9, 3, 88), numbers, channels, fc.boolean())
      .map(([status, order_number, channel_id, byId]) =>
        report(status, {
          target: byId ? { order_id: 501 + STORED.indexOf(order_number) } : { channel_id, order_number },
        }),
      ),
  ),
  { maxLength: 8 },
); // prettier-ignore
const heldRows: fc.Arbitrary<string[]> = fc.uniqueArray(
  fc.constantFrom(`stock:${LENS}`, `stock:${CASE}`, 'orders:501', 'orders:502', 'orders:503'),
);

/** Every row that the command could read or change, computed independently of the code under test. */
function needs(command: Command, { mappings, orders, stock }: BatchState): string[] {
  if (command.kind === 'intake') {
    if (orders.get(command.order_number)?.channel_id === command.channel_id) return [];
    if (command.is_number_reserved) return [];
    const ids = command.lines.flatMap(
      ({ sku }) => mappings.get(skuKey(command.channel_id, sku))?.variant_id ?? [],
    );
    return ids.filter((id) => stock.has(id)).map((id) => `stock:${id}`);
  }
  const { target } = command;
  const order = [...orders.values()].find((one) =>
    'order_id' in target
      ? one.id === target.order_id
      : one.order_number === target.order_number && one.channel_id === target.channel_id,
  );
  if (!order) return [];
  const moves = command.status === 3 || command.status === 88;
  return [`orders:${order.id}`, ...(moves ? order.items.map((item) => `stock:${item.variant_id}`) : [])];
}

test('a command waits if and only if it needs a held row, and it waits for one of those', () => {
  fc.assert(
    fc.property(commands, heldRows, (batch, rows) => {
      const held = new Set(rows);
      const start = state();
      const missing = missingLocks(batch, foundIn(start, held));
      for (const command of batch) {
        const wanted = needs(command, start).filter((row) => held.has(row));
        const row = missing.get(command);
        assert.equal(row !== undefined, wanted.length > 0);
        if (row) assert.ok(wanted.includes(`${row.table}:${row.id}`));
      }
    }),
  );
});

test('commands that do not wait are decided without the held rows exactly as with them', () => {
  fc.assert(
    fc.property(commands, heldRows, (batch, rows) => {
      const held = new Set(rows);
      const found = foundIn(state(), held);
      const missing = missingLocks(batch, found);
      const rest = batch.filter((command) => !missing.has(command));
      const partial = state();
      for (const id of partial.stock.keys()) if (!found.locked_stock.has(id)) partial.stock.delete(id);
      assert.deepEqual(decide(rest, partial), decide(rest, state()));
    }),
  );
});
