// Array parameters, transactions and connection failures outside the gate, on a real server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type pg from 'pg';
import { connectionConfig, createPool, HOT_CONNECTION_LIMITS } from '../src/platform/database/connections.ts';
import { rows, statement, type Tx } from '../src/platform/database/database.ts';
import { DatabaseUnavailable } from '../src/platform/database/failures.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';

const database = await createDatabase();
const pool = createPool(database.url);
after(async () => {
  await pool.end();
  await database.drop();
});

const insert = (tx: Tx, code: string) =>
  tx.query({
    text: `insert into common_code (code_group, code, name) values ('T', $1, 'x')`,
    values: [code],
  });
const count = async (): Promise<number> => (await pool.query('select from common_code')).rows.length;

const ECHO = statement('echo', 'select $1::text[] as texts, $2::bigint[] as numbers, $3::boolean[] as flags');

test('arrays of texts, integers and booleans are returned as they were sent, whatever they contain', async () => {
  const odd = fc.constantFrom(
    '',
    'null',
    'NULL',
    '"',
    '\\',
    '\\"',
    '{}',
    ',',
    '{"a"}',
    ' a ',
    '\n',
    '한글',
    '😀',
    "'",
  );
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
  const texts = fc.array(fc.option(fc.oneof(odd, text)), { maxLength: 8 });
  const numbers = fc.array(fc.option(fc.maxSafeInteger()), { maxLength: 4 });
  const flags = fc.array(fc.option(fc.boolean()), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(texts, numbers, flags, async (...sent) => {
      const [row] = await rows<{ texts: unknown; numbers: unknown; flags: unknown }>(pool, ECHO, sent);
      assert.deepEqual([row?.texts, row?.numbers, row?.flags], sent);
    }),
    { numRuns: 300 },
  );
});

const INTEGERS = statement('integers', 'select $1::int[] as flat, array[[1, 2], [3, null]]::int[] as nested');

test('integer arrays are parsed with their nulls, and when nested', async () => {
  for (const flat of [[], [7], [-2_147_483_648, null, 2_147_483_647]])
    assert.deepEqual(await rows(pool, INTEGERS, [flat]), [
      {
        flat,
        nested: [
          [1, 2],
          [3, null],
        ],
      },
    ]);
});

const DATES = statement('dates', 'select $1::timestamptz[] as dates');

test('arrays of other types are left to the driver', async () => {
  const dates = [new Date('2026-11-15T00:00:00.123Z'), new Date(0)];
  assert.deepEqual(await rows(pool, DATES, [dates]), [{ dates }]);
});

test('a transaction that ignores a failed statement is rejected as rolled back', async () => {
  const work = inTransaction(pool, async (tx) => {
    await insert(tx, 'A');
    await tx.query({ text: 'select 1 / 0' }).catch(() => {});
  });
  await assert.rejects(work, /rolled back/);
  assert.equal(await count(), 0);
});

test('an exception rolls the transaction back and is rethrown; the connection stays usable', async () => {
  const work = inTransaction(pool, async (tx) => {
    await insert(tx, 'A');
    throw new Error('no');
  });
  await assert.rejects(work, /^Error: no$/);
  assert.equal(await count(), 0);
});

test('after a deadlock of two transactions, the aborted one is retried and both succeed', async () => {
  await Promise.all(['X', 'Y'].map((code) => insert(pool, code)));
  const touch = (tx: Tx, code: string) =>
    tx.query({ text: `update common_code set name = name || '.' where code = $1`, values: [code] });
  let waiting = 2;
  const both = Promise.withResolvers<void>();
  const opposite = (first: string, second: string) =>
    inTransaction(pool, async (tx) => {
      await touch(tx, first);
      waiting -= 1;
      if (waiting === 0) both.resolve();
      await both.promise;
      await touch(tx, second);
    });
  await Promise.all([opposite('X', 'Y'), opposite('Y', 'X')]);
  const result = await pool.query<{ name: string }>(`select name from common_code order by code`);
  assert.deepEqual(
    result.rows.map((row) => row.name),
    ['x..', 'x..'],
  );
});

test('an unreachable server is DatabaseUnavailable, not a bug', async () => {
  const nowhere = createPool('postgres://u:p@127.0.0.1:9/x');
  await assert.rejects(
    inTransaction(nowhere, async () => {}),
    DatabaseUnavailable,
  );
  await nowhere.end();
});

test('an exhausted connection pool is DatabaseUnavailable, not a bug', async () => {
  const small = createPool(database.url, 1);
  const held = await small.connect();
  await assert.rejects(
    inTransaction(small, async () => {}),
    DatabaseUnavailable,
  );
  held.release();
  await small.end();
});

test('a connection that ends between two statements of a transaction is DatabaseUnavailable, not a crash', async () => {
  const admin = await connect(database.adminUrl);
  const lost = inTransaction(pool, async (tx) => {
    await insert(tx, 'lost');
    const { rows: found } = await tx.query({ text: 'select pg_backend_pid() as pid' });
    const died = new Promise((resolve) => {
      (tx as pg.PoolClient).once('end', resolve);
    });
    await admin.query('select pg_terminate_backend($1)', [found[0].pid]);
    await died;
    await insert(tx, 'never');
  });
  await assert.rejects(lost, DatabaseUnavailable);
  await admin.end();
  assert.equal((await pool.query(`select from common_code where code in ('lost', 'never')`)).rowCount, 0);
});

test('settings in the URL apply together with those of the service, which keeps its own settings and names', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c work_mem=5MB -c jit=on');
  url.searchParams.set('application_name', 'shop');
  const single = createPool(url.href, 1);
  try {
    const names = ['work_mem', 'jit', 'plan_cache_mode', 'application_name'];
    const found = await single.query<{ value: string }>(
      'select current_setting(unnest($1::text[])) as value',
      [names],
    );
    assert.deepEqual(
      found.rows.map(({ value }) => value),
      ['5MB', 'off', 'force_custom_plan', 'sluice'],
    );
  } finally {
    await single.end();
  }
  // RFC 3986, 3.4: a query may contain question marks.
  const odd = connectionConfig(
    'postgres://host/db?password=a?b&options=-c+x=1',
    'sluice',
    HOT_CONNECTION_LIMITS,
  );
  assert.equal(odd.connectionString, 'postgres://host/db?password=a%3Fb');
  assert.match(odd.options ?? '', /^-c x=1 /);
});
