// The locks of a batch while another transaction changes the same rows: a row that the batch had to wait for is locked
// and read like the others. The catalogue is large enough for the query plans of production.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lockOrders, lockStock } from '../src/core/gate/reads-store.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { until } from '../verify/kit/until.ts';

const database = await createDatabase();
const [gate, other] = [await connect(database.url), await connect(database.url)];
after(async () => {
  await Promise.all([gate.end(), other.end()]);
  await database.drop();
});

const ROWS = 3_000;
await other.query(`
  insert into channel (name, currency_code, key_hash, key_sealed) values ('one', 'KRW', 'hash', 'sealed');
  insert into product (code, name) values ('P', 'P');
  insert into variant (product_id, code) select 1, 'V' || g from generate_series(1, ${ROWS}) g;
  insert into stock (variant_id, quantity) select id, 10 from variant;
  insert into mapping select 1, 'S' || id, id from variant;
  insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
    shipping_address, local_currency_code, local_total_amount, total_amount, exchange_rate)
  select g, 1, 'N' || g, 1, false, 'Kim', '010', 'Seoul', 'KRW', 1, 1, 1 from generate_series(1, ${ROWS}) g;
  insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price)
  select g, 0, g, 'S' || g, 1, 0, 1, 1 from generate_series(1, ${ROWS}) g;`);
await other.query('analyze');

/** Another transaction changes the rows, and commits only when the gate already waits for them. */
async function lockedMeanwhile<T>(
  change: string,
  ids: readonly number[],
  lock: () => Promise<T>,
): Promise<T> {
  const { rows } = await gate.query<{ pid: number }>('select pg_backend_pid() as pid');
  await other.query('begin');
  await other.query(change, [ids]);
  await gate.query('begin');
  const locked = lock();
  const waits = 'select from pg_stat_activity where pid = $1 and wait_event_type = $2';
  await until(
    async () => (await other.query(waits, [rows[0]?.pid, 'Lock'])).rowCount === 1,
    'the gate waits for a lock',
  );
  await other.query('commit');
  const result = await locked;
  await gate.query('rollback');
  return result;
}

const NO_TARGETS = { channel_ids: [], order_numbers: [], order_ids: [] };
const SUBSETS = [[11], [12], [13], [11, 12], [12, 13], [11, 12, 13]];

/** PostgreSQL makes five custom plans for a prepared statement before a generic one: both kinds of plan are tested. */
const TIMES = 2;

test('stock rows that another transaction changes meanwhile are locked and read, named by SKU, order number or id', async () => {
  const pairs = { channel_ids: [1], skus: ['S11'] };
  const targets = { channel_ids: [1], order_numbers: ['N12'], order_ids: [13] };
  for (const changed of Array.from({ length: TIMES }, () => SUBSETS).flat()) {
    const change = 'update stock set unshipped = 1 - unshipped where variant_id = any($1)';
    const locked = await lockedMeanwhile(change, changed, () => lockStock(gate, pairs, targets, 'wait'));
    assert.deepEqual(
      locked.map((row) => row.variant_id),
      [11, 12, 13],
      `changed meanwhile: ${changed.join(', ')}`,
    );
    const { rows } = await other.query(
      'select variant_id, quantity, unshipped, allocated, backordered from stock where variant_id = any($1) order by 1',
      [[11, 12, 13]],
    );
    assert.deepEqual(locked, rows);
  }
});

test('orders that another transaction changes meanwhile are locked, named by number or by id', async () => {
  const targets = { ...NO_TARGETS, channel_ids: [1, 1], order_numbers: ['N12', 'N11'], order_ids: [13] };
  for (const changed of Array.from({ length: TIMES }, () => SUBSETS).flat()) {
    const change = 'update orders set status = 3 - status where id = any($1)';
    const locked = await lockedMeanwhile(change, changed, () => lockOrders(gate, targets, 'wait'));
    assert.deepEqual(locked, [11, 12, 13], `changed meanwhile: ${changed.join(', ')}`);
  }
});
