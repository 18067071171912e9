// A full disk of the database: for its tables, and for its write-ahead log. Needs separate small disks, and thus root.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, open, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { assertNotNow, untilReady, untilState } from './kit/adverse.ts';
import { until } from '../verify/kit/until.ts';
import { query } from '../verify/kit/connection.ts';
import { fixtures, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startOwnServer } from '../verify/kit/server.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const run = promisify(execFile);

/** null: this machine does not allow mounting a disk. */
async function makeSmallDisk(megabytes: number): Promise<string | null> {
  const place = await mkdtemp(join(tmpdir(), 'sluice-disk-'));
  await chmod(place, 0o755);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', place]);
    return place;
  } catch {
    await rm(place, { recursive: true });
    return null;
  }
}

async function removeDisk(place: string): Promise<void> {
  await run('umount', [place]);
  await rm(place, { recursive: true });
}

/** A directory on the disk that belongs to the user of the database server. */
async function directoryFor(databaseDir: string, path: string): Promise<string> {
  const { uid, gid } = await stat(databaseDir);
  await mkdir(path, { mode: 0o700 });
  await chown(path, uid, gid);
  return path;
}

/** Fills the disk completely; resolves with a function that frees it. */
async function fill(place: string): Promise<() => Promise<void>> {
  const path = join(place, 'filler');
  const file = await open(path, 'w');
  for (const bytes of [2 ** 20, 2 ** 12]) {
    const piece = Buffer.alloc(bytes);
    try {
      for (;;) await file.write(piece);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  }
  await file.close();
  return () => rm(path);
}

const tables = await makeSmallDisk(64);
const log = await makeSmallDisk(96);
const skip = tables && log ? false : 'no small disk can be mounted here: run as root';
after(async () => {
  for (const place of [tables, log]) if (place !== null) await removeDisk(place);
});

const ORDER = { recipient_name: 'x'.repeat(100), shipping_address: 'y'.repeat(500) };
const CLIENTS = 16;

/** Sends orders until one is refused; returns every answer with its order, in any sequence. */
async function orderUntilRefused(channel: TestChannel, sku: string) {
  const sent: { order: ReturnType<typeof orderOf>; answer: HttpAnswer }[] = [];
  const one = async (): Promise<void> => {
    while (sent.every(({ answer }) => answer.status === 201)) {
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], ORDER);
      sent.push({ order, answer: await channel.call('POST', '/orders', order) });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, one));
  return sent;
}

test(
  'the disk of the tables is full: 503 for orders, reads continue, /readyz reports it until there is space; nothing lost or duplicated',
  { skip },
  async () => {
    const server = await startOwnServer();
    const { database, dataDir } = server;
    const space = await directoryFor(join(dataDir, 'postgres'), join(tables ?? '', 'space'));
    const maintenance = new URL(database.adminUrl);
    maintenance.pathname = '/postgres';
    await query(maintenance.href, `create tablespace small location '${space}'`);
    await query(maintenance.href, 'alter database sluice set tablespace small');
    const service = await startTestService({ database, env: { SLUICE_RETRY_TIMEOUT_MS: '1000' } });
    after(() => server.remove());
    const make = fixtures(service);
    const { channel, variant, sku } = await make.setting(1_000_000);
    const giveBack = await fill(tables ?? '');

    const sent = await orderUntilRefused(channel, sku);
    await untilState(service.origin, 'disk_full', /disk of the database is full/);
    const refused = sent.filter(({ answer }) => answer.status !== 201);
    for (const { answer } of refused) assertNotNow(answer);
    assert.equal((await channel.call('GET', `/inventory/${sku}`)).status, 200);
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    assert.match(metrics, /^sluice_database_failures_total\{state="disk_full"\} [1-9]/m);

    await giveBack();
    await untilReady(service.origin);
    for (const { order } of refused) assert.equal((await channel.call('POST', '/orders', order)).status, 201);
    for (const { order } of sent) assert.equal((await channel.call('POST', '/orders', order)).status, 200);
    assert.equal((await make.stock(variant)).unshipped, sent.length);
    assert.equal((await service.admin('GET', '/reconcile')).json.data.ok, true);
  },
);

test(
  'the disk of the write-ahead log is full: the server panics and recovers by itself once there is space; nothing lost or duplicated',
  { skip },
  async () => {
    const settings = { fsync: 'on', min_wal_size: '32MB', max_wal_size: '48MB' };
    const server = await startOwnServer(settings, async (databaseDir) => {
      const place = await directoryFor(databaseDir, join(log ?? '', 'wal'));
      const wal = join(databaseDir, 'pg_wal');
      await cp(wal, place, { recursive: true });
      const { uid, gid } = await stat(databaseDir);
      await run('chown', ['-R', `${uid}:${gid}`, place]);
      await rm(wal, { recursive: true });
      await symlink(place, wal);
    });
    const { database } = server;
    const service = await startTestService({ database, env: { SLUICE_RETRY_TIMEOUT_MS: '1000' } });
    after(() => server.remove());
    const make = fixtures(service);
    const { channel, variant, sku } = await make.setting(1_000_000);
    const giveBack = await fill(log ?? '');
    const writing = (async () => {
      for (;;) {
        await query(
          database.adminUrl,
          `select pg_logical_emit_message(false, 'x', repeat('x', 4000000)) from generate_series(1, 4)`,
        );
      }
    })().catch((error: Error) => error.message);
    const sent = await orderUntilRefused(channel, sku);
    await writing;
    await until(
      async () => (await fetch(`${service.origin}/readyz`)).status === 503,
      '/readyz reports that the service is not ready',
    );
    const refused = sent.filter(({ answer }) => answer.status !== 201);
    for (const { answer } of refused) assertNotNow(answer);

    await giveBack();
    await untilReady(service.origin);
    for (const { order, answer } of sent) {
      const resent = await channel.call('POST', '/orders', order);
      const wanted = answer.status === 201 ? [200] : [200, 201];
      assert.ok(wanted.includes(resent.status), `${answer.status}, then ${resent.status}`);
    }
    assert.equal((await make.stock(variant)).unshipped, sent.length);
    assert.equal((await service.admin('GET', '/reconcile')).json.data.ok, true);
  },
);
