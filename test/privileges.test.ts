// The service's database role owns nothing: history cannot be changed through the service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { connect } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { database } = service;

let client: pg.Client;
before(async () => {
  client = await connect(database.url);
});
after(() => client.end());

const LEDGERS = ['audit', 'order_history', 'stock_movement', 'allocation_movement'];
const WRITTEN_ONCE = [...LEDGERS, 'product_version'];

/** Refused for missing privileges: a trigger, the second guard, would raise another error. */
const refused = (sql: string): Promise<void> =>
  assert.rejects(client.query(sql), (error: pg.DatabaseError) => {
    assert.equal(error.code, '42501', `${sql}: ${error.message}`);
    assert.doesNotMatch(error.message, /written once/, sql);
    return true;
  });

test('every append-only table has rows to tamper with', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 2);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  for (const table of WRITTEN_ONCE) {
    assert.ok(((await client.query(`select from ${table}`)).rowCount ?? 0) > 0, table);
  }
});

for (const table of WRITTEN_ONCE) {
  test(`${table}: the service role can insert, but not update, delete, truncate or bypass the protection`, async () => {
    await refused(`update ${table} set at = now()`);
    await refused(`delete from ${table}`);
    await refused(`delete from ${table} where false`);
    await refused(`truncate ${table}`);
    await refused(`select from ${table} for update`);
    await refused(`begin; lock table ${table} in exclusive mode`);
    await client.query('rollback');
    await refused(`alter table ${table} disable trigger all`);
    await refused(`alter table ${table} add column extra int`);
    await refused(`drop trigger written_once on ${table}`);
    await refused(`create rule gone as on insert to ${table} do instead nothing`);
    await refused(`create trigger mine before insert on ${table} execute function refuse_change()`);
    await refused(`drop table ${table}`);
    await client.query(`grant update on ${table} to sluice`); // only a warning: no privileges were granted
    await refused(`update ${table} set at = now()`);
  });
}

test('the database sets the id and the time of a ledger row: the service role can insert only the other columns', async () => {
  for (const table of LEDGERS) {
    const { rows } = await client.query<{ name: string; may_insert: boolean }>(
      `select attname as name, has_column_privilege('sluice', attrelid, attname, 'insert') as may_insert
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    );
    const refusedColumns = rows.filter((row) => !row.may_insert).map((row) => row.name);
    const generated = rows.map((row) => row.name).filter((name) => ['id', 'at', 'xid'].includes(name));
    assert.deepEqual(refusedColumns, generated, `columns of ${table} in src/platform/database/privileges.ts`);
  }
  await refused(`insert into product_version (id, product_id, code, name) values (0, 1, 'x', 'x')`);
  const entry = `'x', 'x', 'x'`;
  await refused(`insert into audit (actor, action, subject, at) values (${entry}, '2001-01-01')`);
  await refused(`insert into audit overriding system value values (1, '2001-01-01', ${entry})`);
  await refused(
    `insert into audit (id, actor, action, subject) overriding system value values (1, ${entry})`,
  );
});

test('the service role cannot change the number, channel, amounts or time of an order, and cannot delete orders', async () => {
  for (const column of ['id', 'channel_id', 'order_number', 'is_backorder', 'total_amount', 'created_at']) {
    await refused(`update orders set ${column} = ${column}`);
  }
  for (const column of ['quantity', 'variant_id', 'unit_price', 'from_allocation']) {
    await refused(`update order_item set ${column} = ${column}`);
  }
  for (const table of ['orders', 'order_item', 'stock', 'allocation', 'channel', 'product', 'account']) {
    await refused(`delete from ${table}`);
    await refused(`truncate ${table}`);
  }
});

test('the service role cannot create objects, take another role or read outside its database', async () => {
  await refused('create table mine (id int)');
  await refused('create temporary table mine (id int)');
  await refused('create schema mine');
  await refused('create function mine() returns int language sql as $$ select 1 $$');
  await refused('create role mine');
  await refused('create database mine');
  await refused('create extension pgcrypto');
  await refused('set role sluice_owner');
  await refused('set session authorization postgres');
  await refused('set session_replication_role = replica');
  await refused('alter role sluice superuser');
  await refused('drop function refuse_change()');
  await refused('select rolpassword from pg_authid');
  await refused(`select pg_read_file('postgresql.conf')`);
  await refused(`copy (select 1) to program 'true'`);
  await refused(`insert into schema_migration (version, name, checksum) values (9999, 'x', 'x')`);
  await refused(`alter database ${new URL(database.url).pathname.slice(1)} set search_path to pg_temp`);
  for (const name of ['postgres', 'template1']) {
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    const elsewhere = new pg.Client({ connectionString: url.href });
    await assert.rejects(elsewhere.connect(), { code: '42501' });
  }
});

test('the service role can read every table, also new ones, and owns none', async () => {
  const { rows } = await client.query<{ relname: string }>(
    `select c.relname from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
       and not has_table_privilege('sluice', c.oid, 'select')`,
  );
  assert.deepEqual(rows, [], 'add them to src/platform/database/privileges.ts');
  const owned = await client.query(`select relname from pg_class where relowner = 'sluice'::regrole`);
  assert.deepEqual(owned.rows, []);
});

test('triggers protect append-only tables even from their owner', async () => {
  const owner = await connect(database.adminUrl);
  try {
    for (const table of WRITTEN_ONCE) {
      for (const sql of [`update ${table} set at = now()`, `delete from ${table}`, `truncate ${table}`]) {
        await assert.rejects(owner.query(sql), /written once|referenced in a foreign key/, sql);
      }
    }
  } finally {
    await owner.end();
  }
});
