// A whole day of a channel, Sluice and a warehouse, only through APIs: once without a failure, once with PostgreSQL killed
// twice.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { startOwnServer } from '../verify/kit/server.ts';
import { PATIENT, startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const server = await startOwnServer();
const service = await startTestService({ database: server.database, env: { ...PATIENT, SLUICE_JOBS: '1' } });
after(() => server.remove());
const make = fixtures(service);
const warehouse = await startReceiver();
after(() => warehouse.close());
const { secret } = await must(
  service.admin('POST', '/webhooks', {
    url: warehouse.url,
    events: ['order.accepted', 'order.status_changed', 'alert.opened', 'alert.closed'],
  }),
  201,
);
await must(service.admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', { name: 'CJ Logistics' }), 200);

/** The webhook events that the warehouse got, without duplicates, which have the same webhook-id. */
function toldByWebhook(isWanted: (data: any) => boolean): { type: string; data: any }[] {
  const told = new Map<string, { type: string; data: any }>();
  for (const { id, body, headers, json } of warehouse.received) {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    if (isWanted(json.data) && !told.has(id)) told.set(id, json);
  }
  return [...told.values()];
}

/** Reads the order feed from a token to its end. */
async function readFeed(since: string): Promise<{ data: any[]; next: string }> {
  const data: any[] = [];
  for (let next = since; ;) {
    const { status, json, text } = await service.admin('GET', `/orders/changes?since=${next}`);
    assert.equal(status, 200, text);
    data.push(...json.data);
    next = json.next;
    if (!json.has_more) return { data, next };
  }
}

interface Disturbance {
  /** Runs while the order is accepted, and while it is shipped. */
  strike?: () => Promise<unknown>;
  /** Evaluates the alerts now, instead of waiting for the job. */
  evaluateAlerts?: () => Promise<unknown>;
}

async function playDay({ strike, evaluateAlerts }: Disturbance): Promise<void> {
  const { channel, variant, sku } = await make.setting(10);
  await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 7 }), 200);
  const morning = await readFeed('now');
  const { json: channelMorning } = await channel.call('GET', '/orders?changes_since=now');

  // An order comes in.
  const order = orderOf([{ sku, quantity: 3, unit_price: 1000 }], { status: 1 });
  const number = order.order_number;
  const [{ id }] = await Promise.all([must(channel.call('POST', '/orders', order), 201), strike?.()]);

  // The warehouse gets the order by webhook and by feed.
  const steps = () =>
    toldByWebhook(({ order_number }) => order_number === number).map(({ type, data }) => [
      type,
      data.previous_status,
      data.status,
    ]);
  await until(() => steps().length > 0, 'the order by webhook');
  assert.deepEqual(steps(), [['order.accepted', null, 1]]);
  const { data: fresh, next } = await readFeed(morning.next);
  assert.deepEqual(
    fresh.map((change) => [change.id, change.status, change.items[0].variant_code, change.items[0].quantity]),
    [[id, 1, variant.code, 3]],
  );

  // The order ships.
  const shipments = [
    { order_number: number, tracking_number: `T-${id}`, courier_code: 'CJ', channel_id: channel.id },
  ];
  const [shipped] = await Promise.all([
    must(service.admin('POST', '/orders/shipments', { shipments }), 200),
    strike?.(),
  ]);
  assert.deepEqual(
    shipped.results.map(({ outcome }: { outcome: string }) => outcome),
    ['shipped'],
  );

  // The channel sees it shipped, and reads the tracking number.
  assert.equal((await must(channel.call('GET', `/orders/${number}`), 200)).status, 3);
  const { json: news } = await channel.call('GET', `/orders?changes_since=${channelMorning.changes_since}`);
  assert.deepEqual(
    news.changes.map((change: any) => [
      change.order_number,
      change.status,
      change.tracking_number,
      change.courier_name,
    ]),
    [[number, 3, `T-${id}`, 'CJ Logistics']],
  );

  // The remaining stock is low: an alert opens. A delivery closes it.
  const subject = `variant:${variant.code}`;
  const alerts = () => toldByWebhook((data) => data.subject === subject).map(({ type }) => type);
  const isOpen = async () =>
    (await must(service.admin('GET', '/alerts?state=open&kind=low_stock&limit=500'), 200)).some(
      (alert: any) => alert.subject === subject,
    );
  const untilAlerts = (count: number) =>
    until(async () => {
      await evaluateAlerts?.();
      return alerts().length >= count;
    }, `${count} alert events`);
  await untilAlerts(1);
  assert.equal(await isOpen(), true);
  await must(
    service.admin('POST', `/stock/${variant.code}/adjustments`, { delta: 20, reason: 'delivery' }),
    200,
  );
  await untilAlerts(2);
  assert.equal(await isOpen(), false);
  assert.deepEqual(alerts(), ['alert.opened', 'alert.closed']);

  // In the evening, webhooks, feed and stock agree.
  await until(() => steps().length >= 3, 'every step by webhook');
  assert.deepEqual(steps(), [
    ['order.accepted', null, 1],
    ['order.status_changed', 1, 2],
    ['order.status_changed', 2, 3],
  ]);
  const evening = await readFeed(next);
  assert.deepEqual(
    evening.data.map((change) => [change.id, change.previous_status, change.status]),
    [
      [id, 1, 2],
      [id, 2, 3],
    ],
  );
  const { quantity, unshipped } = await make.stock(variant);
  assert.deepEqual({ quantity, unshipped }, { quantity: 27, unshipped: 0 });
}

test('a whole day: order, webhook and feed, shipment, tracking number, low stock, delivery', () =>
  playDay({ evaluateAlerts: () => service.service.jobs.runNow('alerts') }));

test('the same day with PostgreSQL killed twice, at the intake and at the shipment', async () => {
  let kills = 0;
  await playDay({
    strike: async () => {
      await server.kill();
      kills += 1;
    },
  });
  assert.equal(kills, 2);
  const errors = service.log.filter(({ level }) => level >= 50).map(({ msg, err }) => ({ msg, err }));
  assert.deepEqual(errors, [], 'an outage of PostgreSQL is not logged as an error');
});
