// Contract 10.24: limits of a channel on its orders.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from './kit/answers.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const database = await createDatabase();
const [service, second] = [await startTestService({ database }), await startTestService({ database })];
const make = fixtures(service);
const { admin, audits } = desk(service);

const NONE = {
  line_quantity_max: null,
  unpaid_quantity_max: null,
  unpaid_percent_max: null,
  backordered_quantity_max: null,
};
const limit = (channel: TestChannel, limits: object) =>
  must(admin('PUT', `/channels/${channel.id}/limits`, limits), 200);
const line = (sku: string, quantity = 1) => ({ sku, quantity, unit_price: 1 });
const send = (channel: TestChannel, sku: string, quantity: number, fields: object = {}) =>
  channel.call('POST', '/orders', orderOf([line(sku, quantity)], fields));
const UNPAID = { status: 0 };
const BACKORDER = { is_backorder: true };

function assertLimited(answer: HttpAnswer, sku: string, requested: number, available: number): void {
  assertRefused(answer, 422, sku, `requested ${requested}`, `available ${available}`);
  assert.equal(answer.headers.get('sluice-error'), 'limit_exceeded');
}

test('limits are null by default, replaced by PUT, audited, and validated', async () => {
  const { id } = await make.channel();
  const path = `/channels/${id}/limits`;
  assert.deepEqual(await must(admin('GET', path), 200), NONE);
  const wanted = { line_quantity_max: 5, unpaid_quantity_max: 0, backordered_quantity_max: 7 };
  assert.deepEqual(await must(admin('PUT', path, wanted), 200), { ...NONE, ...wanted });
  assert.deepEqual(await must(admin('PUT', path, { unpaid_percent_max: 100 }), 200), {
    ...NONE,
    unpaid_percent_max: 100,
  });
  assert.deepEqual(await must(admin('GET', path), 200), { ...NONE, unpaid_percent_max: 100 });
  for (const body of [
    { line_quantity_max: 0 },
    { unpaid_quantity_max: -1 },
    { unpaid_percent_max: 101 },
    { backordered_quantity_max: 2_147_483_648 },
    { line_quantity_max: '5' },
  ])
    assert.deepEqual(await fieldsRefused(admin('PUT', path, body)), Object.keys(body));
  for (const method of ['GET', 'PUT']) await refusal(admin(method, '/channels/999999/limits', {}), 404);
  const trail = (await audits(`channel:${id}`)).filter(({ action }) => action === 'channel.set_limits');
  assert.deepEqual(
    trail.map(({ before, after }) => [before, after]),
    [
      [NONE, { ...NONE, ...wanted }],
      [
        { ...NONE, ...wanted },
        { ...NONE, unpaid_percent_max: 100 },
      ],
    ],
  );
});

test('contract 10.24: the quantity of a line is limited, in normal orders and backorders; several lines are not one', async () => {
  const { channel, sku } = await make.setting(100);
  await limit(channel, { line_quantity_max: 5 });
  assertLimited(await send(channel, sku, 6), sku, 6, 5);
  assertLimited(await send(channel, sku, 6, BACKORDER), sku, 6, 5);
  await must(channel.call('POST', '/orders', orderOf([line(sku, 5), line(sku, 5)])), 201);
  const short = await send(channel, sku, 91);
  assert.equal(short.headers.get('sluice-error'), 'stock_insufficient', 'the specification comes first');
  await limit(channel, {});
  await must(send(channel, sku, 6), 201);
});

test('contract 10.24: unpaid orders hold at most the limit of each item; payment and cancellation make room', async () => {
  const { channel, variant, sku } = await make.setting(200);
  const other = await make.map(channel, await make.variant(100));
  await limit(channel, { unpaid_quantity_max: 5 });
  const order = orderOf([line(sku, 3)], UNPAID);
  await must(channel.call('POST', '/orders', order), 201);
  assertLimited(await send(channel, sku, 3, UNPAID), sku, 3, 2);
  await must(send(channel, other, 5, UNPAID), 201);
  await must(send(channel, sku, 50), 201);
  await must(send(channel, sku, 50, { ...UNPAID, ...BACKORDER }), 201);
  await must(channel.call('POST', '/orders', order), 200);
  const report = (status: number) =>
    must(channel.call('POST', `/orders/${order.order_number}/status`, { status }), 200);
  await report(1);
  await must(send(channel, sku, 5, UNPAID), 201);
  assertLimited(await send(channel, sku, 1, UNPAID), sku, 1, 0);
  await service.service.flush();
  const [row] = await must(admin('GET', `/refusals?channel_id=${channel.id}&reason=limit_exceeded`), 200);
  assert.deepEqual(
    [row.sku, row.requested, row.available, row.fits_now, row.blocked_by.reason],
    [sku, 1, 0, false, 'limit_exceeded'],
  );
  await limit(channel, {});
  const [now] = await must(admin('GET', `/refusals?channel_id=${channel.id}&reason=limit_exceeded`), 200);
  assert.equal(now.fits_now, true);
  assert.equal((await make.stock(variant)).unshipped, 58);
});

test('contract 10.24: unpaid orders hold at most a share of the stock that is not pre-allocated, rounded down', async () => {
  const { channel, variant, sku } = await make.setting(59);
  await make.allocate(await make.channel(), variant, 30);
  await limit(channel, { unpaid_percent_max: 20, unpaid_quantity_max: 1_000 });
  await must(send(channel, sku, 5, UNPAID), 201);
  assertLimited(await send(channel, sku, 1, UNPAID), sku, 1, 0);
  await limit(channel, { unpaid_percent_max: 100, unpaid_quantity_max: 6 });
  await must(send(channel, sku, 1, UNPAID), 201);
  assertLimited(await send(channel, sku, 1, UNPAID), sku, 1, 0);
});

test('contract 10.24: open backorders without a quota are limited; with one the quota decides', async () => {
  const { channel, variant, sku } = await make.setting(1);
  await limit(channel, { backordered_quantity_max: 5 });
  assertLimited(await send(channel, sku, 6, BACKORDER), sku, 6, 5);
  await must(send(channel, sku, 4, BACKORDER), 201);
  assertLimited(await send(channel, sku, 2, BACKORDER), sku, 2, 1);
  await make.allocate(channel, variant, 0, 9);
  await must(send(channel, sku, 5, BACKORDER), 201);
  assert.equal((await send(channel, sku, 1, BACKORDER)).headers.get('sluice-error'), 'quota_insufficient');
});

test('orders that meet at a limit, through two processes: exactly the limit is taken, and other channels are not limited', async () => {
  const { channel, variant, sku } = await make.setting(1_000);
  const free = await make.channel();
  const theirs = await make.map(free, variant);
  await limit(channel, { unpaid_quantity_max: 20, backordered_quantity_max: 10 });
  const [here, there] = [service.channel(channel.api_key), second.channel(channel.api_key)];
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, turn) => {
      const fields = turn % 3 === 0 ? BACKORDER : UNPAID;
      return (turn % 2 === 0 ? here : there)('POST', '/orders', orderOf([line(sku)], fields));
    }),
  );
  const taken = (wanted: (turn: number) => boolean) =>
    answers.filter((answer, turn) => wanted(turn) && answer.status === 201).length;
  assert.deepEqual([taken((turn) => turn % 3 === 0), taken((turn) => turn % 3 !== 0)], [10, 20]);
  await must(send(free, theirs, 900, UNPAID), 201);
  assert.deepEqual((await must(admin('GET', '/reconcile'), 200)).drift, []);
});

test('limits are imported with the channels; a file without these columns keeps them', async () => {
  const [name, key] = [unique('limited'), unique('key')];
  const csv = (header: string, row: string) => ({ csv: `name,api_key${header}\n${name},${key}${row}\n` });
  const header = ',line_quantity_max,unpaid_percent_max';
  const upload = (body: object) => must(admin('POST', '/channels/import', body), 200);
  await upload(csv(header, ',7,10'));
  const list = await must(admin('GET', '/channels?limit=500'), 200);
  const { id } = list.find((one: any) => one.name === name);
  const limits = () => must(admin('GET', `/channels/${id}/limits`), 200);
  assert.deepEqual(await limits(), { ...NONE, line_quantity_max: 7, unpaid_percent_max: 10 });
  await must(admin('PUT', `/channels/${id}/limits`, { unpaid_quantity_max: 3, unpaid_percent_max: 10 }), 200);
  assert.equal((await upload(csv('', ''))).counts.channels_updated, 0);
  assert.equal((await upload(csv(header, ',7,'))).counts.channels_updated, 1);
  assert.deepEqual(await limits(), { ...NONE, line_quantity_max: 7, unpaid_quantity_max: 3 });
  assert.equal((await upload(csv(header, ',7,'))).counts.channels_updated, 0);
  const wrong = await admin('POST', '/channels/import', csv(header, ',0,101'));
  assert.deepEqual(
    wrong.json.data.problems.map((one: any) => [one.column, one.code]),
    [
      ['line_quantity_max', 'too_small'],
      ['unpaid_percent_max', 'too_large'],
    ],
  );
});
