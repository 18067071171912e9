// Data of each released version (test/released, made by tools/scripts/upgrade-fixture.ts), migrated by this version.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { SERVICE_ROLE } from '../src/platform/embedded-postgres/roles.ts';
import { migrate, readMigrations } from '../src/platform/database/migrations.ts';
import { reconcile } from '../src/core/reconcile/store.ts';
import type { ReleasedFacts } from '../tools/scripts/upgrade-fixture.ts';
import { connected } from '../verify/kit/connection.ts';
import { createDatabase, type TestDatabase } from '../verify/kit/database.ts';
import { must } from '../verify/kit/fixtures.ts';
import { call, openService } from '../verify/kit/service.ts';

const DIRECTORY = new URL('released/', import.meta.url);
const MIGRATIONS = new URL('../migrations/', import.meta.url);

/** A database in the state of the released version: its migrations, which are never edited, and its rows. */
async function restored(rows: string): Promise<{ database: TestDatabase; names: string[] }> {
  const names = [...rows.matchAll(/^insert into "schema_migration" .* values \('\d+', '([^']+)'/gm)].map(
    ([, name = '']) => name,
  );
  assert.ok(names.length > 0, 'the version has no migrations');
  const directory = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
  for (const name of names) cpSync(new URL(name, MIGRATIONS), join(directory, name));
  const database = await createDatabase({ template: null });
  try {
    await migrate(database.ownerUrl, null, pathToFileURL(`${directory}/`));
  } finally {
    rmSync(directory, { recursive: true });
  }
  // Replaces the rows that migrations insert, and the checksums of that version, so that a migration that was edited since
  // is refused.
  const tables = new Set([...rows.matchAll(/^insert into ("\w+")/gm)].map(([, table = '']) => table));
  const empty = [...tables].map((table) => `delete from ${table};`).join('');
  await connected(database.tamperUrl, (client) => client.query(`${empty}${rows}`));
  return { database, names };
}

/** Not compared: the first is written a few seconds after the use, the second is changed by the script. */
const MOVING = /last_used_at$|valid_until$/;

/** All fields of the released version exist with the same value; fields may have been added since. */
function assertIncludes(now: unknown, then: unknown, place: string): void {
  if (Array.isArray(then)) {
    assert.ok(Array.isArray(now), place);
    assert.equal(now.length, then.length, place);
    for (const [index, one] of then.entries()) assertIncludes(now[index], one, `${place}.${index}`);
  } else if (typeof then === 'object' && then !== null) {
    assert.ok(typeof now === 'object' && now !== null, place);
    for (const [name, value] of Object.entries(then))
      if (!MOVING.test(name))
        assertIncludes((now as Record<string, unknown>)[name], value, `${place}.${name}`);
  } else assert.equal(plain(now), plain(then), place);
}

/** A decimal without trailing zeros: 0.1.0 returned amounts in local currency as they were stored. */
const plain = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value;

const released = readdirSync(DIRECTORY).filter((name) => name.endsWith('.json'));

test('data of every released version is migrated: reads are unchanged, keys and passwords work, open orders ship and cancel', async (t) => {
  for (const version of ['0.1.0', '0.2.0']) assert.ok(released.includes(`${version}.json`), version);
  for (const file of released) {
    const facts = JSON.parse(readFileSync(new URL(file, DIRECTORY), 'utf8')) as ReleasedFacts;
    const rows = readFileSync(new URL(`${facts.version}.sql`, DIRECTORY), 'utf8');

    await t.test(facts.version, async (version) => {
      const { database, names } = await restored(rows);
      // The newest version may have all migrations.
      const applied = await migrate(database.ownerUrl, SERVICE_ROLE);
      assert.deepEqual(
        [...names, ...applied].toSorted(),
        (await readMigrations()).map(({ name }) => name),
      );
      const service = await openService({ database });
      version.after(async () => {
        await service.close();
        await database.drop();
      });
      const { pool } = service.service.services;
      const clean = async (): Promise<void> => {
        const { ok, drift } = await reconcile(pool);
        assert.ok(ok, JSON.stringify(drift, null, 1));
      };
      await clean();

      for (const { key, path, body } of facts.reads) {
        const answer =
          key === null ? await service.admin('GET', path) : await service.channel(key)('GET', path);
        assert.equal(answer.status, 200, `${path}: ${answer.text}`);
        if (key === null) assertIncludes(answer.json, body, path);
        else assert.deepEqual(answer.json, body, path);
      }
      for (const { key, body, answer } of facts.orders) {
        const resent = await service.channel(key)('POST', '/orders', body);
        assert.equal(resent.status, 200, resent.text);
        assert.deepEqual(resent.json, answer, body.order_number);
      }

      const [key = ''] = facts.keys;
      assert.equal((await service.channel(facts.previous_key)('GET', '/inventory')).status, 200);
      await must(service.admin('GET', '/channels', undefined, facts.admin_token), 200);
      const { origin } = service;
      const signedIn = await call(`${origin}/admin/v1/session`, 'POST', facts.user, { origin });
      assert.equal(signedIn.status, 200, signedIn.text);
      // At its start the service tries to open all sealed keys and signing secrets.
      assert.ok(
        !service.log.some(({ msg }) => msg.includes('does not open')),
        'sealed keys cannot be opened',
      );

      const { ship, cancel, backorder } = facts.open;
      const report = (number: string, body: object) =>
        must(service.channel(key)('POST', `/orders/${number}/status`, body), 200);
      const before = (await must(service.admin('GET', '/stock/LENS-1'), 200)).quantity;
      assert.equal((await report(ship, { status: 3, tracking_number: 'T-2', courier_code: 'CJ' })).status, 3);
      assert.equal((await report(cancel, { status: 88 })).status, 88);
      assert.equal((await report(backorder, { status: 88 })).status, 88);
      assert.equal((await must(service.admin('GET', '/stock/LENS-1'), 200)).quantity, before - 2);
      await clean();
    });
  }
});
