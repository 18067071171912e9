// Alerts open once for a subject while their condition holds, and close when it ends.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import {
  alertChanges,
  alertRule,
  ALERTS_OPEN_MAX,
  CHANNEL_ALERTS_OPEN_MAX,
  type AlertCondition,
  type OpenAlert,
} from '../src/features/alerts/rules.ts';
import { WEBHOOK_PENDING_MAX } from '../src/features/webhooks/rules.ts';
import { insertAlertDeliveries } from '../src/features/webhooks/deliveries-store.ts';
import { lockWebhookPosition } from '../src/features/webhooks/store.ts';
import { connected } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { startMailServer } from './kit/mail-server.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { alertMail } from '../src/features/alerts/mail-job.ts';
import { ALERT_WORDS, alertText } from '../src/features/alerts/words.ts';
import { webhookFailingText } from '../src/features/webhooks/words.ts';
import { alertsWith } from '../src/features/alerts/kinds.ts';
import { webhookAlerts } from '../src/features/webhooks/alerts.ts';
import { evaluateAlerts } from '../src/features/alerts/job.ts';

const ALERTS = alertsWith([webhookAlerts]);
const NAMES = ALERTS.kinds.map(({ name }) => name);
const service = await startTestService();
const { database } = service;
const make = fixtures(service);
const receiver = await startReceiver();
after(() => receiver.close());

/** Evaluates all kinds like the job, and returns the open alerts. */
async function evaluate(at = service): Promise<Map<string, any>> {
  await evaluateAlerts({ ...at.service.services }, ALERTS, ALERTS.kinds);
  const { json } = await service.admin('GET', '/alerts?state=open&limit=500');
  return new Map(json.data.map((alert: any) => [`${alert.kind} ${alert.subject}`, alert]));
}

const conditionOf = fc.record({
  kind: fc.constantFrom(...NAMES),
  subject: fc.constantFrom('a', 'b', 'c'),
  details: fc.integer({ min: 0, max: 2 }).map((n) => ({ n })),
});

test('in any sequence, an alert opens exactly once while its condition holds and closes when it ends', () => {
  const turn = fc.record({
    conditions: fc.uniqueArray(conditionOf, { selector: ({ kind, subject }) => `${kind} ${subject}` }),
    kinds: fc.subarray([...NAMES]),
  });
  fc.assert(
    fc.property(fc.array(turn), (turns) => {
      const open = new Map<string, OpenAlert>();
      let id = 0;
      for (const { conditions, kinds } of turns) {
        const { opened, closed, updated } = alertChanges([...open.values()], conditions, kinds);
        const before = new Set(open.keys());
        for (const one of opened) {
          const key = `${one.kind} ${one.subject}`;
          assert.ok(!open.has(key), 'opened twice');
          open.set(key, { id: ++id, ...one });
        }
        for (const one of closed) assert.ok(open.delete(`${one.kind} ${one.subject}`), 'closed twice');
        for (const { id: changed, details } of updated) {
          const alert = [...open.values()].find((one) => one.id === changed);
          assert.ok(alert);
          alert.details = details;
        }
        const holding = new Map(conditions.map((one) => [`${one.kind} ${one.subject}`, one]));
        for (const kind of NAMES)
          for (const subject of ['a', 'b', 'c']) {
            const key = `${kind} ${subject}`;
            const expected = kinds.includes(kind) ? holding.has(key) : before.has(key);
            assert.equal(open.has(key), expected, key);
            if (kinds.includes(kind)) assert.deepEqual(open.get(key)?.details, holding.get(key)?.details);
          }
      }
    }),
  );
});

test('open alerts of a kind are limited, and defaults replace invalid settings of a rule', () => {
  const many = Array.from({ length: ALERTS_OPEN_MAX + 5 }, (_, n): AlertCondition => ({
    kind: 'low_stock',
    subject: `variant:${n}`,
    details: {},
  }));
  assert.equal(alertChanges([], many, ['low_stock']).opened.length, ALERTS_OPEN_MAX);
  // Each channel has its own places, so that it cannot use up those of the others.
  const skus = (channel: number, count: number) =>
    Array.from({ length: count }, (_, n): AlertCondition => ({
      kind: 'unmapped_sku',
      subject: `channel:${channel}/sku:${n}`,
      details: {},
    }));
  const opened = alertChanges([], [...skus(1, 2_500), ...skus(2, 3)], ['unmapped_sku']).opened;
  const of = (channel: number) => opened.filter(({ subject }) => subject.startsWith(`channel:${channel}/`));
  assert.deepEqual([of(1).length, of(2).length], [CHANNEL_ALERTS_OPEN_MAX, 3]);
  const stale = ALERTS.kinds.find(({ name }) => name === 'rate_stale');
  assert.ok(stale);
  assert.deepEqual(alertRule(stale, { enabled: false, settings: { hours: 'x' } }), {
    kind: 'rate_stale',
    enabled: false,
    settings: { hours: 72 },
  });
});

test('low stock opens an alert at its threshold and closes it when stock rises; webhooks get both events', async () => {
  const hook = { url: receiver.url, events: ['alert.opened', 'alert.closed'] };
  const { id } = await must(service.admin('POST', '/webhooks', hook), 201);
  const variant = await make.variant(10);
  const at = (low_stock_at: number | null) =>
    must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at }), 200);
  await at(5);
  const key = `low_stock variant:${variant.code}`;
  assert.ok(!(await evaluate()).has(key));
  await make.setStock(variant, 5);
  const opened = (await evaluate()).get(key);
  assert.deepEqual(opened.details, {
    variant_code: variant.code,
    common_available: 5,
    low_stock_at: 5,
    quantity: 5,
  });
  assert.equal((await evaluate()).get(key).id, opened.id, 'opened once');
  await make.setStock(variant, 6);
  assert.ok(!(await evaluate()).has(key));
  const closed = await must(service.admin('GET', '/alerts?state=closed&kind=low_stock'), 200);
  assert.equal(closed[0].id, opened.id);
  assert.ok(closed[0].closed_at);
  await make.setStock(variant, 0);
  assert.notEqual((await evaluate()).get(key).id, opened.id, 'a new alert');
  await at(null);
  assert.ok(!(await evaluate()).has(key));
  const { json } = await service.admin('GET', `/webhooks/${id}/deliveries`);
  assert.deepEqual(
    json.data.map((one: any) => [one.type, one.alert_id === opened.id]),
    [
      ['alert.closed', false],
      ['alert.opened', false],
      ['alert.closed', true],
      ['alert.opened', true],
    ],
  );
  assert.equal(json.data[3].payload.data.subject, `variant:${variant.code}`);
  await must(service.admin('DELETE', `/webhooks/${id}`), 204);
});

test('evaluated by several processes, an alert opens and closes once, and each endpoint gets the events that it subscribed to', async () => {
  const add = (events: string[]) =>
    must(service.admin('POST', '/webhooks', { url: receiver.url, events }), 201);
  const hooks = [
    await add(['alert.opened', 'alert.closed']),
    await add(['alert.closed']),
    await add(['order.accepted']),
    await add(['alert.opened', 'alert.closed']),
  ];
  const full = hooks[3].id;
  await database.tamper(
    `insert into webhook_delivery (webhook_id, type, at) select $1, 'alert.opened', now() from generate_series(1, $2)`,
    [full, WEBHOOK_PENDING_MAX],
  );
  const variant = await make.variant(3);
  await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 3 }), 200);
  await Promise.all(Array.from({ length: 4 }, evaluate));
  await make.setStock(variant, 4);
  await Promise.all(Array.from({ length: 4 }, evaluate));
  const told = await Promise.all(
    hooks.map(async ({ id }) =>
      (await must(service.admin('GET', `/webhooks/${id}/deliveries?limit=500`), 200))
        .filter((one: any) => one.payload.data.subject === `variant:${variant.code}`)
        .map((one: any) => one.type),
    ),
  );
  assert.deepEqual(told, [['alert.closed', 'alert.opened'], ['alert.closed'], [], []]);
  const closed = await must(service.admin('GET', '/alerts?state=closed&kind=low_stock&limit=500'), 200);
  assert.equal(closed.filter((one: any) => one.subject === `variant:${variant.code}`).length, 1);
  for (const { id } of hooks) await must(service.admin('DELETE', `/webhooks/${id}`), 204);
});

test('alerts that open at once fill an endpoint up to its limit, and its loop does not wait for their transaction', async () => {
  const hook = { url: receiver.url, events: ['alert.opened'] };
  const { id } = await must(service.admin('POST', '/webhooks', hook), 201);
  await database.tamper(
    `insert into webhook_delivery (webhook_id, type, at) select $1, 'order.accepted', now() from generate_series(1, $2)`,
    [id, WEBHOOK_PENDING_MAX - 2],
  );
  for (let n = 0; n < 3; n++) {
    const variant = await make.variant(0);
    await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 0 }), 200);
  }
  await evaluate();
  const told = async () =>
    (await must(service.admin('GET', `/webhooks/${id}/deliveries?limit=3`), 200)) as any[];
  const [second, first, other] = await told();
  assert.deepEqual([first.type, second.type, other.type], ['alert.opened', 'alert.opened', 'order.accepted']);
  assert.ok(first.alert_id < second.alert_id);

  await database.tamper('delete from webhook_delivery where webhook_id = $1', [id]);
  await connected(database.url, async (opening) => {
    await opening.query('begin');
    const alerts = [{ id: first.alert_id, at: new Date() }];
    assert.equal(await insertAlertDeliveries(opening, 'alert.opened', alerts, WEBHOOK_PENDING_MAX), 1);
    await connected(database.url, async (loop) => {
      await loop.query("set lock_timeout = '1s'");
      assert.ok(await lockWebhookPosition(loop, id));
    });
    await opening.query('rollback');
  });
  await must(service.admin('DELETE', `/webhooks/${id}`), 204);
});

test('alerts open and close while an endpoint is removed', async () => {
  const hook = { url: receiver.url, events: ['alert.opened'] };
  const { id } = await must(service.admin('POST', '/webhooks', hook), 201);
  const variant = await make.variant(0);
  await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 0 }), 200);
  const removing = await openTransaction(database.url, `delete from webhook where id = ${id}`);
  const evaluating = evaluate();
  await untilWaiting(database.url, 1);
  await removing.end('commit');
  assert.ok((await evaluating).has(`low_stock variant:${variant.code}`));
});

test('alerts for overcommitted stock, unmapped SKUs, missing and stale rates, silent channels, old pre-payment orders', async () => {
  const channel = await make.channel({ country_code: 'JP' });
  const variant = await make.variant(10);
  const sku = await make.map(channel, variant);
  await must(
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 0 })),
    201,
  );
  await must(
    service.admin('PUT', `/channels/${channel.id}/allocations/${variant.code}`, {
      allocated_qty: 12,
      reserve_quota: 0,
    }),
    200,
  );
  await channel.call('GET', '/inventory/NO-SUCH-SKU');
  await service.service.flush();
  const keys = {
    over: `overcommitted variant:${variant.code}`,
    unmapped: `unmapped_sku channel:${channel.id}/sku:NO-SUCH-SKU`,
    missing: 'rate_missing currency:JPY',
    stale: 'rate_stale currency:JPY',
    silent: `channel_silent channel:${channel.id}`,
    unpaid: `prepayment_old channel:${channel.id}`,
  };
  await until(async () => (await evaluate()).has(keys.unmapped), 'the unmapped SKU');
  let open = await evaluate();
  assert.equal(open.get(keys.over).details.overcommitted_by, 3);
  assert.ok(open.has(keys.missing));
  assert.ok(!open.has(keys.stale) && !open.has(keys.silent) && !open.has(keys.unpaid));

  await database.tamper(`update channel set key_last_used_at = now() - interval '25 hours' where id = $1`, [
    channel.id,
  ]);
  await database.tamper(`update orders set created_at = now() - interval '4 days' where channel_id = $1`, [
    channel.id,
  ]);
  const rate = { currency_code: 'JPY', rate: '9.5', effective_at: '2020-01-01T00:00:00+09:00' };
  await must(service.admin('POST', '/exchange-rates', rate), 201);
  open = await evaluate();
  assert.equal(open.get(keys.stale).details.effective_at, '2020-01-01T00:00:00+09:00');
  assert.match(open.get(keys.silent).details.last_request_at, /\+09:00$/);
  assert.match(open.get(keys.unpaid).details.oldest_at, /\+09:00$/);
  assert.ok(!open.has(keys.missing));

  await must(service.admin('PUT', '/alert-rules/channel_silent', { enabled: true, hours: 26 }), 200);
  await must(service.admin('PUT', '/alert-rules/prepayment_old', { enabled: false }), 200);
  await must(service.admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.6' }), 201);
  await must(
    service.admin('PUT', `/channels/${channel.id}/mappings`, {
      mappings: [{ sku: 'NO-SUCH-SKU', variant_code: variant.code }],
    }),
    200,
  );
  await make.setStock(variant, 100);
  open = await evaluate();
  for (const key of Object.values(keys)) assert.ok(!open.has(key), key);
  await database.tamper(`update channel set key_last_used_at = null where id = $1`, [channel.id]);
});

test('one channel that holds the whole stock of an item, or has more backorders without a quota, opens an alert', async () => {
  const channel = await make.channel();
  const other = await make.channel();
  const [held, small, ordered, agreed] = [
    await make.variant(20),
    await make.variant(1),
    await make.variant(10),
    await make.variant(10),
  ];
  const order = async (of: typeof channel, variant: typeof held, quantity: number, fields: object) => {
    const sku = await make.map(of, variant);
    const body = orderOf([{ sku, quantity, unit_price: 0 }], fields);
    await must(of.call('POST', '/orders', body), 201);
    return body.order_number;
  };
  const unpaid = { status: 0 };
  const backorder = { is_backorder: true };
  const numbers = [await order(channel, held, 12, unpaid), await order(channel, held, 8, unpaid)];
  await order(other, small, 1, unpaid);
  await order(channel, ordered, 11, backorder);
  await make.allocate(channel, agreed, 0, 50);
  await order(channel, agreed, 11, backorder);
  const about = async () =>
    [...(await evaluate()).values()]
      .filter(({ kind }) => kind === 'channel_exceeds_stock')
      .map(({ subject, details: { channel_id, variant_code, quantity, unpaid: n, backordered } }) => [
        subject,
        channel_id,
        variant_code,
        quantity,
        n ?? backordered,
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const backorders = [`channel:${channel.id}/backorders:${ordered.code}`, channel.id, ordered.code, 10, 11];
  assert.deepEqual(await about(), [
    backorders,
    [`channel:${channel.id}/unpaid:${held.code}`, channel.id, held.code, 20, 20],
  ]);
  await must(channel.call('POST', `/orders/${numbers[1]}/status`, { status: 1 }), 200);
  assert.deepEqual(await about(), [backorders]);
  await make.setStock(held, 11);
  assert.equal((await about()).length, 2, 'a small holding counts when it exceeds the stock');
  await must(channel.call('POST', `/orders/${numbers[0]}/status`, { status: 88 }), 200);
  await make.setStock(ordered, 11);
  assert.deepEqual(await about(), []);
});

test('variants are evaluated in parts: none is missed, and an evaluation that is stopped closes no alert', async () => {
  const channel = await make.channel();
  const ids = [4_096, 4_097, 12_288, 12_289];
  const keys: string[] = [];
  for (const id of ids) {
    await database.tamper(`select setval(pg_get_serial_sequence('variant', 'id'), $1, false)`, [id]);
    const variant = await make.variant(1);
    const [stored] = (await database.tamper('select id from variant where code = $1', [variant.code])).rows;
    assert.equal(stored.id, id);
    await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 5 }), 200);
    await make.allocate(channel, variant, 3);
    keys.push(`low_stock variant:${variant.code}`, `overcommitted variant:${variant.code}`);
  }
  const open = await evaluate();
  assert.deepEqual(
    keys.filter((key) => !open.has(key)),
    [],
  );
  const stopped = AbortSignal.abort(new Error('the service stops'));
  await assert.rejects(evaluateAlerts({ ...service.service.services }, ALERTS, ALERTS.kinds, stopped));
  const { json } = await service.admin('GET', '/alerts?state=open&limit=500');
  assert.equal(json.data.length, open.size);
});

test('a reconcile run that finds drift opens an alert; one that finds none closes it; an earlier run in another process does neither', async () => {
  const other = await startTestService({ database });
  const variant = await make.variant(10);
  const drift = (delta: number) =>
    database.tamper(
      `update stock set quantity = quantity + $2 where variant_id = (select id from variant where code = $1)`,
      [variant.code, delta],
    );
  const reconcile = (at = service) => must(at.admin('GET', '/reconcile'), 200);
  const found = async (at = service) => (await evaluate(at)).get('drift counters');
  await reconcile(other);
  await drift(1);
  await reconcile();
  const { details } = await found();
  assert.equal(details.drift_count, 1);
  assert.match(details.checked_at, /\+09:00$/);
  assert.ok(await found(other));
  await drift(-1);
  await reconcile(other);
  assert.equal(await found(other), undefined);
  assert.equal(await found(), undefined);
  await drift(1);
  await reconcile();
  assert.ok(await found());
  await drift(-1);
  await reconcile();
  assert.equal(await found(), undefined);
});

test('a failing webhook opens an alert, which closes when the webhook is removed', async () => {
  const made = await must(
    service.admin('POST', '/webhooks', { url: receiver.url, events: ['order.accepted'] }),
    201,
  );
  await database.tamper(`update webhook set failures = 3, failing_since = now() where id = $1`, [made.id]);
  const key = `webhook_failing webhook:${made.id}`;
  assert.ok((await evaluate()).has(key));
  await must(service.admin('DELETE', `/webhooks/${made.id}`), 204);
  assert.ok(!(await evaluate()).has(key));
});

test('alert rules: defaults, thresholds per kind, 404 for an unknown kind, changes by administrators only', async () => {
  const rules = await must(service.admin('GET', '/alert-rules'), 200);
  assert.equal(rules.length, NAMES.length);
  assert.deepEqual(await must(service.admin('GET', '/alert-rules/webhook_failing'), 200), {
    kind: 'webhook_failing',
    enabled: true,
    failures: 3,
  });
  assert.equal(
    (await service.admin('PUT', '/alert-rules/rate_stale', { enabled: true, hours: 0 })).status,
    422,
  );
  assert.equal((await service.admin('GET', '/alert-rules/hunger')).json.code, 'alert_kind_unknown');
  const { token } = await must(
    service.admin('POST', '/tokens', { name: 'alert operator', role: 'operator' }),
    201,
  );
  assert.equal((await service.admin('PUT', '/alert-rules/drift', { enabled: true }, token)).status, 403);
  assert.equal((await service.admin('GET', '/alerts', undefined, token)).status, 200);
});

test('an alert of each kind is a sentence, and a failing webhook appears by its host', () => {
  const failing = {
    webhook_id: 1,
    host: 'shop.example',
    description: 'ERP',
    failing_since: '2026',
    pause_reason: null,
  };
  assert.equal(
    alertText(webhookFailingText, failing),
    'the webhook to shop.example (ERP) has failed since 2026',
  );
  assert.equal(
    alertText(ALERT_WORDS.unmapped_sku, { channel_name: 'A\nB', sku: 'X\u2028Y' }),
    'A\\u{a}B asked for the SKU X\\u{2028}Y, which is not mapped',
  );
});

test('a process without mail settings leaves the job to processes that have them', () => {
  const { config } = service.service.services;
  const mail = { smtp_url: 'smtp://x', from: 'a@x', to: ['b@x'] };
  assert.deepEqual(
    [null, mail].map((one) => alertMail(() => ALERTS).isPossible?.({ ...config, mail: one })),
    [false, true],
  );
});

test('alerts are mailed once when they open and once when they close; a failed mail is sent again later', async () => {
  const mailServer = await startMailServer();
  const { config, pool } = service.service.services;
  const mail = { smtp_url: mailServer.url, from: 'sluice@example.com', to: ['ops@example.com'] };
  const run = () =>
    alertMail(() => ALERTS).run(
      { ...service.service.services, pool, config: { ...config, mail } },
      new AbortController().signal,
    );
  await database.tamper('update alert set opening_mailed = true, closing_mailed = true');
  const variant = await make.variant(1);
  await must(service.admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 1 }), 200);
  const shop = await make.channel();
  const sku = 'X\nClosed: all, says the\u2028channel';
  await shop.call('GET', `/inventory/${encodeURIComponent(sku)}`);
  const key = `unmapped_sku channel:${shop.id}/sku:${sku}`;
  await until(async () => (await evaluate()).has(key), 'the unmapped SKU');
  mailServer.isRefusing = true;
  await run();
  assert.equal(mailServer.mails.length, 0);
  assert.ok(service.log.some(({ msg }) => msg === 'alerts could not be mailed'));
  mailServer.isRefusing = false;
  await run();
  await run();
  assert.equal(mailServer.mails.length, 1);
  const [opened = ''] = mailServer.mails;
  for (const text of ['sluice@example.com', 'ops@example.com', 'low_stock', variant.code])
    assert.ok(opened.includes(text), text);
  assert.ok(opened.includes(`${variant.code}: 1 left, the threshold is 1`), opened);
  assert.ok(opened.includes('/docs/runbook#low_stock'), opened);
  assert.doesNotMatch(opened, /^Closed|\u2028/m, 'a channel cannot write lines of the mail');
  await make.setStock(variant, 50);
  await evaluate();
  await run();
  assert.equal(mailServer.mails.length, 2);
  assert.match(mailServer.mails[1] ?? '', /Closed:/);
  await mailServer.close();
});
