// Upgrades under load: two versions of the service on one database at the same time.
import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { migrate } from '../src/platform/database/migrations.ts';
import { connect, query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';
import { startOwnServer } from '../verify/kit/server.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const OURS = new URL('../migrations/', import.meta.url);
const service = await startTestService();
const make = fixtures(service);
const directory = await temporaryDirectory();
after(() => directory.remove());

async function copyMigrations(target: URL, last = '9999'): Promise<string[]> {
  const names = (await readdir(OURS)).filter((name) => name.endsWith('.sql') && name < last);
  for (const name of names) await copyFile(new URL(name, OURS), new URL(name, target));
  return names;
}

/** The migrations of this version and one more. */
async function laterVersion(step: string): Promise<URL> {
  const target = pathToFileURL(`${directory.path}/`);
  const names = await copyMigrations(target);
  const last = Math.max(...names.map((name) => Number(name.slice(0, 4))));
  await writeFile(new URL(`${String(last + 1).padStart(4, '0')}_later.sql`, target), step);
  return target;
}

test('a later version adds a column while another transaction locks the table: this version accepts orders during and after it', async () => {
  const later = await laterVersion('alter table orders add column gift_note text;');
  const { channel, sku } = await make.setting(1_000);
  const order = async () =>
    must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 201);
  await order();

  const holder = await connect(service.database.url);
  await holder.query('begin');
  await holder.query('select from orders');
  let migrated = false;
  const migrating = migrate(service.database.ownerUrl, null, later).finally(() => {
    migrated = true;
  });
  // Long enough for the migration step to reach its lock timeout and retry; waiting orders are answered in between.
  for (const end = Date.now() + 2_500; Date.now() < end;) await order();
  assert.equal(migrated, false);
  await holder.query('commit');
  await holder.end();
  assert.equal((await migrating).length, 1);

  for (let count = 0; count < 5; count++) await order();
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  assert.equal((await service.admin('GET', '/orders')).status, 200);
  await assert.rejects(migrate(service.database.url), /newer than this version/);
});

test('a skipped migration number can be added later; a duplicate number is refused', async () => {
  const target = pathToFileURL(`${directory.path}/gaps/`);
  await mkdir(target);
  const write = (name: string, step: string) => writeFile(new URL(name, target), step);
  const database = await createDatabase({ template: null });
  try {
    await write('0001_a.sql', 'create table a ()');
    await write('0003_c.sql', 'create table c ()');
    assert.deepEqual(await migrate(database.ownerUrl, null, target), ['0001_a.sql', '0003_c.sql']);
    await write('0002_b.sql', 'create table b ()');
    assert.deepEqual(await migrate(database.ownerUrl, null, target), ['0002_b.sql']);
    assert.deepEqual(await migrate(database.ownerUrl, null, target), []);
    await write('0003_d.sql', 'create table d ()');
    await assert.rejects(
      migrate(database.ownerUrl, null, target),
      /0003_d.sql has the same number as another migration/,
    );
  } finally {
    await database.drop();
  }
});

test('an index of a large table can be created before the migration, without blocking it', async () => {
  const earlier = pathToFileURL(`${directory.path}/earlier/`);
  await mkdir(earlier);
  await copyMigrations(earlier, '0029');
  const database = await createDatabase({ template: null });
  try {
    await migrate(database.ownerUrl, null, earlier);
    await query(
      database.ownerUrl,
      `create index concurrently webhook_delivery_failed on webhook_delivery (webhook_id, id) where state = 'failed'`,
    );
    assert.ok((await migrate(database.ownerUrl)).includes('0029_failed_deliveries.sql'));
  } finally {
    await database.drop();
  }
});

test('a step may take longer than the statement timeout of the role', async () => {
  const target = pathToFileURL(`${directory.path}/slow/`);
  await mkdir(target);
  await writeFile(new URL('0001_slow.sql', target), 'select pg_sleep(0.3)');
  const database = await createDatabase({ template: null });
  try {
    const limited = `${database.ownerUrl}&options=${encodeURIComponent('-c statement_timeout=100')}`;
    assert.deepEqual(await migrate(limited, null, target), ['0001_slow.sql']);
  } finally {
    await database.drop();
  }
});

test('a step does not wait for the autovacuum of a large table: PostgreSQL cancels it', async () => {
  const server = await startOwnServer({ autovacuum_naptime: '1s' });
  try {
    const { ownerUrl, adminUrl } = server.database;
    // Ten pages a second, of 3,300.
    await query(
      ownerUrl,
      `create table large with (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)
       as select n, repeat('x', 500) from generate_series(1, 50000) n`,
    );
    await query(ownerUrl, 'delete from large where n % 2 = 0');
    const vacuuming = async (): Promise<boolean> =>
      (await query(adminUrl, `select from pg_stat_progress_vacuum where relid = 'large'::regclass`)).length >
      0;
    await until(vacuuming);
    await migrate(ownerUrl, null, await laterVersion('alter table large add column note text;'));
    assert.equal((await query(adminUrl, 'select note from large limit 1')).length, 1);
  } finally {
    await server.remove();
  }
});
