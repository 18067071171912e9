// The clock of the service is 100 days ahead of the database's, or behind it. Every time that is stored, and every end of
// something that is valid for a time, is the database's. adverse-clock.test.ts sets the clock while the service works.
import { realNow, setClock, shiftClock } from './kit/shifted-date.ts';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { join } from 'node:path';
import { evaluateAlerts } from '../src/features/alerts/job.ts';
import { alertsWith } from '../src/features/alerts/kinds.ts';
import { hashKey } from '../src/platform/secrets/keys.ts';
import { readBackup } from '../src/features/backup/backup-store.ts';
import { sweepSessions } from '../src/platform/accounts/sessions-store.ts';
import { trimObservations } from '../src/features/observations/store.ts';
import { readWebhookSecrets } from '../src/features/webhooks/store.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { startTestService, TEST_SECRET } from '../verify/kit/service.ts';
import { ROOT, sluice } from './cli-run.ts';
import { signedIn } from './kit/visitor.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SHIFTS = { ahead: 100 * DAY_MS, behind: -100 * DAY_MS };
const PRELOAD = new URL('kit/shifted-clock.mjs', import.meta.url).href;

const ALERTS = alertsWith([]);
const service = await startTestService();
const other = await startTestService({ database: service.database });
const { database } = service;
const admin: typeof service.admin = (...given) => service.admin(...given);
const { pool, directory, keyUses } = service.service.services;
const make = fixtures(service);
const receiver = await startReceiver();
after(() => receiver.close());

/** Tables and rows of the whole database that contain a day of the service's clock, also in text and JSON. */
async function rowsOfTheDay(shift_ms: number): Promise<string[]> {
  const days = [-1, 0, 1].map((more) =>
    new Date(realNow() + shift_ms + more * DAY_MS).toISOString().slice(0, 10),
  );
  const tables = await database.tamper(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables.rows as { name: string }[]) {
    const { rows } = await database.tamper(
      `select t::text as row from ${name} t where t::text like any($1)`,
      [days.map((day) => `%${day}%`)],
    );
    found.push(...rows.map(({ row }: { row: string }) => `${name}: ${row}`));
  }
  return found;
}

/** The alerts of a channel that are open after an evaluation. */
async function alertsOf(channel: { id: number }, at = service): Promise<any[]> {
  await evaluateAlerts(at.service.services, ALERTS, ALERTS.kinds);
  const open = (await admin('GET', '/alerts?state=open&limit=500')).json.data as any[];
  return open.filter(({ details }) => details.channel_id === channel.id);
}

for (const [name, shift_ms] of Object.entries(SHIFTS)) {
  test(`the service's clock is ${name}: no row in the database carries it, whatever was done`, async (t) => {
    const { channel, variant, sku } = await make.setting(100, { prepayment_expiry_minutes: 60 });
    shiftClock(t, shift_ms);
    const { visitor } = await signedIn(service, 'admin');
    const hook = { url: receiver.url, events: ['order.accepted', 'alert.opened', 'alert.closed'] };
    const { id: hookId } = await must(admin('POST', '/webhooks', hook), 201);
    const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
    await must(channel.call('POST', '/orders', order), 201);
    const path = `/orders/${order.order_number}/status`;
    assert.equal((await channel.call('POST', path, { status: 88 })).status, 200);
    await channel.call('POST', path, { status: 1 });
    const refused = orderOf([{ sku: 'nowhere', quantity: 1, unit_price: 1 }]);
    assert.equal((await channel.call('POST', '/orders', refused)).status, 422);
    assert.equal((await channel.call('GET', '/inventory/nowhere')).status, 404);
    await visitor.call('PUT', `/stock/${variant.code}`, { quantity: 90 });
    await must(admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 95 }), 200);
    await must(admin('POST', `/channels/${channel.id}/rotate-key`, { overlap_seconds: 3_600 }), 200);
    await must(admin('POST', `/channels/${channel.id}/signing-secrets`), 201);
    await must(admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.5' }), 201);
    await must(admin('POST', '/tokens', { name: unique('t'), role: 'viewer', expires_in_days: 1 }), 201);
    await must(admin('GET', '/reconcile'), 200);
    const cli = await sluice(
      ['token', 'create', '--name', unique('t'), '--role', 'viewer', '--expires-in-days', '1'],
      {
        command: [process.execPath, '--import', PRELOAD, join(ROOT, 'src', 'start', 'cli.ts')],
        env: { DATABASE_URL: database.url, SLUICE_SECRET: TEST_SECRET, SHIFTED_CLOCK_MS: String(shift_ms) },
      },
    );
    assert.equal(cli.code, 0, cli.stderr);
    for (const job of ['expire-orders', 'alerts']) await service.service.jobs.runNow(job);
    await service.service.flush();
    await keyUses.record();
    const filled = ['asked_in_vain', 'refused_order', 'refusal_count', 'late_report', 'channel_request'];
    for (const table of filled) {
      const { rowCount } = await pool.query(`select from ${table} where channel_id = $1`, [channel.id]);
      assert.ok((rowCount ?? 0) > 0, table);
    }
    assert.deepEqual(await rowsOfTheDay(shift_ms), []);
    const { now, reconcile } = await must(admin('GET', '/overview'), 200);
    for (const shown of [now, reconcile.checked_at])
      assert.ok(Math.abs(Date.parse(shown) - realNow()) < DAY_MS / 2, shown);
    await must(admin('DELETE', `/webhooks/${hookId}`), 204);
  });

  test(`the service's clock is ${name} while requests are noted, or while they are written: they have the database's time`, async (t) => {
    const channel = await make.channel();
    for (const [seen_ms, written_ms] of [
      [shift_ms, 0],
      [0, shift_ms],
    ]) {
      shiftClock(t, seen_ms ?? 0);
      const refused = orderOf([{ sku: unique('nowhere'), quantity: 1, unit_price: 1 }]);
      assert.equal((await channel.call('POST', '/orders', refused)).status, 422);
      setClock(written_ms ?? 0);
      await service.service.flush();
    }
    // Nothing is too old for a list, or newer than now.
    await trimObservations(pool);
    const { rows } = await pool.query(
      `select count(*)::int as n, bool_and(at between now() - interval '10 minutes' and now()) as is_right from (
         select at from channel_request where channel_id = $1
         union all select unnest(array[first_at, last_at]) from asked_in_vain where channel_id = $1
         union all select unnest(array[first_at, last_at]) from refused_order where channel_id = $1
       ) seen`,
      [channel.id],
    );
    assert.deepEqual(rows, [{ n: 10, is_right: true }]);
    const { rows: counted } = await pool.query(
      `select sum(count)::int as n from refusal_count where channel_id = $1
         and hour = any (array[date_trunc('hour', now()), date_trunc('hour', now() - interval '10 minutes')])`,
      [channel.id],
    );
    assert.deepEqual(counted, [{ n: 2 }]);
  });

  test(`the service's clock is ${name}: a session lives for 30 minutes without a request, and for 12 hours`, async (t) => {
    const { visitor } = await signedIn(service, 'viewer');
    const { visitor: left } = await signedIn(service, 'viewer');
    shiftClock(t, shift_ms);
    const hash = (of: typeof visitor): Buffer => hashKey(of.cookie?.split('=')[1] ?? '');
    const age = (of: typeof visitor, column: string, interval: string) =>
      pool.query(`update account_session set ${column} = now() - $2::interval where id_hash = $1`, [
        hash(of),
        interval,
      ]);
    const session = (of: typeof visitor) => of.call('GET', '/session');
    for (const [column, before, past] of [
      ['last_seen_at', '29 minutes', '31 minutes'],
      ['created_at', '11 hours', '13 hours'],
    ] as const) {
      await age(visitor, 'last_seen_at', '0 s');
      await age(visitor, column, before);
      const answer = await session(visitor);
      assert.equal(answer.status, 200, `${column} ${before} ago`);
      const hours = (Date.parse(answer.json.data.expires_at) - realNow()) / 3_600_000;
      assert.ok(hours > 0 && hours <= 12, answer.json.data.expires_at);
      await age(left, column, past);
      assert.equal((await session(left)).status, 401, `${column} ${past} ago`);
      await age(left, column, '0 s');
    }
    await age(left, 'last_seen_at', '31 minutes');
    await sweepSessions(pool);
    const kept = await pool.query('select id_hash from account_session where id_hash = any($1)', [
      [hash(visitor), hash(left)],
    ]);
    assert.deepEqual(kept.rows, [{ id_hash: hash(visitor) }], 'the cleaning deletes the expired one');
  });

  test(`the service's clock is ${name}: unpaid orders expire when the database says so`, async (t) => {
    const { channel, sku } = await make.setting(100, { prepayment_expiry_minutes: 60 });
    shiftClock(t, shift_ms);
    const unpaid = async (): Promise<string> => {
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 0 });
      await must(channel.call('POST', '/orders', order), 201);
      return order.order_number;
    };
    const [young, old] = [await unpaid(), await unpaid()];
    const createdAgo = (number: string, minutes: number) =>
      database.tamper(
        'update orders set created_at = now() - make_interval(mins => $2) where order_number = $1',
        [number, minutes],
      );
    await createdAgo(young, 55);
    await createdAgo(old, 61);
    await service.service.jobs.runNow('expire-orders');
    const { rows } = await pool.query('select status from orders where order_number = any($1) order by id', [
      [young, old],
    ]);
    assert.deepEqual(rows, [{ status: 0 }, { status: 88 }]);
    // The gate decides again, whoever finds the order.
    const { gate } = service.service.services;
    const { rows: left } = await pool.query('select id from orders where order_number = $1', [young]);
    const outcome = await gate.submit({
      kind: 'report',
      target: { order_id: left[0].id },
      status: 88,
      expires: true,
      tracking_number: null,
      courier_code: null,
      reason: 'expired',
      source: 'service',
      actor: 'service',
      request_id: null,
    });
    assert.deepEqual([outcome.kind, 'changed' in outcome && outcome.changed], ['reported', false]);
  });

  test(`the service's clock is ${name}: alerts judge ages by the database's clock, and have its times`, async (t) => {
    const { channel, sku } = await make.setting(100);
    shiftClock(t, shift_ms);
    const unpaid = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 0 });
    await must(channel.call('POST', '/orders', unpaid), 201);
    await channel.call('GET', '/inventory/nowhere');
    await keyUses.record();
    await service.service.flush();
    const age = (hours: number) =>
      database.tamper(
        `with o as (update orders set created_at = now() - make_interval(hours => $2) where channel_id = $1),
           a as (update asked_in_vain set last_at = now() - make_interval(hours => $2 - 48) where channel_id = $1)
         update channel set key_last_used_at = now() - make_interval(hours => $2 - 48) where id = $1`,
        [channel.id, hours],
      );
    const kinds = async () => (await alertsOf(channel)).map(({ kind }) => kind as string).toSorted();
    await age(71);
    assert.deepEqual(await kinds(), ['unmapped_sku']);
    await age(73);
    const open = await alertsOf(channel);
    assert.deepEqual(open.map(({ kind }) => kind as string).toSorted(), ['channel_silent', 'prepayment_old']);
    for (const { opened_at } of open)
      assert.ok(Math.abs(Date.parse(opened_at) - realNow()) < DAY_MS / 2, opened_at);
  });

  test(`one process has a clock that is ${name}: an alert of drift closes with a later run in another process`, async (t) => {
    const { variant } = await make.setting(10);
    const drift = (delta: number) =>
      database.tamper(
        'update stock set quantity = quantity + $2 where variant_id = (select id from variant where code = $1)',
        [variant.code, delta],
      );
    const kinds = ALERTS.kinds.filter(({ name: kind }) => kind === 'drift');
    const isOpen = async (at: typeof service): Promise<boolean> => {
      await evaluateAlerts(at.service.services, ALERTS, kinds);
      return (await admin('GET', '/alerts?state=open&kind=drift')).json.data.length > 0;
    };
    await drift(1);
    for (const [found_ms, gone_ms] of [
      [shift_ms, 0],
      [0, shift_ms],
    ]) {
      shiftClock(t, found_ms ?? 0);
      await must(service.admin('GET', '/reconcile'), 200);
      assert.equal(await isOpen(service), true);
      await drift(-1);
      setClock(gone_ms ?? 0);
      await must(other.admin('GET', '/reconcile'), 200);
      assert.equal(await isOpen(other), false);
      assert.equal(await isOpen(service), false, 'the earlier run does not open it again');
      await drift(1);
    }
    await drift(-1);
  });

  test(`the service's clock is ${name}: the previous key and a trace end by the database's clock`, async (t) => {
    const channel = await make.channel();
    shiftClock(t, shift_ms);
    const { api_key } = await must(
      admin('POST', `/channels/${channel.id}/rotate-key`, { overlap_seconds: 3_600 }),
      200,
    );
    const trace_until = new Date(realNow() + 3_600_000).toISOString();
    await must(admin('PATCH', `/channels/${channel.id}`, { trace_until }), 200);
    const path = `/channels/${channel.id}`;
    const state = async () => {
      const shown = await must(admin('GET', path), 200);
      const request = async (key: string) => (await service.channel(key)('GET', '/inventory')).status;
      const traced = (await directory.find(api_key))?.is_traced;
      return [
        await request(channel.api_key),
        await request(api_key),
        traced,
        shown.previous_key_valid_until !== null,
        shown.trace_until !== null,
      ];
    };
    assert.deepEqual(await state(), [200, 200, true, true, true]);
    await pool.query(
      `update channel set previous_key_valid_until = now(), trace_until = now() where id = $1`,
      [channel.id],
    );
    directory.invalidate();
    assert.deepEqual(await state(), [401, 200, false, false, false]);
  });

  test(`the service's clock is ${name}: the previous secret of a webhook signs until the database's end of its time`, async (t) => {
    const made = await must(
      admin('POST', '/webhooks', { url: receiver.url, events: ['order.accepted'] }),
      201,
    );
    shiftClock(t, shift_ms);
    const path = `/webhooks/${made.id}`;
    await must(admin('POST', `${path}/rotate-secret`, { overlap_hours: 1 }), 200);
    const { previous_secret_expires_at } = await must(admin('GET', path), 200);
    const hours = (Date.parse(previous_secret_expires_at) - realNow()) / 3_600_000;
    assert.ok(hours > 0 && hours <= 1, previous_secret_expires_at);
    assert.equal((await readWebhookSecrets(pool, made.id)).length, 2);
    await pool.query(
      'update webhook_secret set expires_at = now() where webhook_id = $1 and expires_at is not null',
      [made.id],
    );
    assert.equal((await must(admin('GET', path), 200)).previous_secret_expires_at, null);
    assert.equal((await readWebhookSecrets(pool, made.id)).length, 1);
    await must(admin('DELETE', path), 204);
  });

  test(`the service's clock is ${name}: a backup has the database's time`, async (t) => {
    shiftClock(t, shift_ms);
    for await (const line of readBackup(database.ownerUrl, () => {})) {
      const { made_at } = JSON.parse(String(line));
      assert.ok(Math.abs(Date.parse(made_at) - realNow()) < DAY_MS / 2, made_at);
      break;
    }
  });
}
