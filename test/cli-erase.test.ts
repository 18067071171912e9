// sluice erase removes the personal data of final orders and keeps everything else, here on orders of a running service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lines, sluice } from './cli-run.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { desk } from './kit/desk.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { audits } = desk(service);
const { database } = service;

const erase = (...args: string[]) => sluice(['erase', ...args], { env: { DATABASE_URL: database.url } });
const stored = async (number: string) =>
  (await database.tamper('select * from orders where order_number = $1', [number])).rows[0];

const SHIP = { status: 3, tracking_number: 'TRACK-1' };
const CANCEL = { status: 88, reason: 'Canaryname moved to another Canarystreet' };

/** Returns the order number; `reports` are sent one after the other. */
async function place(channel: TestChannel, sku: string, ...reports: object[]): Promise<string> {
  const order = orderOf([{ sku, quantity: 2, unit_price: 10.5 }]);
  await must(channel.call('POST', '/orders', order), 201);
  for (const report of reports) {
    await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
  }
  return order.order_number;
}

/** Moves the orders and their history into the past by `days` days. */
async function age(numbers: readonly string[], days: number): Promise<void> {
  const which = 'select id from orders where order_number = any($1)';
  const earlier = 'make_interval(days => $2)';
  await database.tamper(`update order_history set at = at - ${earlier} where order_id in (${which})`, [
    numbers,
    days,
  ]);
  await database.tamper(`update orders set created_at = created_at - ${earlier} where id in (${which})`, [
    numbers,
    days,
  ]);
}

test('old final orders lose personal data and keep their numbers; open and recent orders are not changed', async () => {
  const { channel, sku } = await make.setting(100);
  const shipped = await place(channel, sku, { status: 2 }, SHIP);
  const cancelled = await place(channel, sku, CANCEL);
  const open = await place(channel, sku);
  const young = await place(channel, sku, CANCEL);
  await age([shipped, cancelled, open], 400);
  const late = await place(channel, sku);
  await age([late], 400);
  await must(channel.call('POST', `/orders/${late}/status`, CANCEL), 200); // accepted long ago, final only now
  const before = new Map<string, Record<string, unknown>>();
  for (const number of [shipped, cancelled, open, young, late]) before.set(number, await stored(number));

  const dry = await erase('--older-than', '365', '--dry-run');
  assert.deepEqual(
    [dry.code, dry.stdout],
    [0, 'The personal data of 2 orders would be erased.\n'],
    dry.stderr,
  );
  assert.deepEqual(await stored(shipped), before.get(shipped));

  const done = await erase('--older-than', '365', '--json');
  assert.deepEqual(done.json(), { erased: 2, dry_run: false });
  for (const number of [open, young, late]) assert.deepEqual(await stored(number), before.get(number));
  for (const number of [shipped, cancelled]) {
    const { erased_at, ...rest } = await stored(number);
    assert.ok(erased_at instanceof Date);
    const gone = { recipient_name: 'erased', recipient_phone: 'erased', shipping_address: 'erased' };
    const kept = { ...before.get(number), ...gone, tracking_number: null, cancel_reason: null };
    assert.deepEqual({ ...rest, erased_at: null }, kept);
    const rows = await database.tamper('select o::text as line from orders o where order_number = $1', [
      number,
    ]);
    assert.doesNotMatch(rows.rows[0].line, /canary/i);
  }
  assert.deepEqual((await erase('--older-than', '365', '--json')).json(), { erased: 0, dry_run: false });
});

test('after erasure, resends and reports still find the order, and it shows that it was erased', async () => {
  const { channel, sku, variant } = await make.setting(10);
  const number = await place(channel, sku, { status: 2 }, SHIP);
  const other = orderOf([{ sku, quantity: 2, unit_price: 10.5 }], { order_number: number });
  const first = await must(channel.call('POST', '/orders', other), 200);
  assert.equal(first.recipient_name, PERSON.recipient_name);
  await must(service.admin('POST', `/orders/${first.id}/notes`, { text: PERSON.recipient_name }), 201);
  assert.match((await erase('--order', number)).stdout, /was erased\.\n$/);
  assert.match((await erase('--order', number)).stdout, /had already been erased\.\n$/);

  const again = await must(channel.call('POST', '/orders', other), 200);
  assert.deepEqual(again, { ...first, recipient_name: 'erased' });
  const reported = await must(channel.call('POST', `/orders/${number}/status`, SHIP), 200);
  assert.equal(reported.recipient_name, 'erased');
  assert.equal(
    (await channel.call('POST', `/orders/${number}/status`, CANCEL)).json.code,
    'invalid_transition',
  );
  assert.equal((await stored(number)).tracking_number, null, 'a repeated report restores nothing');
  assert.equal((await make.stock(variant)).quantity, 8);

  const shown = await must(service.admin('GET', `/orders/${first.id}`), 200);
  assert.equal(shown.recipient_name, 'erased');
  assert.match(shown.erased_at, /^\d{4}-\d\d-\d\dT[\d:]+\+09:00$/);
  assert.equal(shown.history.length, 3);
  assert.deepEqual(
    shown.notes.map((note: { text: string }) => note.text),
    ['erased'],
  );
  const noted = await service.admin('POST', `/orders/${first.id}/notes`, { text: PERSON.recipient_name });
  assert.deepEqual([noted.status, noted.json.code], [409, 'order_erased']);
  const [note, entry, ...more] = await audits(`order:${first.id}`);
  assert.equal(note?.action, 'order.note');
  assert.equal(more.length, 0);
  assert.equal(entry?.action, 'order.erase');
  assert.doesNotMatch(JSON.stringify(entry), /canary|TRACK/i);
});

test('a note that is added while old orders are erased is erased too', async () => {
  const { channel, sku } = await make.setting(10);
  const number = await place(channel, sku, CANCEL);
  await age([number], 400);
  const { id } = await stored(number);
  // As an operator's request does: it holds the order, and has not committed.
  const noting = await openTransaction(
    database.url,
    `select from orders where id = ${id} for key share`,
    `insert into order_note (order_id, text, actor) values (${id}, '${PERSON.recipient_name}', 'test')`,
  );
  const erasing = erase('--older-than', '365', '--json');
  await untilWaiting(database.url, 1);
  await noting.end('commit');
  assert.equal((await erasing).json().erased, 1);
  const notes = await database.tamper('select text from order_note where order_id = $1', [id]);
  assert.deepEqual(notes.rows, [{ text: 'erased' }]);
});

test('more orders than one batch: all orders of the given channel are erased, with one audit entry per batch', async () => {
  const { channel, sku } = await make.setting(10);
  const other = await make.channel();
  const otherSku = await make.map(other, await make.variant(10));
  const kept = await place(other, otherSku, CANCEL);
  await age([kept], 100);
  const number = await place(channel, sku, CANCEL);
  await age([number], 100);
  const { id } = await stored(number);
  const copies = `insert into orders select n, channel_id, order_number || n, status, is_backorder, recipient_name,
      recipient_phone, shipping_address, tracking_number, courier_code, courier_name, cancel_reason, local_currency_code,
      local_total_amount, total_amount, exchange_rate, created_at
    from orders, generate_series(nextval('order_id_seq'), nextval('order_id_seq') + 2499) n where id = $1`;
  await database.tamper(copies, [id]);
  await database.tamper(
    `insert into order_item select o.id, i.line, i.variant_id, i.sku, i.quantity, i.cancelled_quantity, i.from_allocation,
       i.local_unit_price, i.unit_price from order_item i, orders o where i.order_id = $1 and o.channel_id = $2 and o.id <> $1`,
    [id, channel.id],
  );
  await database.tamper(
    `insert into order_history select o.id, h.from_status, h.to_status, h.source, h.at
     from order_history h, orders o where h.order_id = $1 and o.channel_id = $2 and o.id <> $1`,
    [id, channel.id],
  );
  await database.tamper(`select setval('order_id_seq', (select max(id) from orders))`);
  const total = Number(
    (await database.tamper('select count(*) as n from orders where channel_id = $1', [channel.id])).rows[0].n,
  );
  assert.ok(total > 2_000);
  const all = ['--older-than', '90', '--channel', String(channel.id), '--json'];
  await database.tamper(
    `alter table orders add constraint broken check (erased_at is null or id < ${Number(id) + 1_500}) not valid`,
  );
  const stopped = await erase(...all);
  assert.equal(stopped.code, 1);
  assert.match(stopped.stderr, /^sluice: stopped after the personal data of 1,000 orders; the same command/);
  await database.tamper('alter table orders drop constraint broken');
  const done = await erase(...all);
  assert.deepEqual(done.json(), { erased: total - 1_000, dry_run: false }, done.stderr);
  const entries = (await audits('orders')).filter(
    ({ after }) => (after as { channel_id: number }).channel_id === channel.id,
  );
  assert.equal(entries.length, Math.ceil(total / 1_000));
  const counted = entries.reduce((sum, { after }) => sum + (after as { orders: number }).orders, 0);
  assert.equal(counted, total);
  assert.equal((await stored(kept)).erased_at, null);
});

test('an order that cannot be erased, and wrong arguments: one clear line each', async () => {
  const { channel, sku } = await make.setting(10);
  const open = await place(channel, sku);
  const refusals: [string[], number, RegExp][] = [
    [['--order', open], 1, /has status 1: only shipped and cancelled orders/],
    [['--order', 'NO-SUCH'], 1, /there is no order NO-SUCH/],
    [[], 2, /One of --older-than DAYS and --order NUMBER is required/],
    [['--order', open, '--older-than', '9'], 2, /One of --older-than/],
    [['--order', open, '--channel', '1'], 2, /--channel can only be used with --older-than/],
    [['--older-than', '0'], 2, /from 1 to 36500, not "0"/],
    [['--older-than', '1e3'], 2, /not "1e3"/],
    [['--older-than', '9', '--channel', 'x'], 2, /--channel must be a channel id/],
  ];
  for (const [args, code, text] of refusals) {
    const result = await erase(...args);
    assert.equal(result.code, code, args.join(' '));
    assert.match(result.stderr, text);
    assert.equal(lines(result.stderr).length, 1);
  }
  assert.equal((await stored(open)).erased_at, null);
});
