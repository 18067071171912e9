// Two database roles: one owns the schema and migrates, the other runs the service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cliBench } from './cli-run.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { spawnService } from '../verify/kit/process.ts';
import { ADMIN_TOKEN } from '../verify/kit/service.ts';

const bench = await cliBench({ template: null });
const owner = { DATABASE_MIGRATION_URL: bench.database.ownerUrl };

test('a role that does not own the schema is told how to migrate, by the command and by the service', async () => {
  const { code, stderr } = await bench.run(['migrate']);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^sluice: Run "sluice migrate" with DATABASE_MIGRATION_URL: the database lacks \d+ migrations, 0001_\w+\.sql to \d{4}_\w+\.sql, and this role may not change its schema\.\n$/,
  );
  const service = await spawnService(bench.env);
  assert.equal((await service.ended).code, 1);
  assert.match(service.output(), /Sluice cannot start\. Run "sluice migrate"/);
});

test('the owner migrates and grants privileges; then the service starts and works with no other privileges', async () => {
  assert.match((await bench.ok(['migrate'], { env: owner })).stdout, /migrations applied: 0001_/);
  assert.match((await bench.ok(['migrate'], { env: owner })).stdout, /up to date/);
  assert.match((await bench.ok(['migrate'])).stdout, /up to date/);
  await bench.ok(['seed']);
  await bench.ok(['token', 'create', '--name', 'ci', '--role', 'admin']);
  await bench.ok(['channel', 'rotate', '1']);
  const service = await spawnService({ ...bench.env, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN });
  try {
    assert.equal(await service.ready(), true, service.output());
    assert.equal((await service.admin('GET', '/reconcile')).json.data.ok, true);
  } finally {
    await service.stop();
  }
});

test('the next migrate corrects privileges that were added or revoked', async () => {
  await bench.rows('grant update, delete on audit to sluice');
  await bench.rows('revoke insert on audit from sluice'); // also from its columns
  await bench.rows('grant update (order_number) on orders to sluice');
  const held = `select has_column_privilege('sluice', 'audit', 'actor', 'insert') as may_add,
    has_table_privilege('sluice', 'audit', 'update, delete') as may_change,
    has_column_privilege('sluice', 'orders', 'order_number', 'update') as may_renumber`;
  assert.deepEqual(await bench.rows(held), [{ may_add: false, may_change: true, may_renumber: true }]);
  await bench.ok(['migrate'], { env: owner });
  assert.deepEqual(await bench.rows(held), [{ may_add: true, may_change: false, may_renumber: false }]);
});

test('migrate changes nothing if the owner is of another database, or without DATABASE_URL', async () => {
  const other = await createDatabase({ template: null });
  const { code, stderr } = await bench.run(['migrate'], { env: { DATABASE_MIGRATION_URL: other.ownerUrl } });
  assert.equal(code, 1);
  assert.match(stderr, /do not name the same database/);
  const { rows } = await other.tamper(`select 1 from pg_tables where schemaname = 'public'`);
  assert.deepEqual(rows, []);
  await other.drop();
  const alone = await bench.run(['migrate'], { env: { ...owner, DATABASE_URL: '' } });
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /DATABASE_MIGRATION_URL must be set together with DATABASE_URL/);
});
