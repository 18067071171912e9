// Every statement of the channel API is restricted to the authenticated channel. The tests record the statements that
// the service sends for one channel, and run them again with and without the rows of another channel: the results must
// be equal. They also test this check: without any one of the conditions on the channel it must fail.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import pg from 'pg';
import { lockOrders, lockStock, readSigningSecrets } from '../src/core/gate/reads-store.ts';
import { appendJournal } from '../src/core/journal/store.ts';
import { connect } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

interface Sent {
  name: string;
  text: string;
  values: unknown[];
}
const sent: Sent[] = [];
let isListening = false;
const textOf = new Map<string, string>();
// oxlint-disable-next-line typescript/unbound-method
const { parse, bind } = pg.Connection.prototype;
pg.Connection.prototype.parse = function spy(query, more) {
  textOf.set(query.name, query.text);
  Reflect.apply(parse, this, [query, more]);
};
pg.Connection.prototype.bind = function spy(config, more) {
  const { statement: name, values = [] } = config ?? {};
  if (isListening && name) sent.push({ name, text: textOf.get(name) ?? '', values });
  Reflect.apply(bind, this, [config, more]);
};
after(() => {
  Object.assign(pg.Connection.prototype, { parse, bind });
});

const service = await startTestService();
const make = fixtures(service);
// Statements of background work would be recorded as statements of the channel API.
await service.service.services.orderIndexer.close();

const client = await connect(service.database.tamperUrl);
after(() => client.end());

/** Both channels map the same SKUs to different variants, have allocations of the same variants, and have orders. */
async function makeParties() {
  const [x, y, z] = [await make.variant(100), await make.variant(100), await make.variant(100)];
  const [one, other] = [await make.channel(), await make.channel()];
  for (const [sku, variant] of [
    ['S1', x],
    ['S2', y],
  ] as const)
    await make.map(one, variant, sku);
  for (const [sku, variant] of [
    ['S1', y],
    ['S2', x],
    ['S3', z],
  ] as const)
    await make.map(other, variant, sku);
  for (const channel of [one, other])
    for (const variant of [x, y]) await make.allocate(channel, variant, 5, 7);
  await make.allocate(other, z, 1, 1);
  await must(service.admin('POST', `/channels/${other.id}/signing-secrets`), 201);
  await must(service.admin('PUT', `/channels/${one.id}/signing`, { mode: 'accepted' }), 200);
  for (const { id } of [one, other])
    await must(service.admin('PUT', `/channels/${id}/limits`, { unpaid_quantity_max: 50 }), 200);
  for (const { call } of [one, other])
    await must(
      call('POST', '/orders', orderOf([{ sku: 'S2', quantity: 1, unit_price: 1 }], { status: 0 })),
      201,
    );
  const foreign = orderOf([{ sku: 'S3', quantity: 1, unit_price: 1 }]);
  await must(other.call('POST', '/orders', foreign), 201);
  return { one, other, foreign, x, z };
}

const { one, other, foreign, x, z } = await makeParties();

async function askEverything(): Promise<void> {
  const order = orderOf([{ sku: 'S1', quantity: 1, unit_price: 1 }]);
  const report = { status: 3, tracking_number: 't', courier_code: 'c' };
  const statuses: number[] = [];
  const ask = async (method: string, path: string, body?: object) =>
    statuses.push((await one.call(method, path, body)).status);
  isListening = true;
  await ask('GET', '/inventory');
  await ask('GET', '/inventory/S1');
  await ask('GET', '/inventory/S3');
  await ask('POST', '/orders', orderOf(order.items, { status: 0 }));
  await ask('POST', '/orders', order);
  await ask('POST', '/orders', order);
  await ask('GET', '/inventory'); // the quantities that the order changed
  isListening = false;
  await must(service.admin('PATCH', `/products/${x.product}`, { name: 'renamed' }), 200);
  isListening = true;
  await ask('GET', '/inventory'); // the rows of the renamed product
  await ask('POST', '/orders', orderOf([{ sku: 'S3', quantity: 1, unit_price: 1 }]));
  await ask('POST', '/orders', orderOf([{ sku: 'S2', quantity: 1, unit_price: 1 }], { is_backorder: true }));
  await ask(
    'POST',
    '/orders',
    orderOf([{ sku: 'S1', quantity: 1, unit_price: 1 }], { order_number: foreign.order_number }),
  );
  await ask('POST', `/orders/${foreign.order_number}/status`, report);
  await ask('POST', `/orders/${order.order_number}/status`, report);
  await ask('POST', `/orders/${unique('none')}/status`, report);
  await ask('GET', `/orders/${order.order_number}`);
  await ask('GET', `/orders/${foreign.order_number}`);
  isListening = false;
  assert.deepEqual(
    statuses,
    [200, 200, 404, 201, 201, 200, 200, 200, 422, 201, 500, 404, 200, 404, 200, 404],
  );
}
await askEverything();

/** Pages, changes and a bulk lookup, each while the other channel has matching data. */
async function askInParts(): Promise<void> {
  const ask = async (method: string, path: string, body?: object) => {
    isListening = true;
    const { status, json } = await one.call(method, path, body);
    isListening = false;
    assert.equal(status, 200);
    return json as { changes_since: string; is_complete: boolean; next_cursor: string };
  };
  const page = await ask('GET', '/inventory?limit=1');
  await ask('GET', `/inventory?limit=1&cursor=${page.next_cursor}`);
  await ask('POST', '/inventory/lookup', { skus: ['S1', 'S2', 'S3'] });
  for (const variant of [x, z]) await make.setStock(variant, 90);
  const { changes_since, is_complete } = await ask('GET', `/inventory?changes_since=${page.changes_since}`);
  assert.equal(is_complete, false);
  await make.map(other, x, 'S4');
  await appendJournal(client, { channel_ids: [other.id] });
  assert.equal((await ask('GET', `/inventory?changes_since=${changes_since}`)).is_complete, false);
}
await askInParts();

/** The statements that wait for held rows, with the values of those that skip held rows. */
async function askWaiting(): Promise<void> {
  const valuesOf = (name: string) => sent.filter((asked) => asked.name === name).map(({ values }) => values);
  const targetsOf = ([channel_ids, order_numbers, order_ids]: unknown[]) => ({
    channel_ids: channel_ids as number[],
    order_numbers: order_numbers as string[],
    order_ids: order_ids as number[],
  });
  await client.query('begin');
  isListening = true;
  for (const [channel_ids, order_numbers] of valuesOf('gate_lock_orders_by_number')) {
    await lockOrders(client, targetsOf([channel_ids, order_numbers, []]), 'wait');
    // Together with an order that the back office names.
    const named = targetsOf([channel_ids, order_numbers, [0]]);
    for (const locking of ['wait', { order_ids: [], variant_ids: [] }] as const)
      await lockOrders(client, named, locking);
  }
  const none = { channel_ids: [], order_numbers: [], order_ids: [] };
  const moving = valuesOf('gate_lock_stock_of_orders').map(targetsOf);
  for (const targets of moving) await lockStock(client, { channel_ids: [], skus: [] }, targets, 'wait');
  for (const [channel_ids, skus] of valuesOf('gate_lock_stock_of_skus')) {
    const pairs = { channel_ids: channel_ids as number[], skus: skus as string[] };
    await lockStock(client, pairs, none, 'wait');
    // Orders and reports in one batch.
    for (const targets of moving) {
      await lockStock(client, pairs, targets, 'wait');
      await lockStock(client, pairs, targets, { order_ids: [], variant_ids: [] });
    }
  }
  // Sent only for signed commands.
  await readSigningSecrets(client, [one.id]);
  isListening = false;
  await client.query('rollback');
}
await askWaiting();

/** Removes everything that belongs to the other channel, in a transaction that is rolled back. */
const TAKE_AWAY = [
  'delete from order_history where order_id in (select id from orders where channel_id = $1)',
  'delete from order_item where order_id in (select id from orders where channel_id = $1)',
  'delete from orders where channel_id = $1',
  'delete from allocation where channel_id = $1',
  'delete from mapping where channel_id = $1',
  'delete from signing_secret where channel_id = $1',
  'delete from change_journal where $1 = any(channel_ids)',
  `update channel set is_active = false, currency_code = 'XXX', name = 'gone' where id = $1`,
];

/** Order numbers are unique across all channels (contract 4.3.3), so an intake must see which channel has the number. */
const SEES_NUMBERS = 'gate_read_orders';
/**
 * Not restricted to a channel: authentication by key, the clock and new ids, and what the stock list cache follows for
 * all channels.
 */
const OF_NO_CHANNEL = [
  'channel_active',
  'channel_signing_secrets',
  'gate_clock_and_ids',
  'journal_moment',
  'journal_read',
];
/**
 * Rows by ids that come from a statement restricted to the channel or, for orders, from the back office or the expiry.
 */
const BY_ID = [
  'gate_wait_for_order',
  'gate_wait_for_stock_row',
  'gate_try_stock_row',
  'gate_find_stock',
  'gate_read_orders_by_id',
  'gate_read_first_names',
  'gate_hold_expiries',
];
/** The moment of the read: the only thing that differs between two results of the same statement. */
const isMoment = (key: string) => key === 'snapshot';

function comparable({ name, values }: Sent, found: Record<string, unknown>[]): string[] {
  const rows =
    name === SEES_NUMBERS
      ? found.filter(({ channel_id, order_number }) => {
          const asked = String(values[0]).includes(`"${String(order_number)}"`);
          return channel_id === one.id || !asked;
        })
      : found;
  return rows
    .map((row) => JSON.stringify(row, (key, value: unknown) => (isMoment(key) ? null : value)))
    .toSorted();
}

/** True if the result is the same with and without the rows of the other channel. */
async function isBlindTo(statement: Sent): Promise<boolean> {
  const { text, values } = statement;
  const read = async () =>
    comparable(statement, (await client.query({ text, values })).rows as Record<string, unknown>[]);
  await client.query('begin');
  try {
    // The marks of transactions belong to no channel.
    await client.query(`delete from change_journal where variant_ids = '{}' and channel_ids = '{}'`);
    const beside = await read();
    for (const step of TAKE_AWAY) await client.query(step, [other.id]);
    const alone = await read();
    return beside.join('\n') === alone.join('\n');
  } finally {
    await client.query('rollback');
  }
}

const reads = sent.filter(({ name, text }) => /^\s*select\b/i.test(text) && !OF_NO_CHANNEL.includes(name));

test('every statement of the lookups and the gate was recorded', () => {
  const declared = [
    'core/inventory/store',
    'core/journal/changes-store',
    'core/gate/reads-store',
    'features/order-reads/store',
  ].flatMap((file) => {
    const text = readFileSync(new URL(`../src/${file}.ts`, import.meta.url), 'utf8');
    return [...text.matchAll(/\bstatement\(\s*'(\w+)'/g)].map((match) => match[1] ?? '');
  });
  assert.ok(declared.length >= 12);
  const caught = new Set(sent.map(({ name }) => name));
  assert.deepEqual(
    declared.filter((name) => !caught.has(name) && !BY_ID.includes(name)),
    [],
  );
});

test('no statement of the channel API returns data of another channel', async () => {
  for (const statement of reads)
    assert.equal(
      await isBlindTo(statement),
      true,
      `${statement.name} returns rows of another channel:\n${statement.text}`,
    );
});

/** A condition on a channel: its own id, a pair from the parameters, or the row that it is joined to. */
const CONDITION =
  /\b\w+\.channel_id(?: \+ 0)? = (?:\w+\.channel_id|any\(\$\d+::int\[\]\)|\$\d+)|\b\w+\.id = \w+\.channel_id|\$\d+ = any\(\w+\.channel_ids\)/g;

test('without any one of the conditions on the channel, the check fails', async () => {
  const texts = new Map(reads.map((statement) => [statement.text, statement.name]));
  let conditions = 0;
  for (const [text, name] of texts) {
    for (const { 0: condition, index } of text.matchAll(CONDITION)) {
      conditions += 1;
      const without = `${text.slice(0, index)}(${condition} or true)${text.slice(index + condition.length)}`;
      let isNoticed = false;
      for (const statement of reads.filter((read) => read.text === text))
        isNoticed ||= !(await isBlindTo({ ...statement, text: without }));
      assert.ok(isNoticed, `${name} without "${condition}" is not noticed`);
    }
  }
  assert.ok(conditions >= 18, `only ${conditions} conditions were found`);
});

test('every statement that reads data of a channel has a condition on the channel', () => {
  const bare = reads.filter(
    ({ name, text }) =>
      /\b(?:mapping|orders|allocation|order_item|order_history|asked_in_vain|refusal_count|skus)\b/.test(
        text,
      ) &&
      name !== SEES_NUMBERS &&
      text.match(CONDITION) === null,
  );
  assert.deepEqual(
    bare.map(({ name }) => name),
    [],
  );
});
