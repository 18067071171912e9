// One runner of batches: which failures end the patience, when locks are released, and how a batch is repeated.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import type { Command } from '../src/core/rules/commands.ts';
import { BatchPatience, BatchRunner, type Verdict, type Work } from '../src/core/gate/batch-runner.ts';
import { HOT_CONNECTION_LIMITS } from '../src/platform/database/connections.ts';
import { DatabaseUnavailable } from '../src/platform/database/failures.ts';
import { healthOf } from '../src/platform/database/health.ts';
import { PipelinedConnection } from '../src/platform/database/pipelined-connection.ts';
import { untilWaiting } from './kit/adverse.ts';
import { connect, query } from '../verify/kit/connection.ts';
import { until } from '../verify/kit/until.ts';
import { backendOf, orderFrom, settler, startGround } from './kit/ground.ts';

const ground = await startGround();
const make = settler(ground);
const { url, adminUrl } = ground.database;

function openRunner({ is_shared = false } = {}) {
  const connection = new PipelinedConnection(url, 'sluice-runner-test', { limits: HOT_CONNECTION_LIMITS });
  after(() => connection.close());
  const seen = { retries: [] as string[], traced: [] as string[] };
  const observer = {
    batch: () => {},
    outcome: () => {},
    retry: (reason: string) => void seen.retries.push(reason),
    failure: () => {},
    traced: () => ({
      took: (commands: readonly Command[]) => commands,
      statements: () => (name: string) => void seen.traced.push(name),
      retried: (reason: string) => void seen.traced.push(`retried: ${reason}`),
      ended: () => {},
    }),
  };
  const patience = new BatchPatience(60_000);
  const runner = new BatchRunner(connection, observer, { patience, is_shared });
  const run = (commands: readonly Command[], fields: Partial<Work> = {}): Promise<Verdict[]> =>
    runner.run({ take: () => commands, behind: null, locking: 'wait', ...fields });
  return { run, seen, connection };
}

const kindOf = (verdict: Verdict): string =>
  'result' in verdict ? verdict.result.kind : 'held' in verdict ? 'held' : 'failed';

/** Locks the stock row in another transaction until the returned function is called. */
async function hold(variant: number): Promise<() => Promise<void>> {
  const client = await connect(url);
  await client.query('begin');
  await client.query('select from stock where variant_id = $1 for update', [variant]);
  return () => client.end();
}

test('an outage and missing resources end the patience of later batches; conflicts and faults do not', () => {
  const patience = new BatchPatience(100);
  const reported = (code: string, routine?: string) =>
    Object.assign(new pg.DatabaseError('', 0, 'error'), { code, routine });
  for (const [error, ms] of [
    [reported('57P01'), 0],
    [reported('57P03'), 0],
    [reported('53100'), 0],
    [reported('53200'), 0],
    [reported('53300'), 0],
    [reported('25006'), 0],
    [reported('54000', 'GetNewTransactionId'), 0],
    [reported('54000', 'GetNewMultiXactId'), 0],
    [reported('54000', '_bt_check_third_page'), 100],
    [new DatabaseUnavailable(null), 0],
    [reported('40P01'), 100],
    [reported('22000'), 100],
  ] as const) {
    patience.gaveUp(error);
    assert.equal(patience.ms, ms);
    patience.isBack();
    assert.equal(patience.ms, 100);
  }
  assert.equal(healthOf(reported('54000', 'GetNewTransactionId')).state, 'read_only');
});

test('a refused batch releases its locks although no other batch follows', async () => {
  for (const is_shared of [false, true]) {
    const { channel, variant, sku } = await make.setting(0);
    const { run, connection } = openRunner({ is_shared });
    const backend = await backendOf(connection);
    assert.deepEqual((await run([orderFrom(channel, sku)])).map(kindOf), ['stock_insufficient']);
    const free = 'select from stock where variant_id = $1 for update skip locked';
    await until(async () => (await ground.rows(free, [variant])).length === 1, 'the row is free');
    assert.equal(await backendOf(connection), backend, 'no timeout of PostgreSQL has released it');
  }
});

test('a batch that begins before the ROLLBACK of the one before is due keeps its transaction', async () => {
  await query(
    adminUrl,
    `create function own_transaction() returns trigger language plpgsql as $$ begin
       if statement_timestamp() - now() < interval '50 ms' then raise 'this is not the transaction of the locks'; end if;
       return new;
     end $$;
     create trigger own_transaction before insert on orders for each row execute function own_transaction()`,
  );
  try {
    for (const waitsAlone of [true, false]) {
      const [soldOut, wanted] = [await make.setting(0), await make.setting(1)];
      const { run } = openRunner();
      const release = await hold(wanted.variant);
      const refused = await run([orderFrom(soldOut.channel, soldOut.sku)]);
      assert.deepEqual(refused.map(kindOf), ['stock_insufficient']);
      const behind = waitsAlone ? ({ table: 'stock', id: wanted.variant } as const) : null;
      const running = run([orderFrom(wanted.channel, wanted.sku)], { behind });
      const waitsLong = `select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and clock_timestamp() - xact_start > interval '60 ms'`;
      await until(async () => (await ground.rows(waitsLong)).length === 1, 'the batch waits for the row');
      await release();
      assert.deepEqual((await running).map(kindOf), ['created']);
    }
  } finally {
    await query(adminUrl, 'drop trigger own_transaction on orders; drop function own_transaction');
  }
});

test('a SKU is mapped to another item while the batch waits for its locks: the batch runs again with the new item', async () => {
  const { channel, variant, sku } = await make.setting(1);
  const other = await make.variant(1);
  const { run, seen } = openRunner();
  const release = await hold(variant);
  const running = run([orderFrom(channel, sku)]);
  await untilWaiting(url, 1);
  await make.map(channel, other, sku);
  await release();
  assert.deepEqual((await running).map(kindOf), ['created']);
  assert.deepEqual(seen.retries, ['stale_locks']);
  assert.equal((await make.stock(variant))?.unshipped, 0);
  assert.equal((await make.stock(other))?.unshipped, 1);
});

test('a batch is split so that one failing command fails alone; the trace says so', async () => {
  const { channel, sku } = await make.setting(2);
  const { run, seen } = openRunner();
  const poison = orderFrom(channel, sku, { recipient_name: 'no text may hold \u0000' });
  const verdicts = await run([poison, orderFrom(channel, sku)]);
  assert.deepEqual(verdicts.map(kindOf), ['failed', 'created']);
  assert.deepEqual(seen.retries, ['split']);
  assert.deepEqual(
    seen.traced.filter((name) => name.startsWith('retried')),
    ['retried: split'],
  );
});

test('a batch that PostgreSQL rolled back runs again; after any other failure the journal tells whether it was committed', async () => {
  const { channel, sku } = await make.setting(10);
  const { run, seen } = openRunner();
  for (const [reason, raised, isLookedUp] of [
    ['conflict', `serialization_failure`, false],
    ['order_number', `unique_violation using constraint = 'orders_order_number_key'`, false],
    // Such an error may come from the connection or a proxy after the COMMIT: it does not prove that it was rolled back.
    ['unavailable', `disk_full`, true],
  ] as const) {
    // Sequences keep their value when a transaction is rolled back: it fails once.
    await query(
      adminUrl,
      `create sequence failures;
       grant usage on sequence failures to public;
       create function fail_once() returns trigger language plpgsql as $$ begin
         if nextval('failures') = 1 then raise ${raised}; end if;
         return new;
       end $$;
       create trigger fail_once before insert on orders for each row execute function fail_once()`,
    );
    try {
      assert.deepEqual((await run([orderFrom(channel, sku)])).map(kindOf), ['created']);
    } finally {
      await query(
        adminUrl,
        'drop trigger fail_once on orders; drop function fail_once; drop sequence failures',
      );
    }
    assert.deepEqual(seen.retries.splice(0), [reason]);
    const traced = seen.traced.splice(0);
    assert.ok(traced.includes(`retried: ${reason}`), reason);
    assert.equal(traced.includes('journal_find_batches'), isLookedUp, reason);
  }
});
