import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused } from './kit/desk.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits } = desk(service);

const bulk = (changes: unknown) => admin('POST', '/orders/bulk-status', { changes });
const results = async (changes: unknown[]) => {
  const data = await must(bulk(changes), 200);
  assert.deepEqual(Object.keys(data), ['results']);
  return data.results as Record<string, unknown>[];
};
const statusOf = async (id: number) => (await must(admin('GET', `/orders/${id}`), 200)).status as number;

async function orders(count: number, quantity = 100) {
  const setting = await make.setting(quantity);
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const body = orderOf([{ sku: setting.sku, quantity: 1, unit_price: 1 }]);
    ids.push((await must(setting.channel.call('POST', '/orders', body), 201)).id);
  }
  return { ...setting, ids };
}

test('each change gets its own result, in the order of the request', async () => {
  const { ids, variant } = await orders(4);
  const [shipped, gone, prepared, cancelled] = ids as [number, number, number, number];
  await must(admin('POST', `/orders/${gone}/status`, { status: 88 }), 200);
  await must(admin('PUT', `/stock/${variant.code}`, { quantity: 1 }), 200);
  const ship = { status: 3, tracking_number: 'T' };
  const found = await results([
    { id: prepared, status: 2 },
    { id: 999_999_999, status: 1 },
    { id: gone, status: 1 },
    { id: shipped, ...ship, courier_code: 'CJ' },
    { id: cancelled, status: 88, reason: 'asked to' },
  ]);
  assert.deepEqual(
    found.map(({ id, ok, status, code, errors }) => [id, ok, status, code, errors]),
    [
      [prepared, true, 2, null, null],
      [999_999_999, false, null, 'not_found', null],
      [gone, false, 88, 'invalid_transition', null],
      [shipped, true, 3, null, null],
      [cancelled, true, 88, null, null],
    ],
  );
  assert.deepEqual(Object.keys(found[0] ?? {}), ['id', 'ok', 'status', 'error', 'code', 'details', 'errors']);
  assert.equal(found[0]?.['error'], null);
  assert.match(String(found[2]?.['error']), /status 88 cannot move to status 1/);
  assert.equal(await statusOf(prepared), 2);
  assert.equal((await must(admin('GET', `/orders/${cancelled}`), 200)).cancel_reason, 'asked to');
  const [late] = await results([{ id: prepared, ...ship }]);
  assert.deepEqual([late?.['ok'], late?.['status'], late?.['code']], [false, 2, 'insufficient_stock']);
  const [entry] = await audits(`order:${shipped}`);
  assert.deepEqual([entry?.action, entry?.actor], ['order.status', 'environment']);
});

test('an invalid change gets an error at its position, and the others are applied', async () => {
  const { ids } = await orders(3);
  const [first, second, third] = ids as [number, number, number];
  const found = await results([
    { id: first, status: 3 },
    { id: second, status: 2 },
    { id: third, status: 7 },
    { status: 1 },
    'rubbish',
    null,
    [],
    { id: -1, status: 1 },
    { id: 1.5, status: 1 },
    { id: '1', status: 1 },
    { id: 2 ** 53, status: 1 },
    { id: 1e300, status: 1 },
    { id: 999_999_998, status: 88, reason: 'x\0y' },
    { id: 999_999_997, status: 88, reason: 'x'.repeat(256) },
    { id: 999_999_996, status: 1, courier_code: '\ud800' },
  ]);
  assert.deepEqual(
    found.map(({ ok, errors }) => (ok === true ? true : Object.keys(errors as object))),
    [
      ['changes.0.tracking_number'],
      true,
      ['changes.2.status'],
      ['changes.3.id'],
      ['changes.4'],
      ['changes.5'],
      ['changes.6'],
      ['changes.7.id'],
      ['changes.8.id'],
      ['changes.9.id'],
      ['changes.10.id'],
      ['changes.11.id'],
      ['changes.12.reason'],
      ['changes.13.reason'],
      ['changes.14.courier_code'],
    ],
  );
  for (const one of found.filter(({ ok }) => ok === false)) {
    assert.equal(one['code'], 'invalid');
    assert.match(String(one['error']), /^changes\.\d+/);
    assert.equal(one['status'], null);
  }
  assert.deepEqual(await Promise.all(ids.map(statusOf)), [1, 2, 1]);
});

test('a request that contains one order twice is refused as a whole', async () => {
  const { ids } = await orders(2);
  const [first, second] = ids as [number, number];
  const answer = await bulk([
    { id: first, status: 2 },
    { id: second, status: 2 },
    { id: first, status: 88 },
  ]);
  assert.equal(answer.status, 422, answer.text);
  assert.deepEqual(Object.keys(answer.json.errors), ['changes.2.id']);
  assert.deepEqual(await Promise.all(ids.map(statusOf)), [1, 1]);
});

test('changes that are empty, more than 200 or not a list are a validation error', async () => {
  const many = Array.from({ length: 201 }, (_, n) => ({ id: n + 1, status: 1 }));
  for (const changes of [[], many, undefined, null, {}, 'x', 7])
    assert.deepEqual(await fieldsRefused(bulk(changes)), ['changes']);
});

test('200 changes in one request go through the gate in at most four batches', async () => {
  const { ids, variant } = await orders(200, 1_000);
  const before = await batches();
  const found = await results(ids.map((id) => ({ id, status: 3, tracking_number: `T-${id}` })));
  assert.ok(found.every(({ ok, status }, n) => ok === true && status === 3 && found[n]?.['id'] === ids[n]));
  assert.ok((await batches()) - before <= 4, 'at most four batches');
  assert.equal((await make.stock(variant)).quantity, 800);
  assert.equal((await make.stock(variant)).unshipped, 0);
});

/** The number of batches so far, from the metrics. */
async function batches(): Promise<number> {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  return Number(/^sluice_batch_commands_count (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}
