// Races between requests to different processes: two services, or two workers of one service.
import assert from 'node:assert/strict';
import { must, orderOf, unique, type fixtures, type TestChannel } from '../../verify/kit/fixtures.ts';
import type { ChannelCall, HttpAnswer } from '../../verify/kit/service.ts';

export interface Racing {
  make: ReturnType<typeof fixtures>;
  /** The same channel, through either process in turn. */
  through: (channel: TestChannel, turn: number) => ChannelCall;
  admin: (method: string, path: string, body?: unknown) => Promise<HttpAnswer>;
}

export const count = (answers: readonly HttpAnswer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

export const times = <T>(n: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, index) => work(index)));

export async function lastUnits({ make, through }: Racing): Promise<void> {
  const { channel, variant, sku } = await make.setting(50);
  const answers = await times(120, (turn) =>
    through(channel, turn)('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
  );
  assert.deepEqual(count(answers), { 201: 50, 422: 70 });
  assert.equal((await make.stock(variant)).unshipped, 50);
  assert.equal(await make.available(channel, sku), 0);
}

export async function mixedSizes({ make, through }: Racing): Promise<void> {
  const { channel, variant, sku } = await make.setting(37);
  const sizes = Array.from({ length: 60 }, (_, index) => 1 + (index % 5));
  const answers = await times(60, (turn) =>
    through(channel, turn)('POST', '/orders', orderOf([{ sku, quantity: sizes[turn] ?? 1, unit_price: 1 }])),
  );
  const taken = sizes
    .filter((_, index) => answers[index]?.status === 201)
    .reduce((sum, size) => sum + size, 0);
  assert.equal((await make.stock(variant)).unshipped, taken);
  const left = 37 - taken;
  assert.ok(left >= 0, `oversold by ${-left}`);
  const smallestRefused = Math.min(...sizes.filter((_, index) => answers[index]?.status === 422));
  assert.ok(left < smallestRefused, `${left} left, yet ${smallestRefused} was refused`);
}

export async function sameOrder({ make, through }: Racing): Promise<void> {
  const { channel, variant, sku } = await make.setting();
  const order = orderOf([{ sku, quantity: 2, unit_price: 1 }]);
  const answers = await times(60, (turn) => through(channel, turn)('POST', '/orders', order));
  assert.deepEqual(count(answers), { 200: 59, 201: 1 });
  assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
  assert.equal((await make.stock(variant)).unshipped, 2);
}

export async function oneNumber({ make, through }: Racing): Promise<void> {
  const a = await make.setting(1_000);
  const b = await make.setting(1_000);
  for (let round = 0; round < 10; round++) {
    const number = unique('BOTH');
    const clash = times(2, (turn) => {
      const { channel, sku } = turn === 0 ? a : b;
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number: number });
      return through(channel, turn + round)('POST', '/orders', order);
    });
    const neighbours = times(20, (turn) => {
      const { channel, sku } = turn % 3 === 0 ? a : b;
      return through(channel, turn)('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
    });
    assert.deepEqual(count(await clash), { 201: 1, 500: 1 });
    assert.deepEqual(count(await neighbours), { 201: 20 });
  }
}

export async function oneFate({ make, through, admin }: Racing): Promise<void> {
  const { channel, variant, sku } = await make.setting(1_000);
  await make.allocate(channel, variant, 300, 0);
  const orders = await times(40, async (turn) => {
    const order = orderOf([
      { sku, quantity: 3, unit_price: 1 },
      { sku, quantity: 1, unit_price: 1 },
    ]);
    await must(through(channel, turn)('POST', '/orders', order), 201);
    return order.order_number;
  });
  const report = (number: string, turn: number, body: object) =>
    through(channel, turn)('POST', `/orders/${number}/status`, body);
  const shipping = { status: 3, tracking_number: 'T1' };
  const rounds = await times(40, (index) => {
    const number = orders[index] ?? '';
    return Promise.all([
      report(number, 0, shipping),
      report(number, 1, shipping),
      report(number, index, index % 2 === 0 ? { status: 88 } : shipping),
      admin('POST', `/stock/${variant.code}/adjustments`, { delta: 1, reason: 'found' }),
    ]);
  });
  let shipped = 0;
  for (const [index, answers] of rounds.entries()) {
    const reports = answers.slice(0, 3);
    assert.ok(
      reports.every(({ status, json }) => status === 200 || json.code === 'invalid_transition'),
      JSON.stringify(reports.map(({ status, json }) => [status, json])),
    );
    const final = await must(
      through(channel, index)(
        'POST',
        '/orders',
        orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number: orders[index] }),
      ),
      200,
    );
    assert.ok(final.status === 3 || final.status === 88);
    if (final.status === 3) shipped += 1;
    const won = reports.filter(({ status }) => status === 200).map(({ json }) => json.data.status);
    assert.ok(won.length > 0 && won.every((status) => status === final.status));
  }
  const stock = await make.stock(variant);
  assert.equal(stock.quantity, 1_000 + 40 - 4 * shipped);
  assert.equal(stock.unshipped, 0);
  const ledger = await must(admin('GET', `/stock/${variant.code}/movements?limit=500`), 200);
  assert.equal(ledger.filter((move: { kind: string }) => move.kind === 'shipment').length, shipped);
}

export async function backorders({ make, through }: Racing): Promise<void> {
  const { channel, variant, sku } = await make.setting(0);
  await make.allocate(channel, variant, 0, 25);
  const answers = await times(60, (turn) =>
    through(channel, turn)(
      'POST',
      '/orders',
      orderOf([{ sku, quantity: 1, unit_price: 1 }], { is_backorder: true }),
    ),
  );
  assert.deepEqual(count(answers), { 201: 25, 422: 35 });
}

export async function identicalReports({ make, through, admin }: Racing): Promise<void> {
  const { channel, sku } = await make.setting();
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 0 });
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  const answers = await times(20, (turn) =>
    through(channel, turn)('POST', `/orders/${order.order_number}/status`, { status: 2 }),
  );
  assert.deepEqual(count(answers), { 200: 20 });
  const stored = await must(admin('GET', `/orders/${id}`), 200);
  assert.deepEqual(
    stored.history.map((step: { to: number }) => step.to),
    [0, 1, 2],
  );
}

/** Each of the two is allowed, but 9 → 2 is not: whichever is first, the order follows one path. */
export async function differentReports({ make, through, admin }: Racing): Promise<void> {
  const { channel, sku } = await make.setting();
  const orders = await times(10, () =>
    must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 201),
  );
  // One order after the other: both processes are idle and decide at once.
  for (const [index, { order_number }] of orders.entries()) {
    const report = (turn: number, status: number) =>
      through(channel, turn)('POST', `/orders/${order_number}/status`, { status });
    await Promise.all([report(index, 2), report(index + 1, 9)]);
  }
  for (const { id } of orders) {
    const { status, history } = await must(admin('GET', `/orders/${id}`), 200);
    let at: number | null = null;
    for (const { from, to } of history) {
      assert.equal(from, at, JSON.stringify(history));
      at = to;
    }
    assert.equal(at, status);
  }
}
