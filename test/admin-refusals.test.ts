// The lists of refused orders and late reports: written after the response, bounded, without personal data, and with
// the current verdict of the intake rules.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { timestampFormat } from '../src/platform/values/timestamps.ts';
import { Observations } from '../src/features/observations/observations.ts';
import { trimLateReports } from '../src/features/observations/late-reports-store.ts';
import { addRefusedOrders, trimRefusedOrders } from '../src/features/observations/refused-orders-store.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, unique, type LineInput, type TestChannel } from '../verify/kit/fixtures.ts';
import { Random } from '../verify/kit/random.ts';
import { startTestService } from '../verify/kit/service.ts';
import { desk, fieldsRefused, ODD_TEXTS, refusal } from './kit/desk.ts';

const database = await createDatabase();
const service = await startTestService({ database });
after(() => database.drop());
const make = fixtures(service);
const { admin, audits, pages, token } = desk(service);
const { pool, metrics } = service.service.services;

const line = (sku: string, quantity = 1): LineInput => ({ sku, quantity, unit_price: 1 });
const refusals = async (channel: TestChannel, query = '') => {
  await service.service.flush();
  return pages(`/refusals?channel_id=${channel.id}${query}`, 500);
};
const late = async (channel: TestChannel, query = '') => {
  await service.service.flush();
  return pages(`/late-reports?channel_id=${channel.id}${query}`, 500);
};
const refused = async (channel: TestChannel, body: object, status = 422): Promise<any> => {
  const answer = await channel.call('POST', '/orders', body);
  assert.equal(answer.status, status, answer.text);
  return answer;
};

test('a refused order is listed with reason, SKU, requested and available quantity', async () => {
  const { channel, variant, sku } = await make.setting(3);
  const bare = await make.map(channel, await make.variant(null));
  await make.allocate(channel, variant, 0, 2);
  const alias = await make.map(channel, variant);
  const bodies = {
    unmapped: orderOf([line(sku), line('nowhere', 2), line('nowhere', 5)]),
    missing: orderOf([line(bare, 4)]),
    short: orderOf([line(sku, 2), line(alias, 2)]),
    quota: orderOf([line(sku, 3)], { is_backorder: true }),
    invalid: { ...orderOf([line(sku)]), recipient_name: '' },
  };
  const answer = await refused(channel, bodies.unmapped);
  for (const body of [bodies.missing, bodies.short, bodies.quota, bodies.invalid])
    await refused(channel, body);
  const rows = await refusals(channel);
  const by = (body: { order_number: string }) =>
    rows.find(({ order_number }) => order_number === body.order_number);
  const facts = ({ reason, sku: of, requested, available, field, is_backorder, fits_now }: any) =>
    [reason, of, requested, available, field, is_backorder, fits_now] as unknown[];
  assert.equal(rows.length, 5);
  assert.deepEqual(facts(by(bodies.unmapped)), ['sku_unmapped', 'nowhere', 7, null, null, false, false]);
  assert.deepEqual(facts(by(bodies.missing)), ['stock_missing', bare, 4, null, null, false, false]);
  assert.deepEqual(facts(by(bodies.short)), ['stock_insufficient', sku, 4, 3, null, false, false]);
  assert.deepEqual(facts(by(bodies.quota)), ['quota_insufficient', sku, 3, 2, null, true, false]);
  assert.deepEqual(facts(by(bodies.invalid)), ['invalid', null, null, null, 'recipient_name', false, null]);
  const first = by(bodies.unmapped);
  assert.equal(first.request_id, answer.headers.get('x-request-id'));
  assert.deepEqual([first.count, first.line_count, first.channel_id], [1, 3, channel.id]);
  assert.match(first.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
  assert.deepEqual(by(bodies.short).blocked_by, {
    reason: 'stock_insufficient',
    sku,
    requested: 4,
    available: 3,
    variant_code: variant.code,
  });
});

test('an order refused again stays one row with a count and its last reason; once accepted, the row names the order', async () => {
  const { channel, variant, sku } = await make.setting(null);
  const body = orderOf([line(sku, 5)]);
  await refused(channel, body);
  await refused(channel, body);
  await service.service.flush();
  await make.setStock(variant, 2);
  await refused(channel, body);
  const [row, ...others] = await refusals(channel);
  assert.deepEqual(others, []);
  assert.deepEqual([row.count, row.reason, row.available, row.fits_now], [3, 'stock_insufficient', 2, false]);
  await make.setStock(variant, 5);
  assert.equal((await refusals(channel))[0].fits_now, true);
  const order = await must(channel.call('POST', '/orders', body), 201);
  const [accepted] = await refusals(channel);
  assert.deepEqual([accepted.order_id, accepted.fits_now, accepted.blocked_by], [order.id, null, null]);
  assert.deepEqual(await refusals(channel, '&accepted=false'), []);
  assert.equal((await refusals(channel, '&accepted=true')).length, 1);
});

test('an order number already in use and an inactive channel also block an order', async () => {
  const { channel, sku, variant } = await make.setting(9);
  const other = await make.channel();
  const body = orderOf([line(sku)]);
  const theirs = await make.map(other, variant);
  await must(
    other.call('POST', '/orders', orderOf([line(theirs)], { order_number: body.order_number })),
    201,
  );
  await refused(channel, body, 500);
  const [row] = await refusals(channel);
  assert.deepEqual([row.reason, row.fits_now, row.order_id], ['order_number_taken', false, null]);
  assert.equal(row.blocked_by.reason, 'order_number_taken');
  const short = orderOf([line(sku, 99)]);
  await refused(channel, short);
  await must(admin('PATCH', `/channels/${channel.id}`, { is_active: false }), 200);
  const [now] = await refusals(channel, '&reason=stock_insufficient');
  assert.deepEqual([now.fits_now, now.blocked_by.reason], [false, 'channel_inactive']);
});

test('fits_now predicts the result of intake for random orders, stocks, allocations and mappings', async () => {
  const random = new Random(7);
  const [channel, rival] = [await make.channel(), await make.channel()];
  const variants = [await make.variant(2), await make.variant(0), await make.variant(null)];
  const skus = [...(await Promise.all(variants.map((variant) => make.map(channel, variant)))), unique('S')];
  const bodies = Array.from({ length: 40 }, () => {
    const lines = Array.from({ length: random.between(1, 3) }, () =>
      line(random.pick(skus), random.between(1, 6)),
    );
    return orderOf(lines, { is_backorder: random.chance(0.3) });
  });
  const sent: typeof bodies = [];
  for (const body of bodies)
    if ((await channel.call('POST', '/orders', body)).status === 422) sent.push(body);
  const [plenty, little, none] = variants;
  assert.ok(plenty && little && none && sent.length > 5);
  await make.setStock(plenty, 9);
  await make.setStock(little, 4);
  await make.setStock(none, 3);
  await make.allocate(channel, plenty, 2, 5);
  await make.allocate(rival, little, 2);
  let fitted = 0;
  for (const body of sent) {
    const [row] = await refusals(channel, `&search=${body.order_number}`);
    const { status } = await channel.call('POST', '/orders', body);
    assert.equal(row.fits_now, status === 201, `${JSON.stringify(body.items)}: ${status}`);
    if (status === 201) fitted += 1;
  }
  assert.ok(fitted > 0 && fitted < sent.length, `${fitted} of ${sent.length}`);
});

test('personal data and invalid order numbers are not stored', async () => {
  const { channel, sku } = await make.setting(0);
  await refused(channel, orderOf([line(sku)]));
  for (const order_number of ['', '  ', 'x'.repeat(101), 7, null, 'a\0'])
    await refused(channel, { ...orderOf([line(sku)]), order_number });
  await refused(channel, 'not json' as never);
  const rows = await refusals(channel);
  assert.equal(rows.length, 1);
  const stored = await pool.query('select r::text as t from refused_order r where channel_id = $1', [
    channel.id,
  ]);
  for (const value of Object.values(PERSON)) assert.ok(!JSON.stringify(stored.rows).includes(value));
});

test('the lists can be filtered, searched ignoring case, and paged without gaps or repeats', async () => {
  const { channel, sku } = await make.setting(0);
  const numbers = [...ODD_TEXTS, ...Array.from({ length: 6 }, () => unique('N'))];
  for (const order_number of numbers) await refused(channel, orderOf([line(sku)], { order_number }));
  await refused(channel, orderOf([line('unmapped-x')]));
  const whole = (await refusals(channel)).map(({ id }) => id as number);
  assert.equal(whole.length, numbers.length + 1);
  for (const limit of [1, 5]) {
    const paged = await pages(`/refusals?channel_id=${channel.id}`, limit);
    assert.deepEqual(
      paged.map(({ id }) => id as number),
      whole,
    );
  }
  assert.equal((await refusals(channel, '&reason=sku_unmapped')).length, 1);
  const unknown = await refusal(admin('GET', '/refusals?reason=nope'), 422);
  assert.match(unknown.errors?.['reason']?.[0] ?? '', /sku_unmapped, .*, invalid/);
  assert.equal((await refusals(channel, '&search=UNMAPPED-X')).length, 1);
  for (const number of ODD_TEXTS) {
    const found = await refusals(channel, `&search=${encodeURIComponent(number)}`);
    assert.ok(
      found.some(({ order_number }) => order_number === number),
      number,
    );
  }
  assert.equal((await refusals(channel, '&to=2020-01-01')).length, 0);
  assert.equal((await refusals(channel, '&from=2020-01-01')).length, whole.length);
  for (const key of ['x', '1', '1 a', '999999999999999 1', 5]) {
    const cursor = Buffer.from(JSON.stringify(key)).toString('base64url');
    for (const list of ['/refusals', '/late-reports'])
      assert.deepEqual(
        await fieldsRefused(admin('GET', `${list}?cursor=${cursor}`)),
        ['cursor'],
        String(key),
      );
  }
});

test('late payments, resends and cancellations are listed once for each order and kind', async () => {
  const { channel, sku } = await make.setting(9);
  const send = (body: object) => channel.call('POST', '/orders', body);
  const report = (number: string, status: number) =>
    channel.call('POST', `/orders/${number}/status`, { status, tracking_number: 'T1' });
  const [unpaid, shipped] = [orderOf([line(sku)], { status: 0 }), orderOf([line(sku)])];
  const { id } = await must(send(unpaid), 201);
  await must(send(shipped), 201);
  await must(admin('POST', `/orders/${id}/status`, { status: 88, reason: 'expired' }), 200);
  await must(report(shipped.order_number, 3), 200);
  assert.deepEqual(await late(channel), []);
  assert.equal((await report(unpaid.order_number, 1)).status, 409);
  assert.equal((await report(unpaid.order_number, 2)).status, 409);
  assert.equal((await send(unpaid)).status, 200);
  assert.equal((await report(shipped.order_number, 88)).status, 409);
  assert.equal(
    (await report(shipped.order_number, 1)).status,
    409,
    'a backward move is not a late cancellation',
  );
  assert.equal((await report('NEVER-SENT', 1)).status, 404);
  assert.equal((await report('x'.repeat(101), 1)).status, 404);
  assert.equal(
    (await report(unpaid.order_number, 88)).status,
    200,
    'repeating a cancellation is not a late report',
  );
  const rows = await late(channel);
  const facts = rows.map(({ kind, order_number, order_id, status, requested_status, count }) => [
    kind,
    order_number,
    order_id === id,
    status,
    requested_status,
    count,
  ]);
  assert.deepEqual(
    new Set(facts.map((row) => JSON.stringify(row))),
    new Set(
      [
        ['report_after_cancel', unpaid.order_number, true, 88, 2, 2],
        ['resend_after_cancel', unpaid.order_number, true, 88, null, 1],
        ['cancel_after_ship', shipped.order_number, false, 3, 88, 1],
        ['report_unknown', 'NEVER-SENT', false, null, 1, 1],
      ].map((row) => JSON.stringify(row)),
    ),
  );
  assert.equal((await late(channel, '&kind=report_unknown')).length, 1);
  assert.equal((await late(channel, '&search=never')).length, 1);
  await refusal(admin('GET', '/late-reports?kind=other'), 422);
});

test('operators can dismiss entries, which is audited; an entry returns when the order is sent again', async () => {
  const { channel, sku } = await make.setting(0);
  const body = orderOf([line(sku)]);
  await refused(channel, body);
  await channel.call('POST', '/orders/NEVER/status', { status: 1 });
  const viewer = await token('viewer');
  for (const [path, list, action] of [
    ['/refusals', refusals, 'refusal.dismiss'],
    ['/late-reports', late, 'late_report.dismiss'],
  ] as const) {
    const [row] = await list(channel);
    assert.equal((await admin('GET', path, undefined, viewer)).status, 200);
    await refusal(admin('DELETE', `${path}/${row.id}`, undefined, viewer), 403);
    assert.equal((await admin('DELETE', `${path}/${row.id}`)).status, 204);
    assert.deepEqual(await list(channel), []);
    assert.equal((await audits(`channel:${channel.id}`)).at(-1)?.action, action);
    for (const id of [row.id, 0, 'abc', '99999999999999999'])
      await refusal(admin('DELETE', `${path}/${id}`), 404);
  }
  await refused(channel, body);
  assert.deepEqual(
    (await refusals(channel)).map(({ count }) => count as number),
    [1],
  );
});

test('a flood of refused orders is bounded in memory and in the database, and dropped entries are counted', async () => {
  const [channel, quiet] = [await make.channel(), await make.channel()];
  const dropped: number[] = [];
  const observed = new Observations(pool, timestampFormat('Asia/Seoul'), {
    onBug: (error) => assert.fail(String(error)),
    onDropped: () => dropped.push(1),
    flush_ms: 3_600_000,
  });
  const order = (lines = 1) => ({
    reason: 'sku_unmapped',
    field: null,
    sku: 'S',
    requested: 1,
    available: null,
    is_backorder: false,
    lines: Array.from({ length: lines }, () => ({ sku: 'S', quantity: 1 })),
    request_id: 'r',
  });
  for (let n = 0; n < 5_000; n++) observed.refusedOrder(channel.id, `F${n}`, order);
  for (let n = 0; n < 5_000; n++) observed.refusedOrder(channel.id, 'F0', order);
  observed.refusedOrder(quiet.id, 'LONG', () => order(51));
  await observed.close();
  assert.equal(dropped.length, 4_800);
  const rows = await refusals(channel);
  assert.equal(rows.length, 200);
  assert.equal(rows.find(({ order_number }) => order_number === 'F0').count, 5_001);
  const [long] = await refusals(quiet);
  assert.deepEqual(
    [long.line_count, long.fits_now],
    [null, null],
    'a long order is listed without its lines',
  );
  await trimRefusedOrders(pool, 50);
  assert.equal((await refusals(channel)).length, 50);
  assert.equal((await refusals(quiet)).length, 1);
  await pool.query(`update refused_order set last_at = now() - interval '31 days' where channel_id = $1`, [
    quiet.id,
  ]);
  await trimRefusedOrders(pool);
  await trimLateReports(pool);
  assert.equal((await refusals(quiet)).length, 0);
  assert.match(await metrics.registry.metrics(), /sluice_observations_dropped_total 0/);
});

test('concurrent writes of the same refused orders never deadlock, and their counts add up', async () => {
  const { id } = await make.channel();
  const at = new Date();
  const seen = Array.from({ length: 300 }, (_, n) => ({
    channel_id: id,
    order_number: `D${String(n).padStart(4, '0')}`,
    reason: 'stock_missing',
    field: null,
    sku: `quote " and \\ ${n}`,
    requested: 1,
    available: null,
    is_backorder: false,
    lines: [{ sku: `quote " and \\ ${n}`, quantity: 1 }],
    request_id: 'r',
    count: 1,
    first_at: at,
    last_at: at,
  }));
  for (let round = 0; round < 5; round++)
    await Promise.all([
      addRefusedOrders(pool, seen),
      addRefusedOrders(pool, seen.toReversed()),
      trimRefusedOrders(pool),
    ]);
  const { rows } = await pool.query(
    'select distinct count::int from refused_order where channel_id = $1 and lines->0->>$$sku$$ = sku',
    [id],
  );
  assert.deepEqual(rows, [{ count: 10 }]);
});
