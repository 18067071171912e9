// Upgrades under load: two versions at once on one database.
import assert from 'node:assert/strict';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { migrate } from '../src/store/migrations.ts';
import { connect } from './kit/connection.ts';
import { fixtures, must, orderOf } from './kit/fixtures.ts';
import { temporaryDirectory } from './kit/process.ts';
import { startTestService } from './kit/service.ts';

const OURS = new URL('../migrations/', import.meta.url);
const service = await startTestService();
const make = fixtures(service);
const directory = await temporaryDirectory();
after(() => directory.remove());

/** The migrations of a version after this one. */
async function laterVersion(step: string): Promise<URL> {
  const target = pathToFileURL(`${directory.path}/`);
  const names = (await readdir(OURS)).filter((name) => name.endsWith('.sql'));
  for (const name of names) await copyFile(new URL(name, OURS), new URL(name, target));
  await writeFile(new URL(`${String(names.length + 1).padStart(4, '0')}_later.sql`, target), step);
  return target;
}

test('a later version adds a column while somebody holds the table: this version takes orders throughout, and after it', async () => {
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
  // Long enough for the step to have waited, given up and come again: orders behind it are answered in between.
  for (const until = Date.now() + 2_500; Date.now() < until;) await order();
  assert.equal(migrated, false);
  await holder.query('commit');
  await holder.end();
  assert.equal((await migrating).length, 1);

  for (let count = 0; count < 5; count++) await order();
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  assert.equal((await service.admin('GET', '/orders')).status, 200);
  await assert.rejects(migrate(service.database.url), /newer than this version/);
});
