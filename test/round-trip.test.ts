// The statements of a batch share one round trip. Each gets its own answer, and a failure leaves the connection usable.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { run, rows, statement, together, type Tx } from '../src/platform/database/database.ts';
import { inOneRoundTrip } from '../src/platform/database/round-trip.ts';
import { begin, commit, rollback } from '../src/platform/database/transactions.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { collectGarbage } from './kit/collect-garbage.ts';

const database = await createDatabase();
const connect = async (options: pg.ClientConfig = {}): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: database.adminUrl, pipeline: true, ...options });
  client.on('error', () => {});
  await client.connect();
  return client;
};
const client = await connect();
await client.query('create table kept (n int primary key)');
after(async () => {
  await client.end();
  await database.drop();
});

const NUMBER = statement('number', 'select $1::int as n');
const FAILS = statement('fails', 'select 1 / $1::int');
const KEEP = statement('keep', 'insert into kept values ($1)');
const kept = async () => (await client.query('select n from kept order by n')).rows.map((row) => row.n);

test('the statements are sent together, with one Sync, and answered in order', async () => {
  let syncs = 0;
  const count = () => (syncs += 1);
  client.connection.on('readyForQuery', count);
  const answers = await inOneRoundTrip(client, (tx) => together([1, 2, 3].map((n) => rows(tx, NUMBER, [n]))));
  assert.deepEqual(answers, [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  await client.query('select');
  client.connection.off('readyForQuery', count);
  assert.equal(syncs, 2, 'one for the round trip, one for the statement after it');
});

test('rows equal those of the driver, in the first answer and in later ones', async () => {
  const ALL = statement(
    'all_types',
    `select $1::int as i, 9007199254740991::bigint as b, 'é"\\'::text as t, null::text as nothing, true as yes, 1.50::numeric as n,
            '2026-01-02T03:04:05.678Z'::timestamptz as at, array[1, null, 3] as ints, '{"a": [1]}'::jsonb as j, ''::text as blank`,
  );
  const plain = (await client.query({ text: ALL.text, values: [7] })).rows;
  for (let n = 0; n < 2; n++)
    assert.deepEqual(await inOneRoundTrip(client, (tx) => rows(tx, ALL, [7])), plain, String(n));
  assert.deepEqual(await rows(client, ALL, [7]), plain, 'the driver can use the prepared statement too');
});

// The driver creates a function for each query. V8 keeps it, with everything reachable from it, until the next full garbage
// collection. In this test the queries are referenced by the test instead.
test('a finished round trip keeps no rows in memory', async () => {
  const limited = await connect({ query_timeout: 60_000 });
  const sent: unknown[] = [];
  const send = limited.query.bind(limited);
  Object.assign(limited, {
    query: (query: never) => {
      sent.push(query);
      return send(query);
    },
  });
  const rowsOf = async (work: (tx: Tx) => Promise<object[]>): Promise<WeakRef<object>[]> =>
    (await inOneRoundTrip(limited, work)).map((row) => new WeakRef(row));
  const answered = await rowsOf((tx) => rows(tx, NUMBER, [1]));
  const beforeAFailure = await rowsOf(async (tx) => {
    const [number] = await Promise.allSettled([rows(tx, NUMBER, [2]), rows(tx, FAILS, [0])]);
    return number.status === 'fulfilled' ? number.value : [];
  });
  const refs = [...answered, ...beforeAFailure];
  assert.equal(refs.length, 2);
  await limited.query('select');
  collectGarbage();
  assert.deepEqual(
    refs.map((ref) => ref.deref()),
    [undefined, undefined],
  );
  assert.equal(sent.length, 3);
  await limited.end();
});

test('row counts of commands equal those of the driver', async () => {
  const MANY = statement('keep_many', 'insert into kept select unnest($1::int[])');
  const [, inserted, selected] = await inOneRoundTrip(client, (tx) =>
    together([begin(tx), run(tx, MANY, [[101, 102]]), run(tx, NUMBER, [1])]),
  );
  assert.deepEqual([inserted, selected], [2, 1]);
  await rollback(client);
  assert.deepEqual(await kept(), []);
});

test('after a failure no other statement is executed, not even COMMIT', async () => {
  const trip = inOneRoundTrip(client, (tx) =>
    Promise.allSettled([begin(tx), run(tx, KEEP, [1]), run(tx, FAILS, [0]), run(tx, KEEP, [2]), commit(tx)]),
  );
  const settled = await trip;
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'],
  );
  for (const one of settled)
    if (one.status === 'rejected') assert.match(String(one.reason), /division by zero/);
  await rollback(client);
  assert.deepEqual(await kept(), []);
});

test('a statement that was not prepared because of a failure is prepared the next time', async () => {
  const LATER = statement('later', 'select 5 as five');
  await assert.rejects(inOneRoundTrip(client, (tx) => together([rows(tx, FAILS, [0]), rows(tx, LATER)])));
  assert.deepEqual(await inOneRoundTrip(client, (tx) => rows(tx, LATER)), [{ five: 5 }]);
  assert.deepEqual(await rows(client, LATER), [{ five: 5 }]);
});

test('a value that cannot be read fails only its own statement', async () => {
  const BEYOND = statement('beyond', 'select 9007199254740993::bigint as n');
  const [beyond, number] = await inOneRoundTrip(client, (tx) =>
    Promise.allSettled([rows(tx, BEYOND), rows(tx, NUMBER, [4])]),
  );
  assert.match(String(beyond.status === 'rejected' && beyond.reason), /beyond 2\^53/);
  assert.deepEqual(number, { status: 'fulfilled', value: [{ n: 4 }] });
});

test('a parameter that is neither text nor number is refused before anything is sent', async () => {
  await assert.rejects(
    inOneRoundTrip(client, (tx) => rows(tx, NUMBER, [{}])),
    /a parameter of type object/,
  );
  assert.deepEqual(await rows(client, NUMBER, [6]), [{ n: 6 }]);
});

test('round trips and single statements are answered in the order in which they were sent', async () => {
  const first = inOneRoundTrip(client, (tx) => together([rows(tx, NUMBER, [1]), rows(tx, FAILS, [0])]));
  const single = rows(client, NUMBER, [2]);
  const second = inOneRoundTrip(client, (tx) => rows(tx, NUMBER, [3]));
  await assert.rejects(first, /division by zero/);
  assert.deepEqual(await single, [{ n: 2 }]);
  assert.deepEqual(await second, [{ n: 3 }]);
});

test('a statement added after the round trip was sent is sent separately', async () => {
  const later = await inOneRoundTrip(client, async (tx) => {
    const [one] = await rows<{ n: number }>(tx, NUMBER, [1]);
    return rows(tx, NUMBER, [(one?.n ?? 0) + 1]);
  });
  assert.deepEqual(later, [{ n: 2 }]);
});

test('work that throws synchronously leaves the connection usable', async () => {
  assert.throws(
    () =>
      inOneRoundTrip(client, () => {
        throw new RangeError('at once');
      }),
    /at once/,
  );
  assert.deepEqual(await rows(client, NUMBER, [8]), [{ n: 8 }]);
});

const SLEEP = statement('sleep', 'select pg_sleep($1::int)');

test('a query timeout fails every statement that has no answer', async () => {
  const impatient = await connect({ query_timeout: 300 });
  const settled = await inOneRoundTrip(impatient, (tx) =>
    Promise.allSettled([rows(tx, SLEEP, [30]), rows(tx, NUMBER, [1])]),
  );
  for (const one of settled) assert.match(String(one.status === 'rejected' && one.reason), /timeout/);
  await impatient.end();
});

test('a lost connection fails every statement that has no answer', async () => {
  const lost = await connect();
  const trip = inOneRoundTrip(lost, (tx) =>
    Promise.allSettled([rows(tx, SLEEP, [30]), rows(tx, NUMBER, [1])]),
  );
  const { rows: found } = await client.query(
    `select pid from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`,
  );
  for (const { pid } of found) await client.query('select pg_terminate_backend($1)', [pid]);
  assert.deepEqual(
    (await trip).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await assert.rejects(inOneRoundTrip(lost, (tx) => rows(tx, NUMBER, [1])));
});
