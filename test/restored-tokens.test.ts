// Tokens of the order feed after the database went back to an earlier time, or to another server. Transaction ids repeat
// there, and a token from after that time must not leave out what happened instead.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { startEmbedded } from '../src/platform/embedded-postgres/server.ts';
import { SERVICE_ROLE } from '../src/platform/embedded-postgres/roles.ts';
import { migrate } from '../src/platform/database/migrations.ts';
import { readBackup } from '../src/features/backup/backup-store.ts';
import { withChecksum } from '../src/features/backup/file.ts';
import { restoreBackup } from '../src/features/backup/restore-store.ts';
import { copyCluster, copyData } from '../verify/kit/cluster.ts';
import { query as run } from '../verify/kit/connection.ts';
import { createDatabase, databaseOf } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { openService, type TestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const receiver = await startReceiver();
after(() => receiver.close());

/** The numbers of the orders since a token, to the end: pages may be divided anywhere. null: the token is refused. */
async function poll(
  service: TestService,
  since: string,
): Promise<{ numbers: string[]; next: string } | null> {
  const numbers: string[] = [];
  for (let token = since; ;) {
    const query = token === FIRST ? '' : `?since=${token}`;
    const { status, text, json } = await service.admin('GET', `/orders/changes${query}`);
    if (status === 422) {
      assert.match(text, /since_unknown/);
      return null;
    }
    assert.equal(status, 200, text);
    numbers.push(...json.data.map((one: any) => one.order_number as string));
    token = json.next;
    if (!json.has_more) return { numbers, next: token };
  }
}
/** From the first order on. */
const FIRST = '';
const order = async (channel: Pick<TestChannel, 'call'>, sku: string): Promise<string> => {
  const body = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', body), 201);
  return body.order_number;
};
/** The first transaction that a token has not seen. */
const endOf = (token: string): number =>
  Number(/^[^/]*\/[^/]*\/(\d+):/.exec(Buffer.from(token, 'base64url').toString())?.[1]);
async function passTransactions(url: string, end: number): Promise<void> {
  const block = `do $$ begin while pg_current_xact_id()::text::bigint < ${end} + 10 loop commit; end loop; end $$`;
  await run(url, block);
}

async function startOn(dataDir: string, role: 'primary' | 'standby' = 'primary') {
  if (role === 'standby') await writeFile(join(dataDir, 'postgres', 'standby.signal'), '');
  const log = { info: () => {}, warn: () => {} };
  const server = await startEmbedded({ dataDir, log, settings: { shared_buffers: '16MB' } });
  if (role === 'standby') await run(server.adminUrl, 'select pg_promote()');
  else await migrate(server.ownerUrl, SERVICE_ROLE);
  return server;
}

for (const [way, role] of [
  ['a recovery with a new timeline', 'standby'],
  ['a copy of the files without one', 'primary'],
] as const)
  test(
    `after ${way}, a token from before continues, one from after it is refused, and nothing is left out`,
    LONG_ONLY,
    async (t) => {
      const [one, other] = [await temporaryDirectory(), await temporaryDirectory()];
      await copyCluster(one.path);
      const mark = receiver.received.length;

      let server = await startOn(one.path);
      let service = await openService({ database: databaseOf(server) });
      t.after(async () => {
        await service.close();
        await server.stop();
        await Promise.all([one, other].map((directory) => directory.remove()));
      });
      const { channel, sku } = await fixtures(service).setting(100);
      const events = ['order.accepted'];
      await must(service.admin('POST', '/webhooks', { url: receiver.url, events }), 201);
      const first = await order(channel, sku);
      const early = await poll(service, FIRST);
      assert.deepEqual(early?.numbers, [first]);
      await service.close();
      await server.stop();
      await copyData(one.path, other.path);

      // What happens now is lost by the restore.
      server = await startOn(one.path);
      service = await openService({ database: databaseOf(server) });
      const lost = await order({ call: service.channel(channel.api_key) }, sku);
      const late = await poll(service, early.next);
      const fromNow = (await service.admin('GET', '/orders/changes?since=now')).json.next as string;
      const ofChannel = (await service.channel(channel.api_key)('GET', '/orders?changes_since=now')).json;
      assert.deepEqual(late?.numbers, [lost]);
      await service.close();
      await server.stop();

      server = await startOn(other.path, role);
      service = await openService({ database: databaseOf(server), env: { SLUICE_JOBS: '1' } });
      await until(
        async () => (await fetch(`${service.origin}/readyz`)).status === 200,
        'the service is ready',
      );
      const call = service.channel(channel.api_key);
      const instead = await order({ call }, sku);
      await passTransactions(server.adminUrl, Math.max(endOf(late.next), endOf(fromNow)));
      assert.deepEqual((await poll(service, early.next))?.numbers, [instead]);
      for (const token of [late.next, fromNow]) assert.equal(await poll(service, token), null, token);
      assert.equal((await call('GET', `/orders?changes_since=${ofChannel.changes_since}`)).status, 422);
      const sent = () => receiver.received.slice(mark).map(({ json }) => json.data.order_number as string);
      await until(() => sent().length >= 2, 'the webhook continues');
      assert.deepEqual(sent(), [first, instead], 'webhooks continue where the database is');

      // A failover that loses nothing: every token continues, on the server that takes over.
      const now = await poll(service, early.next);
      assert.deepEqual(now?.numbers, [instead]);
      await service.close();
      await server.stop();
      server = await startOn(other.path, 'standby');
      service = await openService({ database: databaseOf(server) });
      await until(
        async () => (await fetch(`${service.origin}/readyz`)).status === 200,
        'the service is ready',
      );
      const next = await order({ call: service.channel(channel.api_key) }, sku);
      assert.deepEqual((await poll(service, now.next))?.numbers, [next]);
      assert.deepEqual((await poll(service, early.next))?.numbers, [instead, next]);
      assert.equal(await poll(service, late.next), null);
    },
  );

test('after a restore of a backup into the same database, tokens are refused and webhooks begin now', async () => {
  const database = await createDatabase();
  let service = await openService({ database });
  const { channel, sku } = await fixtures(service).setting(100);
  await must(
    service.admin('POST', '/webhooks', { url: receiver.url, events: ['order.accepted'], is_active: false }),
    201,
  );
  const fromNow = (await service.admin('GET', '/orders/changes?since=now')).json.next as string;
  const unread = await order(channel, sku);
  const parts: Buffer[] = [];
  for await (const part of withChecksum(readBackup(database.ownerUrl, () => {}))) parts.push(part);
  await service.close();
  await run(database.ownerUrl, 'drop schema public, sluice_jobs cascade; create schema public');
  const [role, owner] = [database.url, database.ownerUrl].map((url) => new URL(url).username);
  const target = { url: database.ownerUrl, service_role: role === owner ? null : (role ?? null) };
  await restoreBackup(target, Readable.from(parts), { actor: 'cli:test', request_id: null }, () => {});
  service = await openService({ database });
  assert.equal(await poll(service, fromNow), null);
  assert.deepEqual((await poll(service, FIRST))?.numbers, [unread]);
  const [{ position }] = (await run<{ position: string | null }>(
    database.adminUrl,
    'select position from webhook',
  )) as [{ position: string | null }];
  assert.equal(position, null);
  await service.close();
  await database.drop();
});

test('a poll without changes returns the same token and writes nothing; a token of an older version is taken, and replaced', async () => {
  const database = await createDatabase();
  const service = await openService({ database });
  const { channel, sku } = await fixtures(service).setting(100);
  const first = await order(channel, sku);
  const { next } = (await poll(service, FIRST))!;
  const recorded = () => run(database.adminUrl, 'select line, reader, last_xid, xmin from order_feed_token');
  const before = await recorded();
  assert.equal(before.length, 1);
  for (let n = 0; n < 3; n++) assert.deepEqual(await poll(service, next), { numbers: [], next });
  assert.deepEqual(await recorded(), before);
  const [place, old, seen] = Buffer.from(next, 'base64url').toString().split('/');
  const older = Buffer.from([place, old, seen].join('/')).toString('base64url');
  const second = await order(channel, sku);
  assert.deepEqual((await poll(service, older))?.numbers, [second]);
  const replaced = (await poll(service, (await poll(service, older))!.next))!;
  assert.deepEqual(replaced.numbers, []);
  assert.equal(Buffer.from(replaced.next, 'base64url').toString().split('/').length, 7);
  assert.deepEqual((await poll(service, FIRST))?.numbers, [first, second]);
  await service.close();
  await database.drop();
});
