import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { desk, fieldsRefused, refusal, statusesOf } from './kit/desk.ts';
import { reconcile } from '../src/core/reconcile/store.ts';
import { signedIn } from './kit/visitor.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, token } = desk(service);
const { pool } = service.service.services;

const SHIPMENT = { status: 3, tracking_number: 'T-1', courier_code: null };

/** Two lines of one variant and one of another, shipped: 2 + 3 and 4. */
async function shipped() {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(10);
  const otherSku = await make.map(channel, other);
  const order = orderOf([
    { sku, quantity: 2, unit_price: 1 },
    { sku: otherSku, quantity: 4, unit_price: 1 },
    { sku, quantity: 3, unit_price: 1 },
  ]);
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  await must(admin('POST', `/orders/${id}/status`, SHIPMENT), 200);
  const { items } = await must(admin('GET', `/orders/${id}`), 200);
  const lines: number[] = items.map((item: { line: number }) => item.line);
  const giveBack = (quantities: number[], reason = 'unopened') =>
    admin('POST', `/orders/${id}/returns`, {
      reason,
      items: quantities.flatMap((quantity, at) => (quantity === 0 ? [] : [{ line: lines[at], quantity }])),
    });
  return { id, channel, variant, other, sku, order, lines, giveBack };
}

describe('POST /orders/{id}/returns', () => {
  test('a return increases physical stock, the ledger names the order, and the order stays shipped', async () => {
    const { id, channel, variant, other, sku, order, lines, giveBack } = await shipped();
    assert.equal(await make.available(channel, sku), 5);
    const after = await must(giveBack([1, 0, 3]), 201);
    assert.equal(after.status, 3);
    assert.deepEqual(
      after.items.map((item: { returned_quantity: number }) => item.returned_quantity),
      [1, 0, 3],
    );
    assert.deepEqual(
      after.returns.map(({ line, quantity, reason, actor }: Record<string, unknown>) => [
        line,
        quantity,
        reason,
        actor,
      ]),
      [
        [lines[0], 1, 'unopened', after.returns[0].actor],
        [lines[2], 3, 'unopened', after.returns[0].actor],
      ],
    );
    assert.deepEqual(await must(admin('GET', `/orders/${id}`), 200), after);
    assert.equal((await make.stock(variant)).quantity, 9);
    assert.equal((await make.stock(other)).quantity, 6);
    assert.equal(await make.available(channel, sku), 9);
    const [movement] = await must(admin('GET', `/stock/${variant.code}/movements`), 200);
    const { kind, delta, quantity_after, order_number, reason } = movement;
    assert.deepEqual(
      { kind, delta, quantity_after, order_number, reason },
      { kind: 'return', delta: 4, quantity_after: 9, order_number: order.order_number, reason: 'unopened' },
    );
    const entry = (await audits(`order:${id}`)).at(-1);
    assert.equal(entry?.action, 'order.return');
    const resent = await channel.call('POST', '/orders', order);
    assert.equal(resent.status, 200);
  });

  test('a return of more than was shipped and not yet returned is refused and changes nothing', async () => {
    const { id, variant, other, lines, giveBack } = await shipped();
    await must(giveBack([2, 1, 0]), 201);
    const no = await refusal(giveBack([0, 1, 4]), 409);
    assert.equal(no.code, 'return_exceeds_shipped');
    assert.deepEqual(no.details, { order: id, line: lines[2], requested: 4, returnable: 3 });
    await refusal(giveBack([1, 0, 0]), 409);
    assert.equal((await make.stock(variant)).quantity, 7);
    assert.equal((await make.stock(other)).quantity, 7);
  });

  test('concurrent returns: only as many succeed as units were shipped', async () => {
    const { variant, giveBack } = await shipped();
    const answers = await Promise.all(Array.from({ length: 12 }, () => giveBack([0, 0, 1])));
    assert.deepEqual(statusesOf(answers), [201, 201, 201, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal((await make.stock(variant)).quantity, 8);
  });

  test('stock corrections before and after do not change the returnable quantity', async () => {
    const { variant, giveBack } = await shipped();
    await make.setStock(variant, 0);
    await must(giveBack([2, 0, 0]), 201);
    await must(admin('POST', `/stock/${variant.code}/adjustments`, { delta: -2, reason: 'broken' }), 200);
    await must(giveBack([0, 0, 3]), 201);
    await refusal(giveBack([0, 0, 1]), 409);
    assert.equal((await make.stock(variant)).quantity, 3);
    await make.setStock(variant, 2_147_483_647);
    const again = await shipped();
    await make.setStock(again.variant, 2_147_483_647);
    assert.equal((await refusal(again.giveBack([1, 0, 0]), 422)).code, 'beyond_limit');
  });

  test('in any sequence of returns and stock corrections, no line returns more than was shipped', async () => {
    const back = fc.record({
      kind: fc.constant('return' as const),
      quantities: fc.tuple(fc.nat(3), fc.nat(5), fc.nat(4)),
    });
    const set = fc.record({ kind: fc.constant('set' as const), quantity: fc.nat(9) });
    const adjust = fc.record({ kind: fc.constant('adjust' as const), delta: fc.constantFrom(-4, -1, 1, 3) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(back, back, set, adjust), { maxLength: 8 }), async (commands) => {
        const { variant, other, giveBack } = await shipped();
        const left = [2, 4, 3];
        // Stock after the shipment, of 10 each: 5 of the first variant, 6 of the other.
        let [stock, otherStock] = [5, 6];
        for (const command of commands) {
          if (command.kind === 'set') {
            await make.setStock(variant, command.quantity);
            stock = command.quantity;
          } else if (command.kind === 'adjust') {
            const path = `/stock/${variant.code}/adjustments`;
            const isPossible = stock + command.delta >= 0;
            const answer = await admin('POST', path, { delta: command.delta, reason: 'counted' });
            assert.equal(answer.status, isPossible ? 200 : 422, answer.text);
            if (isPossible) stock += command.delta;
          } else {
            const [a, b, c] = command.quantities;
            const isNothing = a + b + c === 0;
            const isPossible = command.quantities.every((quantity, at) => quantity <= (left[at] ?? 0));
            const answer = await giveBack([a, b, c]);
            assert.equal(answer.status, isNothing ? 422 : isPossible ? 201 : 409, answer.text);
            if (isNothing || !isPossible) continue;
            for (const [at, quantity] of command.quantities.entries()) left[at] = (left[at] ?? 0) - quantity;
            stock += a + c;
            otherStock += b;
          }
        }
        assert.equal((await make.stock(variant)).quantity, stock);
        assert.equal((await make.stock(other)).quantity, otherStock);
      }),
      { numRuns: 12 },
    );
  });

  test('a return is refused for an order that is not shipped, an unknown order or line, an invalid body, and a viewer', async () => {
    const { channel, sku } = await make.setting(10);
    const { id } = await must(
      channel.call('POST', '/orders', orderOf([{ sku, quantity: 2, unit_price: 1 }])),
      201,
    );
    const body = { items: [{ line: 0, quantity: 1 }], reason: 'unopened' };
    const no = await refusal(admin('POST', `/orders/${id}/returns`, body), 409);
    assert.equal(no.code, 'order_not_shipped');
    await refusal(admin('POST', '/orders/999999999/returns', body), 404);
    await must(admin('POST', `/orders/${id}/status`, SHIPMENT), 200);
    const odd = {
      items: [
        { line: 0, quantity: 1 },
        { line: 77, quantity: 1 },
      ],
      reason: 'x',
    };
    assert.deepEqual(await fieldsRefused(admin('POST', `/orders/${id}/returns`, odd)), ['items.1.line']);
    for (const [wrong, field] of [
      [{ ...body, items: [] }, 'items'],
      [{ ...body, items: [{ line: 0, quantity: 0 }] }, 'items.0.quantity'],
      [{ ...body, items: [{ line: 0, quantity: 1.5 }] }, 'items.0.quantity'],
      [{ ...body, items: [{ line: -1, quantity: 1 }] }, 'items.0.line'],
      [{ ...body, reason: ' ' }, 'reason'],
      [{ items: body.items }, 'reason'],
    ] as const)
      assert.deepEqual(await fieldsRefused(admin('POST', `/orders/${id}/returns`, wrong)), [field]);
    const viewer = await token('viewer');
    const refused = await service.admin('POST', `/orders/${id}/returns`, body, viewer);
    assert.equal(refused.status, 403);
  });

  test('reconcile detects a return without a stock movement, and a return of more than was shipped', async () => {
    const { id, lines, giveBack } = await shipped();
    await must(giveBack([1, 0, 0]), 201);
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `insert into order_return (order_id, line, quantity, reason, actor) values ($1, $2, 5, 'planted', 'test')`,
        [id, lines[0]],
      );
      const { drift } = await reconcile(client);
      assert.deepEqual(
        drift.map(({ counter, stored, computed }) => [counter, stored, computed]),
        [
          ['order_return.quantity', 6, 2],
          ['return.delta', 1, 6],
        ],
      );
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('POST /orders/{id}/notes', () => {
  test('notes are returned with the order, oldest first, and their text is not in the audit log', async () => {
    const { id } = await shipped();
    await must(admin('POST', `/orders/${id}/notes`, { text: 'rings twice' }), 201);
    const after = await must(admin('POST', `/orders/${id}/notes`, { text: 'second try' }), 201);
    assert.deepEqual(
      after.notes.map((note: { text: string }) => note.text),
      ['rings twice', 'second try'],
    );
    const entries = await audits(`order:${id}`);
    assert.deepEqual(
      entries.slice(-2).map(({ action, after: noted }) => [action, noted]),
      [
        ['order.note', null],
        ['order.note', null],
      ],
    );
    await refusal(admin('POST', '/orders/999999999/notes', { text: 'x' }), 404);
    assert.deepEqual(await fieldsRefused(admin('POST', `/orders/${id}/notes`, { text: '' })), ['text']);
    assert.deepEqual(await fieldsRefused(admin('POST', `/orders/${id}/notes`, { text: 'x'.repeat(2_001) })), [
      'text',
    ]);
  });
});

test('each step and note has its actor: the channel, the account by name, or the token', async () => {
  const { channel, sku } = await make.setting(10);
  const order = orderOf([{ sku, quantity: 2, unit_price: 1 }], { status: 0 });
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  await must(channel.call('POST', `/orders/${order.order_number}/status`, { status: 1 }), 200);
  const { user, visitor } = await signedIn(service, 'operator');
  await must(visitor.call('POST', `/orders/${id}/status`, { status: 9 }), 200);
  await must(service.admin('POST', `/orders/${id}/status`, SHIPMENT, await token('operator')), 200);
  await must(visitor.call('POST', `/orders/${id}/notes`, { text: 'called' }), 201);
  await pool.query(`update account set name = 'Kim Minji' where id = $1`, [user.id]);
  const { history, notes, channel_id } = await must(admin('GET', `/orders/${id}`), 200);
  const { name } = await must(admin('GET', `/channels/${channel_id}`), 200);
  const actor = history.at(-1).actor;
  assert.match(actor, /^token:/);
  const minji = [`user:${user.email}`, 'Kim Minji'];
  assert.deepEqual(
    history.map((step: Record<string, unknown>) => [step['to'], step['actor'], step['actor_name']]),
    [
      [0, `channel:${channel_id}`, name],
      [1, `channel:${channel_id}`, name],
      [9, ...minji],
      [3, actor, null],
    ],
  );
  assert.deepEqual([notes[0].actor, notes[0].actor_name], minji);
});

test('line totals are exact, in both currencies', async () => {
  await must(admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.45' }), 201);
  const { channel, sku } = await make.setting(10, { country_code: 'JP' });
  const order = orderOf([{ sku, quantity: 3, unit_price: 1260.5 }]);
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  const { items } = await must(admin('GET', `/orders/${id}`), 200);
  const [{ local_unit_price, local_line_total, unit_price, line_total }] = items;
  assert.deepEqual(
    [local_unit_price, local_line_total, unit_price, line_total],
    ['1260.5', '3781.5', '11911.73', '35735.18'],
  );
});
